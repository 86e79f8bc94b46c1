"""XGBoostJob as xgboost-operator 0.2 serves it (xgboostjob.kubeflow.org), before the training operator took it over."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from platform_def.apis.core import core_v1
from platform_def.apis.health import Health
from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import EmptyObject, Int32, Int64, Shape, Time

Port2 = Annotated[object, Shape({"anyOf": [{"type": "string"}, {"type": "integer"}]})]


class SchedulingPolicy(TypedDict, total=False):
    minAvailable: Int32


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
    divisor: str
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


class HttpGet(TypedDict, total=False):
    host: str
    httpHeaders: list[core_v1.HTTPHeader]
    path: str
    port: Required[Port2]
    scheme: str


class TcpSocket(TypedDict, total=False):
    host: str
    port: Required[Port2]


class PostStart(TypedDict, total=False):
    exec: core_v1.ExecAction
    httpGet: HttpGet
    tcpSocket: TcpSocket


class Lifecycle(TypedDict, total=False):
    postStart: PostStart
    preStop: PostStart


class LivenessProbe(TypedDict, total=False):
    exec: core_v1.ExecAction
    failureThreshold: Int32
    httpGet: HttpGet
    initialDelaySeconds: Int32
    periodSeconds: Int32
    successThreshold: Int32
    tcpSocket: TcpSocket
    timeoutSeconds: Int32


class Port(TypedDict, total=False):
    containerPort: Required[Int32]
    hostIP: str
    hostPort: Int32
    name: str
    protocol: str


class Resources(TypedDict, total=False):
    limits: dict[str, str]
    requests: dict[str, str]


class WindowsOptions(TypedDict, total=False):
    gmsaCredentialSpec: str
    gmsaCredentialSpecName: str
    runAsUserName: str


class SecurityContext(TypedDict, total=False):
    allowPrivilegeEscalation: bool
    capabilities: core_v1.Capabilities
    privileged: bool
    procMount: str
    readOnlyRootFilesystem: bool
    runAsGroup: Int64
    runAsNonRoot: bool
    runAsUser: Int64
    seLinuxOptions: core_v1.SELinuxOptions
    windowsOptions: WindowsOptions


class Container(TypedDict, total=False):
    args: list[str]
    command: list[str]
    env: list[Env]
    envFrom: list[EnvFrom]
    image: str
    imagePullPolicy: str
    lifecycle: Lifecycle
    livenessProbe: LivenessProbe
    name: Required[str]
    ports: list[Port]
    readinessProbe: LivenessProbe
    resources: Resources
    securityContext: SecurityContext
    startupProbe: LivenessProbe
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
    lifecycle: Lifecycle
    livenessProbe: LivenessProbe
    name: Required[str]
    ports: list[Port]
    readinessProbe: LivenessProbe
    resources: Resources
    securityContext: SecurityContext
    startupProbe: LivenessProbe
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


class XgbReplicaTemplateSecurityContext(TypedDict, total=False):
    fsGroup: Int64
    runAsGroup: Int64
    runAsNonRoot: bool
    runAsUser: Int64
    seLinuxOptions: core_v1.SELinuxOptions
    supplementalGroups: list[Int64]
    sysctls: list[core_v1.Sysctl]
    windowsOptions: WindowsOptions


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


class EmptyDir(TypedDict, total=False):
    medium: str
    sizeLimit: str


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
    sources: Required[list[Source]]


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
    emptyDir: EmptyDir
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


class XgbReplicaTemplateSpec(TypedDict, total=False):
    activeDeadlineSeconds: Int64
    affinity: Affinity
    automountServiceAccountToken: bool
    containers: Required[list[Container]]
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
    initContainers: list[Container]
    nodeName: str
    nodeSelector: dict[str, str]
    overhead: dict[str, str]
    preemptionPolicy: str
    priority: Int32
    priorityClassName: str
    readinessGates: list[core_v1.PodReadinessGate]
    restartPolicy: str
    runtimeClassName: str
    schedulerName: str
    securityContext: XgbReplicaTemplateSecurityContext
    serviceAccount: str
    serviceAccountName: str
    shareProcessNamespace: bool
    subdomain: str
    terminationGracePeriodSeconds: Int64
    tolerations: list[core_v1.Toleration]
    topologySpreadConstraints: list[TopologySpreadConstraint]
    volumes: list[Volume]


class XgbReplicaTemplate(TypedDict, total=False):
    metadata: EmptyObject
    spec: XgbReplicaTemplateSpec


class XgbReplicaSpec(TypedDict, total=False):
    replicas: Int32
    restartPolicy: str
    template: XgbReplicaTemplate


class XGBoostJobSpec(TypedDict, total=False):
    activeDeadlineSeconds: Int64
    backoffLimit: Int32
    cleanPodPolicy: str
    schedulingPolicy: SchedulingPolicy
    ttlSecondsAfterFinished: Int32
    xgbReplicaSpecs: Required[dict[str, XgbReplicaSpec]]


class Condition(TypedDict, total=False):
    lastTransitionTime: Time
    lastUpdateTime: Time
    message: str
    reason: str
    status: Required[str]
    type: Required[str]


class ReplicaStatus(TypedDict, total=False):
    active: Int32
    failed: Int32
    succeeded: Int32


class XGBoostJobStatus(TypedDict, total=False):
    completionTime: Time
    conditions: Required[list[Condition]]
    lastReconcileTime: Time
    replicaStatuses: Required[dict[str, ReplicaStatus]]
    startTime: Time


XG_BOOST_JOB = Api(
    group="xgboostjob.kubeflow.org",
    version="v1",
    kind="XGBoostJob",
    plural="xgboostjobs",
    spec=XGBoostJobSpec,
    status=XGBoostJobStatus,
    core="1.29",
    health=Health(ready=("Succeeded",), failed=("Failed",)),
)

CRDS = (Definition((XG_BOOST_JOB,)),)
