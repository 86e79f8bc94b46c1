"""The mesh's settings, as istiod reads them from its ConfigMap (MeshConfig of Istio's API)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from platform_def.capabilities import AuthorizationService
from platform_def.components.gateways.istio.knobs import Tracing

TRACES = "traces"
"""Name of the collector, which a Telemetry of yours may name too."""


def settings(
    *,
    trust_domain: str,
    root_namespace: str,
    discovery: str,
    access_log: bool,
    registry_only: bool,
    asked: Iterable[AuthorizationService],
    tracing: Tracing | None = None,
    known: Iterable[Mapping[str, str]] = (),
) -> dict[str, object]:
    """The file `mesh`; `known` are labels of the namespaces whose Services it has, by default all."""
    made: dict[str, object] = {
        "trustDomain": trust_domain,
        "rootNamespace": root_namespace,
        "enablePrometheusMerge": True,
        "defaultProviders": {"metrics": ["prometheus"], **({"tracing": [TRACES]} if tracing else {})},
        "defaultConfig": {
            "discoveryAddress": discovery,
            **({"tracing": {"sampling": tracing.percent}} if tracing else {}),
        },
        # Policies compare paths, and a Service may read //admin as /admin: upstream's own advice, not its default.
        "pathNormalization": {"normalization": "MERGE_SLASHES"},
        "tcpKeepalive": {"time": "10s", "interval": "5s", "probes": 3},
    }
    if access_log:
        made["accessLogFile"] = "/dev/stdout"
    if registry_only:
        made["outboundTrafficPolicy"] = {"mode": "REGISTRY_ONLY"}
    if selectors := [{"matchLabels": dict(each)} for each in known]:
        made["discoverySelectors"] = selectors
    providers = [provider(each) for each in asked]
    if tracing:
        providers.append({"name": TRACES, "opentelemetry": {"service": tracing.host, "port": tracing.port}})
    if providers:
        made["extensionProviders"] = providers
    return made


def provider(service: AuthorizationService) -> dict[str, object]:
    """Who is asked before a request passes; policies name it, and routes make those."""
    asked: dict[str, object] = {
        "service": service.host,
        "port": service.port,
        "includeRequestHeadersInCheck": [*service.sees],
        "headersToUpstreamOnAllow": [*service.adds],
        "headersToDownstreamOnDeny": [*service.answers],
    }
    if service.path_prefix:
        asked["pathPrefix"] = service.path_prefix
    return {"name": service.name, "envoyExtAuthzHttp": {key: value for key, value in asked.items() if value != []}}
