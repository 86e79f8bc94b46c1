"""What training jobs say of themselves, as metrics, and an alert over it.

The training operator does not count jobs that it ends at their backoffLimit or their deadline, which all have that a
stack renders.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.components.monitoring.exporters.kube_state_metrics import NAME
from platform_def.config.platform import Platform
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

STATES = ("Running", "Failed")
KINDS = {
    "kubeflow.org": ("JAXJob", "MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"),
    "trainer.kubeflow.org": ("TrainJob",),
}
STATE = MetricTable(
    "pkg/customresourcestate of kube-state-metrics v2.20.0, with the paths of training jobs",
    gauge(
        "training_job_info",
        "namespace name running failed customresource_group customresource_kind customresource_version",
    ),
    exporter=NAME,
    target=HONORED_TARGET,
)
FAILED = 'training_job_info{failed="True"}'
_BY = "max by (namespace, name, customresource_kind)"
ALERTS = (
    # For an hour: a failed job is kept as long as its owner wants it.
    Alert(
        "TrainingJobFailed",
        f"{_BY} ({FAILED}) unless {_BY} ({FAILED} offset 1h)",
        summary="{{ $labels.customresource_kind }} {{ $labels.name }} in namespace {{ $labels.namespace }} failed",
        action="Read its conditions, and the logs of its pods if they are kept.",
        severity="info",
        lasting="0s",
    ),
)
DASHBOARD = Dashboard(
    "Training: states of jobs",
    [
        stat("Running", 'count(training_job_info{running="True"})', unit="none"),
        stat("Failed and kept", f"count({FAILED})", unit="none"),
        graph(
            "Running by namespace",
            Query('count by (namespace) (training_job_info{running="True"})', "{{namespace}}"),
            unit="none",
        ),
        graph(
            "Kept by namespace and kind",
            Query(
                "count by (namespace, customresource_kind) (training_job_info)", "{{namespace}} {{customresource_kind}}"
            ),
            unit="none",
        ),
        table(
            "Failed jobs",
            f"{_BY} ({FAILED})",
            columns={"namespace": "Namespace", "name": "Job", "customresource_kind": "Kind"},
        ),
    ],
    tags=["training"],
    hours=24,
)


def served(platform: Platform) -> dict[str, list[str]]:
    """Kinds that the stack serves, by their group."""
    found = {group: [kind for kind in kinds if platform.serves(f"{kind}.{group}")] for group, kinds in KINDS.items()}
    return {group: kinds for group, kinds in found.items() if kinds}


def rules(platform: Platform) -> Iterator[PolicyRule]:
    """Rights to list them."""
    for group, kinds in served(platform).items():
        yield allow(group, " ".join(f"{kind.lower()}s" for kind in kinds), verbs="list watch")


def resources(platform: Platform) -> Iterator[dict[str, object]]:
    """What kube-state-metrics reads: one series for each job."""
    for group, kinds in served(platform).items():
        for kind in kinds:
            info = {
                "name": "info",
                "help": "State of a training job.",
                "each": {"type": "Info", "info": {"labelsFromPath": {"name": ["metadata", "name"]}}},
                "labelsFromPath": {
                    "namespace": ["metadata", "namespace"],
                    **{word.lower(): ["status", "conditions", f"[type={word}]", "status"] for word in STATES},
                },
            }
            chosen = {"group": group, "version": "*", "kind": kind}
            yield {"groupVersionKind": chosen, "metricNamePrefix": "training_job", "metrics": [info]}
