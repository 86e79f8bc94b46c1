"""What Argo Workflows' metrics say: alerts and a dashboard."""

from __future__ import annotations

from platform_def.constructs import Alert, Dashboard, Query, graph, increased, target_missing

SERVICE = "workflow-controller-metrics"


def alerts(state: str) -> tuple[Alert, ...]:
    """Alerts, by the label that says the state of workflows."""
    return (
        target_missing(SERVICE, name="WorkflowController"),
        Alert(
            "WorkflowErrors",
            f"sum by (cause) ({increased('argo_workflows_error_count', '15m')}) > 5",
            summary="The workflow controller fails: {{ $labels.cause }}",
            action="Read the log of workflow-controller in the namespace of Argo Workflows.",
        ),
        Alert(
            "WorkflowsWait",
            f'sum(argo_workflows_gauge{{{state}="Pending"}}) > 50',
            summary="More than 50 workflows wait to begin",
            action="Look at parallelism, at quotas of the teams, and at pods that no node takes.",
        ),
    )


def board(state: str) -> Dashboard:
    """The dashboard, by that label."""
    return Dashboard(
        "Argo Workflows",
        [
            graph("Workflows by phase", Query(f"sum by ({state}) (argo_workflows_gauge)", f"{{{{{state}}}}}")),
            graph("Pods by phase", Query("sum by (phase) (argo_workflows_pods_gauge)", "{{phase}}")),
            graph(
                "Ended workflows by namespace",
                Query(
                    f"sum by (namespace, phase) ({increased('argo_workflows_total_count', '5m')})",
                    "{{namespace}} {{phase}}",
                ),
            ),
            graph(
                "Waiting for the controller",
                Query("sum by (queue_name) (argo_workflows_queue_depth_gauge)", "{{queue_name}}"),
            ),
        ],
    )
