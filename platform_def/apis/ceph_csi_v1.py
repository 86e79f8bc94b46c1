"""ceph-csi-operator 1.0 (csi.ceph.io)."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import apps_v1, core_v1
from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import (
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

RadosNamespace = Annotated[str, Cel("self == oldSelf", "stays as it was created")]
ImageSet = Annotated[core_v1.LocalObjectReference, Cel('self.name != ""', "say a name")]


class ReadAffinity(TypedDict, total=False):
    crushLocationLabels: Required[Annotated[list[str], MinItems(1)]]


class CephConnectionSpec(TypedDict, total=False):
    monitors: Required[Annotated[list[str], MinItems(1)]]
    rbdMirrorDaemonCount: Annotated[int, Minimum(1)]
    readAffinity: ReadAffinity


class CephConnection(TypedDict, total=False):
    spec: CephConnectionSpec
    status: EmptyObject


class ClientProfileMappingMapping(TypedDict, total=False):
    blockPoolIdMapping: list[Annotated[list[str], MaxItems(2), MinItems(2)]]
    localClientProfile: Required[str]
    remoteClientProfile: Required[str]


class ClientProfileMappingSpec(TypedDict, total=False):
    mappings: Required[list[ClientProfileMappingMapping]]


class ClientProfileMapping(TypedDict, total=False):
    spec: ClientProfileMappingSpec
    status: EmptyObject


class CephConnectionRef(TypedDict, total=False):
    name: Annotated[str, Default(""), Ref("CephConnection", group="csi.ceph.io")]


class CephCsiSecrets(TypedDict, total=False):
    controllerPublishSecret: core_v1.SecretReference


class CephFs(TypedDict, total=False):
    cephCsiSecrets: CephCsiSecrets
    fuseMountOptions: dict[str, str]
    kernelMountOptions: dict[str, str]
    radosNamespace: RadosNamespace
    subVolumeGroup: str


class Nvmeof(TypedDict, total=False):
    cephCsiSecrets: CephCsiSecrets
    radosNamespace: RadosNamespace


class ClientProfileSpec(TypedDict, total=False):
    cephConnectionRef: Required[Annotated[CephConnectionRef, MapType("atomic"), Cel('self.name != ""', "say a name")]]
    cephFs: CephFs
    nfs: EmptyObject
    nvmeof: Nvmeof
    rbd: Nvmeof


class ClientProfile(TypedDict, total=False):
    spec: ClientProfileSpec
    status: EmptyObject


class Resources(TypedDict, total=False):
    addons: core_v1.ResourceRequirements
    attacher: core_v1.ResourceRequirements
    liveness: core_v1.ResourceRequirements
    logRotator: core_v1.ResourceRequirements
    omapGenerator: core_v1.ResourceRequirements
    plugin: core_v1.ResourceRequirements
    provisioner: core_v1.ResourceRequirements
    resizer: core_v1.ResourceRequirements
    snapshotter: core_v1.ResourceRequirements


class Volume(TypedDict, total=False):
    mount: core_v1.VolumeMount
    volume: core_v1.Volume


class ControllerPlugin(TypedDict, total=False):
    affinity: core_v1.Affinity
    annotations: dict[str, str]
    containerExtraArgs: dict[str, list[str]]
    deploymentStrategy: apps_v1.DeploymentStrategy
    hostNetwork: bool
    imagePullPolicy: str
    labels: dict[str, str]
    priorityClassName: str
    privileged: bool
    replicas: Annotated[Int32, Minimum(1)]
    resources: Resources
    serviceAccountName: str
    tolerations: list[core_v1.Toleration]
    volumes: list[Volume]


class Encryption(TypedDict, total=False):
    configMapName: Required[ImageSet]


class LeaderElection(TypedDict, total=False):
    leaseDuration: Annotated[int, Minimum(0)]
    renewDeadline: Annotated[int, Minimum(0)]
    retryPeriod: Annotated[int, Minimum(0)]


class Liveness(TypedDict, total=False):
    metricsPort: Required[Annotated[int, Maximum(65535), Minimum(1024)]]


class Rotation(TypedDict, total=False):
    logHostPath: str
    maxFiles: int
    maxLogSize: Quantity
    periodicity: Literal["hourly", "daily", "weekly", "monthly"]


class Log(TypedDict, total=False):
    rotation: Annotated[
        Rotation, Cel("(has(self.maxLogSize)) || (has(self.periodicity))", "set maxLogSize, periodicity or both")
    ]
    verbosity: Annotated[int, Maximum(5), Minimum(0)]


class NodePluginResources(TypedDict, total=False):
    addons: core_v1.ResourceRequirements
    liveness: core_v1.ResourceRequirements
    logRotator: core_v1.ResourceRequirements
    plugin: core_v1.ResourceRequirements
    registrar: core_v1.ResourceRequirements


class Topology(TypedDict, total=False):
    domainLabels: Required[list[str]]


class NodePlugin(TypedDict, total=False):
    affinity: core_v1.Affinity
    annotations: dict[str, str]
    containerExtraArgs: dict[str, list[str]]
    enableSeLinuxHostMount: bool
    imagePullPolicy: str
    kubeletDirPath: str
    labels: dict[str, str]
    priorityClassName: str
    resources: NodePluginResources
    serviceAccountName: str
    tolerations: list[core_v1.Toleration]
    topology: Topology
    updateStrategy: apps_v1.DaemonSetUpdateStrategy
    volumes: list[Volume]


class DriverSpec(TypedDict, total=False):
    attachRequired: bool
    cephFsClientType: Literal["autodetect", "kernel"]
    clusterName: str
    controllerPlugin: ControllerPlugin
    deployCsiAddons: bool
    enableFencing: bool
    enableMetadata: bool
    encryption: Encryption
    fsGroupPolicy: str
    fuseMountOptions: dict[str, str]
    generateOMapInfo: bool
    grpcTimeout: Annotated[int, Minimum(0)]
    imageSet: ImageSet
    kernelMountOptions: dict[str, str]
    leaderElection: LeaderElection
    liveness: Liveness
    log: Log
    nodePlugin: NodePlugin
    snapshotPolicy: Literal["none", "volumeGroupSnapshot", "volumeSnapshot"]


class Driver(TypedDict, total=False):
    spec: DriverSpec
    status: EmptyObject


class OperatorConfigLog(TypedDict, total=False):
    verbosity: Annotated[int, Maximum(3), Minimum(0)]


class OperatorConfigSpec(TypedDict, total=False):
    driverSpecDefaults: DriverSpec
    log: OperatorConfigLog


class OperatorConfig(TypedDict, total=False):
    spec: OperatorConfigSpec
    status: EmptyObject


CEPH_CONNECTION = Api(
    group="csi.ceph.io",
    version="v1",
    kind="CephConnection",
    plural="cephconnections",
    spec=CephConnectionSpec,
    top=CephConnection,
    status_subresource=True,
)

CLIENT_PROFILE_MAPPING = Api(
    group="csi.ceph.io",
    version="v1",
    kind="ClientProfileMapping",
    plural="clientprofilemappings",
    spec=ClientProfileMappingSpec,
    top=ClientProfileMapping,
    status_subresource=True,
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
)

CRDS = (
    Definition((CEPH_CONNECTION,)),
    Definition((CLIENT_PROFILE_MAPPING,)),
    Definition((CLIENT_PROFILE,)),
    Definition((DRIVER,)),
    Definition((OPERATOR_CONFIG,)),
)
