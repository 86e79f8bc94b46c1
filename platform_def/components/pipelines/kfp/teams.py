"""What each namespace with runs has: an account for pipelines, where its artifacts are, and how to reach the servers.

Upstream has a script that writes this when a namespace appears; a stack knows its namespaces, but for those that people
register (`registered.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_def.apis.core.core_v1 import CONFIG_MAP, SERVICE_ACCOUNT
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE, ROLE, ROLE_BINDING, RoleRef, Subject
from platform_def.components.pipelines.kfp import rules
from platform_def.components.pipelines.kfp.parts import METADATA, METADATA_PORT, homes
from platform_def.components.pipelines.kfp.stores import Stores
from platform_def.constructs import Resource, Scope, config_map, yaml_file

if TYPE_CHECKING:
    from platform_def.components.pipelines.kfp.config import AnyKfp

RUNNER, REPOSITORIES, DEFAULT = "pipeline-runner", "artifact-repositories", "default-namespaced"
PROFILES_ACCOUNT = "default-editor"
EDIT_ROLE, SHARED = "kubeflow-pipelines-edit", "kfp-pipeline-runner"


def teams(component: AnyKfp, stores: Stores) -> None:
    """All of them."""
    if component.config.registered_namespaces:
        # Who makes roles must have all that these allow; who binds to one needs a right for its name alone.
        Resource(component, CLUSTER_ROLE, SHARED, fields={"rules": [*rules.RUNNER]})
    for home in homes(component):
        team(component, component, stores, home)


def team(scope: Scope, component: AnyKfp, stores: Stores, home: str) -> None:
    """What one namespace has."""
    config_map(scope, "kfp-launcher", stores.launcher(home), namespace=home)
    where = {
        "METADATA_GRPC_SERVICE_HOST": component.service_host(METADATA),
        "METADATA_GRPC_SERVICE_PORT": str(METADATA_PORT),
    }
    config_map(scope, "metadata-grpc-configmap", where, namespace=home)
    Resource(
        scope,
        CONFIG_MAP,
        REPOSITORIES,
        namespace=home,
        annotations={"workflows.argoproj.io/default-artifact-repository": DEFAULT},
        fields={"data": {DEFAULT: yaml_file(stores.repository(home))}},
    )
    _runner(scope, component, home)


def _runner(scope: Scope, component: AnyKfp, home: str) -> None:
    """The account, with upstream's rights in its namespace, and those of its people on runs there."""
    account = component.config.account
    if account != PROFILES_ACCOUNT:
        Resource(scope, SERVICE_ACCOUNT, account, namespace=home, fields={})
    subject: Subject = {"kind": "ServiceAccount", "name": account, "namespace": home}
    steps = {f"{RUNNER}-steps": ("ClusterRole", SHARED)}  # of another name, because no binding changes its role
    if not component.config.registered_namespaces:
        Resource(scope, ROLE, RUNNER, namespace=home, fields={"rules": [*rules.RUNNER]})
        steps = {RUNNER: ("Role", RUNNER)}
    granted = {**steps, f"{RUNNER}-api": ("ClusterRole", EDIT_ROLE)}
    for name, (kind, role) in granted.items():
        reference: RoleRef = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role}
        fields = {"roleRef": reference, "subjects": [subject]}
        Resource(scope, ROLE_BINDING, name, namespace=home, fields=fields)  # type: ignore[arg-type]
