"""What a stack may choose about Grafana, and its releases."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from platform_def.components.monitoring.grafana.metrics import METRICS
from platform_def.config.model import Model, Name, Url
from platform_def.config.secrets import GENERATED
from platform_def.constructs import (
    Access,
    ComponentConfig,
    Release,
    SecretSource,
    Upkeep,
    Vulnerability,
    releases,
)

# Upstream supports a minor line for nine months: its page "When to upgrade". Advisories: grafana.com/security.
_BY_MAPS = "editors become administrators by a script in the base layer of a map that an administrator opens"
_LINE_13_1 = Upkeep(date(2027, 3, 20), (Vulnerability("CVE-2026-76154", _BY_MAPS, "13.1.6"),))
RELEASES = releases(
    Release(
        "13.1.10",
        upkeep=_LINE_13_1,
        kubernetes="1.25-1.37",  # the server calls no API of Kubernetes, and what reads dashboards only ConfigMaps
        image="docker.io/grafana/grafana:13.1.10",
        exports=(METRICS,),
    ),
    license="AGPL-3.0-only",
)

Role = Literal["Viewer", "Editor", "Admin"]


class GrafanaOidc(Model):
    """How people sign in by the identity provider, where Grafana asks it itself."""

    client_id: Annotated[str, Field(min_length=1, max_length=253)]
    """What Grafana is called there."""
    client_secret: SecretSource | None = None
    """Secret with the key `clientSecret`; without one the client is public and proves itself by PKCE."""
    issuer: Url | None = None
    """The provider's address; by default that of the stack's identity provider."""
    authorize_path: str = "/auth"
    """Where the provider asks people to sign in, below the issuer; Dex's."""
    token_path: str = "/token"  # noqa: S105 - a path
    """Where it gives tokens; Dex's."""
    userinfo_path: str = "/userinfo"
    """Path that returns the user's claims; Dex's."""
    scopes: list[str] = Field(default_factory=lambda: ["openid", "profile", "email", "groups"])
    """What is asked of the provider."""
    admins: list[Annotated[str, Field(pattern=r"^[^'\s]+$")]] = Field(default_factory=list)
    """Groups whose members administrate Grafana."""
    editors: list[Annotated[str, Field(pattern=r"^[^'\s]+$")]] = Field(default_factory=list)
    """Groups whose members may make dashboards."""


class GrafanaConfig(ComponentConfig):
    """What a stack may choose about Grafana."""

    releases = RELEASES

    namespace: Name = "monitoring"
    """Namespace of the server and of the stack's dashboards."""
    access: Access = "administrators"
    """Who reaches its pages: `people` whom the stack's identity provider knows, by the header that the gateway writes;
    `everyone` who reaches the gateway, where Grafana asks for a name itself; `administrators` by port-forward."""
    oidc: GrafanaOidc | None = None
    """With `access: everyone`: let people sign in by an identity provider."""
    role: Role = "Viewer"
    """What people may do who have signed in and are named nowhere else."""
    admin: SecretSource = GENERATED
    """Secret with the `password` of the account `admin`; read when the database is empty, and never again."""
    keeps: Literal["volume", "sql"] = "volume"
    """Where it keeps users, their settings and dashboards that they make: on a volume, which allows one pod,
    or in a database of the stack's SQL server. The stack's own dashboards are in Git."""
    teams: bool = False
    """Read dashboards from ConfigMaps of all namespaces, so that teams can bring their own; by default only from its
    own namespace."""
