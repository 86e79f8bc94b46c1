"""Releases of Dex, what it exports, and the alerts and the dashboard over it."""

from __future__ import annotations

from platform_def.constructs import (
    APACHE,
    Alert,
    Dashboard,
    ImageFacts,
    MetricTable,
    Release,
    Upkeep,
    counter,
    gauge,
    graph,
    histogram,
    releases,
    stat,
    target_missing,
)

NAME = "dex"
METRICS = MetricTable(
    "server/server.go and cmd/dex/serve.go at v2.45.1",
    counter("http_requests_total", "code method handler"),
    histogram("request_duration_seconds", "code method handler"),
    histogram("response_size_bytes", "code method handler"),
    gauge("dex_build_info", "version go_version platform"),
)
# GHSA-7qjx-gp9h-65qj is about a client's field `allowedConnectors`, which this release does not have; by the advisory's
# own words only the branch master was affected. Upstream says of no line until when it mends it.
_LINE_2_45 = Upkeep(vulnerabilities=())
RELEASES = releases(
    Release(
        "2.45.1", image="ghcr.io/dexidp/dex:v2.45.1", kubernetes="1.25-1.37", upkeep=_LINE_2_45, exports=(METRICS,)
    ),
    license=APACHE,
)
FACTS = ImageFacts(runs_as=1001, read_only=True, source="Dockerfile at v2.45.1: user dex, 1001; storage is elsewhere")
_OF_DEX = f'job="{NAME}"'
_FAILED = f'sum(rate(http_requests_total{{{_OF_DEX}, code=~"5.."}}[10m]))'
RULES = (
    target_missing(NAME),
    Alert(
        "DexFails",
        f"{_FAILED} / sum(rate(http_requests_total{{{_OF_DEX}}}[10m])) > 0.05",
        summary="Dex answers more than one request in twenty with an error, so people cannot sign in",
        action="Read the log of dex: a directory that does not answer, or storage that is gone.",
        lasting="10m",
    ),
)
BOARD = Dashboard(
    "Dex",
    [
        stat(
            "Errors a second",
            f'sum(rate(http_requests_total{{{_OF_DEX}, code=~"5.."}}[$__rate_interval])) or vector(0)',
            unit="reqps",
        ),
        graph("Requests", f"sum by (handler) (rate(http_requests_total{{{_OF_DEX}}}[$__rate_interval]))", unit="reqps"),
        graph("Answers", f"sum by (code) (rate(http_requests_total{{{_OF_DEX}}}[$__rate_interval]))", unit="reqps"),
    ],
)
