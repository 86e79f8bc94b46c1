"""Releases of the notebook controller, what it exports, and the alerts and the dashboard over it."""

from __future__ import annotations

from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    HONORED_TARGET,
    Alert,
    Dashboard,
    ImageFacts,
    MetricTable,
    Release,
    Support,
    Upkeep,
    controller_alerts,
    counter,
    gauge,
    graph,
    increased,
    releases,
    stat,
)

NAME, SERVICE = "notebook-controller-deployment", "notebook-controller-service"
METRICS = MetricTable(
    "components/notebook-controller/pkg/metrics/metrics.go at v1.11.0; what it counts of stopped ones is not collected",
    gauge("notebook_running", "namespace"),
    counter("notebook_create_total notebook_create_failed_total", "namespace"),
    target=HONORED_TARGET,
)
RELEASES = releases(
    Release(
        "1.11.0",
        upkeep=Upkeep(Support.CURRENT),  # SECURITY.md: fixes for the two newest minor lines
        image="ghcr.io/kubeflow/notebooks/notebook-controller:v1.11.0",
        kubernetes="1.29-1.37",
        exports=(CONTROLLER_RUNTIME.honored, METRICS),
    ),
    license=APACHE,
)
FACTS = ImageFacts(user=65532, read_only=True, source="Dockerfile at v1.11.0: distroless, one static program")
RULES = (
    *controller_alerts(SERVICE, name="NotebookController"),
    Alert(
        "NotebooksNotCreated",
        f"sum by (namespace) ({increased('notebook_create_failed_total', '30m')}) > 0",
        summary="Notebooks in {{ $labels.namespace }} cannot be started",
        action="Read the events of the Notebook: a quota, a policy of the namespace, or a missing right.",
        lasting="5m",
    ),
)
BOARD = Dashboard(
    "Notebooks",
    [
        stat("Running", "sum(notebook_running)"),
        graph("Running by namespace", "sum by (namespace) (notebook_running)"),
        graph("Started", f"sum by (namespace) ({increased('notebook_create_total', '1h')})"),
        graph("Failed to start", f"sum by (namespace) ({increased('notebook_create_failed_total', '1h')})"),
    ],
)
