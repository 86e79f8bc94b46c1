"""How many pods a workload has, who changes that number, and where they go."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Literal

from platform_def.apis.core.autoscaling_v2 import HORIZONTAL_POD_AUTOSCALER, MetricSpec
from platform_def.apis.core.core_v1 import PodTemplateSpec, TopologySpreadConstraint
from platform_def.apis.core.policy_v1 import POD_DISRUPTION_BUDGET
from platform_def.config.workloads import Autoscale
from platform_def.constructs.component import AnyComponent, Piece
from platform_def.constructs.resource import Resource
from platform_def.constructs.workloads.chosen import chosen_for


@dataclass(frozen=True)
class Replicas:
    """How many pods a workload has: the one source of that number."""

    count: int
    autoscale: Autoscale | None = None
    _: KW_ONLY
    spread: bool
    """Whether the pods are spread over nodes."""

    @property
    def several(self) -> bool:
        """Whether there may be more than one, so that one of them must lead."""
        return self.count > 1 or (self.autoscale is not None and self.autoscale.max > 1)


def scale(component: AnyComponent, name: str, *, replicas: int = 1, ha_replicas: int = 0) -> Replicas:
    """How many pods the workload `name` has: what the stack says, else more with availability `ha`, else `replicas`.

    `ha_replicas` of 0 says that the program supports only one pod.
    """
    chosen = chosen_for(component, component.roles.role_of(name))
    if chosen and chosen.autoscale:
        return Replicas(chosen.autoscale.min, chosen.autoscale, spread=True)
    count = max(replicas, ha_replicas) if component.highly_available else replicas
    if chosen and chosen.replicas is not None:
        count = chosen.replicas
    return Replicas(count, spread=count > 1 and ha_replicas > 0)


def counted(component: AnyComponent, name: str, template: PodTemplateSpec, size: Replicas) -> dict[str, object]:
    """The field with the number of pods, unless an autoscaler writes it; several are spread over nodes."""
    if size.spread:
        template["spec"].setdefault("topologySpreadConstraints", [_spread(component, name)])
    return {} if size.autoscale else {"replicas": size.count}


def _spread(component: AnyComponent, name: str) -> TopologySpreadConstraint:
    return {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": component.selector(name)},
    }


def autoscaler(scope: Piece, name: str, kind: Literal["Deployment", "StatefulSet"], autoscale: Autoscale) -> None:
    """An autoscaler; the workload then writes no number of its own."""
    aims: list[MetricSpec] = [
        {
            "type": "Resource",
            "resource": {"name": what, "target": {"type": "Utilization", "averageUtilization": aim}},
        }
        for what, aim in (("cpu", autoscale.cpu), ("memory", autoscale.memory))
        if aim is not None
    ]
    Resource(
        scope,
        HORIZONTAL_POD_AUTOSCALER,
        name,
        spec={
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": kind, "name": name},
            "minReplicas": autoscale.min,
            "maxReplicas": autoscale.max,
            "metrics": aims,
        },
        labels=scope.component.labels(name),
    )


def disruption_budget(scope: Piece, name: str) -> None:
    """A budget that lets nodes be drained one pod at a time."""
    Resource(
        scope,
        POD_DISRUPTION_BUDGET,
        name,
        spec={"maxUnavailable": 1, "selector": {"matchLabels": scope.component.selector(name)}},
        labels=scope.component.labels(name),
    )
