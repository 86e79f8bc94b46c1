"""What a stack may choose about Argo CD, and its releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from platform_def.components.delivery.argo_cd.added_parameters import OF_3_5, OF_3_6
from platform_def.components.delivery.argo_cd.parameters import OF_3_3, Table
from platform_def.config.model import Model, Name, Url
from platform_def.constructs import APACHE, ComponentConfig, Release, SecretSource, releases

Key = Annotated[str, Field(pattern=r"^[-._a-zA-Z0-9]+$", max_length=253)]
REDIS_LICENSE = "LicenseRef-RSALv2 OR SSPL-1.0 OR AGPL-3.0-only"
"""Of Redis since 8.0; who installs it chooses one."""
HEALTH = "resource.customizations.health."
"""How the keys of health checks begin in argocd-cm."""


@dataclass(frozen=True, kw_only=True)
class ArgoCdRelease(Release):
    """What differs between releases."""

    parameters: Table = field(default_factory=dict)
    kubernetes_by: Literal["upstream", "us"] = "upstream"
    licenses: Mapping[str, str] = field(default_factory=lambda: {"redis": REDIS_LICENSE})
    mutual_tls: bool = True
    """Whether the repo server may ask who calls it, by certificates in the Secret argocd-repo-server-mtls."""
    repo_server_profiler: bool = True
    """Whether the profiler of the repo server too can be switched on while it runs."""
    updates_finalizers: bool = True
    """Whether the server may, and so may make objects that block the deletion of what owns them."""
    collector_certificates: bool = True
    """Whether the application controller looks up the certificate of a collector of traces."""
    request_timestamps: bool = True
    """Whether a request to look at an Application again bears its time, in an annotation beside."""


def _argocd(version: str) -> str:
    return f"quay.io/argoproj/argocd:v{version}"


def _redis(version: str) -> dict[str, str]:
    return {"redis": f"public.ecr.aws/docker/library/redis:{version}-alpine"}


# Ranges: what upstream says of each minor version in its table of tested ones. The default is the newest whose order
# was seen (`PROVEN`).
RELEASES = releases(
    ArgoCdRelease("3.6.1", image=_argocd("3.6.1"), images=_redis("8.10.1"), kubernetes="1.34-1.37", parameters=OF_3_6),
    ArgoCdRelease("3.6.2", image=_argocd("3.6.2"), images=_redis("8.10.1"), kubernetes="1.34-1.37", parameters=OF_3_6),
    ArgoCdRelease(
        "3.5.7",
        image=_argocd("3.5.7"),
        images=_redis("8.2.3"),
        kubernetes="1.33-1.36",
        parameters=OF_3_5,
        updates_finalizers=False,
        collector_certificates=False,
        request_timestamps=False,
    ),
    ArgoCdRelease(
        "3.3.4",
        image=_argocd("3.3.4"),
        images=_redis("8.2.3"),
        kubernetes="1.32-1.35",
        parameters=OF_3_3,
        mutual_tls=False,
        repo_server_profiler=False,
        updates_finalizers=False,
        collector_certificates=False,
        request_timestamps=False,
    ),
    license=APACHE,
)


class OidcClient(Model):
    """How people sign in by the identity provider."""

    client_id: Annotated[str, Field(min_length=1, max_length=253)]
    """What Argo CD is called there."""
    client_secret: SecretSource | None = None
    """Secret with the key `clientSecret`, labelled `app.kubernetes.io/part-of: argocd`, or Argo CD does not read it;
    without one the client is public and proves itself by PKCE."""
    issuer: Url | None = None
    """The provider's address; by default that of the stack's identity provider."""
    name: str = "Single sign-on"
    """What the button says."""
    scopes: list[str] = Field(default_factory=lambda: ["openid", "profile", "email", "groups"])
    """What is asked of the provider."""

    @model_validator(mode="after")
    def _labelled(self) -> Self:
        if self.client_secret and (self.client_secret.generate or self.client_secret.external_secret):
            raise ValueError("clientSecret is one that bears Argo CD's label: existing, sealed or sops")
        return self


class ArgoCdConfig(ComponentConfig):
    """What a stack may choose about Argo CD."""

    releases = RELEASES

    namespace: Name = "argocd"
    """Namespace of its programs and of the Applications, upstream's."""
    access: Literal["everyone", "administrators"] = "administrators"
    """Who reaches its pages, where it asks for a name itself: `everyone` who reaches the gateway; `administrators` by
    port-forward alone."""
    url: Url | None = None
    """Address of its pages as people type it; by default the stack's host below the path `/argocd`."""
    admin: bool = True
    """Have an account `admin`, whose password the server makes when it starts first (Secret
    argocd-initial-admin-secret); switch it off once people sign in otherwise."""
    oidc: OidcClient | None = None
    """Let people sign in by an identity provider."""
    default_role: str = ""
    """Role of everybody who has signed in, such as `role:readonly`; by default none."""
    policy: str = ""
    """Who may do what, in Argo CD's own words: `g, platform-team, role:admin`, a line each."""
    application_sets: bool = True
    """Run the applicationset-controller, for ApplicationSets of your own; nothing in dist/ is one."""
    notifications: bool = False
    """Run the notifications-controller too."""
    notification_settings: dict[Key, str] = Field(default_factory=dict)
    """Keys of argocd-notifications-cm: services, templates, triggers."""
    shards: Annotated[int, Field(ge=1, le=32)] = 1
    """Pods of the application controller, which share the clusters that Argo CD delivers to: more than one helps only
    where you give it further clusters."""
    known_hosts: list[str] = Field(default_factory=list)
    """Lines of an SSH `known_hosts` file: keys of the hosts that repositories are read from by SSH. None is known
    unless it stands here."""
    certificates: dict[Key, str] = Field(default_factory=dict)
    """Certificates in PEM by the host that they are trusted for, of repositories read by HTTPS and of registries."""
    gpg_keys: dict[Key, str] = Field(default_factory=dict)
    """Public keys of GnuPG, armoured, by their ids: who may have signed commits."""
    settings: dict[Key, str] = Field(default_factory=dict)
    """Further keys of argocd-cm, such as `timeout.reconciliation: 60s`; one that stands here wins."""
    parameters: dict[Key, str] = Field(default_factory=dict)
    """Further keys of argocd-cmd-params-cm, such as `reposerver.parallelism.limit: "4"`; one that stands here wins."""

    @model_validator(mode="after")
    def _settings_say_it_once(self) -> Self:
        known = {"url": "url", "oidc.config": "oidc", "admin.enabled": "admin"}
        for key, knob in known.items():
            if key in self.settings:
                raise ValueError(f"settings: say `{knob}` beside it, not '{key}' in it")
        return self
