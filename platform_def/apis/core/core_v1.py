"""Core types of api.core.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.apis.core import meta_v1
from platform_def.crds.model import Api
from platform_def.crds.schema import Bytes, IntOrString, Quantity, Time
from platform_def.crds.typed_dict import TypedDict


class ConfigMapKeySelector(TypedDict, total=False):
    key: Required[str]
    name: str
    optional: bool


class ConfigMapNodeConfigSource(TypedDict, total=False):
    kubeletConfigKey: Required[str]
    name: Required[str]
    namespace: Required[str]
    resourceVersion: str
    uid: str


class ContainerStateRunning(TypedDict, total=False):
    startedAt: Time


class ContainerStateTerminated(TypedDict, total=False):
    containerID: str
    exitCode: Required[int]
    finishedAt: Time
    message: str
    reason: str
    signal: int
    startedAt: Time


class ContainerStateWaiting(TypedDict, total=False):
    message: str
    reason: str


class ContainerState(TypedDict, total=False):
    running: ContainerStateRunning
    terminated: ContainerStateTerminated
    waiting: ContainerStateWaiting


class PortStatus(TypedDict, total=False):
    error: str
    port: Required[int]
    protocol: Required[str]


class LoadBalancerIngress(TypedDict, total=False):
    hostname: str
    ip: str
    ipMode: str
    ports: list[PortStatus]


class LoadBalancerStatus(TypedDict, total=False):
    ingress: list[LoadBalancerIngress]


class LocalObjectReference(TypedDict, total=False):
    name: str


class NodeSelectorRequirement(TypedDict, total=False):
    key: Required[str]
    operator: Required[str]
    values: list[str]


class NodeSelectorTerm(TypedDict, total=False):
    matchExpressions: list[NodeSelectorRequirement]
    matchFields: list[NodeSelectorRequirement]


class PreferredSchedulingTerm(TypedDict, total=False):
    preference: Required[NodeSelectorTerm]
    weight: Required[int]


class NodeSelector(TypedDict, total=False):
    nodeSelectorTerms: Required[list[NodeSelectorTerm]]


class NodeAffinity(TypedDict, total=False):
    preferredDuringSchedulingIgnoredDuringExecution: list[PreferredSchedulingTerm]
    requiredDuringSchedulingIgnoredDuringExecution: NodeSelector


class ObjectReference(TypedDict, total=False):
    apiVersion: str
    fieldPath: str
    kind: str
    name: str
    namespace: str
    resourceVersion: str
    uid: str


class PodCondition(TypedDict, total=False):
    lastProbeTime: Time
    lastTransitionTime: Time
    message: str
    observedGeneration: int
    reason: str
    status: Required[str]
    type: Required[str]


class PodAffinityTerm(TypedDict, total=False):
    labelSelector: meta_v1.LabelSelector
    matchLabelKeys: list[str]
    mismatchLabelKeys: list[str]
    namespaceSelector: meta_v1.LabelSelector
    namespaces: list[str]
    topologyKey: Required[str]


class WeightedPodAffinityTerm(TypedDict, total=False):
    podAffinityTerm: Required[PodAffinityTerm]
    weight: Required[int]


class PodAffinity(TypedDict, total=False):
    preferredDuringSchedulingIgnoredDuringExecution: list[WeightedPodAffinityTerm]
    requiredDuringSchedulingIgnoredDuringExecution: list[PodAffinityTerm]


class PodAntiAffinity(TypedDict, total=False):
    preferredDuringSchedulingIgnoredDuringExecution: list[WeightedPodAffinityTerm]
    requiredDuringSchedulingIgnoredDuringExecution: list[PodAffinityTerm]


class Affinity(TypedDict, total=False):
    nodeAffinity: NodeAffinity
    podAffinity: PodAffinity
    podAntiAffinity: PodAntiAffinity


class ObjectFieldSelector(TypedDict, total=False):
    apiVersion: str
    fieldPath: Required[str]


class FileKeySelector(TypedDict, total=False):
    key: Required[str]
    optional: bool
    path: Required[str]
    volumeName: Required[str]


class ResourceFieldSelector(TypedDict, total=False):
    containerName: str
    divisor: Quantity
    resource: Required[str]


class SecretKeySelector(TypedDict, total=False):
    key: Required[str]
    name: str
    optional: bool


class EnvVarSource(TypedDict, total=False):
    configMapKeyRef: ConfigMapKeySelector
    fieldRef: ObjectFieldSelector
    fileKeyRef: FileKeySelector
    resourceFieldRef: ResourceFieldSelector
    secretKeyRef: SecretKeySelector


class EnvVar(TypedDict, total=False):
    name: Required[str]
    value: str
    valueFrom: EnvVarSource


class ConfigMapEnvSource(TypedDict, total=False):
    name: str
    optional: bool


class SecretEnvSource(TypedDict, total=False):
    name: str
    optional: bool


class EnvFromSource(TypedDict, total=False):
    configMapRef: ConfigMapEnvSource
    prefix: str
    secretRef: SecretEnvSource


class ExecAction(TypedDict, total=False):
    command: list[str]


class HTTPHeader(TypedDict, total=False):
    name: Required[str]
    value: Required[str]


class HTTPGetAction(TypedDict, total=False):
    host: str
    httpHeaders: list[HTTPHeader]
    path: str
    port: Required[IntOrString]
    protocol: str
    scheme: str


class SleepAction(TypedDict, total=False):
    seconds: Required[int]


class TCPSocketAction(TypedDict, total=False):
    host: str
    port: Required[IntOrString]


class LifecycleHandler(TypedDict, total=False):
    exec: ExecAction
    httpGet: HTTPGetAction
    sleep: SleepAction
    tcpSocket: TCPSocketAction


class Lifecycle(TypedDict, total=False):
    postStart: LifecycleHandler
    preStop: LifecycleHandler
    stopSignal: str


class GRPCAction(TypedDict, total=False):
    mode: str
    port: Required[int]
    service: str


class Probe(TypedDict, total=False):
    exec: ExecAction
    failureThreshold: int
    grpc: GRPCAction
    httpGet: HTTPGetAction
    initialDelaySeconds: int
    periodSeconds: int
    successThreshold: int
    tcpSocket: TCPSocketAction
    terminationGracePeriodSeconds: int
    timeoutSeconds: int


class ContainerPort(TypedDict, total=False):
    containerPort: Required[int]
    hostIP: str
    hostPort: int
    name: str
    protocol: str


class ContainerResizePolicy(TypedDict, total=False):
    resourceName: Required[str]
    restartPolicy: Required[str]


class ResourceClaim(TypedDict, total=False):
    name: Required[str]
    request: str


class ResourceRequirements(TypedDict, total=False):
    claims: list[ResourceClaim]
    limits: dict[str, Quantity]
    requests: dict[str, Quantity]


class ContainerRestartRuleOnExitCodes(TypedDict, total=False):
    operator: Required[str]
    values: list[int]


class ContainerRestartRule(TypedDict, total=False):
    action: Required[str]
    exitCodes: ContainerRestartRuleOnExitCodes


class AppArmorProfile(TypedDict, total=False):
    localhostProfile: str
    type: Required[str]


class Capabilities(TypedDict, total=False):
    add: list[str]
    drop: list[str]


class SELinuxOptions(TypedDict, total=False):
    level: str
    role: str
    type: str
    user: str


class SeccompProfile(TypedDict, total=False):
    localhostProfile: str
    type: Required[str]


class WindowsSecurityContextOptions(TypedDict, total=False):
    gmsaCredentialSpec: str
    gmsaCredentialSpecName: str
    hostProcess: bool
    runAsUserName: str


class SecurityContext(TypedDict, total=False):
    allowPrivilegeEscalation: bool
    appArmorProfile: AppArmorProfile
    capabilities: Capabilities
    privileged: bool
    procMount: str
    readOnlyRootFilesystem: bool
    runAsGroup: int
    runAsNonRoot: bool
    runAsUser: int
    seLinuxOptions: SELinuxOptions
    seccompProfile: SeccompProfile
    windowsOptions: WindowsSecurityContextOptions


class VolumeDevice(TypedDict, total=False):
    devicePath: Required[str]
    name: Required[str]


class VolumeMount(TypedDict, total=False):
    bindMountOptions: list[str]
    mountPath: Required[str]
    mountPropagation: str
    name: Required[str]
    readOnly: bool
    recursiveReadOnly: str
    subPath: str
    subPathExpr: str


class Container(TypedDict, total=False):
    args: list[str]
    command: list[str]
    env: list[EnvVar]
    envFrom: list[EnvFromSource]
    image: str
    imagePullPolicy: str
    lifecycle: Lifecycle
    livenessProbe: Probe
    name: Required[str]
    ports: list[ContainerPort]
    readinessProbe: Probe
    resizePolicy: list[ContainerResizePolicy]
    resources: ResourceRequirements
    restartPolicy: str
    restartPolicyRules: list[ContainerRestartRule]
    securityContext: SecurityContext
    startupProbe: Probe
    stdin: bool
    stdinOnce: bool
    terminationMessagePath: str
    terminationMessagePolicy: str
    tty: bool
    volumeDevices: list[VolumeDevice]
    volumeMounts: list[VolumeMount]
    workingDir: str


class PodDNSConfigOption(TypedDict, total=False):
    name: str
    value: str


class PodDNSConfig(TypedDict, total=False):
    nameservers: list[str]
    options: list[PodDNSConfigOption]
    searches: list[str]


class EphemeralContainer(TypedDict, total=False):
    args: list[str]
    command: list[str]
    env: list[EnvVar]
    envFrom: list[EnvFromSource]
    image: str
    imagePullPolicy: str
    lifecycle: Lifecycle
    livenessProbe: Probe
    name: Required[str]
    ports: list[ContainerPort]
    readinessProbe: Probe
    resizePolicy: list[ContainerResizePolicy]
    resources: ResourceRequirements
    restartPolicy: str
    restartPolicyRules: list[ContainerRestartRule]
    securityContext: SecurityContext
    startupProbe: Probe
    stdin: bool
    stdinOnce: bool
    targetContainerName: str
    terminationMessagePath: str
    terminationMessagePolicy: str
    tty: bool
    volumeDevices: list[VolumeDevice]
    volumeMounts: list[VolumeMount]
    workingDir: str


class EvictionResponder(TypedDict, total=False):
    name: Required[str]
    priority: Required[int]


class HostAlias(TypedDict, total=False):
    hostnames: list[str]
    ip: Required[str]


class PodOS(TypedDict, total=False):
    name: Required[str]


class PodReadinessGate(TypedDict, total=False):
    conditionType: Required[str]


class PodResourceClaim(TypedDict, total=False):
    name: Required[str]
    resourceClaimName: str
    resourceClaimTemplateName: str


class PodSchedulingGate(TypedDict, total=False):
    name: Required[str]


class PodSchedulingGroup(TypedDict, total=False):
    podGroupName: str


class Sysctl(TypedDict, total=False):
    name: Required[str]
    value: Required[str]


class PodSecurityContext(TypedDict, total=False):
    appArmorProfile: AppArmorProfile
    fsGroup: int
    fsGroupChangePolicy: str
    runAsGroup: int
    runAsNonRoot: bool
    runAsUser: int
    seLinuxChangePolicy: str
    seLinuxOptions: SELinuxOptions
    seccompProfile: SeccompProfile
    supplementalGroups: list[int]
    supplementalGroupsPolicy: str
    sysctls: list[Sysctl]
    windowsOptions: WindowsSecurityContextOptions


class Toleration(TypedDict, total=False):
    effect: str
    key: str
    operator: str
    tolerationSeconds: int
    value: str


class TopologySpreadConstraint(TypedDict, total=False):
    labelSelector: meta_v1.LabelSelector
    matchLabelKeys: list[str]
    maxSkew: Required[int]
    minDomains: int
    nodeAffinityPolicy: str
    nodeTaintsPolicy: str
    topologyKey: Required[str]
    whenUnsatisfiable: Required[str]


class AWSElasticBlockStoreVolumeSource(TypedDict, total=False):
    fsType: str
    partition: int
    readOnly: bool
    volumeID: Required[str]


class AzureDiskVolumeSource(TypedDict, total=False):
    cachingMode: str
    diskName: Required[str]
    diskURI: Required[str]
    fsType: str
    kind: str
    readOnly: bool


class AzureFileVolumeSource(TypedDict, total=False):
    readOnly: bool
    secretName: Required[str]
    shareName: Required[str]


class CephFSVolumeSource(TypedDict, total=False):
    monitors: Required[list[str]]
    path: str
    readOnly: bool
    secretFile: str
    secretRef: LocalObjectReference
    user: str


class CinderVolumeSource(TypedDict, total=False):
    fsType: str
    readOnly: bool
    secretRef: LocalObjectReference
    volumeID: Required[str]


class KeyToPath(TypedDict, total=False):
    key: Required[str]
    mode: int
    path: Required[str]
    user: int


class ConfigMapVolumeSource(TypedDict, total=False):
    defaultMode: int
    defaultUser: int
    items: list[KeyToPath]
    name: str
    optional: bool


class CSIVolumeSource(TypedDict, total=False):
    driver: Required[str]
    fsType: str
    nodePublishSecretRef: LocalObjectReference
    readOnly: bool
    volumeAttributes: dict[str, str]


class DownwardAPIVolumeFile(TypedDict, total=False):
    fieldRef: ObjectFieldSelector
    mode: int
    path: Required[str]
    resourceFieldRef: ResourceFieldSelector
    user: int


class DownwardAPIVolumeSource(TypedDict, total=False):
    defaultMode: int
    defaultUser: int
    items: list[DownwardAPIVolumeFile]


class EmptyDirVolumeSource(TypedDict, total=False):
    medium: str
    mode: int
    sizeLimit: Quantity


class TypedLocalObjectReference(TypedDict, total=False):
    apiGroup: str
    kind: Required[str]
    name: Required[str]


class TypedObjectReference(TypedDict, total=False):
    apiGroup: str
    kind: Required[str]
    name: Required[str]
    namespace: str


class VolumeResourceRequirements(TypedDict, total=False):
    limits: dict[str, Quantity]
    requests: dict[str, Quantity]


class PersistentVolumeClaimSpec(TypedDict, total=False):
    accessModes: list[str]
    dataSource: TypedLocalObjectReference
    dataSourceRef: TypedObjectReference
    resources: VolumeResourceRequirements
    selector: meta_v1.LabelSelector
    storageClassName: str
    volumeAttributesClassName: str
    volumeMode: str
    volumeName: str


class PersistentVolumeClaimTemplate(TypedDict, total=False):
    metadata: meta_v1.ObjectMeta
    spec: Required[PersistentVolumeClaimSpec]


class EphemeralVolumeSource(TypedDict, total=False):
    volumeClaimTemplate: PersistentVolumeClaimTemplate


class FCVolumeSource(TypedDict, total=False):
    fsType: str
    lun: int
    readOnly: bool
    targetWWNs: list[str]
    wwids: list[str]


class FlexVolumeSource(TypedDict, total=False):
    driver: Required[str]
    fsType: str
    options: dict[str, str]
    readOnly: bool
    secretRef: LocalObjectReference


class FlockerVolumeSource(TypedDict, total=False):
    datasetName: str
    datasetUUID: str


class GCEPersistentDiskVolumeSource(TypedDict, total=False):
    fsType: str
    partition: int
    pdName: Required[str]
    readOnly: bool


class GitRepoVolumeSource(TypedDict, total=False):
    directory: str
    repository: Required[str]
    revision: str


class GlusterfsVolumeSource(TypedDict, total=False):
    endpoints: Required[str]
    path: Required[str]
    readOnly: bool


class HostPathVolumeSource(TypedDict, total=False):
    path: Required[str]
    type: str


class ImageVolumeSource(TypedDict, total=False):
    pullPolicy: str
    reference: str


class ISCSIVolumeSource(TypedDict, total=False):
    chapAuthDiscovery: bool
    chapAuthSession: bool
    fsType: str
    initiatorName: str
    iqn: Required[str]
    iscsiInterface: str
    lun: Required[int]
    portals: list[str]
    readOnly: bool
    secretRef: LocalObjectReference
    targetPortal: Required[str]


class NFSVolumeSource(TypedDict, total=False):
    path: Required[str]
    readOnly: bool
    server: Required[str]


class PersistentVolumeClaimVolumeSource(TypedDict, total=False):
    claimName: Required[str]
    readOnly: bool


class PhotonPersistentDiskVolumeSource(TypedDict, total=False):
    fsType: str
    pdID: Required[str]


class PortworxVolumeSource(TypedDict, total=False):
    fsType: str
    readOnly: bool
    volumeID: Required[str]


class ClusterTrustBundleProjection(TypedDict, total=False):
    labelSelector: meta_v1.LabelSelector
    name: str
    optional: bool
    path: Required[str]
    signerName: str
    user: int


class ConfigMapProjection(TypedDict, total=False):
    items: list[KeyToPath]
    name: str
    optional: bool


class DownwardAPIProjection(TypedDict, total=False):
    items: list[DownwardAPIVolumeFile]


class PodCertificateProjection(TypedDict, total=False):
    certificateChainPath: str
    credentialBundlePath: str
    keyPath: str
    keyType: Required[str]
    maxExpirationSeconds: int
    signerName: Required[str]
    user: int
    userAnnotations: dict[str, str]


class SecretProjection(TypedDict, total=False):
    items: list[KeyToPath]
    name: str
    optional: bool


class ServiceAccountTokenProjection(TypedDict, total=False):
    audience: str
    expirationSeconds: int
    path: Required[str]
    user: int


class VolumeProjection(TypedDict, total=False):
    clusterTrustBundle: ClusterTrustBundleProjection
    configMap: ConfigMapProjection
    downwardAPI: DownwardAPIProjection
    podCertificate: PodCertificateProjection
    secret: SecretProjection
    serviceAccountToken: ServiceAccountTokenProjection


class ProjectedVolumeSource(TypedDict, total=False):
    defaultMode: int
    defaultUser: int
    sources: list[VolumeProjection]


class QuobyteVolumeSource(TypedDict, total=False):
    group: str
    readOnly: bool
    registry: Required[str]
    tenant: str
    user: str
    volume: Required[str]


class RBDVolumeSource(TypedDict, total=False):
    fsType: str
    image: Required[str]
    keyring: str
    monitors: Required[list[str]]
    pool: str
    readOnly: bool
    secretRef: LocalObjectReference
    user: str


class ScaleIOVolumeSource(TypedDict, total=False):
    fsType: str
    gateway: Required[str]
    protectionDomain: str
    readOnly: bool
    secretRef: Required[LocalObjectReference]
    sslEnabled: bool
    storageMode: str
    storagePool: str
    system: Required[str]
    volumeName: str


class SecretVolumeSource(TypedDict, total=False):
    defaultMode: int
    defaultUser: int
    items: list[KeyToPath]
    optional: bool
    secretName: str


class StorageOSVolumeSource(TypedDict, total=False):
    fsType: str
    readOnly: bool
    secretRef: LocalObjectReference
    volumeName: str
    volumeNamespace: str


class VsphereVirtualDiskVolumeSource(TypedDict, total=False):
    fsType: str
    storagePolicyID: str
    storagePolicyName: str
    volumePath: Required[str]


class Volume(TypedDict, total=False):
    awsElasticBlockStore: AWSElasticBlockStoreVolumeSource
    azureDisk: AzureDiskVolumeSource
    azureFile: AzureFileVolumeSource
    cephfs: CephFSVolumeSource
    cinder: CinderVolumeSource
    configMap: ConfigMapVolumeSource
    csi: CSIVolumeSource
    downwardAPI: DownwardAPIVolumeSource
    emptyDir: EmptyDirVolumeSource
    ephemeral: EphemeralVolumeSource
    fc: FCVolumeSource
    flexVolume: FlexVolumeSource
    flocker: FlockerVolumeSource
    gcePersistentDisk: GCEPersistentDiskVolumeSource
    gitRepo: GitRepoVolumeSource
    glusterfs: GlusterfsVolumeSource
    hostPath: HostPathVolumeSource
    image: ImageVolumeSource
    iscsi: ISCSIVolumeSource
    name: Required[str]
    nfs: NFSVolumeSource
    persistentVolumeClaim: PersistentVolumeClaimVolumeSource
    photonPersistentDisk: PhotonPersistentDiskVolumeSource
    portworxVolume: PortworxVolumeSource
    projected: ProjectedVolumeSource
    quobyte: QuobyteVolumeSource
    rbd: RBDVolumeSource
    scaleIO: ScaleIOVolumeSource
    secret: SecretVolumeSource
    storageos: StorageOSVolumeSource
    vsphereVolume: VsphereVirtualDiskVolumeSource


class PodSpec(TypedDict, total=False):
    activeDeadlineSeconds: int
    affinity: Affinity
    automountServiceAccountToken: bool
    containers: Required[list[Container]]
    dnsConfig: PodDNSConfig
    dnsPolicy: str
    enableServiceLinks: bool
    ephemeralContainers: list[EphemeralContainer]
    evictionResponders: list[EvictionResponder]
    hostAliases: list[HostAlias]
    hostIPC: bool
    hostNetwork: bool
    hostPID: bool
    hostUsers: bool
    hostname: str
    hostnameOverride: str
    imagePullSecrets: list[LocalObjectReference]
    initContainers: list[Container]
    nodeName: str
    nodeSelector: dict[str, str]
    os: PodOS
    overhead: dict[str, Quantity]
    preemptionPolicy: str
    priority: int
    priorityClassName: str
    readinessGates: list[PodReadinessGate]
    resourceClaims: list[PodResourceClaim]
    resources: ResourceRequirements
    restartPolicy: str
    runtimeClassName: str
    schedulerName: str
    schedulingGates: list[PodSchedulingGate]
    schedulingGroup: PodSchedulingGroup
    securityContext: PodSecurityContext
    serviceAccount: str
    serviceAccountName: str
    setHostnameAsFQDN: bool
    shareProcessNamespace: bool
    subdomain: str
    terminationGracePeriodSeconds: int
    tolerations: list[Toleration]
    topologySpreadConstraints: list[TopologySpreadConstraint]
    volumes: list[Volume]


class PodTemplateSpec(TypedDict, total=False):
    metadata: meta_v1.ObjectMeta
    spec: PodSpec


class SecretReference(TypedDict, total=False):
    name: str
    namespace: str


class NamespaceSpec(TypedDict, total=False):
    finalizers: list[str]


class ConfigMap(TypedDict, total=False):
    binaryData: dict[str, Bytes]
    data: dict[str, str]
    immutable: bool


class Secret(TypedDict, total=False):
    data: dict[str, Bytes]
    immutable: bool
    stringData: dict[str, str]
    type: str


class ServicePort(TypedDict, total=False):
    appProtocol: str
    name: str
    nodePort: int
    port: Required[int]
    protocol: str
    targetPort: IntOrString


class ClientIPConfig(TypedDict, total=False):
    timeoutSeconds: int


class SessionAffinityConfig(TypedDict, total=False):
    clientIP: ClientIPConfig


class ServiceSpec(TypedDict, total=False):
    allocateLoadBalancerNodePorts: bool
    clusterIP: str
    clusterIPs: list[str]
    externalIPs: list[str]
    externalName: str
    externalTrafficPolicy: str
    healthCheckNodePort: int
    internalTrafficPolicy: str
    ipFamilies: list[str]
    ipFamilyPolicy: str
    loadBalancerClass: str
    loadBalancerIP: str
    loadBalancerSourceRanges: list[str]
    ports: list[ServicePort]
    publishNotReadyAddresses: bool
    selector: dict[str, str]
    sessionAffinity: str
    sessionAffinityConfig: SessionAffinityConfig
    trafficDistribution: str
    type: str


class ServiceAccount(TypedDict, total=False):
    automountServiceAccountToken: bool
    imagePullSecrets: list[LocalObjectReference]
    secrets: list[ObjectReference]


class AzureFilePersistentVolumeSource(TypedDict, total=False):
    readOnly: bool
    secretName: Required[str]
    secretNamespace: str
    shareName: Required[str]


class CephFSPersistentVolumeSource(TypedDict, total=False):
    monitors: Required[list[str]]
    path: str
    readOnly: bool
    secretFile: str
    secretRef: SecretReference
    user: str


class CinderPersistentVolumeSource(TypedDict, total=False):
    fsType: str
    readOnly: bool
    secretRef: SecretReference
    volumeID: Required[str]


class CSIPersistentVolumeSource(TypedDict, total=False):
    controllerExpandSecretRef: SecretReference
    controllerPublishSecretRef: SecretReference
    driver: Required[str]
    fsType: str
    nodeExpandSecretRef: SecretReference
    nodePublishSecretRef: SecretReference
    nodeStageSecretRef: SecretReference
    readOnly: bool
    volumeAttributes: dict[str, str]
    volumeHandle: Required[str]


class FlexPersistentVolumeSource(TypedDict, total=False):
    driver: Required[str]
    fsType: str
    options: dict[str, str]
    readOnly: bool
    secretRef: SecretReference


class GlusterfsPersistentVolumeSource(TypedDict, total=False):
    endpoints: Required[str]
    endpointsNamespace: str
    path: Required[str]
    readOnly: bool


class ISCSIPersistentVolumeSource(TypedDict, total=False):
    chapAuthDiscovery: bool
    chapAuthSession: bool
    fsType: str
    initiatorName: str
    iqn: Required[str]
    iscsiInterface: str
    lun: Required[int]
    portals: list[str]
    readOnly: bool
    secretRef: SecretReference
    targetPortal: Required[str]


class LocalVolumeSource(TypedDict, total=False):
    fsType: str
    path: Required[str]


class VolumeNodeAffinity(TypedDict, total=False):
    required: NodeSelector


class RBDPersistentVolumeSource(TypedDict, total=False):
    fsType: str
    image: Required[str]
    keyring: str
    monitors: Required[list[str]]
    pool: str
    readOnly: bool
    secretRef: SecretReference
    user: str


class ScaleIOPersistentVolumeSource(TypedDict, total=False):
    fsType: str
    gateway: Required[str]
    protectionDomain: str
    readOnly: bool
    secretRef: Required[SecretReference]
    sslEnabled: bool
    storageMode: str
    storagePool: str
    system: Required[str]
    volumeName: str


class StorageOSPersistentVolumeSource(TypedDict, total=False):
    fsType: str
    readOnly: bool
    secretRef: ObjectReference
    volumeName: str
    volumeNamespace: str


class PersistentVolumeSpec(TypedDict, total=False):
    accessModes: list[str]
    awsElasticBlockStore: AWSElasticBlockStoreVolumeSource
    azureDisk: AzureDiskVolumeSource
    azureFile: AzureFilePersistentVolumeSource
    capacity: dict[str, Quantity]
    cephfs: CephFSPersistentVolumeSource
    cinder: CinderPersistentVolumeSource
    claimRef: ObjectReference
    csi: CSIPersistentVolumeSource
    fc: FCVolumeSource
    flexVolume: FlexPersistentVolumeSource
    flocker: FlockerVolumeSource
    gcePersistentDisk: GCEPersistentDiskVolumeSource
    glusterfs: GlusterfsPersistentVolumeSource
    hostPath: HostPathVolumeSource
    iscsi: ISCSIPersistentVolumeSource
    local: LocalVolumeSource
    mountOptions: list[str]
    nfs: NFSVolumeSource
    nodeAffinity: VolumeNodeAffinity
    persistentVolumeReclaimPolicy: str
    photonPersistentDisk: PhotonPersistentDiskVolumeSource
    portworxVolume: PortworxVolumeSource
    quobyte: QuobyteVolumeSource
    rbd: RBDPersistentVolumeSource
    scaleIO: ScaleIOPersistentVolumeSource
    storageClassName: str
    storageos: StorageOSPersistentVolumeSource
    volumeAttributesClassName: str
    volumeMode: str
    vsphereVolume: VsphereVirtualDiskVolumeSource


class EndpointAddress(TypedDict, total=False):
    hostname: str
    ip: Required[str]
    nodeName: str
    targetRef: ObjectReference


class EndpointPort(TypedDict, total=False):
    appProtocol: str
    name: str
    port: Required[int]
    protocol: str


class EndpointSubset(TypedDict, total=False):
    addresses: list[EndpointAddress]
    notReadyAddresses: list[EndpointAddress]
    ports: list[EndpointPort]


class Endpoints(TypedDict, total=False):
    subsets: list[EndpointSubset]


class ScopedResourceSelectorRequirement(TypedDict, total=False):
    operator: Required[str]
    scopeName: Required[str]
    values: list[str]


class ScopeSelector(TypedDict, total=False):
    matchExpressions: list[ScopedResourceSelectorRequirement]


class ResourceQuotaSpec(TypedDict, total=False):
    hard: dict[str, Quantity]
    scopeSelector: ScopeSelector
    scopes: list[str]


class LimitRangeItem(TypedDict, total=False):
    default: dict[str, Quantity]
    defaultRequest: dict[str, Quantity]
    max: dict[str, Quantity]
    maxLimitRequestRatio: dict[str, Quantity]
    min: dict[str, Quantity]
    type: Required[str]


class LimitRangeSpec(TypedDict, total=False):
    limits: Required[list[LimitRangeItem]]


class PersistentVolumeClaim(TypedDict, total=False):
    spec: PersistentVolumeClaimSpec


class TopologySelectorLabelRequirement(TypedDict, total=False):
    key: Required[str]
    values: Required[list[str]]


class TopologySelectorTerm(TypedDict, total=False):
    matchLabelExpressions: list[TopologySelectorLabelRequirement]


NAMESPACE = Api(
    group="", version="v1", kind="Namespace", plural="namespaces", spec=NamespaceSpec, namespaced=False, builtin=True
)

CONFIG_MAP = Api(
    group="", version="v1", kind="ConfigMap", plural="configmaps", spec=ConfigMap, top_level=True, builtin=True
)

SECRET = Api(group="", version="v1", kind="Secret", plural="secrets", spec=Secret, top_level=True, builtin=True)

SERVICE = Api(group="", version="v1", kind="Service", plural="services", spec=ServiceSpec, builtin=True)

SERVICE_ACCOUNT = Api(
    group="",
    version="v1",
    kind="ServiceAccount",
    plural="serviceaccounts",
    spec=ServiceAccount,
    top_level=True,
    builtin=True,
)

PERSISTENT_VOLUME_CLAIM = Api(
    group="",
    version="v1",
    kind="PersistentVolumeClaim",
    plural="persistentvolumeclaims",
    spec=PersistentVolumeClaimSpec,
    builtin=True,
)

PERSISTENT_VOLUME = Api(
    group="",
    version="v1",
    kind="PersistentVolume",
    plural="persistentvolumes",
    spec=PersistentVolumeSpec,
    namespaced=False,
    builtin=True,
)

POD = Api(group="", version="v1", kind="Pod", plural="pods", spec=PodSpec, builtin=True)

ENDPOINTS = Api(
    group="", version="v1", kind="Endpoints", plural="endpoints", spec=Endpoints, top_level=True, builtin=True
)

RESOURCE_QUOTA = Api(
    group="", version="v1", kind="ResourceQuota", plural="resourcequotas", spec=ResourceQuotaSpec, builtin=True
)

LIMIT_RANGE = Api(group="", version="v1", kind="LimitRange", plural="limitranges", spec=LimitRangeSpec, builtin=True)
