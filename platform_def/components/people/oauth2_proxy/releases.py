"""Releases of oauth2-proxy, what it exports, and the alerts and the dashboard over it."""

from __future__ import annotations

from platform_def.constructs import (
    Alert,
    Dashboard,
    ImageFacts,
    MetricTable,
    Release,
    counter,
    gauge,
    graph,
    histogram,
    releases,
    stat,
    target_missing,
)

NAME = "oauth2-proxy"
METRICS = MetricTable(
    "pkg/middleware/metrics.go at v7.15.3",
    counter("oauth2_proxy_requests_total", "code"),
    gauge("oauth2_proxy_requests_in_flight"),
    histogram("oauth2_proxy_response_duration_seconds", "method"),
)
# Before 7.15.2 requests got past it by two ways; no older release is offered.
RELEASES = releases(
    Release(
        "7.15.3",
        image="quay.io/oauth2-proxy/oauth2-proxy:v7.15.3",
        kubernetes="1.25-1.37",
        exports=(METRICS,),
    ),
    license="MIT",
)
FACTS = ImageFacts(user=65532, read_only=True, source="Dockerfile at v7.15.3: distroless static:nonroot")
_FAILED = 'sum(rate(oauth2_proxy_requests_total{code=~"5.."}[10m]))'
RULES = (
    target_missing(NAME, severity="critical"),
    Alert(
        "SignInFails",
        f"{_FAILED} / sum(rate(oauth2_proxy_requests_total[10m])) > 0.05",
        summary="oauth2-proxy answers more than one request in twenty with an error, so people cannot sign in",
        action="Read the log of oauth2-proxy: an issuer or a Redis that does not answer, or a wrong client secret.",
        severity="critical",
        lasting="10m",
    ),
)
_SECONDS = "sum by (le) (rate(oauth2_proxy_response_duration_seconds_bucket[$__rate_interval]))"
BOARD = Dashboard(
    "Sign-in",
    [
        stat("Requests under way", "sum(oauth2_proxy_requests_in_flight)"),
        graph("Answers", "sum by (code) (rate(oauth2_proxy_requests_total[$__rate_interval]))", unit="reqps"),
        graph(
            "Time that half of the requests take at most",
            f"histogram_quantile(0.5, {_SECONDS})",
            unit="s",
        ),
    ],
)
