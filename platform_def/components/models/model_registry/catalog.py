"""The catalogue: third-party models, from files and from Hugging Face, in a PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec
from platform_def.components.models.model_registry.config import SERVER, CatalogSource
from platform_def.components.models.model_registry.server import PORT
from platform_def.constructs import (
    OUT_OF_MESH,
    Database,
    Deployment,
    NetworkPolicy,
    Service,
    config_map,
    env,
    from_pods,
    mounts,
    port,
    restart_on_change,
    secret_of,
    secured,
    tcp_probe,
    yaml_file,
)

if TYPE_CHECKING:
    from platform_def.components.models.model_registry.config import AnyModelRegistry

NAME, SERVER_NAME, SOURCES = "model-catalog", "model-catalog-server", "model-catalog-sources"


def catalog(component: AnyModelRegistry) -> None:
    """The catalogue with its files and its database."""
    chosen = component.config.catalog
    files = {**chosen.files, "sources.yaml": yaml_file({"catalogs": [source(each) for each in chosen.sources]})}
    config_map(component, SOURCES, files)
    pod: PodSpec = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "containers": [container(component)],
        "volumes": [{"name": "sources", "configMap": {"name": SOURCES}}],
    }
    annotations = {**OUT_OF_MESH, **restart_on_change(*files.values())}
    Deployment(component, SERVER_NAME, pod=pod, ha_replicas=2, pod_annotations=annotations)
    ports = [port("http-api", PORT)]
    Service(component, NAME, workload=SERVER_NAME, ports=ports, labels={"component": NAME})
    if component.platform.network_policies:
        own = from_pods({"app.kubernetes.io/instance": component.name}, PORT)
        NetworkPolicy(component, SERVER_NAME, openings=[own])


def source(chosen: CatalogSource) -> dict[str, Any]:
    """A source as the file has it."""
    return {
        "name": chosen.name,
        "id": chosen.id,
        "type": chosen.type,
        "enabled": True,
        **({"includedModels": [*chosen.included]} if chosen.included else {}),
        **({"properties": chosen.properties} if chosen.properties else {}),
    }


def container(component: AnyModelRegistry) -> Container:
    """The server; several of them choose by a lock in the database who reads the sources."""
    return {
        "name": "catalog",
        "image": component.release.image,
        "command": ["/model-registry", "catalog"],
        "args": [f"--listen=0.0.0.0:{PORT}", "--catalogs-path=/catalog/sources.yaml"],
        "env": variables(component),
        "ports": [{"name": "http-api", "containerPort": PORT, "protocol": "TCP"}],
        "startupProbe": tcp_probe("http-api", period=5, failures=60),
        "livenessProbe": tcp_probe("http-api", period=10, failures=6),
        "readinessProbe": tcp_probe("http-api", period=5),
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
        "securityContext": secured(SERVER),
        "volumeMounts": mounts({"sources": "/catalog"}, read_only=True),
    }


def variables(component: AnyModelRegistry) -> list[EnvVar]:
    """Where its database is, in the variables of PostgreSQL's own client, and the token of Hugging Face."""
    database, chosen = Database(component, NAME, engine="postgresql"), component.config.catalog
    found = [
        *env({"PGSSLMODE": "disable" if database.tls == "off" else "require"}),
        *database.env(
            PGHOST="host",
            PGPORT="port",
            PGDATABASE="database",
            PGUSER="username",
            PGPASSWORD="password",
        ),
    ]
    if chosen.hugging_face:
        found.append(
            secret_of(component, "model-catalog-hf-api-key", chosen.hugging_face, keys=("HF_API_KEY",)).env(
                "HF_API_KEY", "HF_API_KEY"
            )
        )
    return found
