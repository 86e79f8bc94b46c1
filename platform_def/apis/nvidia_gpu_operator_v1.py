"""NVIDIA GPU Operator 26.7 (nvidia.com): the policy of a cluster, drivers of its pools, and the experimental DRA way."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import core_v1, meta_v1
from platform_def.apis.health import Health
from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import Cel, Default, Int32, Int64, IntOrString, Maximum, Minimum, Pattern

Interval = Annotated[
    str, Pattern("^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$")
]
KernelModuleType = Annotated[Literal["auto", "open", "proprietary"], Default("auto")]


class Env(TypedDict, total=False):
    name: Required[str]
    value: str


class CcManager(TypedDict, total=False):
    args: list[str]
    defaultMode: Literal["on", "off", "devtools"]
    enabled: bool
    env: list[Env]
    hostNetwork: bool
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    repository: str
    resources: core_v1.VolumeResourceRequirements
    version: str


class Cdi(TypedDict, total=False):
    default: Annotated[bool, Default(False)]
    enabled: Annotated[bool, Default(True)]
    nriPluginEnabled: Annotated[bool, Default(False)]


class RollingUpdate(TypedDict, total=False):
    maxUnavailable: str


class Daemonsets(TypedDict, total=False):
    annotations: dict[str, str]
    labels: dict[str, str]
    podSecurityContext: core_v1.PodSecurityContext
    priorityClassName: str
    rollingUpdate: RollingUpdate
    tolerations: list[core_v1.Toleration]
    updateStrategy: Annotated[Literal["RollingUpdate", "OnDelete"], Default("RollingUpdate")]


class Dcgm(TypedDict, total=False):
    args: list[str]
    enabled: bool
    env: list[Env]
    hostNetwork: bool
    hostPort: Int32
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    repository: str
    resources: core_v1.VolumeResourceRequirements
    version: str


class Config(TypedDict, total=False):
    name: str


class HpcJobMapping(TypedDict, total=False):
    directory: str
    enabled: bool


class Service(TypedDict, total=False):
    internalTrafficPolicy: str
    type: str


class Relabeling(TypedDict, total=False):
    action: Annotated[
        Literal[
            "replace",
            "Replace",
            "keep",
            "Keep",
            "drop",
            "Drop",
            "hashmod",
            "HashMod",
            "labelmap",
            "LabelMap",
            "labeldrop",
            "LabelDrop",
            "labelkeep",
            "LabelKeep",
            "lowercase",
            "Lowercase",
            "uppercase",
            "Uppercase",
            "keepequal",
            "KeepEqual",
            "dropequal",
            "DropEqual",
        ],
        Default("replace"),
    ]
    modulus: Annotated[Int64, Minimum(0)]
    regex: str
    replacement: str
    separator: str
    sourceLabels: list[str]
    targetLabel: str


class ServiceMonitor(TypedDict, total=False):
    additionalLabels: dict[str, str]
    enabled: bool
    honorLabels: bool
    interval: Interval
    relabelings: list[Relabeling]
    scrapeTimeout: Interval


class DcgmExporter(TypedDict, total=False):
    annotations: dict[str, str]
    args: list[str]
    config: Config
    enablePodLabels: bool
    enablePodUID: bool
    enabled: bool
    env: list[Env]
    hostNetwork: bool
    hostPID: bool
    hpcJobMapping: HpcJobMapping
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    podLabelAllowlistRegex: list[str]
    repository: str
    resources: core_v1.VolumeResourceRequirements
    service: Service
    serviceMonitor: ServiceMonitor
    version: str


class DevicePluginConfig(TypedDict, total=False):
    default: str
    name: str


class Mps(TypedDict, total=False):
    root: Annotated[str, Default("/run/nvidia/mps")]


class DevicePlugin(TypedDict, total=False):
    args: list[str]
    config: DevicePluginConfig
    enabled: bool
    env: list[Env]
    hostNetwork: bool
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    mps: Mps
    repository: str
    resources: core_v1.VolumeResourceRequirements
    version: str


class LicensingConfig(TypedDict, total=False):
    configMapName: str
    nlsEnabled: bool
    secretName: str


class LivenessProbe(TypedDict, total=False):
    failureThreshold: Annotated[Int32, Minimum(1)]
    initialDelaySeconds: Int32
    periodSeconds: Annotated[Int32, Minimum(1)]
    successThreshold: Annotated[Int32, Minimum(1)]
    timeoutSeconds: Annotated[Int32, Minimum(1)]


class Manager(TypedDict, total=False):
    env: list[Env]
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    repository: str
    version: str


class Rdma(TypedDict, total=False):
    enabled: bool
    useHostMofed: bool


class RepoConfig(TypedDict, total=False):
    configMapName: str


class Drain(TypedDict, total=False):
    deleteEmptyDir: Annotated[bool, Default(False)]
    enable: Annotated[bool, Default(False)]
    force: Annotated[bool, Default(False)]
    podSelector: str
    timeoutSeconds: Annotated[int, Default(300), Minimum(0)]


class PodDeletion(TypedDict, total=False):
    deleteEmptyDir: Annotated[bool, Default(False)]
    force: Annotated[bool, Default(False)]
    timeoutSeconds: Annotated[int, Default(300), Minimum(0)]


class WaitForCompletion(TypedDict, total=False):
    podSelector: str
    timeoutSeconds: Annotated[int, Default(0), Minimum(0)]


class UpgradePolicy(TypedDict, total=False):
    autoUpgrade: Annotated[bool, Default(False)]
    drain: Drain
    maxParallelUpgrades: Annotated[int, Default(1), Minimum(0)]
    maxUnavailable: Annotated[IntOrString, Default("25%")]
    podDeletion: PodDeletion
    waitForCompletion: WaitForCompletion


class VirtualTopology(TypedDict, total=False):
    config: str


class Driver(TypedDict, total=False):
    args: list[str]
    certConfig: Config
    enabled: bool
    env: list[Env]
    hostNetwork: bool
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    kernelModuleConfig: Config
    kernelModuleType: KernelModuleType
    licensingConfig: LicensingConfig
    livenessProbe: LivenessProbe
    manager: Manager
    rdma: Rdma
    readinessProbe: LivenessProbe
    repoConfig: RepoConfig
    repository: str
    resources: core_v1.VolumeResourceRequirements
    secretEnv: str
    startupProbe: LivenessProbe
    upgradePolicy: UpgradePolicy
    useNvidiaDriverCRD: bool
    useOpenKernelModules: bool
    usePrecompiled: bool
    version: str
    virtualTopology: VirtualTopology


class Gdrcopy(TypedDict, total=False):
    args: list[str]
    enabled: bool
    env: list[Env]
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    repository: str
    version: str


class Gfd(TypedDict, total=False):
    args: list[str]
    enabled: bool
    env: list[Env]
    hostNetwork: bool
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    repository: str
    resources: core_v1.VolumeResourceRequirements
    version: str


class HostPaths(TypedDict, total=False):
    driverInstallDir: str
    kubeletRootDir: Annotated[str, Default("/var/lib/kubelet")]
    rootFS: str


class Artifacts(TypedDict, total=False):
    pullSecret: str
    url: Required[str]


class RuntimeClass(TypedDict, total=False):
    artifacts: Required[Artifacts]
    name: Required[str]
    nodeSelector: dict[str, str]


class KataManagerConfig(TypedDict, total=False):
    artifactsDir: Annotated[str, Default("/opt/nvidia-gpu-operator/artifacts/runtimeclasses")]
    runtimeClasses: list[RuntimeClass]


class KataManager(TypedDict, total=False):
    args: list[str]
    config: KataManagerConfig
    enabled: bool
    env: list[Env]
    hostNetwork: bool
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    repository: str
    resources: core_v1.VolumeResourceRequirements
    version: str


class Mig(TypedDict, total=False):
    strategy: Literal["none", "single", "mixed"]


class MigManagerConfig(TypedDict, total=False):
    default: Annotated[Literal["all-disabled", ""], Default("all-disabled")]
    name: str


class MigManager(TypedDict, total=False):
    args: list[str]
    config: MigManagerConfig
    enabled: bool
    env: list[Env]
    gpuClientsConfig: Config
    hostNetwork: bool
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    repository: str
    resources: core_v1.VolumeResourceRequirements
    version: str


class InitContainer(TypedDict, total=False):
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    repository: str
    version: str


class Metrics(TypedDict, total=False):
    serviceMonitor: ServiceMonitor


class Operator(TypedDict, total=False):
    annotations: dict[str, str]
    defaultRuntime: str
    initContainer: InitContainer
    labels: dict[str, str]
    metrics: Metrics
    runtimeClass: Annotated[str, Default("nvidia")]
    use_ocp_driver_toolkit: bool


class Psa(TypedDict, total=False):
    enabled: bool


class SandboxWorkloads(TypedDict, total=False):
    defaultWorkload: Annotated[Literal["container", "vm-passthrough", "vm-vgpu"], Default("container")]
    enabled: bool
    mode: Annotated[Literal["kubevirt", "kata"], Default("kubevirt")]


class Toolkit(TypedDict, total=False):
    args: list[str]
    enabled: bool
    env: list[Env]
    hostNetwork: bool
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    installDir: Annotated[str, Default("/usr/local/nvidia")]
    repository: str
    resources: core_v1.VolumeResourceRequirements
    version: str


class Cuda(TypedDict, total=False):
    env: list[Env]


class Validator(TypedDict, total=False):
    args: list[str]
    cuda: Cuda
    driver: Cuda
    env: list[Env]
    hostNetwork: bool
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    plugin: Cuda
    repository: str
    resources: core_v1.VolumeResourceRequirements
    toolkit: Cuda
    version: str
    vfioPCI: Cuda
    vgpuDevices: Cuda
    vgpuManager: Cuda


class VfioManager(TypedDict, total=False):
    args: list[str]
    driverManager: Manager
    enabled: bool
    env: list[Env]
    hostNetwork: bool
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    repository: str
    resources: core_v1.VolumeResourceRequirements
    version: str


class VgpuDeviceManagerConfig(TypedDict, total=False):
    default: Annotated[str, Default("default")]
    name: str


class VgpuDeviceManager(TypedDict, total=False):
    args: list[str]
    config: VgpuDeviceManagerConfig
    enabled: bool
    env: list[Env]
    hostNetwork: bool
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    repository: str
    resources: core_v1.VolumeResourceRequirements
    version: str


class VgpuManager(TypedDict, total=False):
    args: list[str]
    driverManager: Manager
    enabled: bool
    env: list[Env]
    hostNetwork: bool
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    kernelModuleConfig: Config
    repository: str
    resources: core_v1.VolumeResourceRequirements
    version: str


class ClusterPolicySpec(TypedDict, total=False):
    ccManager: CcManager
    cdi: Cdi
    daemonsets: Required[Daemonsets]
    dcgm: Required[Dcgm]
    dcgmExporter: Required[DcgmExporter]
    devicePlugin: Required[DevicePlugin]
    driver: Required[Driver]
    gdrcopy: Gdrcopy
    gds: Gdrcopy
    gfd: Required[Gfd]
    hostPaths: HostPaths
    kataManager: KataManager
    kataSandboxDevicePlugin: Gfd
    mig: Mig
    migManager: MigManager
    nodeStatusExporter: Required[Gfd]
    operator: Required[Operator]
    psa: Psa
    psp: Psa
    sandboxDevicePlugin: Gfd
    sandboxWorkloads: SandboxWorkloads
    toolkit: Required[Toolkit]
    validator: Validator
    vfioManager: VfioManager
    vgpuDeviceManager: VgpuDeviceManager
    vgpuManager: VgpuManager


class ClusterPolicyStatus(TypedDict, total=False):
    conditions: list[meta_v1.Condition]
    namespace: str
    state: Required[Literal["ignored", "ready", "notReady"]]


class Controller(TypedDict, total=False):
    env: list[Env]
    resources: core_v1.VolumeResourceRequirements


class Healthcheck(TypedDict, total=False):
    enabled: Annotated[bool, Default(True)]
    port: Annotated[Int32, Maximum(65535), Minimum(1)]


class KubeletPlugin(TypedDict, total=False):
    env: list[Env]
    healthcheck: Healthcheck
    resources: core_v1.VolumeResourceRequirements


class ComputeDomains(TypedDict, total=False):
    controller: Controller
    enabled: Annotated[bool, Default(True)]
    kubeletPlugin: KubeletPlugin


class Gpus(TypedDict, total=False):
    kubeletPlugin: KubeletPlugin


class DraDriver(TypedDict, total=False):
    computeDomains: ComputeDomains
    featureGates: dict[str, bool]
    gpus: Gpus
    image: Annotated[str, Pattern(r"^[a-zA-Z0-9\-]+$")]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    repository: str
    version: str


class GPUClusterHostPaths(TypedDict, total=False):
    driverInstallDir: str
    kubeletRootDir: Annotated[str, Default("/var/lib/kubelet")]


class GPUClusterSpec(TypedDict, total=False):
    daemonsets: Daemonsets
    dcgm: Dcgm
    dcgmExporter: DcgmExporter
    draDriver: Required[DraDriver]
    hostPaths: GPUClusterHostPaths


class GPUClusterStatus(TypedDict, total=False):
    conditions: list[meta_v1.Condition]
    namespace: str
    state: Required[Literal["ready", "notReady", "disabled"]]


class NVIDIADriverLicensingConfig(TypedDict, total=False):
    name: str
    nlsEnabled: bool
    secretName: str


class NVIDIADriverUpgradePolicy(TypedDict, total=False):
    autoUpgrade: Annotated[bool, Default(True)]
    drain: Drain
    maxParallelUpgrades: Annotated[int, Default(1), Minimum(0)]
    maxUnavailable: Annotated[IntOrString, Default("25%")]
    podDeletion: PodDeletion
    waitForCompletion: WaitForCompletion


class NVIDIADriverSpec(TypedDict, total=False):
    annotations: dict[str, str]
    args: list[str]
    certConfig: Config
    default: Required[Annotated[bool, Default(False)]]
    driverType: Required[
        Annotated[
            Literal["gpu", "vgpu", "vgpu-host-manager"],
            Default("gpu"),
            Cel(
                "self == oldSelf",
                "driverType cannot change: make a new NVIDIADriver",
            ),
        ]
    ]
    env: list[Env]
    gdrcopy: Gdrcopy
    gds: Gdrcopy
    hostNetwork: bool
    image: Required[Annotated[str, Default("nvcr.io/nvidia/driver")]]
    imagePullPolicy: str
    imagePullSecrets: list[str]
    kernelModuleConfig: Config
    kernelModuleType: KernelModuleType
    labels: dict[str, str]
    licensingConfig: NVIDIADriverLicensingConfig
    livenessProbe: LivenessProbe
    manager: Manager
    nodeAffinity: core_v1.NodeAffinity
    nodeSelector: dict[str, str]
    podSecurityContext: core_v1.PodSecurityContext
    priorityClassName: str
    rdma: Rdma
    readinessProbe: LivenessProbe
    repoConfig: Config
    repository: str
    resources: core_v1.VolumeResourceRequirements
    secretEnv: str
    startupProbe: LivenessProbe
    tolerations: list[core_v1.Toleration]
    upgradePolicy: NVIDIADriverUpgradePolicy
    useOpenKernelModules: bool
    usePrecompiled: Annotated[
        bool,
        Cel(
            "self == oldSelf",
            "usePrecompiled cannot change: make a new NVIDIADriver",
        ),
    ]
    version: str
    virtualTopologyConfig: Config


class NVIDIADriverStatus(TypedDict, total=False):
    conditions: list[meta_v1.Condition]
    namespace: str
    state: Required[Literal["ignored", "ready", "notReady", "disabled"]]


class NVIDIADriver(TypedDict, total=False):
    spec: Annotated[
        NVIDIADriverSpec,
        Cel(
            "has(self.default) && self.default ? !has(self.nodeSelector) || size(self.nodeSelector) == 0 : true",
            "the default driver has no nodeSelector",
        ),
    ]
    status: NVIDIADriverStatus


HEALTH = Health(ready=("Ready",), failed=("Error",))

CLUSTER_POLICY = Api(
    group="nvidia.com",
    version="v1",
    kind="ClusterPolicy",
    plural="clusterpolicies",
    namespaced=False,
    spec=ClusterPolicySpec,
    status=ClusterPolicyStatus,
    core="1.37",
    status_subresource=True,
    columns=(Column("Status", ".status.state"), Column("Age", ".metadata.creationTimestamp")),
    health=HEALTH,
)

GPU_CLUSTER = Api(
    group="nvidia.com",
    version="v1alpha1",
    kind="GPUCluster",
    plural="gpuclusters",
    namespaced=False,
    spec=GPUClusterSpec,
    status=GPUClusterStatus,
    rules=(Cel("self.metadata.name == 'gpu-cluster'", "there is one GPUCluster, and it is called gpu-cluster"),),
    core="1.37",
    status_subresource=True,
    columns=(Column("Status", ".status.state"), AGE),
)

NVIDIA_DRIVER = Api(
    group="nvidia.com",
    version="v1alpha1",
    kind="NVIDIADriver",
    plural="nvidiadrivers",
    namespaced=False,
    spec=NVIDIADriverSpec,
    top=NVIDIADriver,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Status", ".status.state"),
        Column("Default", ".spec.default", type="boolean"),
        Column("Age", ".metadata.creationTimestamp"),
    ),
    health=HEALTH,
)

CRDS = (
    Definition((CLUSTER_POLICY,)),
    Definition((GPU_CLUSTER,), short_names=("gc",)),
    Definition((NVIDIA_DRIVER,), short_names=("nvd", "nvdriver", "nvdrivers")),
)
