"""What SQL servers of the catalogue share: one pod on one volume, Services, administrator, and who reaches it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from platform_def.apis.core.core_v1 import Container, PodSpec, Volume
from platform_def.capabilities.databases import Administrator
from platform_def.config.platform import Platform
from platform_def.config.secrets import SecretSource
from platform_def.constructs import (
    Account,
    AnyComponent,
    Claim,
    NetworkPolicy,
    SecretUse,
    Service,
    StatefulSet,
    from_cluster,
    from_pods,
    port,
    secret_name,
)

if TYPE_CHECKING:
    from platform_def.components.databases.exporter import Exporting

ROOT_FOLDER = "/run/secrets/root"
ROOT_FILE = f"{ROOT_FOLDER}/password"


def administrator(root: SecretSource, name: str, platform: Platform, username: str = "root") -> Administrator:
    """Who makes databases: the user whose password is in root's Secret, which is called `name` unless it has a name."""
    made = root.generate is not None or root.external_secret is not None
    key = "password" if made else root.key("password")
    return Administrator(secret=secret_name(root, name, platform), key=key, username=username)


def server(
    component: AnyComponent,
    name: str,
    container: Container,
    *,
    number: int,
    user: int,
    grace: int,
    root: SecretUse,
    volumes: Sequence[Volume] = (),
    backed_up: bool = False,
    exporting: Exporting | None = None,
) -> None:
    """One pod with its volume `data`, as `user` and group of its image, the Service `name` and a headless one.

    `container` mounts `data`, `root` and `volumes`; `number` is its port, `grace` the seconds that it has to stop.
    """
    what, headless = container["name"], f"{name}-pods"
    pod: PodSpec = {
        "serviceAccountName": name,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": grace,
        "securityContext": {
            "runAsUser": user,
            "runAsGroup": user,
            "fsGroup": user,
            "fsGroupChangePolicy": "OnRootMismatch",
        },
        "containers": [container, *([exporting.container] if exporting else [])],
        "volumes": [root.volume("root", "password"), *volumes],
    }
    Account(component, name)
    StatefulSet(
        component,
        name,
        pod=pod,
        service=headless,
        claims=[Claim("data", "20Gi", kind="fast")],
        extra_spec={"updateStrategy": {"type": "RollingUpdate"}},
    )
    ports = [port(what, number), *([port("metrics", exporting.port)] if exporting else [])]
    service = Service(component, name, ports=ports)
    if exporting:
        service.monitor("metrics")
    Service(
        component,
        headless,
        workload=name,
        ports=[port(what, number)],
        extra_spec={"clusterIP": "None", "publishNotReadyAddresses": True},
    )
    if component.platform.network_policies:
        # Each component with a database here lets itself in; its own pods are those that make backups.
        own = [from_pods({"app.kubernetes.io/instance": component.name}, number)] if backed_up else []
        read = [from_cluster(exporting.port)] if exporting else []
        NetworkPolicy(component, name, openings=[*own, *read])
