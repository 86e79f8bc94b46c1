"""PodDefault, as Kubeflow 1.10's admission webhook serves it: what it adds to pods with a label."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from platform_def.apis.core import core_v1
from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import EmptyObject, Int32, ListMap, Quantity, Ref


class ConfigMapKeyRef(TypedDict, total=False):
    key: Required[str]
    name: str
    optional: bool


class FieldRef(TypedDict, total=False):
    apiVersion: str
    fieldPath: Required[str]


class ResourceFieldRef(TypedDict, total=False):
    containerName: str
    divisor: Quantity
    resource: Required[str]


class ValueFrom(TypedDict, total=False):
    configMapKeyRef: ConfigMapKeyRef
    fieldRef: FieldRef
    resourceFieldRef: ResourceFieldRef
    secretKeyRef: ConfigMapKeyRef


class Env(TypedDict, total=False):
    name: Required[str]
    value: str
    valueFrom: ValueFrom


class ConfigMapRef(TypedDict, total=False):
    name: str
    optional: bool


class EnvFrom(TypedDict, total=False):
    configMapRef: ConfigMapRef
    prefix: str
    secretRef: ConfigMapRef


class ImagePullSecret(TypedDict, total=False):
    name: str


class InitContainer(TypedDict, total=False):
    args: list[str]
    command: list[str]
    env: list[Env]
    envFrom: list[EnvFrom]
    image: str
    imagePullPolicy: str
    lifecycle: core_v1.Lifecycle
    livenessProbe: core_v1.Probe
    name: Required[str]
    ports: Annotated[list[core_v1.ContainerPort], ListMap("containerPort", "protocol")]
    readinessProbe: core_v1.Probe
    resources: core_v1.ResourceRequirements
    securityContext: core_v1.SecurityContext
    startupProbe: core_v1.Probe
    stdin: bool
    stdinOnce: bool
    terminationMessagePath: str
    terminationMessagePolicy: str
    tty: bool
    volumeDevices: list[core_v1.VolumeDevice]
    volumeMounts: list[core_v1.VolumeMount]
    workingDir: str


class MatchExpression(TypedDict, total=False):
    key: Required[str]
    operator: Required[str]
    values: list[str]


class Selector(TypedDict, total=False):
    matchExpressions: list[MatchExpression]
    matchLabels: dict[str, str]


class Cephfs(TypedDict, total=False):
    monitors: Required[list[str]]
    path: str
    readOnly: bool
    secretFile: str
    secretRef: ImagePullSecret
    user: str


class Cinder(TypedDict, total=False):
    fsType: str
    readOnly: bool
    secretRef: ImagePullSecret
    volumeID: Required[str]


class Item(TypedDict, total=False):
    key: Required[str]
    mode: Int32
    path: Required[str]


class ConfigMap(TypedDict, total=False):
    defaultMode: Int32
    items: list[Item]
    name: str
    optional: bool


class Csi(TypedDict, total=False):
    driver: Required[str]
    fsType: str
    nodePublishSecretRef: ImagePullSecret
    readOnly: bool
    volumeAttributes: dict[str, str]


class DownwardAPIItem(TypedDict, total=False):
    fieldRef: FieldRef
    mode: Int32
    path: Required[str]
    resourceFieldRef: ResourceFieldRef


class DownwardAPI(TypedDict, total=False):
    defaultMode: Int32
    items: list[DownwardAPIItem]


class DataSource(TypedDict, total=False):
    apiGroup: str
    kind: Required[str]
    name: Required[str]


class VolumeClaimTemplateSpec(TypedDict, total=False):
    accessModes: list[str]
    dataSource: DataSource
    dataSourceRef: DataSource
    resources: core_v1.ResourceRequirements
    selector: Selector
    storageClassName: str
    volumeMode: str
    volumeName: str


class VolumeClaimTemplate(TypedDict, total=False):
    metadata: EmptyObject
    spec: Required[VolumeClaimTemplateSpec]


class Ephemeral(TypedDict, total=False):
    volumeClaimTemplate: VolumeClaimTemplate


class FlexVolume(TypedDict, total=False):
    driver: Required[str]
    fsType: str
    options: dict[str, str]
    readOnly: bool
    secretRef: ImagePullSecret


class Iscsi(TypedDict, total=False):
    chapAuthDiscovery: bool
    chapAuthSession: bool
    fsType: str
    initiatorName: str
    iqn: Required[str]
    iscsiInterface: str
    lun: Required[Int32]
    portals: list[str]
    readOnly: bool
    secretRef: ImagePullSecret
    targetPortal: Required[str]


class Nfs(TypedDict, total=False):
    path: Required[str]
    readOnly: bool
    server: Required[str]


class SourceConfigMap(TypedDict, total=False):
    items: list[Item]
    name: str
    optional: bool


class SourceDownwardAPI(TypedDict, total=False):
    items: list[DownwardAPIItem]


class Source(TypedDict, total=False):
    configMap: SourceConfigMap
    downwardAPI: SourceDownwardAPI
    secret: SourceConfigMap
    serviceAccountToken: core_v1.ServiceAccountTokenProjection


class Projected(TypedDict, total=False):
    defaultMode: Int32
    sources: list[Source]


class Rbd(TypedDict, total=False):
    fsType: str
    image: Required[str]
    keyring: str
    monitors: Required[list[str]]
    pool: str
    readOnly: bool
    secretRef: ImagePullSecret
    user: str


class ScaleIO(TypedDict, total=False):
    fsType: str
    gateway: Required[str]
    protectionDomain: str
    readOnly: bool
    secretRef: Required[ImagePullSecret]
    sslEnabled: bool
    storageMode: str
    storagePool: str
    system: Required[str]
    volumeName: str


class Storageos(TypedDict, total=False):
    fsType: str
    readOnly: bool
    secretRef: ImagePullSecret
    volumeName: str
    volumeNamespace: str


class VsphereVolume(TypedDict, total=False):
    fsType: str
    storagePolicyID: str
    storagePolicyName: str
    volumePath: Required[str]


class Volume(TypedDict, total=False):
    awsElasticBlockStore: core_v1.AWSElasticBlockStoreVolumeSource
    azureDisk: core_v1.AzureDiskVolumeSource
    azureFile: core_v1.AzureFileVolumeSource
    cephfs: Cephfs
    cinder: Cinder
    configMap: ConfigMap
    csi: Csi
    downwardAPI: DownwardAPI
    emptyDir: core_v1.EmptyDirVolumeSource
    ephemeral: Ephemeral
    fc: core_v1.FCVolumeSource
    flexVolume: FlexVolume
    flocker: core_v1.FlockerVolumeSource
    gcePersistentDisk: core_v1.GCEPersistentDiskVolumeSource
    gitRepo: core_v1.GitRepoVolumeSource
    glusterfs: core_v1.GlusterfsVolumeSource
    hostPath: core_v1.HostPathVolumeSource
    iscsi: Iscsi
    name: Required[str]
    nfs: Nfs
    persistentVolumeClaim: core_v1.PersistentVolumeClaimVolumeSource
    photonPersistentDisk: core_v1.PhotonPersistentDiskVolumeSource
    portworxVolume: core_v1.PortworxVolumeSource
    projected: Projected
    quobyte: core_v1.QuobyteVolumeSource
    rbd: Rbd
    scaleIO: ScaleIO
    secret: core_v1.SecretVolumeSource
    storageos: Storageos
    vsphereVolume: VsphereVolume


class PodDefaultSpec(TypedDict, total=False):
    annotations: dict[str, str]
    """Annotations that pods get."""
    args: list[str]
    """Arguments, where a container has none."""
    automountServiceAccountToken: bool
    """Whether pods get the token of their service account."""
    command: list[str]
    """Command, where a container has none."""
    desc: str
    """What people see when they choose it."""
    env: list[Env]
    """Environment that containers get."""
    envFrom: list[EnvFrom]
    """Environment that containers get from whole Secrets and ConfigMaps."""
    imagePullSecrets: list[ImagePullSecret]
    """Secrets to pull images with."""
    initContainers: list[InitContainer]
    """Containers that run first."""
    labels: dict[str, str]
    """Labels that pods get."""
    selector: Required[Selector]
    """Labels of the pods that get it."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """Service account that pods get."""
    sidecars: list[InitContainer]
    """Further containers."""
    tolerations: list[core_v1.Toleration]
    """Tolerations that pods get."""
    volumeMounts: list[core_v1.VolumeMount]
    """Where containers mount them."""
    volumes: list[Volume]
    """Volumes that pods get."""


class PodDefault(TypedDict, total=False):
    spec: PodDefaultSpec
    status: EmptyObject


POD_DEFAULT = Api(
    group="kubeflow.org",
    version="v1alpha1",
    kind="PodDefault",
    plural="poddefaults",
    spec=PodDefaultSpec,
    top=PodDefault,
    core="1.25",
)

CRDS = (Definition((POD_DEFAULT,)),)
