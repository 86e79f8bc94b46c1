"""The settings of KAI's operator: its Config, and the one scheduler for all nodes, or for those of some pools.

Every image is written out, so that a mirror is used and the inventory knows it. So are limits of processors: where one
is missing the operator writes a tenth of a core.
"""

from __future__ import annotations

from typing import Any, cast

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.kai.config_v1 import ConfigSpec
from platform_def.apis.kai.shard_v1 import SchedulingShardSpec
from platform_def.components.queues.kai_scheduler.config import KaiSchedulerConfig
from platform_def.components.queues.kai_scheduler.partition import NAME as NAME
from platform_def.components.queues.kai_scheduler.partition import own
from platform_def.components.queues.kai_scheduler.releases import OPERANDS
from platform_def.constructs import Component, customized, scale
from platform_def.constructs.workloads.tolerations import toleration

CONFIG, SHARD = "kai-config", "default"
"""The operator looks for a Config of this name alone; the shard's is in names of its objects."""
QUEUE_LABEL = "kai.scheduler/queue"
"""Label by which pods name their queue; upstream's default."""
SIZES = {
    "admission": ("50m", "128Mi", "512Mi"),
    "binder": ("50m", "200Mi", "1Gi"),
    "pod-grouper": ("50m", "256Mi", "1Gi"),
    "podgroup-controller": ("20m", "128Mi", "1Gi"),
    "queue-controller": ("20m", "128Mi", "512Mi"),
    "scheduler": ("250m", "512Mi", "4Gi"),
}
"""Processors and memory that each asks for, and its limit of memory, which all but the webhooks need by pods and nodes:
they keep all in view. Upstream's limits are 100 to 512 MiB."""
CPU_LIMIT, PRIORITY = "4", "system-cluster-critical"
BUDGETS = ("admission", "pod-grouper", "scheduler")
"""Programs for which the operator makes a budget."""
FIELDS = {
    "admission": "admission",
    "binder": "binder",
    "pod-grouper": "podGrouper",
    "podgroup-controller": "podGroupController",
    "queue-controller": "queueController",
    "scheduler": "scheduler",
}
"""Parts of the Config."""
RESTRICTED = {
    "allowPrivilegeEscalation": False,
    # The operator's own spelling, `all`, is none that Pod Security knows.
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "runAsUser": 65532,
    "seccompProfile": {"type": "RuntimeDefault"},
}

Kai = Component[KaiSchedulerConfig]


def config_spec(component: Kai) -> ConfigSpec:
    """The Config's spec."""
    programs: dict[str, dict[str, Any]] = {field: program(component, name) for name, field in FIELDS.items()}
    runtime = "nvidia" if component.platform.nvidia_runtime == "class" and component.config.gpu_sharing else ""
    programs["admission"] |= {"gpuSharing": component.config.gpu_sharing, "gpuFractionRuntimeClassName": runtime}
    programs["binder"]["resourceReservation"] = {
        "namespace": component.config.reservation_namespace,
        "image": image(component, "resource-reservation"),
        **({"runtimeClassName": runtime} if runtime else {}),
    }
    # For kinds that it does not know it would ask for objects of a CRD that is never installed.
    programs["podGrouper"]["args"] = {"genericKartaFallback": False}
    off = {"enabled": False}
    spec = {
        "namespace": component.namespace,
        "global": everywhere(component),
        **programs,
        "nodeScaleAdjuster": {
            "service": {**off, "image": image(component, "node-scale-adjuster")},
            "args": {"scalingPodImage": image(component, "scaling-pod")},
        },
        "numaPlacementExporter": {"service": off},
        "prometheus": off,
    }
    return cast(ConfigSpec, spec)


def everywhere(component: Kai) -> dict[str, object]:
    """What holds for all programs: names, and where their pods run."""
    placed, first = component.config.placement, component.platform.system_priority or PRIORITY
    said = {
        "nodeSelector": dict(placed.node_selector),
        "tolerations": [toleration(each.key, each.value, each.effect) for each in placed.tolerations],
    }
    return {
        "schedulerName": NAME,
        "queueLabelKey": QUEUE_LABEL,
        **({"nodePoolLabelKey": component.config.node_pool_label} if own(component.platform.node_pools) else {}),
        "priorityClassName": first,
        "securityContext": RESTRICTED,
        **{field: value for field, value in said.items() if value},
    }


def program(component: Kai, name: str) -> dict[str, Any]:
    """One program: its image, what it asks for, and how many pods it has."""
    cpu, memory, most = SIZES[name]
    asked: Container = {
        "name": name,
        "resources": {"requests": {"cpu": cpu, "memory": memory}, "limits": {"cpu": CPU_LIMIT, "memory": most}},
    }
    made, _ = customized(component, name, asked, takes=("resources", "replicas"))
    size = scale(component, name, ha_replicas=2)
    service = {"enabled": True, "image": image(component, name), "resources": made["resources"]}
    if name in BUDGETS:
        service["podDisruptionBudget"] = {"enabled": size.several}
    return {"service": service, "replicas": size.count}


def image(component: Kai, name: str) -> dict[str, str]:
    """An image in the parts of which the operator makes it again."""
    path, _, tag = component.image(OPERANDS[name]).rpartition(":")
    repository, _, image_name = path.rpartition("/")
    return {"repository": repository, "name": image_name, "tag": tag, "pullPolicy": "IfNotPresent"}


def shard_spec(config: KaiSchedulerConfig, partition: str) -> SchedulingShardSpec:
    """The scheduler for the nodes whose label has this value; without one, for all that have no such label."""
    strategy = "binpack" if config.bin_packing else "spread"
    spec: SchedulingShardSpec = {
        "partitionLabelValue": partition,
        "placementStrategy": {"gpu": strategy, "cpu": strategy},
        "minRuntime": {"preemptMinRuntime": config.preempt_after, "reclaimMinRuntime": config.reclaim_after},
        "args": {"schedule-period": f"{config.schedule_period_seconds}s"},
    }
    if not config.consolidation:
        spec["actions"] = {"consolidation": {"enabled": False}}
    return spec
