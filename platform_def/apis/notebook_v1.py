"""Notebook, as the notebook controller of Kubeflow 1.10 serves it."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from platform_def.apis.core import core_v1
from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import EmptyObject, Int32, Int64, ListMap, MapType, MinItems, Quantity

Ports = Annotated[list[core_v1.ContainerPort], ListMap("containerPort", "protocol")]


class MatchExpression(TypedDict, total=False):
    key: Required[str]
    operator: Required[str]
    values: list[str]


class Preference(TypedDict, total=False):
    matchExpressions: list[MatchExpression]
    matchFields: list[MatchExpression]


class PreferredDuringSchedulingIgnoredDuringExecution(TypedDict, total=False):
    preference: Required[Preference]
    weight: Required[Int32]


class RequiredDuringSchedulingIgnoredDuringExecution(TypedDict, total=False):
    nodeSelectorTerms: Required[list[Preference]]


class NodeAffinity(TypedDict, total=False):
    preferredDuringSchedulingIgnoredDuringExecution: list[PreferredDuringSchedulingIgnoredDuringExecution]
    requiredDuringSchedulingIgnoredDuringExecution: RequiredDuringSchedulingIgnoredDuringExecution


class LabelSelector(TypedDict, total=False):
    matchExpressions: list[MatchExpression]
    matchLabels: dict[str, str]


class PodAffinityTerm(TypedDict, total=False):
    labelSelector: LabelSelector
    namespaceSelector: LabelSelector
    namespaces: list[str]
    topologyKey: Required[str]


class PodAffinityPreferredDuringSchedulingIgnoredDuringExecution(TypedDict, total=False):
    podAffinityTerm: Required[PodAffinityTerm]
    weight: Required[Int32]


class PodAffinity(TypedDict, total=False):
    preferredDuringSchedulingIgnoredDuringExecution: list[PodAffinityPreferredDuringSchedulingIgnoredDuringExecution]
    requiredDuringSchedulingIgnoredDuringExecution: list[PodAffinityTerm]


class Affinity(TypedDict, total=False):
    nodeAffinity: NodeAffinity
    podAffinity: PodAffinity
    podAntiAffinity: PodAffinity


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


class Container(TypedDict, total=False):
    args: list[str]
    command: list[str]
    env: list[Env]
    envFrom: list[EnvFrom]
    image: Required[str]
    imagePullPolicy: str
    lifecycle: core_v1.Lifecycle
    livenessProbe: core_v1.Probe
    name: Required[str]
    ports: Ports
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


class EphemeralContainer(TypedDict, total=False):
    args: list[str]
    command: list[str]
    env: list[Env]
    envFrom: list[EnvFrom]
    image: str
    imagePullPolicy: str
    lifecycle: core_v1.Lifecycle
    livenessProbe: core_v1.Probe
    name: Required[str]
    ports: Ports
    readinessProbe: core_v1.Probe
    resources: core_v1.ResourceRequirements
    securityContext: core_v1.SecurityContext
    startupProbe: core_v1.Probe
    stdin: bool
    stdinOnce: bool
    targetContainerName: str
    terminationMessagePath: str
    terminationMessagePolicy: str
    tty: bool
    volumeDevices: list[core_v1.VolumeDevice]
    volumeMounts: list[core_v1.VolumeMount]
    workingDir: str


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
    ports: Ports
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


class Os(TypedDict, total=False):
    name: Required[str]


class TopologySpreadConstraint(TypedDict, total=False):
    labelSelector: LabelSelector
    maxSkew: Required[Int32]
    topologyKey: Required[str]
    whenUnsatisfiable: Required[str]


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
    selector: LabelSelector
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


class NotebookTemplateSpec(TypedDict, total=False):
    activeDeadlineSeconds: Int64
    affinity: Affinity
    automountServiceAccountToken: bool
    containers: Required[Annotated[list[Container], MinItems(1)]]
    dnsConfig: core_v1.PodDNSConfig
    dnsPolicy: str
    enableServiceLinks: bool
    ephemeralContainers: list[EphemeralContainer]
    hostAliases: list[core_v1.HostAlias]
    hostIPC: bool
    hostNetwork: bool
    hostPID: bool
    hostname: str
    imagePullSecrets: list[ImagePullSecret]
    initContainers: list[InitContainer]
    nodeName: str
    nodeSelector: Annotated[dict[str, str], MapType("atomic")]
    os: Os
    overhead: dict[str, Quantity]
    preemptionPolicy: str
    priority: Int32
    priorityClassName: str
    readinessGates: list[core_v1.PodReadinessGate]
    restartPolicy: str
    runtimeClassName: str
    schedulerName: str
    securityContext: core_v1.PodSecurityContext
    serviceAccount: str
    serviceAccountName: str
    setHostnameAsFQDN: bool
    shareProcessNamespace: bool
    subdomain: str
    terminationGracePeriodSeconds: Int64
    tolerations: list[core_v1.Toleration]
    topologySpreadConstraints: Annotated[list[TopologySpreadConstraint], ListMap("topologyKey", "whenUnsatisfiable")]
    volumes: list[Volume]


class NotebookTemplate(TypedDict, total=False):
    spec: NotebookTemplateSpec


class NotebookSpec(TypedDict, total=False):
    template: NotebookTemplate
    """The pod; the container that is called like the notebook serves it."""


class NotebookStatus(TypedDict, total=False):
    conditions: Required[list[core_v1.PodCondition]]
    containerState: Required[core_v1.ContainerState]
    readyReplicas: Required[Int32]


NOTEBOOK = Api(
    group="kubeflow.org",
    version="v1",
    kind="Notebook",
    plural="notebooks",
    spec=NotebookSpec,
    status=NotebookStatus,
    core="1.25",
    status_subresource=True,
)

NOTEBOOK_V1ALPHA1 = Api(
    group="kubeflow.org",
    version="v1alpha1",
    kind="Notebook",
    plural="notebooks",
    spec=NotebookSpec,
    status=NotebookStatus,
    core="1.25",
    status_subresource=True,
    storage=False,
)

NOTEBOOK_V1BETA1 = Api(
    group="kubeflow.org",
    version="v1beta1",
    kind="Notebook",
    plural="notebooks",
    spec=NotebookSpec,
    status=NotebookStatus,
    core="1.25",
    status_subresource=True,
    storage=False,
)

CRDS = (Definition((NOTEBOOK, NOTEBOOK_V1ALPHA1, NOTEBOOK_V1BETA1)),)
