"""ceph-csi's CephFS driver: shared volumes (ReadWriteMany) on a Ceph cluster that exists, one class a storage entry.

Ceph's credentials stay in Secrets that the stack names; none is ever written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.apis.core.storage_v1 import CSI_DRIVER, STORAGE_CLASS, CSIDriverSpec, StorageClass
from platform_def.apis.snapshot_v1 import VOLUME_SNAPSHOT_CLASS
from platform_def.components.storage.ceph_csi_config import (
    ceph_conf,
    cephfs_entries,
    class_parameters,
    clusters_file,
    json_file,
    snapshot_parameters,
)
from platform_def.components.storage.ceph_csi_pods import (
    CEPH_CONFIG,
    CONFIG,
    KMS_CONFIG,
    Driver,
    node_pod,
    provisioner_pod,
)
from platform_def.config.component import ComponentConfig
from platform_def.config.model import LabelKey, Name, Port, Subdomain
from platform_def.config.platform import NamespaceNeed, Offers, Platform
from platform_def.config.storage import CephFs
from platform_def.constructs.component import Component
from platform_def.constructs.config_map import config_map
from platform_def.constructs.node_paths import node_paths
from platform_def.constructs.rbac import Account, allow
from platform_def.constructs.release import Release, releases
from platform_def.constructs.resource import Resource
from platform_def.constructs.service import Service, port
from platform_def.constructs.workload import DaemonSet, Deployment, tolerations_of
from platform_def.errors import ConfigError, Problem

SIDECARS = "registry.k8s.io/sig-storage"
RELEASES = releases(
    Release(
        version="3.12.2",
        image="quay.io/cephcsi/cephcsi:v3.12.2",
        images={
            "csi-provisioner": f"{SIDECARS}/csi-provisioner:v5.0.1",
            "csi-resizer": f"{SIDECARS}/csi-resizer:v1.11.1",
            "csi-snapshotter": f"{SIDECARS}/csi-snapshotter:v8.0.1",
            "driver-registrar": f"{SIDECARS}/csi-node-driver-registrar:v2.11.1",
        },
    )
)

READ = "get list watch"
# Secrets everywhere: classes name theirs in any namespace, and encryption reads one in the claim's.
PROVISIONER_RULES: tuple[PolicyRule, ...] = (
    allow("", "nodes secrets", verbs=READ),
    allow("", "events", verbs="list watch create update patch"),
    allow("", "persistentvolumes", verbs=f"{READ} create update delete patch"),
    allow("", "persistentvolumeclaims", verbs=f"{READ} update"),
    allow("", "persistentvolumeclaims/status", verbs="update patch"),
    allow("", "configmaps serviceaccounts", verbs="get"),
    allow("", "serviceaccounts/token", verbs="create"),
    allow("storage.k8s.io", "storageclasses csinodes", verbs=READ),
)
SNAPSHOT = VOLUME_SNAPSHOT_CLASS.group
SERVED = f"{VOLUME_SNAPSHOT_CLASS.kind}.{SNAPSHOT}"
"""As `Platform.serves` names the API of snapshots."""
SNAPSHOT_RULES = (
    allow(SNAPSHOT, "volumesnapshots volumesnapshotcontents", verbs=f"{READ} update patch create"),
    allow(SNAPSHOT, "volumesnapshots/status", verbs="get list patch"),
    allow(SNAPSHOT, "volumesnapshotcontents/status", verbs="update patch"),
    allow(SNAPSHOT, "volumesnapshotclasses", verbs=READ),
)
GROUP = "groupsnapshot.storage.k8s.io"
GROUP_RULES = (
    allow(GROUP, "volumegroupsnapshotclasses", verbs=READ),
    allow(GROUP, "volumegroupsnapshotcontents", verbs=f"{READ} update patch"),
    allow(GROUP, "volumegroupsnapshotcontents/status", verbs="update patch"),
)
LEADER_RULES = (
    allow("", "configmaps", verbs=READ),
    allow("coordination.k8s.io", "leases", verbs=f"{READ} delete update create"),
)
NODE_RULES = (
    allow("", "nodes secrets configmaps serviceaccounts", verbs="get"),
    allow("", "serviceaccounts/token", verbs="create"),
)

PROVISIONER = "csi-cephfsplugin-provisioner"
NODE = "csi-cephfsplugin"
NODE_METRICS = "csi-metrics-cephfsplugin"
METRICS = "http-metrics"
PRIVILEGED = "mounts volumes for other pods: privileged, with the node's network, processes and kubelet folders"


class CephCsiCephFsConfig(ComponentConfig):
    """What a stack may choose about the driver; clusters and classes are said in `storage`."""

    releases = RELEASES

    namespace: Name = "ceph-csi-cephfs"
    """Namespace of the driver, as upstream's chart has it; it needs the privileged Pod Security level."""
    driver_name: Annotated[Subdomain, Field(max_length=63)] = "cephfs.csi.ceph.com"
    """Name by which classes and volumes know the driver; two drivers in one cluster need two."""
    replicas: Annotated[int, Field(ge=1, le=5)] = 1
    """Pods that make volumes; one works, the others wait. Upstream's three must be on three nodes, so they never become
    ready on a smaller cluster; with availability `ha` there are three, spread where there is room."""
    snapshots: Literal["off", "on", "group"] = "on"
    """Serve snapshots; where the cluster lacks their API the sidecar waits. `group`: also group snapshots, which need
    their CRDs at version v1alpha1 (8.6 of external-snapshotter has them no more), else no snapshot works at all."""
    snapshot_deletion: Literal["Delete", "Retain"] = "Delete"
    """What becomes of a snapshot in Ceph when its object goes."""
    read_affinity: list[LabelKey] = Field(default_factory=list)
    """Node labels that say where a node is in the CRUSH map, to read from the nearest replica (kernel 5.8 or newer)."""
    host_network: bool = False
    """The pods that make volumes use the node's network: for clusters whose pods cannot reach Ceph."""
    selinux: bool | None = None
    """Show the node's SELinux settings to the driver; by default wherever the distribution has them (not on Talos)."""
    kms: dict[str, dict[str, JsonValue]] = Field(default_factory=dict)
    """Key management services for encrypted volumes by id, as ceph-csi documents them. They name Secrets."""
    ceph_options: dict[str, str] = Field(default_factory=dict)
    """Further options for `[global]` in ceph.conf."""
    metrics_port: Port = 8681
    """Port of the liveness metrics; on nodes it is a port of the node."""
    timeout_seconds: Annotated[int, Field(ge=1, le=3600)] = 150
    """How long a request to Ceph may take before it is repeated."""
    log_level: Annotated[int, Field(ge=0, le=5)] = 5
    """Upstream's: at lower levels the driver does not say why a mount failed."""


class CephCsiCephFs(Component[CephCsiCephFsConfig]):
    """Driver, accounts, configuration, controller, node plugin, metrics, and the classes of the stack's entries."""

    @classmethod
    def offers(cls, config: CephCsiCephFsConfig) -> Offers:
        """Its namespace; the classes follow from the stack's storage."""
        return Offers(namespaces=(NamespaceNeed(config.namespace, "privileged", why=PRIVILEGED),))

    @classmethod
    def problems(cls, config: CephCsiCephFsConfig, platform: Platform) -> Iterator[Problem]:  # noqa: ARG003
        """Storage entries that ceph-csi cannot serve, or none at all."""
        try:
            cephfs_entries(platform.storage)
        except ConfigError as error:
            yield from error.problems

    def build(self) -> None:
        """Everything that makes and mounts CephFS volumes."""
        entries = cephfs_entries(self.platform.storage)
        Resource(self, CSI_DRIVER, self.config.driver_name, spec=csi_driver(self.platform.kubernetes))
        config_map(self, CONFIG, {"config.json": clusters_file(entries)})
        config_map(self, CEPH_CONFIG, {"ceph.conf": ceph_conf(self.config.ceph_options), "keyring": ""})
        # Mounted by both pods and not optional, yet absent from upstream's YAML: without it they never start.
        config_map(self, KMS_CONFIG, {"config.json": json_file({**self.config.kms})})
        self.controller()
        self.node_plugin(entries)
        for name, entry in entries.items():
            self.storage_class(name, entry)
            if self.config.snapshots != "off" and self.platform.serves(SERVED):
                self.snapshot_class(name, entry)

    def controller(self) -> None:
        """The pods that make, grow, snapshot and remove volumes."""
        snapshots = self.config.snapshots
        rules = [*PROVISIONER_RULES, *(SNAPSHOT_RULES if snapshots != "off" else ())]
        rules += GROUP_RULES if snapshots == "group" else ()
        account = Account(self, "cephfs-csi-provisioner")
        account.allow(rules, role="cephfs-external-provisioner-runner")
        account.allow_in(self.namespace, LEADER_RULES, role="cephfs-external-provisioner-cfg")
        pod = provisioner_pod(self.driver(account), snapshots=snapshots, host_network=self.config.host_network)
        Deployment(self, PROVISIONER, pod=pod, replicas=self.config.replicas, ha_replicas=3)
        Service(self, PROVISIONER, ports=[port(METRICS, 8080, self.config.metrics_port)]).monitor(METRICS)

    def node_plugin(self, entries: dict[str, CephFs]) -> None:
        """The pod on each node that mounts volumes; on tainted pools too, where upstream's is missing."""
        account = Account(self, "cephfs-csi-nodeplugin").allow(NODE_RULES, role="cephfs-csi-nodeplugin")
        paths = node_paths(self.platform.distribution)
        wanted = [toleration for pool in self.platform.node_pools for toleration in tolerations_of(pool)]
        pod = node_pod(
            self.driver(account),
            read_affinity=self.config.read_affinity,
            selinux=paths.selinux if self.config.selinux is None else self.config.selinux,
            tolerations=[each for index, each in enumerate(wanted) if each not in wanted[:index]],
        )
        # A FUSE mount ends with the pod that holds it: then whoever drains the node decides when.
        fuse = any(entry.mounter == "fuse" for entry in entries.values())
        strategy = {"updateStrategy": {"type": "OnDelete"}} if fuse else None
        DaemonSet(self, NODE, pod=pod, every_node=True, more=strategy)
        ports = [port(METRICS, 8080, self.config.metrics_port)]
        Service(self, NODE_METRICS, ports=ports, workload=NODE).monitor(METRICS)

    def driver(self, account: Account) -> Driver:
        """What the pods need to know."""
        return Driver(
            kind="cephfs",
            name=self.config.driver_name,
            release=self.release,
            paths=node_paths(self.platform.distribution),
            account=account.name,
            log_level=self.config.log_level,
            metrics_port=self.config.metrics_port,
            timeout_seconds=self.config.timeout_seconds,
        )

    def storage_class(self, name: str, entry: CephFs) -> None:
        """The class of one storage entry."""
        fields: StorageClass = {
            "provisioner": self.config.driver_name,
            "parameters": class_parameters(entry),
            "reclaimPolicy": entry.reclaim_policy,
            "allowVolumeExpansion": entry.allow_expansion,
            "volumeBindingMode": "Immediate",
        }
        if entry.mount_options:
            fields["mountOptions"] = entry.mount_options
        default = {"storageclass.kubernetes.io/is-default-class": "true"} if entry.default else None
        Resource(self, STORAGE_CLASS, name, fields=fields, annotations=default)

    def snapshot_class(self, name: str, entry: CephFs) -> None:
        """The class of snapshots of one storage entry; it waits for the snapshot API, the driver does not."""
        Resource(
            self,
            VOLUME_SNAPSHOT_CLASS,
            name,
            part="after",
            fields={
                "driver": self.config.driver_name,
                "deletionPolicy": self.config.snapshot_deletion,
                "parameters": snapshot_parameters(entry),
            },
        )


def csi_driver(kubernetes: str) -> CSIDriverSpec:
    """How Kubernetes treats the driver: no attaching, ownership set by the kubelet, SELinux labels set by mounting."""
    spec: CSIDriverSpec = {"attachRequired": False, "podInfoOnMount": False, "fsGroupPolicy": "File"}
    if int(kubernetes.split(".")[1]) >= 28:
        # Before, its feature gate is off and the server drops the field, which then looks like drift.
        spec["seLinuxMount"] = True
    return spec
