"""ceph-csi-operator 1.0 (csi.ceph.io)."""
# ruff: noqa: E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import apps_v1, core_v1
from platform_def.crds.model import Api, Definition, Makes
from platform_def.crds.schema import (
    Cel,
    Default,
    EmptyObject,
    Int32,
    MapType,
    Maximum,
    MaxItems,
    Minimum,
    MinItems,
    Quantity,
    Ref,
)
from platform_def.crds.typed_dict import TypedDict

RadosNamespace = Annotated[str, Cel("self == oldSelf", "stays as it was created")]
ImageSet = Annotated[core_v1.LocalObjectReference, Cel('self.name != ""', "say a name")]


class ReadAffinity(TypedDict, total=False):
    """Reads from storage nodes nearby."""

    crushLocationLabels: Required[Annotated[list[str], MinItems(1)]]
    """Labels of nodes that say where they are; reads go to storage nodes with the same values."""


class CephConnectionSpec(TypedDict, total=False):
    """How a Ceph cluster is reached."""

    monitors: Required[Annotated[list[str], MinItems(1)]]
    """Addresses of its monitors, with ports."""
    rbdMirrorDaemonCount: Annotated[int, Minimum(1)]
    """Daemons there that mirror images; 1 if left out."""
    readAffinity: ReadAffinity
    """Reads from storage nodes nearby; from anywhere if left out."""


class CephConnection(TypedDict, total=False):
    """A Ceph cluster."""

    spec: CephConnectionSpec
    status: EmptyObject


class ClientProfileMappingMapping(TypedDict, total=False):
    """A profile here and its like in another cluster."""

    blockPoolIdMapping: list[Annotated[list[str], MaxItems(2), MinItems(2)]]
    """Pairs of pool numbers, here and there."""
    localClientProfile: Required[Annotated[str, Ref("ClientProfile", group="csi.ceph.io", weak=True)]]
    """The profile here."""
    remoteClientProfile: Required[str]
    """The profile in the other cluster."""


class ClientProfileMappingSpec(TypedDict, total=False):
    """Profiles here and in the cluster that volumes are mirrored with, for fail-over."""

    mappings: Required[list[ClientProfileMappingMapping]]
    """The profiles."""


class ClientProfileMapping(TypedDict, total=False):
    """Profiles here and elsewhere."""

    spec: ClientProfileMappingSpec
    status: EmptyObject


class CephConnectionRef(TypedDict, total=False):
    """A Ceph cluster by its name."""

    name: Annotated[str, Default(""), Ref("CephConnection", group="csi.ceph.io")]
    """Name of the CephConnection, of the same namespace."""


class CephCsiSecrets(TypedDict, total=False):
    """Credentials for Ceph."""

    controllerPublishSecret: core_v1.SecretReference
    """Secret for attaching volumes."""


class CephFs(TypedDict, total=False):
    """Where file systems of the profile are."""

    cephCsiSecrets: CephCsiSecrets
    """Credentials."""
    fuseMountOptions: dict[str, str]
    """Options for mounting with ceph-fuse."""
    kernelMountOptions: dict[str, str]
    """Options for mounting with the kernel."""
    radosNamespace: RadosNamespace
    """RADOS namespace for the driver's own records; csi if left out."""
    subVolumeGroup: str
    """Group that volumes are made in; csi if left out."""


class Nvmeof(TypedDict, total=False):
    """Where block devices of the profile are."""

    cephCsiSecrets: CephCsiSecrets
    """Credentials."""
    radosNamespace: RadosNamespace
    """RADOS namespace that volumes are made in; none if left out."""


class ClientProfileSpec(TypedDict, total=False):
    """A tenant of a Ceph cluster; storage classes name it as clusterID."""

    cephConnectionRef: Required[Annotated[CephConnectionRef, MapType("atomic"), Cel('self.name != ""', "say a name")]]
    """The Ceph cluster."""
    cephFs: CephFs
    """Where its file systems are."""
    nfs: EmptyObject
    """For NFS; without settings."""
    nvmeof: Nvmeof
    """Where its NVMe-oF devices are."""
    rbd: Nvmeof
    """Where its block devices are."""


class ClientProfile(TypedDict, total=False):
    """A tenant of a Ceph cluster."""

    spec: ClientProfileSpec
    status: EmptyObject


class Resources(TypedDict, total=False):
    """What the containers of the controller plug-in ask for."""

    addons: core_v1.ResourceRequirements
    """Of the CSI add-ons sidecar."""
    attacher: core_v1.ResourceRequirements
    """Of the attacher."""
    liveness: core_v1.ResourceRequirements
    """Of the liveness probe."""
    logRotator: core_v1.ResourceRequirements
    """Of the log rotation."""
    omapGenerator: core_v1.ResourceRequirements
    """Of the generator of maps for mirrored images."""
    plugin: core_v1.ResourceRequirements
    """Of the driver itself."""
    provisioner: core_v1.ResourceRequirements
    """Of the provisioner."""
    resizer: core_v1.ResourceRequirements
    """Of the resizer."""
    snapshotter: core_v1.ResourceRequirements
    """Of the snapshotter."""


class Volume(TypedDict, total=False):
    """A volume for the driver's container."""

    mount: core_v1.VolumeMount
    """Where it is mounted."""
    volume: core_v1.Volume
    """The volume."""


class ControllerPlugin(TypedDict, total=False):
    """The Deployment that makes, attaches and snapshots volumes."""

    affinity: core_v1.Affinity
    """Which nodes and which other pods the pods are near to or far from."""
    annotations: dict[str, str]
    """Annotations of the pods."""
    containerExtraArgs: dict[str, list[str]]
    """Further arguments, by container."""
    deploymentStrategy: apps_v1.DeploymentStrategy
    """How it is updated."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    imagePullPolicy: str
    """When images are pulled."""
    labels: dict[str, str]
    """Labels of the pods."""
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the pods."""
    privileged: bool
    """True: the driver's container is privileged."""
    replicas: Annotated[Int32, Minimum(1)]
    """Number of pods."""
    resources: Resources
    """What the containers ask for."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """Service account of the pods; that of the driver's kind if left out."""
    tolerations: list[core_v1.Toleration]
    """Taints of nodes that the pods put up with."""
    volumes: list[Volume]
    """Further volumes of the driver's container."""


class Encryption(TypedDict, total=False):
    """Encryption of volumes."""

    configMapName: Required[ImageSet]
    """ConfigMap that says where keys are kept."""


class LeaderElection(TypedDict, total=False):
    """How one of several pods leads."""

    leaseDuration: Annotated[int, Minimum(0)]
    """Seconds after which a silent leader is followed by another."""
    renewDeadline: Annotated[int, Minimum(0)]
    """Seconds that a leader has to renew."""
    retryPeriod: Annotated[int, Minimum(0)]
    """Seconds between tries."""


class Liveness(TypedDict, total=False):
    """Liveness of the driver as metrics."""

    metricsPort: Required[Annotated[int, Maximum(65535), Minimum(1024)]]
    """Port of the metrics."""


class Rotation(TypedDict, total=False):
    """Logs in files of the node that are rotated."""

    logHostPath: str
    """Folder of the node."""
    maxFiles: int
    """Files that are kept."""
    maxLogSize: Quantity
    """Size at which a file is rotated."""
    periodicity: Literal["hourly", "daily", "weekly", "monthly"]
    """How often files are rotated."""


class Log(TypedDict, total=False):
    """Logs of the driver."""

    rotation: Annotated[
        Rotation, Cel("(has(self.maxLogSize)) || (has(self.periodicity))", "set maxLogSize, periodicity or both")
    ]
    """Into files that are rotated; to standard output if left out."""
    verbosity: Annotated[int, Maximum(5), Minimum(0)]
    """0 (little) to 5 (everything)."""


class NodePluginResources(TypedDict, total=False):
    """What the containers of the node plug-in ask for."""

    addons: core_v1.ResourceRequirements
    """Of the CSI add-ons sidecar."""
    liveness: core_v1.ResourceRequirements
    """Of the liveness probe."""
    logRotator: core_v1.ResourceRequirements
    """Of the log rotation."""
    plugin: core_v1.ResourceRequirements
    """Of the driver itself."""
    registrar: core_v1.ResourceRequirements
    """Of the registrar."""


class Topology(TypedDict, total=False):
    """Where volumes can be reached from."""

    domainLabels: Required[list[str]]
    """Labels of nodes that say where they are."""


class NodePlugin(TypedDict, total=False):
    """The DaemonSet that mounts volumes on nodes."""

    affinity: core_v1.Affinity
    """Which nodes and which other pods the pods are near to or far from."""
    annotations: dict[str, str]
    """Annotations of the pods."""
    containerExtraArgs: dict[str, list[str]]
    """Further arguments, by container."""
    enableSeLinuxHostMount: bool
    """True: the node's SELinux folder is mounted."""
    imagePullPolicy: str
    """When images are pulled."""
    kubeletDirPath: str
    """The kubelet's folder; /var/lib/kubelet if left out."""
    labels: dict[str, str]
    """Labels of the pods."""
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the pods."""
    resources: NodePluginResources
    """What the containers ask for."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """Service account of the pods; that of the driver's kind if left out."""
    tolerations: list[core_v1.Toleration]
    """Taints of nodes that the pods put up with."""
    topology: Topology
    """Where volumes can be reached from; anywhere if left out."""
    updateStrategy: apps_v1.DaemonSetUpdateStrategy
    """How it is updated."""
    volumes: list[Volume]
    """Further volumes of the driver's container."""


class DriverSpec(TypedDict, total=False):
    """A Ceph CSI driver; its name says which (rbd.csi.ceph.com)."""

    attachRequired: bool
    """False: volumes are mounted without being attached; true if left out."""
    cephFsClientType: Literal["autodetect", "kernel"]
    """Whether the kernel mounts CephFS where it can (autodetect), or always (kernel)."""
    clusterName: str
    """Name of this Kubernetes cluster, written to volumes in Ceph."""
    controllerPlugin: ControllerPlugin
    """The Deployment that makes and attaches volumes."""
    deployCsiAddons: bool
    """True: the CSI add-ons sidecar runs as well."""
    enableFencing: bool
    """True: a node that is gone loses its access to volumes."""
    enableMetadata: bool
    """True: volumes in Ceph carry names of claims and namespaces."""
    encryption: Encryption
    """Encryption of volumes."""
    fsGroupPolicy: str
    """Whether Kubernetes changes the group of files: File, ReadWriteOnceWithFSType or None."""
    fuseMountOptions: dict[str, str]
    """Options for mounting with ceph-fuse."""
    generateOMapInfo: bool
    """True: maps for mirrored images are made."""
    grpcTimeout: Annotated[int, Minimum(0)]
    """Seconds that a call to the driver may take."""
    imageSet: ImageSet
    """ConfigMap with the images; the operator's own if left out."""
    kernelMountOptions: dict[str, str]
    """Options for mounting with the kernel."""
    leaderElection: LeaderElection
    """How one of several controller pods leads."""
    liveness: Liveness
    """Liveness of the driver as metrics; none if left out."""
    log: Log
    """Logs of the driver."""
    nodePlugin: NodePlugin
    """The DaemonSet that mounts volumes on nodes."""
    snapshotPolicy: Literal["none", "volumeGroupSnapshot", "volumeSnapshot"]
    """Which snapshots the driver makes."""


class Driver(TypedDict, total=False):
    """A driver."""

    spec: DriverSpec
    status: EmptyObject


class OperatorConfigLog(TypedDict, total=False):
    """Logs of the operator."""

    verbosity: Annotated[int, Maximum(3), Minimum(0)]
    """0 (little) to 3 (everything)."""


class OperatorConfigSpec(TypedDict, total=False):
    """What holds for all drivers that don't say otherwise."""

    driverSpecDefaults: DriverSpec
    """Defaults of drivers."""
    log: OperatorConfigLog
    """Logs of the operator."""


class OperatorConfig(TypedDict, total=False):
    """The operator's settings."""

    spec: OperatorConfigSpec
    status: EmptyObject


def _config_maps(spec: str) -> dict[str, Ref]:
    return {f"{spec}.{path}.name": Ref("ConfigMap") for path in ("imageSet", "encryption.configMapName")}


CEPH_CONNECTION = Api(
    group="csi.ceph.io",
    version="v1",
    kind="CephConnection",
    plural="cephconnections",
    spec=CephConnectionSpec,
    top=CephConnection,
    status_subresource=True,
    doc="How a Ceph cluster is reached.",
)

CLIENT_PROFILE_MAPPING = Api(
    group="csi.ceph.io",
    version="v1",
    kind="ClientProfileMapping",
    plural="clientprofilemappings",
    spec=ClientProfileMappingSpec,
    top=ClientProfileMapping,
    status_subresource=True,
    doc="Profiles here and in the cluster that volumes are mirrored with, for fail-over.",
)

CLIENT_PROFILE = Api(
    group="csi.ceph.io",
    version="v1",
    kind="ClientProfile",
    plural="clientprofiles",
    spec=ClientProfileSpec,
    top=ClientProfile,
    core="1.36",
    status_subresource=True,
    doc="A tenant of a Ceph cluster; storage classes name it as clusterID.",
)

DRIVER = Api(
    group="csi.ceph.io",
    version="v1",
    kind="Driver",
    plural="drivers",
    spec=DriverSpec,
    top=Driver,
    rules=(
        Cel(
            r"self.metadata.name.matches('^(.+\\.)?(rbd|cephfs|nfs|nvmeof)?\\.csi\\.ceph\\.com$')",
            "a driver is called rbd, cephfs, nfs or nvmeof with the suffix .csi.ceph.com, a prefix before it if need be",
        ),
    ),
    core="1.36",
    status_subresource=True,
    references=_config_maps("spec"),
    makes=(Makes("CSIDriver", group="storage.k8s.io"),),
    doc="A Ceph CSI driver; its name says which.",
)

OPERATOR_CONFIG = Api(
    group="csi.ceph.io",
    version="v1",
    kind="OperatorConfig",
    plural="operatorconfigs",
    spec=OperatorConfigSpec,
    top=OperatorConfig,
    core="1.36",
    status_subresource=True,
    references=_config_maps("spec.driverSpecDefaults"),
    doc="What holds for all drivers that don't say otherwise.",
)

CRDS = (
    Definition((CEPH_CONNECTION,)),
    Definition((CLIENT_PROFILE_MAPPING,)),
    Definition((CLIENT_PROFILE,)),
    Definition((DRIVER,)),
    Definition((OPERATOR_CONFIG,)),
)
