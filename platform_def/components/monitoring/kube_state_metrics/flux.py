"""What Flux' Kustomizations say of themselves, as metrics, and an alert over it.

Flux' controllers export how long they worked and what they tried, and not whether an object is ready.
"""

from __future__ import annotations

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.components.monitoring.exporters.kube_state_metrics import NAME
from platform_def.constructs import (
    HONORED_TARGET,
    Alert,
    Dashboard,
    MetricTable,
    Query,
    allow,
    gauge,
    graph,
    stat,
    table,
)

GROUP, KIND = "kustomize.toolkit.fluxcd.io", "Kustomization"
SERVED = f"{KIND}.{GROUP}"
READY = ("status", "conditions", "[type=Ready]", "status")

STATE = MetricTable(
    "pkg/customresourcestate of kube-state-metrics v2.20.0, with the paths of this file",
    gauge(
        "flux_kustomization_info",
        "namespace name ready suspended customresource_group customresource_kind customresource_version",
    ),
    exporter=NAME,
    target=HONORED_TARGET,
)
ALERTS = (
    Alert(
        "FluxSyncFails",
        'max by (namespace, name) (flux_kustomization_info{ready="False", suspended!="true"}) > 0',
        summary="Kustomization {{ $labels.name }} in namespace {{ $labels.namespace }} is not applied, or not healthy",
        action="Read its condition Ready: `kubectl -n flux-system get kustomizations`. Those that wait for it wait on.",
        lasting="15m",
    ),
    Alert(
        "FluxSuspended",
        'max by (namespace, name) (flux_kustomization_info{suspended="true"}) > 0',
        summary="Kustomization {{ $labels.name }} in namespace {{ $labels.namespace }} has been suspended for a day",
        action="Nothing that the repository says reaches the cluster. `flux resume kustomization` lets it go on.",
        severity="info",
        lasting="1d",
    ),
)
DASHBOARD = Dashboard(
    "Delivery: Flux",
    [
        stat("Kustomizations", "count(flux_kustomization_info)", unit="none"),
        stat("Not ready", 'count(flux_kustomization_info{ready!="True"}) or vector(0)', unit="none"),
        stat("Suspended", 'count(flux_kustomization_info{suspended="true"}) or vector(0)', unit="none"),
        graph("By readiness", Query("count by (ready) (flux_kustomization_info)", "{{ready}}"), unit="none"),
        table(
            "Kustomizations that are not ready",
            'max by (namespace, name, ready, suspended) (flux_kustomization_info{ready!="True"})',
            columns={"namespace": "Namespace", "name": "Kustomization", "ready": "Ready", "suspended": "Suspended"},
        ),
    ],
    tags=["delivery"],
    hours=24,
)
RULES: tuple[PolicyRule, ...] = (allow(GROUP, "kustomizations", verbs="list watch"),)


def resource() -> dict[str, object]:
    """What kube-state-metrics reads: one series for each Kustomization."""
    info = {
        "name": "kustomization_info",
        "help": "Whether a Kustomization is applied.",
        "each": {"type": "Info", "info": {"labelsFromPath": {"name": ["metadata", "name"]}}},
        "labelsFromPath": {
            "namespace": ["metadata", "namespace"],
            "ready": [*READY],
            "suspended": ["spec", "suspend"],
        },
    }
    kind = {"group": GROUP, "version": "*", "kind": KIND}
    return {"groupVersionKind": kind, "metricNamePrefix": "flux", "metrics": [info]}
