"""CSI drivers: the object that announces one, the pods that make its volumes, the pod on each node that mounts them,
and the classes of a stack's storage entries.

A driver brings its own container, its facts and its rights. The socket that all share, Kubernetes' sidecars, leader
election, registration at the kubelet and the kubelet's folders are here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal, cast

from platform_def.apis.core.core_v1 import (
    Container,
    EnvVarSource,
    PodSpec,
    ResourceRequirements,
    SecurityContext,
    Toleration,
    Volume,
)
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.apis.core.storage_v1 import CSI_DRIVER, STORAGE_CLASS, CSIDriverSpec, StorageClass
from platform_def.apis.snapshot.v1 import VOLUME_SNAPSHOT_CLASS, VolumeSnapshotClass
from platform_def.config.storage import Provisioned
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.environment import env, from_field
from platform_def.constructs.node_paths import node_paths
from platform_def.constructs.rbac import Account, allow
from platform_def.constructs.resource import Resource
from platform_def.constructs.volumes import host_paths, memory, mounts
from platform_def.constructs.workloads.services import DaemonSet, Deployment
from platform_def.constructs.workloads.tolerations import tolerations_of

NODE_SOCKET = "unix:///csi/csi.sock"
"""Where a driver listens in its container on a node; outside, the socket is in the driver's folder."""
CONFINED: SecurityContext = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
"""Of sidecars, which need nothing but the socket and the API server; csi-driver-nfs runs them so."""
SIDECAR_RESOURCES: ResourceRequirements = {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}}
"""What Rook gives the same sidecars; their own projects say nothing."""
LEADER_RULES = (allow("coordination.k8s.io", "leases", verbs="create get list patch update watch"),)
"""Each sidecar has a Lease in the driver's own namespace (csi-lib-utils)."""
_HOST_NETWORK: PodSpec = {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}  # type: ignore[typeddict-item]


@dataclass(frozen=True)
class Sidecar:
    """One of Kubernetes' own programs beside a driver, which turns objects into requests to it."""

    name: str
    image: str
    flags: tuple[str, ...] = ()
    """Beside those that all have."""
    _: KW_ONLY
    rules: tuple[PolicyRule, ...] = ()
    """What it may do everywhere, as the driver's own project grants it."""
    security: SecurityContext | None = None
    """By default: no capabilities."""

    def container(
        self, flags: Sequence[str], variables: Mapping[str, str | int | EnvVarSource], **folders: str
    ) -> Container:
        """The program with the driver's socket, and further volumes `<name>-dir`."""
        return {
            "name": self.name,
            "image": self.image,
            "args": [*flags, *self.flags],
            "env": env(variables),
            "volumeMounts": mounts({"socket-dir": "/csi", **{f"{key}-dir": path for key, path in folders.items()}}),
            "securityContext": self.security or CONFINED,
            "resources": SIDECAR_RESOURCES,
        }


class CsiDriver(Piece):
    """A driver, by the name that volumes know it by: it can never be changed for volumes that exist."""

    def __init__(self, scope: Scope, name: str, *, spec: CSIDriverSpec, socket: str = NODE_SOCKET, folder: str = ""):
        """`socket` is where it listens in the pods that make volumes, `folder` its own below the kubelet's `plugins`:
        by default of the driver's name."""
        super().__init__(scope, name)
        self.platform = self.component.platform
        self.name, self.socket = name, socket
        self.paths = node_paths(self.platform.distribution)
        self.folder = f"{self.paths.plugins}/{folder or name}"
        # Before 1.28 the field's gate is off and the server drops it, which then looks like drift.
        labelled = self.platform.kubernetes >= "1.28"
        kept = {key: value for key, value in spec.items() if key != "seLinuxMount" or labelled}
        Resource(self, CSI_DRIVER, name, spec=cast(CSIDriverSpec, kept))

    def controller(
        self,
        name: str,
        *,
        account: str,
        role: str,
        leader_role: str,
        plugin: Container,
        sidecars: Sequence[Sidecar],
        timeout_seconds: int,
        extra_containers: Sequence[Container] = (),
        volumes: Sequence[Volume] = (),
        rules: Sequence[PolicyRule] = (),
        leader_rules: Sequence[PolicyRule] = LEADER_RULES,
        ha_replicas: int = 2,
        host_network: bool = False,
        extra_spec: Mapping[str, object] | None = None,
    ) -> None:
        """The pods that make, grow, attach, snapshot and remove volumes: one works, the others wait.

        `plugin` is the driver, `extra_containers` are its own beside it; `rules` are rights beside the sidecars'.
        `timeout_seconds` is how long a request to the driver may take before it is repeated.
        """
        granted = Account(self, account)
        granted.allow([*(rule for each in sidecars for rule in each.rules), *rules], role=role)
        granted.allow_in(self.component.namespace, leader_rules, role=leader_role)
        flags = ["--csi-address=$(ADDRESS)", "--v=1", f"--timeout={timeout_seconds}s", "--leader-election=true"]
        programs = [each.container(flags, {"ADDRESS": self.socket}) for each in sidecars]
        pod: PodSpec = {
            "serviceAccountName": account,
            "priorityClassName": "system-cluster-critical",
            "containers": [_listening(plugin), *programs, *extra_containers],
            "volumes": [*memory("socket-dir"), *volumes],
        }
        pod = {**pod, **_HOST_NETWORK} if host_network else pod
        Deployment(self, name, pod=pod, ha_replicas=ha_replicas, extra_spec=extra_spec)

    def node_plugin(
        self,
        name: str,
        *,
        account: str,
        plugin: Container,
        registrar: Sidecar,
        extra_containers: Sequence[Container] = (),
        volumes: Sequence[Volume] = (),
        folders: Mapping[str, str] | None = None,
        stages: bool = True,
        host_pid: bool = False,
        rules: Sequence[PolicyRule] = (),
        tolerations: Sequence[Toleration] | None = None,
        extra_spec: Mapping[str, object] | None = None,
    ) -> None:
        """The pod on each node that mounts volumes, in the node's network so that mounts outlive it; its DNS finds
        servers by Service name.

        `folders` are volumes below the driver's own folder. `stages`: it mounts once a node, below the kubelet's
        `plugins`, and not only for each pod. `tolerations` are by default those of all node pools.
        """
        granted = Account(self, account)
        if rules:
            granted.allow(rules)
        # The kubelet names volumes by their path on the node: inside the container they must have the same.
        kubelet = {"mountpoint-dir": self.paths.pods, **({"plugin-dir": self.paths.plugins} if stages else {})}
        made = {"socket-dir": f"{self.folder}/"}
        made |= {volume: f"{self.folder}/{folder}" for volume, folder in (folders or {}).items()}
        made["mountpoint-dir"] = self.paths.pods
        there = {"registration-dir": f"{self.paths.registry}/", **kubelet}
        there.pop("mountpoint-dir")
        flags = ["--v=1", "--csi-address=/csi/csi.sock", f"--kubelet-registration-path={self.folder}/csi.sock"]
        known = registrar.container(
            flags, {"KUBE_NODE_NAME": from_field("spec.nodeName")}, registration="/registration"
        )
        pod: PodSpec = {
            "serviceAccountName": account,
            "priorityClassName": "system-node-critical",
            "containers": [_listening(plugin, kubelet), known, *extra_containers],
            "volumes": [*host_paths(made, "DirectoryOrCreate"), *host_paths(there, "Directory"), *volumes],
            **_HOST_NETWORK,
        }
        if host_pid:
            pod["hostPID"] = True
        tolerated = self._everywhere() if tolerations is None else tolerations
        if tolerated:
            pod["tolerations"] = [*tolerated]
        DaemonSet(self, name, pod=pod, extra_spec=extra_spec)

    def storage_class(self, name: str, entry: Provisioned, parameters: Mapping[str, str]) -> None:
        """The class of a storage entry. Nothing of it can be changed later but labels and annotations."""
        storage_class(self, name, entry, provisioner=self.name, parameters=parameters)

    def snapshot_class(
        self, name: str, parameters: Mapping[str, str], *, deletion: Literal["Delete", "Retain"] = "Delete"
    ) -> None:
        """The class of its snapshots, where the stack serves them."""
        if not self.platform.serves(VOLUME_SNAPSHOT_CLASS.full_name):
            return
        fields: VolumeSnapshotClass = {"driver": self.name, "deletionPolicy": deletion}
        if parameters:
            fields["parameters"] = dict(parameters)
        # It waits for the snapshot API, the driver does not.
        Resource(self, VOLUME_SNAPSHOT_CLASS, name, part="after", fields=fields)

    def _everywhere(self) -> Sequence[Toleration]:
        """What the taints of all pools ask for, each once."""
        wanted = [toleration for pool in self.platform.node_pools for toleration in tolerations_of(pool)]
        return [each for index, each in enumerate(wanted) if each not in wanted[:index]]


def storage_class(
    scope: Scope, name: str, entry: Provisioned, *, provisioner: str, parameters: Mapping[str, str]
) -> None:
    """The StorageClass of a storage entry, for any driver."""
    fields: StorageClass = {
        "provisioner": provisioner,
        "parameters": dict(parameters),
        "reclaimPolicy": entry.reclaim_policy or "Delete",
        "allowVolumeExpansion": entry.allow_expansion,
        "volumeBindingMode": entry.binding,
    }
    if entry.mount_options:
        fields["mountOptions"] = entry.mount_options
    if entry.topology:
        wanted = [{"key": key, "values": values} for key, values in sorted(entry.topology.items())]
        fields["allowedTopologies"] = [{"matchLabelExpressions": wanted}]  # type: ignore[typeddict-item]
    default = {"storageclass.kubernetes.io/is-default-class": "true"} if entry.default else None
    Resource(scope, STORAGE_CLASS, name, fields=fields, annotations=default)


def _listening(plugin: Container, kubelet: Mapping[str, str] | None = None) -> Container:
    """The driver's container with the socket, and with the kubelet's folders where it mounts volumes."""
    seen = mounts({"socket-dir": "/csi"}), mounts(kubelet or {}, propagation="Bidirectional")
    return {**plugin, "volumeMounts": [*seen[0], *seen[1], *plugin.get("volumeMounts", [])]}
