"""KubeRay 1.7: the previous version of its kinds (ray.io/v1alpha1), which it serves until 1.9."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1
from platform_def.apis.ray import v1
from platform_def.crds.health import HealthConditions, StateHealth
from platform_def.crds.model import Api
from platform_def.crds.schema import Default, Int32, Int64, Nullable, Quantity, Time
from platform_def.crds.typed_dict import TypedDict


class AutoscalerOptions(TypedDict, total=False):
    """The autoscaler's container beside the head."""

    env: list[core_v1.EnvVar]
    envFrom: list[core_v1.EnvFromSource]
    idleTimeoutSeconds: Int32
    image: str
    imagePullPolicy: str
    resources: core_v1.ResourceRequirements
    securityContext: core_v1.SecurityContext
    upscalingMode: Literal["Default", "Aggressive", "Conservative"]
    volumeMounts: list[core_v1.VolumeMount]


class HeadGroupSpec(TypedDict, total=False):
    """The pod that leads the cluster."""

    enableIngress: bool
    headService: v1.HeadService
    rayStartParams: Required[dict[str, str]]
    serviceType: str
    template: Required[core_v1.PodTemplateSpec]


class WorkerGroupSpec(TypedDict, total=False):
    """Workers that are alike."""

    groupName: Required[str]
    maxReplicas: Required[Annotated[Int32, Default(2147483647)]]
    minReplicas: Required[Annotated[Int32, Default(0)]]
    rayStartParams: Required[dict[str, str]]
    replicas: Annotated[Int32, Default(0)]
    scaleStrategy: v1.ScaleStrategy
    template: Required[core_v1.PodTemplateSpec]


class RayClusterSpec(TypedDict, total=False):
    """A head and groups of workers."""

    autoscalerOptions: AutoscalerOptions
    enableInTreeAutoscaling: bool
    headGroupSpec: Required[HeadGroupSpec]
    headServiceAnnotations: dict[str, str]
    rayVersion: str
    suspend: bool
    workerGroupSpecs: list[WorkerGroupSpec]


class HeadInfo(TypedDict, total=False):
    """Where the head is."""

    podIP: str
    serviceIP: str


class RayClusterStatus(TypedDict, total=False):
    """What the operator reports."""

    availableWorkerReplicas: Int32
    desiredCPU: Quantity
    desiredGPU: Quantity
    desiredMemory: Quantity
    desiredTPU: Quantity
    desiredWorkerReplicas: Int32
    endpoints: dict[str, str]
    head: HeadInfo
    lastUpdateTime: Nullable[Time]
    maxWorkerReplicas: Int32
    minWorkerReplicas: Int32
    observedGeneration: Int64
    readyWorkerReplicas: Int32
    reason: str
    state: str


class RayJobSpec(TypedDict, total=False):
    """A program and the Ray cluster that runs it."""

    clusterSelector: dict[str, str]
    entrypoint: Required[str]
    entrypointNumCpus: float
    entrypointNumGpus: float
    entrypointResources: str
    jobId: str
    metadata: dict[str, str]
    rayClusterSpec: RayClusterSpec
    runtimeEnvYAML: str
    shutdownAfterJobFinishes: bool
    submitterPodTemplate: core_v1.PodTemplateSpec
    suspend: bool
    ttlSecondsAfterFinished: Annotated[Int32, Default(0)]


class RayJobStatus(TypedDict, total=False):
    """What the operator reports."""

    dashboardURL: str
    endTime: Time
    jobDeploymentStatus: str
    jobId: str
    jobStatus: str
    message: str
    observedGeneration: Int64
    rayClusterName: str
    rayClusterStatus: RayClusterStatus
    startTime: Time


class RayServiceSpec(TypedDict, total=False):
    """Applications of Ray Serve and the cluster that runs them."""

    deploymentUnhealthySecondThreshold: Int32
    rayClusterConfig: RayClusterSpec
    serveConfigV2: str
    serveService: v1.HeadService
    serviceUnhealthySecondThreshold: Int32


class DeploymentStatus(TypedDict, total=False):
    """One deployment of an application."""

    healthLastUpdateTime: Time
    message: str
    status: str


class ApplicationStatus(TypedDict, total=False):
    """One application."""

    healthLastUpdateTime: Time
    message: str
    serveDeploymentStatuses: dict[str, DeploymentStatus]
    status: str


class ActiveServiceStatus(TypedDict, total=False):
    """A cluster of the service."""

    applicationStatuses: dict[str, ApplicationStatus]
    rayClusterName: str
    rayClusterStatus: RayClusterStatus


class RayServiceStatus(TypedDict, total=False):
    """What the operator reports."""

    activeServiceStatus: ActiveServiceStatus
    lastUpdateTime: Time
    observedGeneration: Int64
    pendingServiceStatus: ActiveServiceStatus
    serviceStatus: str


RAY_CLUSTER = Api(
    group="ray.io",
    version="v1alpha1",
    kind="RayCluster",
    plural="rayclusters",
    spec=RayClusterSpec,
    status=RayClusterStatus,
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    columns=v1.RAY_CLUSTER.columns,
    storage=False,
    deprecated=True,
    health=StateHealth("status.state", ready=("ready",), failed=("failed",), suspended=("suspended",)),
    doc="A Ray cluster: a head and workers that run Python functions and actors together.",
    deprecation_warning="ray.io/v1alpha1 RayCluster goes with KubeRay 1.9: write ray.io/v1",
)

RAY_JOB = Api(
    group="ray.io",
    version="v1alpha1",
    kind="RayJob",
    plural="rayjobs",
    spec=RayJobSpec,
    status=RayJobStatus,
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    storage=False,
    deprecated=True,
    health=StateHealth(
        "status.jobDeploymentStatus",
        ready=("Complete",),
        failed=("Failed", "ValidationFailed"),
        suspended=("Suspended",),
    ),
    doc="A program on a Ray cluster that is made for it.",
    deprecation_warning="ray.io/v1alpha1 RayJob goes with KubeRay 1.9: write ray.io/v1",
)

RAY_SERVICE = Api(
    group="ray.io",
    version="v1alpha1",
    kind="RayService",
    plural="rayservices",
    spec=RayServiceSpec,
    status=RayServiceStatus,
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    storage=False,
    deprecated=True,
    health=HealthConditions(ready=("Ready",), suspended=("Suspended",)),
    doc="Models and applications of Ray Serve on a Ray cluster, replaced without a pause.",
    deprecation_warning="ray.io/v1alpha1 RayService goes with KubeRay 1.9: write ray.io/v1",
)
