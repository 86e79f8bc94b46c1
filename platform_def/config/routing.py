"""What a route says beyond path and Service: browsers of other sites, retries, headers, limits, TLS to the Service.

A component's route says it in Python, and a stack says it of any route of a component.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.config.model import MisfitError, Model, Subdomain, conflict

Origin = Annotated[str, Field(pattern=r"^(\*|https?://[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?)$", max_length=253)]
"""Scheme, host and port of a site, as browsers write them: `https://app.example.com`; `*` is every site."""
Header = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=100)]
"""A header's name, in lower case."""
HeaderValue = Annotated[str, Field(pattern=r"^[!-~]([ -~]*[!-~])?$", max_length=1000)]
"""A header's value, all of it."""
Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
READING: tuple[Method, ...] = ("GET", "HEAD", "POST")
"""What pages may ask of other sites without leave, as forms do."""


class Cors(Model):
    """What pages of other sites may ask, which browsers find out before they send a request (CORS)."""

    origins: Annotated[list[Origin], Field(min_length=1, max_length=64)]
    """Sites whose pages may ask, `https://app.example.com`, or `["*"]` for all."""
    methods: Annotated[list[Method], Field(min_length=1)] = Field(default_factory=lambda: [*READING])
    """Methods that they may use."""
    headers: Annotated[list[Header], Field(max_length=64)] = Field(default_factory=list)
    """Headers that their requests may carry, beside those that browsers always send."""
    expose_headers: Annotated[list[Header], Field(max_length=64)] = Field(default_factory=list)
    """Headers of the answer that they may read, beside those that browsers always show."""
    credentials: bool = False
    """Whether browsers send cookies along, by which a person is signed in."""
    max_age_seconds: Annotated[int, Field(ge=1, le=86400)] = 600
    """How long a browser remembers the answer; browsers cut it to two hours."""

    @conflict
    def _names_who_may_use_a_login(self) -> Iterator[ValueError]:
        if "*" in self.origins and len(self.origins) > 1:
            yield MisfitError("'*' is every site: leave the others out", "origins")
        if "*" in self.origins and self.credentials:
            yield MisfitError("with origins '*' every site could act as the person: name the sites", "credentials")


class Retries(Model):
    """When a request is sent to the Service again. A request that changes something may then be carried out twice,
    unless only `connect-failure` is retried."""

    attempts: Annotated[int, Field(ge=1, le=10)] = 2
    """How often at most, after the first time."""
    after: Literal["connect-failure", "gateway-error", "5xx"] = "connect-failure"
    """What is retried: failed connections; also no answer and the statuses 502 to 504; or every status from 500."""
    per_try_seconds: Annotated[int, Field(ge=1, le=3600)] | None = None
    """How long each try may take; by default as long as the whole request."""


class BackendAuthority(Model):
    """Who signs the certificate of a Service: one of three."""

    config_map: Subdomain | None = None
    """A ConfigMap in the Service's namespace with the authority under `ca.crt`. Gateway API reads this one."""
    secret: Subdomain | None = None
    """A Secret with the authority; where it is, and under which key, depends on the gateway."""
    system: Literal[True] | None = None
    """The public authorities that the gateway's image trusts."""

    @conflict
    def _is_one(self) -> Iterator[ValueError]:
        if sum(each is not None for each in (self.config_map, self.secret, self.system)) != 1:
            yield ValueError("name one of configMap, secret, system")


class BackendTls(Model):
    """The Service speaks HTTPS: the gateway encrypts what it sends, and verifies who answers."""

    ca: BackendAuthority
    """Who signs the Service's certificate."""
    server_name: Subdomain | None = None
    """The name that its certificate must have, and that the gateway asks for (SNI). By default the Service's name
    inside the cluster, `web.team.svc`."""
    any_name: bool = False
    """Accept a certificate of that authority whatever its name."""
    client_certificate: Subdomain | None = None
    """A Secret with `tls.crt` and `tls.key`, next to that of `ca`: a certificate for Services that ask for one."""

    @conflict
    def _can_be_verified(self) -> Iterator[ValueError]:
        if self.client_certificate and self.ca.secret is None:
            yield MisfitError("a gateway that reads Secrets reads the authority in one too", "clientCertificate")
        if self.any_name and self.ca.system:
            text = "public authorities sign for every owner of a domain: a certificate of any name proves nothing"
            yield MisfitError(text, "anyName")


class RouteConfig(Model):
    """What a stack may change of one route of a component."""

    timeout_seconds: Annotated[int, Field(ge=0, le=86400)] | None = None
    """For a request with its answer and all retries, 0 for no limit; by default the component's."""
    cors: Cors | None = None
    """What pages of other sites may ask."""
    retries: Retries | None = None
    """When a request is sent again."""
    headers: Annotated[dict[Header, HeaderValue], Field(max_length=16)] = Field(default_factory=dict)
    """Headers that a request must carry, each with its value; others are not for this route."""
    max_body_bytes: Annotated[int, Field(ge=2**20, le=2**32 - 1)] | None = None
    """Longest body of a request, which the gateway holds until it is whole: it answers 413 to a longer one. Envoy reads
    up to 1 MiB at once, and lets a body pass that is longer by less than that."""
    tls: BackendTls | None = None
    """The Service speaks HTTPS; by default what the component says, and HTTP where it says nothing."""
