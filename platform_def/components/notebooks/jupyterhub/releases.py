"""Releases of Zero to JupyterHub, what its hub exports, and the alerts and the dashboard over it."""

from __future__ import annotations

from dataclasses import dataclass

from platform_def.constructs import (
    APACHE,
    Alert,
    Dashboard,
    ImageFacts,
    MetricTable,
    Release,
    Support,
    Upkeep,
    Vulnerability,
    Withdrawn,
    gauge,
    graph,
    histogram,
    releases,
    stat,
    target_missing,
)

HUB, PROXY, API, PUBLIC, SCHEDULER, PULLER = (
    "hub",
    "proxy",
    "proxy-api",
    "proxy-public",
    "user-scheduler",
    "continuous-image-puller",
)
METRICS = MetricTable(
    "jupyterhub/metrics.py at 5.5.2",
    gauge("jupyterhub_running_servers"),
    gauge("jupyterhub_total_users"),
    gauge("jupyterhub_active_users", "period"),
    histogram("jupyterhub_server_spawn_duration_seconds", "status", late=False),
    histogram("jupyterhub_request_duration_seconds", "method handler code"),
    histogram("jupyterhub_event_loop_interval_seconds"),
)


@dataclass(frozen=True, kw_only=True)
class HubRelease(Release):
    """A release of the chart, and the versions that are in its images."""

    hub: str
    """Version of JupyterHub in the image of the hub."""
    spawner: str
    """Version of KubeSpawner there."""

    @property
    def proxy(self) -> str:
        """Image of configurable-http-proxy."""
        return self.images["proxy"]


# Upstream names no end of a line; its advisories are those of JupyterHub, which 4.4.2 has as 5.5.2.
_LINE_4_4 = Upkeep(
    Support.CURRENT,
    (
        Vulnerability("GHSA-69wv-m5fw-2fhp", "administrators of some people or groups act on others too", "4.4.2"),
        Vulnerability("GHSA-c4gm-pwx9-9w8j", "links that share a server run scripts in the browser", "4.4.2"),
        Vulnerability("GHSA-mj6q-mp44-53v8", "who is renamed keeps what was shared with the name before", "4.4.2"),
    ),
)
RELEASES = releases(
    HubRelease(
        "4.4.2",
        image="quay.io/jupyterhub/k8s-hub:4.4.2",
        images={
            "proxy": "quay.io/jupyterhub/configurable-http-proxy:5.3.0",
            "pause": "registry.k8s.io/pause:3.10.1",
        },
        kubernetes="1.28-1.37",
        upkeep=_LINE_4_4,
        hub="5.5.2",
        spawner="7.1.0",
        licenses={"kube-scheduler": APACHE, "pause": APACHE},
        exports=(METRICS,),
    ),
    license="BSD-3-Clause",
)
WITHDRAWN = (
    Withdrawn(
        "4.4.0",
        instead="4.4.2",
        changes="the form shows what a person chose last, and a start that takes more than a minute says so",
        upkeep=_LINE_4_4,
    ),
)
# Its volume is the one place it is known to write to; upstream leaves its root writable, and so does this.
HUB_FACTS = ImageFacts(runs_as=1000, source="the chart's Deployment at 4.4.0: user and group 1000")
PROXY_FACTS = ImageFacts(runs_as=65534, source="the chart's Deployment at 4.4.0: user 65534, not root")
PAUSE_FACTS = ImageFacts(runs_as=65534, read_only=True, source="the chart's DaemonSet at 4.4.0; one static program")

_SPAWNS = "sum(increase(jupyterhub_server_spawn_duration_seconds_count[30m]))"
_FAILED = (
    'sum(increase(jupyterhub_server_spawn_duration_seconds_count{status!~"success|throttled|too-many-users"}[30m]))'
)
_SECONDS = "sum by (le) (rate(jupyterhub_server_spawn_duration_seconds_bucket[$__rate_interval]))"
RULES = (
    target_missing(HUB, severity="critical"),
    Alert(
        "NotebookServersFailToStart",
        f"{_FAILED} > 2 and {_FAILED} / {_SPAWNS} > 0.3",
        summary="More than three in ten notebook servers of JupyterHub did not start in the last half hour",
        action="Read the log of the hub and the events in the team's namespace: quota, image, claim or node.",
        lasting="5m",
    ),
    Alert(
        "JupyterHubIsSlow",
        "sum(rate(jupyterhub_event_loop_interval_seconds_sum[10m])) "
        "/ sum(rate(jupyterhub_event_loop_interval_seconds_count[10m])) > 1",
        summary="The hub of JupyterHub answers late: its event loop is blocked for more than a second on average",
        action="Look at the hub's CPU and its database; give it more under `workloads: {hub: …}`.",
        lasting="10m",
    ),
)
BOARD = Dashboard(
    "JupyterHub",
    [
        stat("Servers", "sum(jupyterhub_running_servers)"),
        stat("People", "sum(jupyterhub_total_users)"),
        graph("People who were active", "sum by (period) (jupyterhub_active_users)"),
        graph(
            "Starts of servers",
            "sum by (status) (rate(jupyterhub_server_spawn_duration_seconds_count[$__rate_interval]))",
            unit="ops",
        ),
        graph("Time that half of the starts take at most", f"histogram_quantile(0.5, {_SECONDS})", unit="s"),
        graph(
            "Answers of the hub",
            "sum by (code) (rate(jupyterhub_request_duration_seconds_count[$__rate_interval]))",
            unit="reqps",
        ),
    ],
)
