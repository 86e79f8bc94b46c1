"""What the servers that Prometheus operator runs have in common: pods, placement, a Service, a budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from platform_def.apis.core.core_v1 import (
    Container,
    PersistentVolumeClaimSpec,
    PodSecurityContext,
    Toleration,
    TopologySpreadConstraint,
)
from platform_def.apis.core.policy_v1 import POD_DISRUPTION_BUDGET
from platform_def.constructs import (
    Claim,
    NetworkPolicy,
    Opening,
    Problem,
    Resource,
    Service,
    Setting,
    customized,
    port,
    scale,
)
from platform_def.constructs.component import AnyComponent
from platform_def.constructs.workloads.tolerations import toleration

RELOADER = port("reloader-web", 8080, "reloader-web")
"""The operator's config-reloader beside each server."""
USER: PodSecurityContext = {
    "fsGroup": 2000,
    "runAsNonRoot": True,
    "runAsUser": 1000,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""kube-prometheus runs both servers so."""


class MonitoringServer:
    """One server: a custom resource called `name`, whose pods the operator makes."""

    def __init__(
        self, component: AnyComponent, kind: str, name: str, *, container: Container, ha_replicas: int, claim: Claim
    ) -> None:
        """`kind` is what the operator labels its pods with; the container says image and resources."""
        self.component, self.kind, self.name = component, kind, name
        self.container, self.claim = customized(component, kind, container, claim=claim)
        component.roles.add(kind, scales=True).takes = frozenset({"replicas", "resources", "volumes"})
        self.scale = scale(component, kind, ha_replicas=ha_replicas)

    @property
    def pods(self) -> dict[str, str]:
        """Labels that the operator puts on its pods."""
        return {"app.kubernetes.io/name": self.kind, "app.kubernetes.io/instance": self.name}

    def spec(self) -> dict[str, Any]:
        """What both kinds of servers have in common."""
        chosen = self.component.config.placement
        tolerated: list[Toleration] = [toleration(each.key, each.value, each.effect) for each in chosen.tolerations]
        made: dict[str, Any] = {
            "image": self.container["image"],
            "version": self.component.release.version,
            "replicas": self.scale.count,
            "resources": self.container["resources"],
            "securityContext": USER,
            "nodeSelector": {"kubernetes.io/os": "linux", **chosen.node_selector},
            "storage": {"volumeClaimTemplate": {"spec": cast(PersistentVolumeClaimSpec, self.claim)}},
        }
        if tolerated:
            made["tolerations"] = tolerated
        if self.component.platform.system_priority:
            made["priorityClassName"] = self.component.platform.system_priority
        if self.scale.several:
            made["topologySpreadConstraints"] = [self._spread()]
        return made

    def _spread(self) -> TopologySpreadConstraint:
        return {
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": self.pods},
        }

    def around(self, service: str, number: int, *, openings: list[Opening]) -> None:
        """Its Service with both ports and their monitors, a budget, and who may connect."""
        ports = [port("web", number, "web"), RELOADER]
        made = Service(self.component, service, ports=ports, extra_spec={"selector": self.pods})
        made.monitor("web", also=["reloader-web"])
        if self.scale.several:
            spec = {"maxUnavailable": 1, "selector": {"matchLabels": self.pods}}
            Resource(self.component, POD_DISRUPTION_BUDGET, service, spec=spec)  # type: ignore[arg-type]
        if self.component.platform.network_policies:
            NetworkPolicy(self.component, service, openings=openings, pods=self.pods)


def operator_problems(at: Setting[Any], kind: str) -> Iterator[Problem]:
    """Without the operator nothing makes a server of the custom resource."""
    if not at.platform.serves(f"{kind}.monitoring.coreos.com"):
        text = f"components.{at.name}: nothing in the stack runs servers of the kind {kind}"
        yield Problem(text, hint="add `prometheus-operator: {}` under components", at=("components", at.name))
