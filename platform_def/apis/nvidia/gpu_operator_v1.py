"""NVIDIA GPU Operator 26.7 (nvidia.com): the policy of a cluster, drivers of its pools, and the experimental DRA way."""
# ruff: noqa: E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.crds.health import HealthConditions, StateHealth
from platform_def.crds.model import AGE, Api, Column, Definition, Makes
from platform_def.crds.schema import Cel, Default, Int32, Int64, IntOrString, Maximum, Minimum, Pattern, Ref
from platform_def.crds.typed_dict import TypedDict

Interval = Annotated[
    str, Pattern("^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$")
]
KernelModuleType = Annotated[Literal["auto", "open", "proprietary"], Default("auto")]


class Env(TypedDict, total=False):
    """An environment variable."""

    name: Required[str]
    """Its name."""
    value: str
    """Its value."""


class CcManager(TypedDict, total=False):
    """Confidential computing of GPUs."""

    args: list[str]
    """Arguments of the container."""
    defaultMode: Literal["on", "off", "devtools"]
    """Mode of GPUs without a label of their own: on, off or devtools."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    version: str
    """Tag or digest of the image."""


class Cdi(TypedDict, total=False):
    """How containers get devices: through the container device interface."""

    default: Annotated[bool, Default(False)]
    """Not used any more."""
    enabled: Annotated[bool, Default(True)]
    """False: through NVIDIA's runtime hook instead."""
    nriPluginEnabled: Annotated[bool, Default(False)]
    """True: through a plug-in of containerd or CRI-O, so that no runtime class is needed."""


class RollingUpdate(TypedDict, total=False):
    """How pods are updated."""

    maxUnavailable: str
    """Nodes that may be without the pod at once, as a number or share."""


class Daemonsets(TypedDict, total=False):
    """What holds for all of the operator's DaemonSets."""

    annotations: dict[str, str]
    """Annotations of the pods."""
    labels: dict[str, str]
    """Labels of the pods."""
    podSecurityContext: core_v1.PodSecurityContext
    """User, group and rights of the pods."""
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the pods."""
    rollingUpdate: RollingUpdate
    """How pods are updated, with RollingUpdate."""
    tolerations: list[core_v1.Toleration]
    """Taints of nodes that the pods put up with."""
    updateStrategy: Annotated[Literal["RollingUpdate", "OnDelete"], Default("RollingUpdate")]
    """RollingUpdate, or OnDelete: when a pod is deleted."""


class Dcgm(TypedDict, total=False):
    """DCGM as a pod of its own, for several clients; the exporter has one inside otherwise."""

    args: list[str]
    """Arguments of the container."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    hostPort: Int32
    """Port of the node that it answers at."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    version: str
    """Tag or digest of the image."""


class Config(TypedDict, total=False):
    """A ConfigMap by its name."""

    name: Annotated[str, Ref("ConfigMap")]
    """Name of the ConfigMap, in the operator's namespace."""


class HpcJobMapping(TypedDict, total=False):
    """Metrics by job of an HPC scheduler."""

    directory: str
    """Folder of the node with the jobs of each GPU."""
    enabled: bool
    """True: metrics carry the job."""


class Service(TypedDict, total=False):
    """The Service of the metrics."""

    internalTrafficPolicy: str
    """Cluster, or Local: only the pod of the same node answers."""
    type: str
    """Type of the Service."""


class Relabeling(TypedDict, total=False):
    """A change of labels while scraping."""

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
    """What is done."""
    modulus: Annotated[Int64, Minimum(0)]
    """Modulus of the hash, for hashmod."""
    regex: str
    """Expression that the values must match."""
    replacement: str
    """What is written."""
    separator: str
    """What stands between the values."""
    sourceLabels: list[str]
    """Labels whose values are matched."""
    targetLabel: str
    """Label that is written."""


class ServiceMonitor(TypedDict, total=False):
    """Scraping by Prometheus operator."""

    additionalLabels: dict[str, str]
    """Labels of the ServiceMonitor."""
    enabled: bool
    """True: there is one."""
    honorLabels: bool
    """True: labels of the metrics win over those of the target."""
    interval: Interval
    """Time between scrapes."""
    relabelings: list[Relabeling]
    """Changes of labels."""
    scrapeTimeout: Interval
    """Time that a scrape may take."""


class DcgmExporter(TypedDict, total=False):
    """Metrics of GPUs for Prometheus."""

    annotations: dict[str, str]
    """Annotations of the pods."""
    args: list[str]
    """Arguments of the container."""
    config: Config
    """ConfigMap with the list of metrics (dcgm-metrics.csv); a common choice if left out."""
    enablePodLabels: bool
    """True: metrics carry the labels of the pod that has the GPU."""
    enablePodUID: bool
    """True: metrics carry its UID."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    hostPID: bool
    """True: the pods see their node's processes."""
    hpcJobMapping: HpcJobMapping
    """Metrics by job of an HPC scheduler."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    podLabelAllowlistRegex: list[str]
    """Expressions for the labels of pods that metrics carry; all if left out."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    service: Service
    """The Service of the metrics."""
    serviceMonitor: ServiceMonitor
    """Scraping by Prometheus operator."""
    version: str
    """Tag or digest of the image."""


class DevicePluginConfig(TypedDict, total=False):
    """Configurations of the device plug-in."""

    default: str
    """Key of nodes without the label nvidia.com/device-plugin.config; none if left out."""
    name: Annotated[str, Ref("ConfigMap")]
    """ConfigMap with a configuration in each key, in the operator's namespace."""


class Mps(TypedDict, total=False):
    """Sharing of GPUs by MPS."""

    root: Annotated[str, Default("/run/nvidia/mps")]
    """Folder of the node for MPS."""


class DevicePlugin(TypedDict, total=False):
    """Offers GPUs to the kubelet."""

    args: list[str]
    """Arguments of the container."""
    config: DevicePluginConfig
    """How GPUs are offered and shared."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    mps: Mps
    """Sharing by MPS."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    version: str
    """Tag or digest of the image."""


class LicensingConfig(TypedDict, total=False):
    """Licence of a vGPU driver."""

    configMapName: Annotated[str, Ref("ConfigMap", weak=True)]
    """ConfigMap with gridd.conf and the token; superseded by secretName."""
    nlsEnabled: bool
    """True: by NVIDIA's licence system."""
    secretName: Annotated[str, Ref("Secret")]
    """Secret with gridd.conf and the token, in the operator's namespace."""


class LivenessProbe(TypedDict, total=False):
    """When a probe has failed."""

    failureThreshold: Annotated[Int32, Minimum(1)]
    """Failures in a row."""
    initialDelaySeconds: Int32
    """Seconds before the first."""
    periodSeconds: Annotated[Int32, Minimum(1)]
    """Seconds between two."""
    successThreshold: Annotated[Int32, Minimum(1)]
    """Successes in a row after which it is well again."""
    timeoutSeconds: Annotated[Int32, Minimum(1)]
    """Seconds that one may take."""


class Manager(TypedDict, total=False):
    """The container that prepares a node before the driver."""

    env: list[Env]
    """Environment of the container."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    repository: str
    """Registry and path of the image."""
    version: str
    """Tag or digest of the image."""


class Rdma(TypedDict, total=False):
    """Direct access of network cards to GPUs."""

    enabled: bool
    """True: the driver's peer memory module is loaded."""
    useHostMofed: bool
    """True: the network driver is the node's own."""


class RepoConfig(TypedDict, total=False):
    """Package sources for building the driver."""

    configMapName: Annotated[str, Ref("ConfigMap")]
    """ConfigMap with them, in the operator's namespace."""


class Drain(TypedDict, total=False):
    """Draining of a node before its driver is changed."""

    deleteEmptyDir: Annotated[bool, Default(False)]
    """True: pods with emptyDir volumes go as well."""
    enable: Annotated[bool, Default(False)]
    """True: the node is drained."""
    force: Annotated[bool, Default(False)]
    """True: pods without a controller go as well."""
    podSelector: str
    """Labels of the pods that go; all if left out."""
    timeoutSeconds: Annotated[int, Default(300), Minimum(0)]
    """Seconds that it may take; 0 is without end."""


class PodDeletion(TypedDict, total=False):
    """Deletion of pods with GPUs before a node's driver is changed."""

    deleteEmptyDir: Annotated[bool, Default(False)]
    """True: pods with emptyDir volumes go as well."""
    force: Annotated[bool, Default(False)]
    """True: pods without a controller go as well."""
    timeoutSeconds: Annotated[int, Default(300), Minimum(0)]
    """Seconds that it may take; 0 is without end."""


class WaitForCompletion(TypedDict, total=False):
    """Waiting for pods before a node's driver is changed."""

    podSelector: str
    """Labels of the pods that are waited for."""
    timeoutSeconds: Annotated[int, Default(0), Minimum(0)]
    """Seconds to wait; 0 is without end."""


class UpgradePolicy(TypedDict, total=False):
    """How drivers are changed on running nodes."""

    autoUpgrade: Annotated[bool, Default(False)]
    """True: by the operator, node after node; false: when the driver's pod is deleted."""
    drain: Drain
    """Draining of the node, where deleting pods is not enough."""
    maxParallelUpgrades: Annotated[int, Default(1), Minimum(0)]
    """Nodes at once; 0 is without limit."""
    maxUnavailable: Annotated[IntOrString, Default("25%")]
    """Nodes that may be out of service at once."""
    podDeletion: PodDeletion
    """Deletion of pods with GPUs."""
    waitForCompletion: WaitForCompletion
    """Waiting for pods."""


class VirtualTopology(TypedDict, total=False):
    """Topology inside virtual machines."""

    config: Annotated[str, Ref("ConfigMap")]
    """ConfigMap with topology files, in the operator's namespace."""


class Driver(TypedDict, total=False):
    """The driver as a container."""

    args: list[str]
    """Arguments of the container."""
    certConfig: Config
    """ConfigMap with certificates of package sources."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    kernelModuleConfig: Config
    """ConfigMap with parameters of the kernel modules."""
    kernelModuleType: KernelModuleType
    """open, proprietary, or auto: as the GPUs need."""
    licensingConfig: LicensingConfig
    """Licence of a vGPU driver."""
    livenessProbe: LivenessProbe
    """When the driver counts as failed."""
    manager: Manager
    """The container that prepares the node."""
    rdma: Rdma
    """Direct access of network cards to GPUs."""
    readinessProbe: LivenessProbe
    """When the driver counts as ready."""
    repoConfig: RepoConfig
    """Package sources for building it."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    secretEnv: Annotated[str, Ref("Secret")]
    """Secret that becomes environment, in the operator's namespace."""
    startupProbe: LivenessProbe
    """How long installing may take."""
    upgradePolicy: UpgradePolicy
    """How it is changed on running nodes."""
    useNvidiaDriverCRD: bool
    """True: NVIDIADriver objects say which nodes get which driver."""
    useOpenKernelModules: bool
    """Superseded by kernelModuleType."""
    usePrecompiled: bool
    """True: an image with modules for the node's kernel, instead of building them."""
    version: str
    """Tag or digest of the image."""
    virtualTopology: VirtualTopology
    """Topology inside virtual machines."""


class Gdrcopy(TypedDict, total=False):
    """A further kernel module beside the driver."""

    args: list[str]
    """Arguments of the container."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    repository: str
    """Registry and path of the image."""
    version: str
    """Tag or digest of the image."""


class Gfd(TypedDict, total=False):
    """One of the operator's DaemonSets."""

    args: list[str]
    """Arguments of the container."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    version: str
    """Tag or digest of the image."""


class HostPaths(TypedDict, total=False):
    """Folders of nodes."""

    driverInstallDir: str
    """Where the driver container shows its files."""
    kubeletRootDir: Annotated[str, Default("/var/lib/kubelet")]
    """The kubelet's folder."""
    rootFS: str
    """Where the node's own files are seen, for drivers installed there."""


class Artifacts(TypedDict, total=False):
    """Kernel and image for Kata containers."""

    pullSecret: Annotated[str, Ref("Secret", weak=True)]
    """Secret to pull them with, in the operator's namespace."""
    url: Required[str]
    """Where they are, as an OCI artifact."""


class RuntimeClass(TypedDict, total=False):
    """A runtime class for Kata containers."""

    artifacts: Required[Artifacts]
    """Its kernel and image."""
    name: Required[str]
    """Its name."""
    nodeSelector: dict[str, str]
    """Labels of nodes that have it."""


class KataManagerConfig(TypedDict, total=False):
    """What is set up for Kata containers."""

    artifactsDir: Annotated[str, Default("/opt/nvidia-gpu-operator/artifacts/runtimeclasses")]
    """Folder of the node for kernels and images."""
    runtimeClasses: list[RuntimeClass]
    """Runtime classes."""


class KataManager(TypedDict, total=False):
    """Sets up Kata containers with GPUs."""

    args: list[str]
    """Arguments of the container."""
    config: KataManagerConfig
    """What is set up."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    version: str
    """Tag or digest of the image."""


class Mig(TypedDict, total=False):
    """Cards cut into instances."""

    strategy: Literal["none", "single", "mixed"]
    """single: all cards of a node alike, offered as GPUs; mixed: each profile is a resource of its own."""


class MigManagerConfig(TypedDict, total=False):
    """Layouts of cards."""

    default: Annotated[Literal["all-disabled", ""], Default("all-disabled")]
    """Layout of nodes without the label nvidia.com/mig.config."""
    name: Annotated[str, Ref("ConfigMap")]
    """ConfigMap with layouts (config.yaml), in the operator's namespace; common ones if left out."""


class MigManager(TypedDict, total=False):
    """Cuts cards as a node's label nvidia.com/mig.config says."""

    args: list[str]
    """Arguments of the container."""
    config: MigManagerConfig
    """The layouts that labels may name."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    gpuClientsConfig: Config
    """ConfigMap with services of the node to stop meanwhile."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    version: str
    """Tag or digest of the image."""


class InitContainer(TypedDict, total=False):
    """The image of helper containers."""

    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    repository: str
    """Registry and path of the image."""
    version: str
    """Tag or digest of the image."""


class Metrics(TypedDict, total=False):
    """Metrics of the operator."""

    serviceMonitor: ServiceMonitor
    """Scraping by Prometheus operator."""


class Operator(TypedDict, total=False):
    """The operator's own settings."""

    annotations: dict[str, str]
    """Annotations of what it makes."""
    defaultRuntime: str
    """Not read any more: the runtime is found out."""
    initContainer: InitContainer
    """Image of helper containers."""
    labels: dict[str, str]
    """Labels of what it makes."""
    metrics: Metrics
    """Metrics of the operator."""
    runtimeClass: Annotated[str, Default("nvidia")]
    """Name of the runtime class that it makes."""
    use_ocp_driver_toolkit: bool
    """True: drivers are built with OpenShift's toolkit."""


class Psa(TypedDict, total=False):
    """A switch."""

    enabled: bool
    """True: it runs."""


class SandboxWorkloads(TypedDict, total=False):
    """GPUs for virtual machines."""

    defaultWorkload: Annotated[Literal["container", "vm-passthrough", "vm-vgpu"], Default("container")]
    """What nodes without the label nvidia.com/gpu.workload.config are for."""
    enabled: bool
    """True: it runs."""
    mode: Annotated[Literal["kubevirt", "kata"], Default("kubevirt")]
    """Who runs the machines: kubevirt or kata."""


class Toolkit(TypedDict, total=False):
    """Container toolkit: shows GPUs to containers."""

    args: list[str]
    """Arguments of the container."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    installDir: Annotated[str, Default("/usr/local/nvidia")]
    """Folder of the node that it is put into."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    version: str
    """Tag or digest of the image."""


class Cuda(TypedDict, total=False):
    """Environment of one check."""

    env: list[Env]
    """Environment of the container."""


class Validator(TypedDict, total=False):
    """Checks on each node that driver, toolkit and device plug-in work."""

    args: list[str]
    """Arguments of the container."""
    cuda: Cuda
    """Environment of the check by a CUDA program."""
    driver: Cuda
    """Environment of the driver's check."""
    env: list[Env]
    """Environment of the container."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    plugin: Cuda
    """Environment of the device plug-in's check."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    toolkit: Cuda
    """Environment of the toolkit's check."""
    version: str
    """Tag or digest of the image."""
    vfioPCI: Cuda
    """Environment of the check for pass-through."""
    vgpuDevices: Cuda
    """Environment of the check for vGPU devices."""
    vgpuManager: Cuda
    """Environment of the vGPU manager's check."""


class VfioManager(TypedDict, total=False):
    """Gives whole GPUs to virtual machines."""

    args: list[str]
    """Arguments of the container."""
    driverManager: Manager
    """The container that takes the driver off."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    version: str
    """Tag or digest of the image."""


class VgpuDeviceManagerConfig(TypedDict, total=False):
    """Layouts of vGPU devices."""

    default: Annotated[str, Default("default")]
    """Layout of nodes without the label nvidia.com/vgpu.config."""
    name: Annotated[str, Ref("ConfigMap")]
    """ConfigMap with layouts, in the operator's namespace; common ones if left out."""


class VgpuDeviceManager(TypedDict, total=False):
    """Makes vGPU devices as a node's label nvidia.com/vgpu.config says."""

    args: list[str]
    """Arguments of the container."""
    config: VgpuDeviceManagerConfig
    """The layouts that labels may name."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    version: str
    """Tag or digest of the image."""


class VgpuManager(TypedDict, total=False):
    """vGPU driver of nodes that run virtual machines."""

    args: list[str]
    """Arguments of the container."""
    driverManager: Manager
    """The container that prepares the node."""
    enabled: bool
    """True: it runs."""
    env: list[Env]
    """Environment of the container."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: Annotated[str, Pattern(r"[a-zA-Z0-9\-]+")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    kernelModuleConfig: Config
    """ConfigMap with parameters of the kernel modules."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    version: str
    """Tag or digest of the image."""


class ClusterPolicySpec(TypedDict, total=False):
    """What the operator puts on the nodes of a cluster."""

    ccManager: CcManager
    """Confidential computing of GPUs."""
    cdi: Cdi
    """How containers get devices."""
    daemonsets: Required[Daemonsets]
    """What holds for all DaemonSets."""
    dcgm: Required[Dcgm]
    """DCGM as a pod of its own."""
    dcgmExporter: Required[DcgmExporter]
    """Metrics of GPUs."""
    devicePlugin: Required[DevicePlugin]
    """Offers GPUs to the kubelet."""
    driver: Required[Driver]
    """The driver as a container; off where nodes have one."""
    gdrcopy: Gdrcopy
    """Kernel module for fast copies to and from GPUs."""
    gds: Gdrcopy
    """Kernel module for reading storage straight into GPUs."""
    gfd: Required[Gfd]
    """GPU feature discovery: labels nodes with what their GPUs are."""
    hostPaths: HostPaths
    """Folders of nodes."""
    kataManager: KataManager
    """Sets up Kata containers with GPUs."""
    kataSandboxDevicePlugin: Gfd
    """Offers GPUs for Kata containers."""
    mig: Mig
    """Cards cut into instances."""
    migManager: MigManager
    """Cuts cards as nodes' labels say."""
    nodeStatusExporter: Required[Gfd]
    """Metrics of what the validator found."""
    operator: Required[Operator]
    """The operator's own settings."""
    psa: Psa
    """Pod security admission: labels the operator's namespace as privileged."""
    psp: Psa
    """Not read any more."""
    sandboxDevicePlugin: Gfd
    """Offers GPUs for virtual machines."""
    sandboxWorkloads: SandboxWorkloads
    """GPUs for virtual machines."""
    toolkit: Required[Toolkit]
    """Container toolkit; off where nodes have it."""
    validator: Validator
    """Checks that all of it works."""
    vfioManager: VfioManager
    """Gives whole GPUs to virtual machines."""
    vgpuDeviceManager: VgpuDeviceManager
    """Makes vGPU devices as nodes' labels say."""
    vgpuManager: VgpuManager
    """vGPU driver of nodes that run virtual machines."""


class ClusterPolicyStatus(TypedDict, total=False):
    """What the operator reports."""

    conditions: list[meta_v1.Condition]
    namespace: str
    state: Required[Literal["ignored", "ready", "notReady"]]


class Controller(TypedDict, total=False):
    """Controller of compute domains."""

    env: list[Env]
    """Environment of the container."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""


class Healthcheck(TypedDict, total=False):
    """Health of the plug-in."""

    enabled: Annotated[bool, Default(True)]
    """False: the check is off."""
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    """Port that answers."""


class KubeletPlugin(TypedDict, total=False):
    """The driver's pods on nodes."""

    env: list[Env]
    """Environment of the container."""
    healthcheck: Healthcheck
    """Health of the pods."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""


class ComputeDomains(TypedDict, total=False):
    """Memory shared over multi-node NVLink."""

    controller: Controller
    """The controller."""
    enabled: Annotated[bool, Default(True)]
    """False: no compute domains."""
    kubeletPlugin: KubeletPlugin
    """The pods on nodes."""


class Gpus(TypedDict, total=False):
    """GPUs by resource claims."""

    kubeletPlugin: KubeletPlugin
    """The pods on nodes."""


class DraDriver(TypedDict, total=False):
    """GPUs by resource claims (DRA) instead of a device plug-in."""

    computeDomains: ComputeDomains
    """Memory shared over multi-node NVLink."""
    featureGates: dict[str, bool]
    """Features that are switched on or off, by name."""
    gpus: Gpus
    """GPUs by resource claims."""
    image: Annotated[str, Pattern(r"^[a-zA-Z0-9\-]+$")]
    """Name of the image."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    repository: str
    """Registry and path of the image."""
    version: str
    """Tag or digest of the image."""


class GPUClusterHostPaths(TypedDict, total=False):
    """Folders of nodes."""

    driverInstallDir: str
    """Where the driver container shows its files."""
    kubeletRootDir: Annotated[str, Default("/var/lib/kubelet")]
    """The kubelet's folder."""


class GPUClusterSpec(TypedDict, total=False):
    """What the operator puts on nodes in the experimental DRA way."""

    daemonsets: Daemonsets
    """What holds for all DaemonSets."""
    dcgm: Dcgm
    """DCGM as a pod of its own."""
    dcgmExporter: DcgmExporter
    """Metrics of GPUs."""
    draDriver: Required[DraDriver]
    """GPUs by resource claims."""
    hostPaths: GPUClusterHostPaths
    """Folders of nodes."""


class GPUClusterStatus(TypedDict, total=False):
    """What the operator reports."""

    conditions: list[meta_v1.Condition]
    namespace: str
    state: Required[Literal["ready", "notReady", "disabled"]]


class NVIDIADriverLicensingConfig(TypedDict, total=False):
    """Licence of a vGPU driver."""

    name: Annotated[str, Ref("ConfigMap", weak=True)]
    """ConfigMap with gridd.conf and the token; superseded by secretName."""
    nlsEnabled: bool
    """True: by NVIDIA's licence system."""
    secretName: Annotated[str, Ref("Secret")]
    """Secret with gridd.conf and the token, in the operator's namespace."""


class NVIDIADriverUpgradePolicy(TypedDict, total=False):
    """How drivers are changed on running nodes."""

    autoUpgrade: Annotated[bool, Default(True)]
    """True: by the operator, node after node; false: when the driver's pod is deleted."""
    drain: Drain
    """Draining of the node, where deleting pods is not enough."""
    maxParallelUpgrades: Annotated[int, Default(1), Minimum(0)]
    """Nodes at once; 0 is without limit."""
    maxUnavailable: Annotated[IntOrString, Default("25%")]
    """Nodes that may be out of service at once."""
    podDeletion: PodDeletion
    """Deletion of pods with GPUs."""
    waitForCompletion: WaitForCompletion
    """Waiting for pods."""


class NVIDIADriverSpec(TypedDict, total=False):
    """The driver of one pool of nodes."""

    annotations: dict[str, str]
    """Annotations of the pods."""
    args: list[str]
    """Arguments of the container."""
    certConfig: Config
    """ConfigMap with certificates of package sources."""
    default: Required[Annotated[bool, Default(False)]]
    """True: the driver of nodes that no other NVIDIADriver selects."""
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
    """gpu, vgpu (in a virtual machine) or vgpu-host-manager (on a node that runs them)."""
    env: list[Env]
    """Environment of the container."""
    gdrcopy: Gdrcopy
    """Kernel module for fast copies to and from GPUs."""
    gds: Gdrcopy
    """Kernel module for reading storage straight into GPUs."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: Required[Annotated[str, Default("nvcr.io/nvidia/driver")]]
    """Image of the driver, without its tag."""
    imagePullPolicy: str
    """When the image is pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull the image with, in the operator's namespace."""
    kernelModuleConfig: Config
    """ConfigMap with parameters of the kernel modules."""
    kernelModuleType: KernelModuleType
    """open, proprietary, or auto: as the GPUs need."""
    labels: dict[str, str]
    """Labels of the pods."""
    licensingConfig: NVIDIADriverLicensingConfig
    """Licence of a vGPU driver."""
    livenessProbe: LivenessProbe
    """When the driver counts as failed."""
    manager: Manager
    """The container that prepares the node."""
    nodeAffinity: core_v1.NodeAffinity
    """Which nodes get it, beside nodeSelector."""
    nodeSelector: dict[str, str]
    """Labels of the nodes that get it; no node is selected twice."""
    podSecurityContext: core_v1.PodSecurityContext
    """User, group and rights of the pods."""
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the pods."""
    rdma: Rdma
    """Direct access of network cards to GPUs."""
    readinessProbe: LivenessProbe
    """When the driver counts as ready."""
    repoConfig: Config
    """ConfigMap with package sources for building it."""
    repository: str
    """Registry and path of the image."""
    resources: core_v1.VolumeResourceRequirements
    """What the container asks for."""
    secretEnv: Annotated[str, Ref("Secret")]
    """Secret that becomes environment, in the operator's namespace."""
    startupProbe: LivenessProbe
    """How long installing may take."""
    tolerations: list[core_v1.Toleration]
    """Taints of nodes that the pods put up with."""
    upgradePolicy: NVIDIADriverUpgradePolicy
    """How it is changed on running nodes."""
    useOpenKernelModules: bool
    """Superseded by kernelModuleType."""
    usePrecompiled: Annotated[
        bool,
        Cel(
            "self == oldSelf",
            "usePrecompiled cannot change: make a new NVIDIADriver",
        ),
    ]
    """True: an image with modules for the node's kernel, instead of building them."""
    version: str
    """Version of the driver, such as 580.105.08; the branch alone for precompiled ones."""
    virtualTopologyConfig: Config
    """ConfigMap with topology files for virtual machines."""


class NVIDIADriverStatus(TypedDict, total=False):
    """What the operator reports."""

    conditions: list[meta_v1.Condition]
    namespace: str
    state: Required[Literal["ignored", "ready", "notReady", "disabled"]]


class NVIDIADriver(TypedDict, total=False):
    """A driver with its rules."""

    spec: Annotated[
        NVIDIADriverSpec,
        Cel(
            "has(self.default) && self.default ? !has(self.nodeSelector) || size(self.nodeSelector) == 0 : true",
            "the default driver has no nodeSelector",
        ),
    ]
    status: NVIDIADriverStatus


HEALTH = HealthConditions(ready=("Ready",), failed=("Error",))

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
    makes=(
        Makes("RuntimeClass", "spec.operator.runtimeClass", group="node.k8s.io"),
        Makes("RuntimeClass", group="node.k8s.io", fixed="nvidia"),
    ),
    doc="What the operator puts on the nodes of a cluster: drivers, toolkit, device plug-in, metrics …; there is one.",
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
    doc="What the operator puts on nodes in the experimental DRA way.",
    health=StateHealth("status.state", ready=("ready",), suspended=("disabled",)),
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
    doc="The driver of one pool of nodes.",
)

CRDS = (
    Definition((CLUSTER_POLICY,)),
    Definition((GPU_CLUSTER,), short_names=("gc",)),
    Definition((NVIDIA_DRIVER,), short_names=("nvd", "nvdriver", "nvdrivers")),
)
