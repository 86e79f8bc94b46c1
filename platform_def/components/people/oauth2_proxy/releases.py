"""Releases of oauth2-proxy, what it exports, and the alerts and the dashboard over it."""

from __future__ import annotations

from platform_def.constructs import (
    Alert,
    Dashboard,
    ImageFacts,
    MetricTable,
    Release,
    Support,
    Upkeep,
    Vulnerability,
    Withdrawn,
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
    "pkg/middleware/metrics.go at v7.15.6",
    counter("oauth2_proxy_requests_total", "code"),
    gauge("oauth2_proxy_requests_in_flight"),
    histogram("oauth2_proxy_response_duration_seconds", "method"),
)
# Its SECURITY.md names no end of a line; fixes are backported at the maintainers' discretion. Advisories are those of
# its changelog; vulnerable dependencies count only where an attacker reaches them.
_LINE_7_15 = Upkeep(
    Support.CURRENT,
    (
        Vulnerability(
            "CVE-2026-34454", "the session of an earlier user is still valid after the sign-in page", "7.15.2"
        ),
        Vulnerability("CVE-2026-40575", "a forged header passes a route as another that asks for no login", "7.15.2"),
        Vulnerability("CVE-2026-41059", "a fragment passes a route as another that asks for no login", "7.15.2"),
        Vulnerability("GHSA-5hvv-m4w4-gf6v", "the user agent of a health check passes without a login", "7.15.2"),
        Vulnerability("GHSA-c5c4-8r6x-56w3", "an address with several @ passes the check of its domain", "7.15.2"),
        Vulnerability("GHSA-63jm-59jj-478j", "ambiguous paths pass as routes that ask for no login", "7.15.5"),
        Vulnerability("GHSA-hhqp-vx7f-5c6m", "the log holds values with which a login can be finished", "7.15.5"),
        Vulnerability("GHSA-wr5q-7wxw-x568", "a forged client address passes without a login", "7.15.5"),
    ),
)
RELEASES = releases(
    Release(
        "7.15.6",
        image="quay.io/oauth2-proxy/oauth2-proxy:v7.15.6",
        kubernetes="1.25-1.37",
        upkeep=_LINE_7_15,
        exports=(METRICS,),
    ),
    license="MIT",
)
WITHDRAWN = (
    Withdrawn(
        "7.15.3",
        instead="7.15.6",
        changes="the client's address is taken from headers of trusted proxies only, and who signs in with an address "
        "that the issuer has not verified gets 403 in place of 500",
        upkeep=_LINE_7_15,
    ),
)
FACTS = ImageFacts(user=65532, read_only=True, source="Dockerfile at v7.15.6: distroless static:nonroot")
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
