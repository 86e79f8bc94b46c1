"""Flyte's configuration files without credentials, in the order in which it reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from platform_def.components.pipelines.flyte.plugins import SPARK, served
from platform_def.constructs import Bucket, Database, yaml_file

if TYPE_CHECKING:
    from platform_def.components.pipelines.flyte.config import AnyFlyte

NAME = "flyte-binary"
HTTP, GRPC, WEBHOOK, METRICS = 8088, 8089, 9443, 10254
TEMPLATES = "/etc/flyte/cluster-resource-templates"
WEBHOOK_SECRET = f"{NAME}-webhook-secret"
HOME = "{{ namespace }}"
"""Where Flyte writes the namespace of a project and domain."""
DRIVER = "flyte-spark-driver"
"""The role of Spark's drivers in the namespaces that Flyte makes."""


def files(component: AnyFlyte, database: Database, bucket: Bucket) -> dict[str, str]:
    """The files by name."""
    content: dict[str, Any] = {
        "000-core.yaml": core(component),
        "001-plugins.yaml": plugins(component),
        "002-database.yaml": {"database": {"postgres": postgres(database)}},
        "003-storage.yaml": storage(component, bucket),
    }
    return {name: yaml_file(each) for name, each in content.items()}


def core(component: AnyFlyte) -> dict[str, Any]:
    """Its parts, which find each other on the pod itself."""
    return {
        "admin": {"endpoint": f"localhost:{GRPC}", "insecure": True},
        "catalog-cache": {"endpoint": "localhost:8081", "insecure": True, "type": "datacatalog"},
        "cluster_resources": {"standaloneDeployment": False, "templatePath": TEMPLATES},
        "logger": {"show-source": True, "level": 4},
        "propeller": {"create-flyteworkflow-crd": False, "prof-port": METRICS},
        "webhook": {
            "certDir": "/var/run/flyte/certs",
            "localCert": True,
            "secretName": WEBHOOK_SECRET,
            "serviceName": f"{NAME}-webhook",
            "servicePort": 443,
        },
        "flyte": {
            "admin": {"disabled": False, "seedProjects": [*component.config.projects]},
            "propeller": {"disabled": False, "disableWebhook": False},
            "dataCatalog": {"disabled": False},
        },
    }


def plugins(component: AnyFlyte) -> dict[str, Any]:
    """Which kinds of tasks it runs, and what all of their pods get."""
    config, found = component.config, served(component.platform)
    kubernetes: dict[str, Any] = {"co-pilot": {"image": component.image(component.release.images["copilot"])}}
    if config.pod_template:
        kubernetes["default-pod-template-name"] = config.pod_template
    by_type = {"container": "container", "sidecar": "sidecar", "container_array": "k8s-array"}
    return {
        "tasks": {
            "task-plugins": {
                "enabled-plugins": ["container", "sidecar", "k8s-array", "echo", *(each.name for each in found)],
                "default-for-task-types": {**by_type, **{each.name: each.name for each in found}},
            }
        },
        "plugins": {"k8s": kubernetes},
    }


def postgres(database: Database) -> dict[str, Any]:
    """The database, without user and password."""
    return {
        "host": database.host,
        "port": database.port,
        "dbname": database.database,
        "options": f"sslmode={'disable' if database.tls == 'off' else 'require'}",
    }


def storage(component: AnyFlyte, bucket: Bucket) -> dict[str, Any]:
    """The bucket, and the address of the store that signed addresses have, for browsers and programs outside."""
    stow: dict[str, Any] = {
        "kind": "s3",
        "config": {
            "region": bucket.region,
            "disable_ssl": not bucket.tls,
            "v2_signing": False,
            "endpoint": bucket.url,
            "auth_type": "accesskey" if bucket.secret else "iam",
        },
    }
    made: dict[str, Any] = {"type": "stow", "stow": stow, "container": bucket.bucket}
    if component.config.public_store:
        made["signedUrl"] = {"stowConfigOverride": {"endpoint": component.config.public_store.rstrip("/")}}
    return {"propeller": {"rawoutput-prefix": f"s3://{bucket.bucket}/data"}, "storage": made}


def templates(component: AnyFlyte) -> dict[str, str]:
    """What each project gets in each of its domains, in the order of the names; Flyte fills in the namespace."""
    namespace: dict[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}}
    if component.config.namespace_labels:
        namespace["metadata"]["labels"] = dict(component.config.namespace_labels)
    made = {"namespace.yaml": namespace, **(drivers() if runs_spark(component) else {})}
    return {name: yaml_file(each) for name, each in made.items()}


def runs_spark(component: AnyFlyte) -> bool:
    """Whether tasks may be programs of Spark."""
    return any(each.name == SPARK for each in served(component.platform))


def drivers() -> dict[str, dict[str, Any]]:
    """The account that drivers of Spark run as, and its role."""
    metadata = {"name": SPARK, "namespace": HOME}
    bound = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": metadata,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": DRIVER},
        "subjects": [{"kind": "ServiceAccount", "name": SPARK, "namespace": HOME}],
    }
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}
    return {"spark-account.yaml": account, "spark-role.yaml": bound}
