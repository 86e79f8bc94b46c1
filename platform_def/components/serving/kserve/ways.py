"""How KServe's Standard mode opens models at the stack's gateway: by HTTPRoutes where it can, else by Ingresses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from platform_def.apis.core.networking_v1 import INGRESS_CLASS
from platform_def.capabilities import Serverless
from platform_def.components.serving.entry import (
    GATEWAY_API,
    GROUP,
    ServingEntry,
    certificate,
    certificate_secret,
    with_knative,
)
from platform_def.constructs import Problem, Resource, Scope, Setting

GATEWAY = "kserve-ingress-gateway"
ISTIO = "istio"


@dataclass(frozen=True)
class Way:
    """KServe's settings."""

    http_routes: bool = False
    gateway: str = f"kserve/{GATEWAY}"
    """Gateway of Gateway API, as `namespace/name`; never read without `http_routes` and without LLM services."""
    ingress_class: str = ISTIO
    own_gateway: bool = False
    """The Gateway is made here, for the pods of the stack's gateway."""


def way_of(at: Setting[Any], entry: ServingEntry) -> Way:
    """How models are opened in this stack."""
    gateway = entry.gateway
    if gateway is None:
        return Way()
    if at.maybe(Serverless):
        # One host cannot have two certificates at Istio's gateway, and Knative's Gateway has the domain's.
        return Way(ingress_class=gateway.ingress_class or ISTIO)
    if gateway.api == "gateway-api" and gateway.controller != ISTIO:
        return Way(http_routes=True, gateway=f"{gateway.namespace}/{gateway.name}")
    if ISTIO in (gateway.api, gateway.controller) and at.platform.serves(GATEWAY_API):
        return Way(http_routes=True, gateway=f"{gateway.namespace}/{GATEWAY}", own_gateway=True)
    return Way(ingress_class=gateway.ingress_class or ISTIO)


def way_problems(at: Setting[Any]) -> Iterator[Problem]:
    """A certificate where Ingresses of KServe's name none; a gateway that reads no Ingress."""
    entry = with_knative(at)
    way = way_of(at, entry)
    if entry.gateway is None or way.http_routes:
        return
    here, knob = ("components", at.name), f"components.{at.name}"
    if at.config.tls and entry.gateway.api != "emissary":
        text = f"{knob}.tls: without Gateway API KServe writes Ingresses, which name no certificate"
        yield Problem(text, hint="add `gateway-api: {}` under components", at=(*here, "tls"))
    if not entry.gateway.ingress_class:
        text = f"{knob}: {at.platform.gateway} reads no Ingress, in which KServe opens models without Gateway API"
        yield Problem(text, hint="add `gateway-api: {}` under components, or write `access: cluster`", at=here)


def open_gateway(scope: Scope, entry: ServingEntry, way: Way, tls: Any) -> None:
    """The Gateway for the domain, at the pods of the stack's gateway, or the class of Istio's Ingresses."""
    if entry.gateway and way.own_gateway:
        certificate(scope, GATEWAY, entry, tls)
        _gateway(scope, entry, tls)
    elif entry.gateway and entry.gateway.api == "emissary":
        certificate(scope, GATEWAY, entry, tls)
        _host(scope, entry, tls)
    elif entry.gateway and not way.http_routes:
        Resource(scope, INGRESS_CLASS, ISTIO, spec={"controller": "istio.io/ingress-controller"})


def _host(scope: Scope, entry: ServingEntry, tls: Any) -> None:
    """Emissary answers for no host that no Host names; one with a certificate for the domain serves its Ingresses."""
    from platform_def.apis.emissary.v3alpha1 import HOST, HostSpec  # large

    gateway = entry.gateway
    assert gateway is not None
    made: HostSpec = {
        "hostname": f"*.{entry.domain}",
        "requestPolicy": {"insecure": {"action": "Redirect" if tls else "Route"}},
    }
    if tls:
        made["tlsSecret"] = {"name": certificate_secret(GATEWAY, tls)}
    if gateway.identified:
        made["ambassador_id"] = [gateway.name]
    Resource(scope, HOST, GATEWAY, spec=made, namespace=gateway.namespace, part="after")


def _gateway(scope: Scope, entry: ServingEntry, tls: Any) -> None:
    from platform_def.apis.gateway_api.v1 import GATEWAY as API  # large
    from platform_def.apis.gateway_api.v1 import HTTP_ROUTE

    gateway = entry.gateway
    assert gateway is not None
    host = f"*.{entry.domain}"
    everywhere, here = {"namespaces": {"from": "All"}}, {"namespaces": {"from": "Same"}}
    plain = {"name": "http", "port": 80, "protocol": "HTTP", "hostname": host, "allowedRoutes": everywhere}
    listeners: list[dict[str, object]] = [plain]
    if tls:
        # Models answer at the listener with the certificate; the plain one only leads there.
        plain["allowedRoutes"] = here
        secret = {"group": "", "kind": "Secret", "name": certificate_secret(GATEWAY, tls)}
        secure = {"mode": "Terminate", "certificateRefs": [secret]}
        listeners.append({**plain, "name": "https", "port": 443, "protocol": "HTTPS", "allowedRoutes": everywhere})
        listeners[-1]["tls"] = secure
    spec = {
        "gatewayClassName": ISTIO,
        "addresses": [{"type": "Hostname", "value": scope.owner.service_host(gateway.service, gateway.namespace)}],
        "listeners": listeners,
    }
    Resource(scope, API, GATEWAY, spec=cast(Any, spec), namespace=gateway.namespace, part="after")
    if tls:
        parent = {"group": GROUP, "kind": "Gateway", "name": GATEWAY, "sectionName": "http"}
        redirect = {"type": "RequestRedirect", "requestRedirect": {"scheme": "https", "statusCode": 301}}
        rule = {"matches": [{"path": {"type": "PathPrefix", "value": "/"}}], "filters": [redirect]}
        away = {"parentRefs": [parent], "rules": [rule]}
        name = f"{GATEWAY}-redirect"
        Resource(scope, HTTP_ROUTE, name, spec=cast(Any, away), namespace=gateway.namespace, part="after")
