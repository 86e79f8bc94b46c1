"""Routes: how a component's Service is reached through the stack's gateway, whichever that is.

Components say path and Service in neutral words; the renderer of the gateway's API puts them into its own kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, cast

from platform_def.capabilities import AuthorizationService, Gateway, Identity
from platform_def.config.platform import Platform
from platform_def.config.routing import BackendTls, Cors, Retries, RouteConfig
from platform_def.constructs.component import Component, Piece, Scope, Setting
from platform_def.constructs.routes.routing import ANY_HOST as ANY_HOST
from platform_def.constructs.routes.routing import Auth, Backend, Canary, Redirect, Routing
from platform_def.errors import ConfigError, Problem

RENDERERS: Mapping[str, str] = {
    "emissary": "platform_def.constructs.routes.emissary",
    "gateway-api": "platform_def.constructs.routes.gateway_api",
    "istio": "platform_def.constructs.routes.istio",
}
"""Who renders the routes of a gateway, by its API; imported when one is rendered, for the types are large."""
Renderer = Callable[[Scope, Routing, Gateway], None]
Refusals = Callable[[Scope, Routing, Gateway], Iterator[Problem]]


class Route(Piece):
    """A path of the gateway that leads to a Service; nothing where the stack has no gateway."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        path: str,
        service: str = "",
        port: int = 80,
        exact: bool = False,
        rewrite: str | None = None,
        timeout_seconds: int = 60,
        websocket: bool = False,
        grpc: bool = False,
        canary: Canary | None = None,
        auth: Auth = "usual",
        redirect: Redirect | None = None,
        host: str = ANY_HOST,
        namespace: str = "",
        cors: Cors | None = None,
        retries: Retries | None = None,
        headers: Mapping[str, str] | None = None,
        max_body_bytes: int = 0,
        tls: BackendTls | None = None,
    ):
        """Lead all that is below `path`, which ends with `/`, or with `exact` that one alone, to `service`.

        `rewrite` replaces `path` in what the Service is asked for; None leaves it. `timeout_seconds` is for a request
        with its answer, 0 for no limit. `websocket` lets connections be upgraded; `grpc` speaks HTTP/2 to the Service,
        whose port must say `appProtocol: grpc` for Istio. `canary` gets a share of the requests; a `redirect` is
        answered by the gateway and has no `service`. `host` narrows the route to one of the gateway's hosts, compared
        with the whole Host header, port and all. `namespace` is the Service's, by default the component's. `cors`
        says what pages of other sites may ask, `retries` when a request is sent again, `headers` what it must carry,
        `max_body_bytes` how long its body may be, 0 for no limit, `tls` how the gateway verifies a Service that speaks
        HTTPS. Of two routes the one with the longer path should
        win; Istio promises that for `/` alone.

        What the stack says of the route, in `routing` of its component, wins. Raises ConfigError, which names the
        route or the stack's line, for what the gateway cannot do.
        """
        super().__init__(scope, name)
        if bool(service) == (redirect is not None):
            raise ValueError(f"route {name}: it leads to a service, or is a redirect")
        home = namespace or self.owner.namespace
        backends = [Backend(service, home, port, 100 - (canary.percent if canary else 0))] if service else []
        if canary:
            backends.append(Backend(canary.service, home, canary.port or port, canary.percent))
        platform = self.owner.platform
        gateway = gateway_of(platform)
        at, said = _said(self, name)
        routing = Routing(
            name=name,
            namespace=home,
            path=path,
            exact=exact,
            rewrite=rewrite,
            backends=tuple(backends),
            timeout_seconds=timeout_seconds if said.timeout_seconds is None else said.timeout_seconds,
            websocket=websocket,
            grpc=grpc,
            host=host,
            authenticated=gateway is not None and _authenticated(platform, auth, name),
            public=auth == "public",
            stripped=_user_headers(platform) if auth == "public" else (),
            redirect=redirect,
            cors=said.cors or cors,
            retries=said.retries or retries,
            headers=said.headers or headers or {},
            max_body_bytes=said.max_body_bytes or max_body_bytes,
            tls=said.tls or tls,
            at=at,
            chosen=frozenset(said.model_dump(exclude_defaults=True)),
        )
        _refuse(self, platform, routing, gateway)
        if gateway is not None:
            cast(Renderer, _renderer(gateway).render)(self, routing, gateway)


def _said(scope: Piece, name: str) -> tuple[tuple[str, ...], RouteConfig]:
    """What the stack says of a component's route, and where; the component knows of the route then."""
    owner = scope.owner
    if not isinstance(owner, Component):
        return (), RouteConfig()
    role = owner.roles.role_of(name)
    owner.routed.add(role)
    return ("components", owner.name, "routing", role), owner.config.routing.get(role, RouteConfig())


def _refuse(scope: Scope, platform: Platform, routing: Routing, gateway: Gateway | None) -> None:
    """ConfigError with everything of the route that cannot be served."""
    if gateway is None:
        hint = "name the gateway under `gateway:`, or leave this out"
        raised = [routing.problem(knob, "the stack has no gateway", hint) for knob in sorted(routing.chosen)]
    else:
        refusals = cast(Refusals, _renderer(gateway).refusals)
        written = _written_headers(platform) if routing.headers else frozenset()
        raised = [*routing.contradictions(written), *refusals(scope, routing, gateway)]
    if raised:
        raise ConfigError(raised)


def _written_headers(platform: Platform) -> frozenset[str]:
    """Headers that name a person, and that the gateway writes once it has asked who that is."""
    asked = (name for each in platform.all(AuthorizationService) for name in each.value.adds)
    return frozenset((*asked, *_user_headers(platform)))


def _renderer(gateway: Gateway) -> ModuleType:
    return import_module(RENDERERS[gateway.api])


class RuntimePath(Piece):
    """A path of a gateway of Istio's below which a program writes its routes itself.

    Only who is asked before a request passes is rendered: without it such a route takes every request, and every header
    that names a person. `runtime_routes` says in `problems` where the stack cannot ask.
    """

    def __init__(self, scope: Scope, name: str, *, path: str):
        """All that is below `path`, which ends with `/`."""
        super().__init__(scope, name)
        platform = self.owner.platform
        gateway = gateway_of(platform)
        if (
            gateway is None
            or gateway.api != "istio"
            or platform.maybe(AuthorizationService, who=f"path {path}") is None
        ):
            return
        from platform_def.constructs.routes.istio_policy import ask_first  # its types are large

        routing = Routing(name=name, namespace=self.owner.namespace, path=path, authenticated=True)
        ask_first(self, routing, gateway)


def gateway_of(platform: Platform) -> Gateway | None:
    """The gateway whose routes are made, as its provider describes it; ConfigError where there is none."""
    wanted = platform.gateway
    if wanted == "none":
        return None
    found = next((each.value for each in platform.all(Gateway) if each.by == wanted), None)
    if found is None:
        raise ConfigError(no_gateway(wanted))
    return found


def no_gateway(wanted: str) -> str:
    """What is said where the gateway is asked for its routes and there is none of that name."""
    return f"gateway '{wanted}': nothing in the stack of that name serves routes"


def runtime_routes(at: Setting[Any], what: str, *, api: str = "istio", instead: str = "") -> Iterator[Problem]:
    """Why routes that a component's program writes while it runs would lead nowhere in this stack, for `problems`.

    `what` they lead to, in the plural; `api` is what the program writes them in, whatever the stack's gateway;
    `instead` is a component that offers the same behind any gateway.
    """
    gateway = gateway_of(at.platform)
    if gateway is not None and gateway.api == api:
        if not at.platform.all(AuthorizationService):
            text = f"components.{at.name}: nothing asks who people are before they reach {what}"
            hint = "add `oauth2-proxy: {}` under components, or name one under `external: {authorizationService: …}`"
            yield Problem(text, hint=hint, at=("components", at.name))
        return
    there = f"{at.platform.gateway} serves those of {gateway.api}" if gateway else "the stack has no gateway"
    text = f"components.{at.name}: it writes the routes to {what} itself, in the API of {api}, and {there}"
    hint = f"choose a gateway of {api}" + (f", or use the component {instead} instead" if instead else "")
    yield Problem(text, hint=hint)


def _authenticated(platform: Platform, auth: Auth, name: str) -> bool:
    if auth == "public":
        return False
    given = platform.maybe(AuthorizationService, who=f"route {name}")
    if given is None and auth == "required":
        raise ConfigError(
            f"route {name}: it is for people who are known, and nothing in the stack asks who they are",
            hint="name an authorization service under `external: {authorizationService: …}`, or add a component that "
            "gives one",
        )
    return given is not None


def _user_headers(platform: Platform) -> tuple[str, ...]:
    """Headers that name a person, which are not verified on a public route."""
    given = platform.all(Identity)
    found = [header for each in given for header in (each.value.user_header, each.value.groups_header) if header]
    return tuple(dict.fromkeys(found))
