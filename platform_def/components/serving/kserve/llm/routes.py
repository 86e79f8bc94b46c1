"""The route of an LLM service: by its path, by its model's path, and by the header that names the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

BY_PATH = "/{{ .ObjectMeta.Namespace }}/{{ .ObjectMeta.Name }}"
BY_MODEL = "/publishers/{{ .ObjectMeta.Namespace }}/models/{{ .Spec.Model.Name }}"
HEADER = {
    "type": "Exact",
    "name": "{{ .GlobalConfig.ModelBasedRoutingHeaderName }}",
    "value": BY_MODEL.lstrip("/"),
}
CALLS = {"v1-completions": "completions", "v1-chat-completions": "chat/completions"}
CALLS |= {"v1-responses": "responses", "v1-messages": "messages"}
NO_LIMIT = {"backendRequest": "0s", "request": "0s"}
"""Answers are streams that last as long as the model writes."""


def route(pool: str) -> dict[str, Any]:
    """The spec of the HTTPRoute; calls of the model go to the pool, everything else to any pod."""
    parent = {
        "group": "gateway.networking.k8s.io",
        "kind": "Gateway",
        "name": "{{ .GlobalConfig.IngressGatewayName }}",
        "namespace": "{{ .GlobalConfig.IngressGatewayNamespace }}",
    }
    return {"parentRefs": [parent], "rules": [*_rules(pool)]}


def _rules(pool: str) -> Iterator[dict[str, Any]]:
    picked = {
        "group": "inference.networking.k8s.io",
        "kind": "InferencePool",
        "name": pool,
        "port": 8000,
        "weight": 1,
    }
    anyone = {
        "kind": "Service",
        "name": "{{ ChildName .ObjectMeta.Name `-kserve-workload-svc` }}",
        "port": 8000,
        "weight": 1,
    }
    for name, call in CALLS.items():
        yield _rewritten(f"{name}-path", f"{BY_PATH}/v1/{call}", f"/v1/{call}", picked)
    matches = [
        {"path": {"type": "Exact", "value": f"/v1/{call}{slash}"}, "headers": [HEADER]}
        for call in CALLS.values()
        for slash in ("", "/")
    ]
    yield {"name": "v1-model-routing", "backendRefs": [picked], "matches": matches, "timeouts": NO_LIMIT}
    for name, call in CALLS.items():
        yield _rewritten(f"{name}-publisher-path", f"{BY_MODEL}/v1/{call}", f"/v1/{call}", picked)
    yield _rewritten("v1-publisher-path-catch-all", BY_MODEL, "/", anyone)
    yield _rewritten("v1-catch-all-path", BY_PATH, "/", anyone)
    yield {
        "name": "v1-catch-all-model-routing",
        "backendRefs": [anyone],
        "matches": [{"headers": [HEADER]}],
        "timeouts": NO_LIMIT,
    }


def _rewritten(name: str, path: str, to: str, backend: dict[str, Any]) -> dict[str, Any]:
    rewrite = {"type": "URLRewrite", "urlRewrite": {"path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": to}}}
    return {
        "name": name,
        "backendRefs": [backend],
        "matches": [{"path": {"type": "PathPrefix", "value": path}}],
        "filters": [rewrite],
        "timeouts": NO_LIMIT,
    }
