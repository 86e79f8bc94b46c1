"""Pages that know no login of their own are not served to everybody who reaches the gateway."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.given import identities
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import NOBODY, pods_by_namespace
from platform_def.manifests.backends import backends
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject

_OPEN = re.compile(
    r"katib-ui|ml-pipeline-ui|tensorboards?|tensorboards?-web-app|centraldashboard|jupyter-web-app(-service)?"
    r"|volumes-web-app(-service)?|models-web-app|mlflow|prometheus(-k8s|-operated|-server)?|alertmanager(-main|-operated)?"
    r"|[\w-]*ray-?cluster[\w-]*head-svc|ray-?dashboard|spark-history-server|kueueviz[\w-]*|hubble-ui|longhorn-frontend"
    r"|model-registry-ui(-service)?|kubecost[\w-]*|opencost|dcgm-exporter|pushgateway"
)
"""Services of programs that show and do everything for everybody: they count on something in front."""
_AUTH_WORDS = ("auth-url", "auth-signin", "auth-type", "auth-tls-secret", "auth-realm", "forward-auth", "middlewares")
_GUARDS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "getambassador.io": (("getambassador.io", "AuthService"), ("getambassador.io", "FilterPolicy")),
    "networking.istio.io": (
        ("security.istio.io", "AuthorizationPolicy"),
        ("security.istio.io", "RequestAuthentication"),
        ("networking.istio.io", "EnvoyFilter"),
    ),
    "gateway.networking.k8s.io": (
        ("security.istio.io", "AuthorizationPolicy"),
        ("gateway.envoyproxy.io", "SecurityPolicy"),
        ("security.istio.io", "RequestAuthentication"),
        ("traefik.io", "Middleware"),
    ),
}


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    if identities(context):
        # A stack with an identity provider has its gateway ask for a login.
        return
    for item in context.index.objects:
        if item.group not in _GUARDS and item.group != "networking.k8s.io":
            continue
        if _outward(item) and not _guarded(item, context):
            for backend in backends(item):
                if _OPEN.fullmatch(backend.name) and not _asks(backend.namespace, context):
                    said = f"{backend.namespace}/{backend.name} has no login, and neither does the gateway"
                    yield item, Fault(dotted(backend.path), said)
                    break


def _asks(namespace: str, context: Context) -> bool:
    """Whether the program behind the page is configured to ask for an account: MLflow, by a flag."""
    pods = context.once(pods_by_namespace).get(namespace, NOBODY)
    containers = (container for each in pods for _, container in each.containers(("containers",)))
    arguments = (" ".join(map(str, items(container.get("args")))) for container in containers)
    return any("--app-name=basic-auth" in each or "--app-name basic-auth" in each for each in arguments)


def _outward(item: RenderedObject) -> bool:
    """Whether it is a route at a gateway."""
    gateways = [text(each) for each in items(at(item.manifest, "spec.gateways"))]
    return item.kind != "VirtualService" or any(each != "mesh" for each in gateways)


def _guarded(item: RenderedObject, context: Context) -> bool:
    annotations = mapping(at(item.manifest, "metadata.annotations"))
    if any(word in str(key) for key in annotations for word in _AUTH_WORDS):
        return True
    if item.kind == "Mapping" and at(item.manifest, "spec.bypass_auth") is True:
        return False
    if _filters(item.manifest):
        return True
    return any(context.index.by_kind.get(kind) for kind in _GUARDS.get(item.group, ()))


def _filters(route: Mapping[str, Any]) -> bool:
    """Whether a route of Gateway API sends requests through something of the gateway's own."""
    return any(
        mapping(each).get("type") in ("ExtensionRef", "ExternalAuth")
        for rule in items(at(route, "spec.rules"))
        for each in items(mapping(rule).get("filters"))
    )


PUBLIC_ROUTE = StackRule(
    id="public-route",
    severity="warning",
    title="Pages without their own login are behind one",
    why="Anyone who reaches the gateway reads models and data, starts jobs, and deletes them.",
    fix="put an identity provider in front (`external: {identity: …}`), or a policy of the gateway",
    check=_check,
)
