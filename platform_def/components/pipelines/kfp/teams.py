"""What each namespace with runs has: an account for pipelines, where its artifacts are, and how to reach the servers.

Upstream has a script that writes this when a namespace appears; a stack knows its namespaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_def.apis.core.core_v1 import CONFIG_MAP, SERVICE_ACCOUNT
from platform_def.apis.core.rbac_v1 import ROLE, ROLE_BINDING, RoleRef, Subject
from platform_def.components.pipelines.kfp import rules
from platform_def.components.pipelines.kfp.parts import METADATA, METADATA_PORT, homes
from platform_def.components.pipelines.kfp.stores import Stores
from platform_def.constructs import Resource, config_map, yaml_file

if TYPE_CHECKING:
    from platform_def.components.pipelines.kfp.config import AnyKfp

RUNNER, REPOSITORIES, DEFAULT = "pipeline-runner", "artifact-repositories", "default-namespaced"
PROFILES_ACCOUNT = "default-editor"
EDIT_ROLE = "kubeflow-pipelines-edit"


def teams(component: AnyKfp, stores: Stores) -> None:
    """All of them."""
    for home in homes(component):
        config_map(component, "kfp-launcher", stores.launcher(home), namespace=home)
        where = {
            "METADATA_GRPC_SERVICE_HOST": component.service_host(METADATA),
            "METADATA_GRPC_SERVICE_PORT": str(METADATA_PORT),
        }
        config_map(component, "metadata-grpc-configmap", where, namespace=home)
        Resource(
            component,
            CONFIG_MAP,
            REPOSITORIES,
            namespace=home,
            annotations={"workflows.argoproj.io/default-artifact-repository": DEFAULT},
            fields={"data": {DEFAULT: yaml_file(stores.repository(home))}},
        )
        _runner(component, home)


def _runner(component: AnyKfp, home: str) -> None:
    """The account, with upstream's rights in its namespace, and those of its people on runs there."""
    account = component.config.account
    if account != PROFILES_ACCOUNT:
        Resource(component, SERVICE_ACCOUNT, account, namespace=home, fields={})
    subject: Subject = {"kind": "ServiceAccount", "name": account, "namespace": home}
    Resource(component, ROLE, RUNNER, namespace=home, fields={"rules": [*rules.RUNNER]})
    granted = {RUNNER: ("Role", RUNNER), f"{RUNNER}-api": ("ClusterRole", EDIT_ROLE)}
    for name, (kind, role) in granted.items():
        reference: RoleRef = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role}
        fields = {"roleRef": reference, "subjects": [subject]}
        Resource(component, ROLE_BINDING, name, namespace=home, fields=fields)  # type: ignore[arg-type]
