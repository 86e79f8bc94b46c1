"""What a route says, in words of no gateway; the renderers beside this file put it into theirs.

Whatever the gateways' defaults differ in is a field here, so that a renderer must write it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from platform_def.config.routing import BackendTls, Cors, Retries
from platform_def.errors import Problem

Auth = Literal["usual", "required", "public"]
"""Whether requests are authenticated before they reach the Service: `usual`, where the stack has an authorization
service; `required`, or synth fails; `public`, never, and headers that name a user are taken off."""

ANY_HOST = "*"


@dataclass(frozen=True, kw_only=True)
class Canary:
    """A second Service that gets a share of a route's requests."""

    service: str
    percent: int
    """Share of the requests, 1 to 99."""
    port: int | None = None
    """By default the port of the route's own Service."""

    def __post_init__(self) -> None:
        if not 1 <= self.percent <= 99:
            raise ValueError(f"canary {self.service}: {self.percent} percent is no share, which is 1 to 99")


@dataclass(frozen=True, kw_only=True)
class Redirect:
    """Another path of the same host that the client is sent to; the Service is not asked."""

    path: str
    code: Literal[301, 302] = 302


@dataclass(frozen=True)
class Backend:
    """A Service that answers, and its share of the requests in percent."""

    service: str
    namespace: str
    port: int
    percent: int = 100


@dataclass(frozen=True, kw_only=True)
class Routing:
    """A route in full."""

    name: str
    namespace: str
    """Of the Services."""
    path: str
    exact: bool = False
    rewrite: str | None = None
    backends: tuple[Backend, ...] = ()
    """None for a redirect."""
    timeout_seconds: int = 60
    websocket: bool = False
    grpc: bool = False
    host: str = ANY_HOST
    authenticated: bool = False
    public: bool = False
    """Not authenticated though other routes may be."""
    stripped: tuple[str, ...] = ()
    """Headers that a client may not send along."""
    redirect: Redirect | None = None
    cors: Cors | None = None
    retries: Retries | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """What a request must carry."""
    max_body_bytes: int = 0
    """0 for no limit."""
    tls: BackendTls | None = None
    """None where the Service speaks HTTP."""
    at: tuple[str, ...] = ()
    """Path in the stack of what it says of this route."""
    chosen: frozenset[str] = frozenset()
    """Fields that the stack says, as files write them."""

    def __post_init__(self) -> None:
        """Refuse what gateways would read differently; such a route is a mistake in a component."""
        where = f"route {self.name}"
        for what, path in (("path", self.path), ("rewrite", self.rewrite), ("redirect", self._target())):
            if path is not None and not path.startswith("/"):
                raise ValueError(f"{where}: {what} {path!r} does not begin with '/'")
        if not self.exact and not self.path.endswith("/"):
            # Emissary and Istio would lead /hubble to the Service of /hub, Gateway API would not.
            raise ValueError(f"{where}: path {self.path!r} leads all that is below it and does not end with '/'")
        if self.rewrite is not None and not self.exact and not self.rewrite.endswith("/"):
            raise ValueError(f"{where}: rewrite {self.rewrite!r} takes the place of a prefix and does not end with '/'")
        if self.grpc and self.rewrite is not None:
            raise ValueError(f"{where}: the path of a gRPC call is its method, which no server knows by another name")
        if self.redirect and (self.rewrite is not None or self.backends):
            raise ValueError(f"{where}: a redirect asks no Service")

    def _target(self) -> str | None:
        return self.redirect.path if self.redirect else None

    def server_name(self, backend: Backend, tls: BackendTls) -> str:
        """The name that a Service's certificate must have."""
        return tls.server_name or f"{backend.service}.{backend.namespace}.svc"

    def problem(self, knob: str, text: str, hint: str) -> Problem:
        """What is wrong with a field, called as files write it: at its line where the stack says it."""
        if knob in self.chosen:
            at = (*self.at, knob)
            return Problem(f"{'.'.join(at)}: {text}", hint=hint, at=at)
        return Problem(f"route {self.name}: {text}", hint=hint)

    def contradictions(self, written_by_gateway: frozenset[str]) -> Iterator[Problem]:
        """What no gateway can serve; `written_by_gateway` are headers that name a user."""
        if self.redirect:
            fields = {"cors": self.cors, "retries": self.retries, "maxBodyBytes": self.max_body_bytes, "tls": self.tls}
            for knob, said in fields.items():
                if said:
                    yield self.problem(knob, "it is a redirect, which asks no Service", f"leave `{knob}` out")
        tries = self.retries.per_try_seconds if self.retries else None
        if tries and 0 < self.timeout_seconds <= tries:
            text = f"a try may take {tries} s, and the request with all its tries {self.timeout_seconds} s"
            yield self.problem("retries", text, "shorten `perTrySeconds`, or raise `timeoutSeconds`")
        if self.cors and self.headers:
            text = "browsers ask for leave without headers of their own, so this route would not answer them"
            yield self.problem("cors", text, "leave `cors` or `headers` out")
        if self.max_body_bytes and (self.grpc or self.websocket):
            text = "the gateway holds a body until it is whole, and this route carries streams"
            yield self.problem("maxBodyBytes", text, "limit messages in the program")
        for header in sorted(written_by_gateway & self.headers.keys()):
            text = f"{header} names a user: clients could write it themselves when the route is chosen"
            yield self.problem("headers", text, f"leave {header} out, and let the program decide by it")
