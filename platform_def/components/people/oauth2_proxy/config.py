"""What a stack may choose about oauth2-proxy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.capabilities.identity import ClientId
from platform_def.components.people.oauth2_proxy.releases import RELEASES, WITHDRAWN
from platform_def.config.cluster import AddressRange
from platform_def.config.model import Host, MisfitError, Model, Name, Port, Subdomain, conflict
from platform_def.config.secrets import GENERATED, CaSource, SecretSource
from platform_def.constructs import ComponentConfig

PRIVATE = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]
COOKIE_KEYS = (16, 24, 32)
"""Lengths of an AES key."""


class Redis(Model):
    """A Redis server that keeps the sessions."""

    host: Host
    """Its host."""
    port: Port = 6379
    """Its port."""
    tls: bool = True
    """Whether connections are encrypted."""
    password: SecretSource | None = None
    """Secret with the key `password`; absent: the server asks for none."""
    ca: CaSource | None = None
    """Authority that signed its certificate, where that is a private one."""

    @conflict
    def _known_there(self) -> Iterator[ValueError]:
        if self.password and self.password.generate:
            yield MisfitError("a generated password is not known to the server: name a Secret", "password")


class Oauth2ProxyConfig(ComponentConfig):
    """What a stack may choose about oauth2-proxy."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "oauth2-proxy"
    """Namespace of the proxy, upstream's."""
    client_id: ClientId = "oauth2-proxy"
    """Its client id at the issuer."""
    client_secret: SecretSource = GENERATED
    """Secret with the key `client-secret`. Generated for an issuer of the stack, which reads the same Secret; an issuer
    outside gives one."""
    cookie_secret: SecretSource = GENERATED
    """Secret with the key `cookie-secret`, 16, 24 or 32 characters, which encrypts sessions. A new one signs everyone
    out."""
    scopes: list[Annotated[str, Field(pattern=r"^[!-~]+$", max_length=200)]] = Field(default_factory=list)
    """Scopes to ask for; by default `openid`, `email`, `profile`, and for an issuer of the stack `groups`."""
    email_domains: list[Subdomain] = Field(default_factory=list)
    """Domains of e-mail addresses that may pass; by default everyone whom the issuer knows."""
    unverified_email: bool = False
    """Accept addresses that the issuer does not call verified: only where people cannot choose their address there."""
    ca: CaSource | None = None
    """Authority that signed the issuer's certificate, where that is a private one."""
    session_hours: Annotated[int, Field(ge=1, le=8760)] = 168
    """Hours until people must sign in again."""
    refresh_minutes: Annotated[int, Field(ge=0, le=10080)] = 0
    """Minutes after which the issuer is asked again whether the person and the groups still hold; 0: only at sign-in.
    Needs `redis`: the tokens of people with many groups do not fit a cookie, and gateways hand no renewed cookie on."""
    pass_token: bool = False
    """Hand the ID token on in `Authorization`, for meshes that let groups of teams in by it. Applications outside
    teams' namespaces see it too. Needs `redis`."""
    redis: Redis | None = None
    """Where sessions are kept; absent: encrypted in the browser's cookie."""
    bearer_tokens: bool = True
    """Let in requests with a valid token of the issuer for this client, from programs that cannot sign in."""
    trusted_proxies: Annotated[list[AddressRange], Field(min_length=1)] = Field(default_factory=lambda: [*PRIVATE])
    """Networks of the gateway's pods: from others `X-Forwarded-*` is ignored. By default all private ones."""

    @conflict
    def _key_of_cookies(self) -> Iterator[ValueError]:
        made = self.cookie_secret.generate
        if made and made.length not in COOKIE_KEYS:
            yield MisfitError(f"the key has {made.length} characters, and AES takes 16, 24 or 32", "cookieSecret")
        if self.refresh_minutes > 0 and self.refresh_minutes >= self.session_hours * 60:
            yield MisfitError("a session ends before it is refreshed", "refreshMinutes")
        if (self.refresh_minutes or self.pass_token) and self.redis is None:
            field = "refreshMinutes" if self.refresh_minutes else "passToken"
            yield MisfitError(
                "the session then holds tokens, which do not fit a cookie: write `redis: {host: …}`", field
            )
