"""Routes as Mappings of Emissary, which ends requests after three seconds and rewrites each prefix to `/` unless told.

Emissary authenticates whatever does not say `bypass_auth`, by its AuthService.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from platform_def.apis.emissary.v3alpha1 import MAPPING, Cors, MappingSpec, RetryPolicy
from platform_def.capabilities import Gateway
from platform_def.config import routing as said
from platform_def.constructs.component import Scope
from platform_def.constructs.resource import Resource
from platform_def.constructs.routes.backend_tls import emissary_context, emissary_refusals
from platform_def.constructs.routes.routing import ANY_HOST as ANY_HOST
from platform_def.constructs.routes.routing import Routing
from platform_def.errors import ConfigError, Problem

IDLE_SECONDS = 300
"""After which Envoy ends a stream on which nothing moves, unless its route says otherwise."""


def refusals(scope: Scope, routing: Routing, gateway: Gateway) -> Iterator[Problem]:  # noqa: ARG001 - others ask
    """What of a route Emissary cannot serve."""
    yield from emissary_refusals(routing)
    if routing.max_body_bytes:
        text = "Emissary limits bodies for all routes at once, those that carry streams too"
        yield routing.problem("maxBodyBytes", text, "limit them in the program, or choose a gateway of Istio's")


def render(scope: Scope, routing: Routing, gateway: Gateway) -> None:
    """One Mapping, and one more for the second Service of a canary."""
    for index, backend in enumerate(routing.backends):
        name = f"{routing.name}-canary" if index else routing.name
        service = f"{'https://' if routing.tls else ''}{backend.service}.{backend.namespace}:{backend.port}"
        spec = mapping(routing.path, service, exact=routing.exact, rewrite=routing.rewrite, host=routing.host)
        spec["timeout_ms"] = routing.timeout_seconds * 1000
        if routing.timeout_seconds == 0 or routing.timeout_seconds > IDLE_SECONDS:
            # Envoy ends a stream on which nothing moves earlier than that; 0 is never.
            spec["idle_timeout_ms"] = routing.timeout_seconds * 1000
        if routing.websocket:
            spec["allow_upgrade"] = ["websocket"]
        if routing.grpc:
            spec["grpc"] = True
        if index:
            # The Mapping without a weight gets what the others leave.
            spec["weight"] = backend.percent
        if routing.tls:
            spec["tls"] = emissary_context(scope, name, routing, backend, gateway)
        _made(scope, name, spec, routing, gateway)
    if routing.redirect:
        host = scope.owner.platform.ingress.host if routing.host == ANY_HOST else routing.host
        if host is None:
            raise ConfigError(
                f"route {routing.name}: Emissary sends clients to a host by its name, and the stack has none",
                hint="write `ingress: {host: …}`, or choose another gateway",
            )
        spec = mapping(routing.path, host, exact=routing.exact, rewrite=None, host=routing.host)
        redirected = {
            **spec,
            "host_redirect": True,
            "path_redirect": routing.redirect.path,
            "redirect_response_code": routing.redirect.code,
        }
        del redirected["rewrite"]
        _made(scope, routing.name, cast(MappingSpec, redirected), routing, gateway)


def mapping(path: str, service: str, *, exact: bool, rewrite: str | None, host: str) -> MappingSpec:
    """A route in Emissary's words; `service` is `name.namespace:port`."""
    spec: MappingSpec = {
        # A Mapping without a hostname belongs to no Host.
        "hostname": host,
        "prefix": path,
        "service": service,
        # Emissary takes a missing rewrite for "/", and an empty one for none.
        "rewrite": rewrite or "",
    }
    if exact:
        spec["prefix_exact"] = True
    return spec


def _made(scope: Scope, name: str, spec: MappingSpec, routing: Routing, gateway: Gateway) -> None:
    if routing.public:
        spec["bypass_auth"] = True
    if routing.headers:
        spec["headers"] = {**routing.headers}
    if routing.cors:
        spec["cors"] = _cors(routing.cors)
    if routing.retries:
        spec["retry_policy"] = _retries(routing.retries)
    if routing.stripped:
        spec["remove_request_headers"] = [*routing.stripped]
    if gateway.identified:
        spec["ambassador_id"] = [gateway.name]
    Resource(scope, MAPPING, name, spec=spec, part="after")


def _cors(wanted: said.Cors) -> Cors:
    made: Cors = {
        "origins": [*wanted.origins],
        "methods": [*wanted.methods],
        "max_age": str(wanted.max_age_seconds),
    }
    if wanted.headers:
        made["headers"] = [*wanted.headers]
    if wanted.expose_headers:
        made["exposed_headers"] = [*wanted.expose_headers]
    if wanted.credentials:
        made["credentials"] = True
    return made


def _retries(wanted: said.Retries) -> RetryPolicy:
    made: RetryPolicy = {"retry_on": wanted.after, "num_retries": wanted.attempts}
    if wanted.per_try_seconds:
        made["per_try_timeout"] = f"{wanted.per_try_seconds}s"
    return made
