"""What a stack may choose about Argo CD."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.components.delivery.argo_cd.releases import RELEASES, WITHDRAWN, ArgoCdRelease
from platform_def.config.model import Model, Name, Url, conflict
from platform_def.constructs import Component, ComponentConfig, SecretSource

Key = Annotated[str, Field(pattern=r"^[-._a-zA-Z0-9]+$", max_length=253)]
HEALTH = "resource.customizations.health."
"""How the keys of health checks begin in argocd-cm."""


class ArgoCdOidc(Model):
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

    @conflict
    def _labelled(self) -> Iterator[ValueError]:
        if self.client_secret and (self.client_secret.generate or self.client_secret.external_secret):
            yield ValueError("clientSecret must have Argo CD's label: write existing, sealed or sops")


class ArgoCdConfig(ComponentConfig):
    """What a stack may choose about Argo CD."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "argocd"
    """Namespace of its programs and of the Applications, upstream's."""
    network_policies: bool = True
    """Close its programs to all connections but those that they serve, as upstream always does: Redis and the repo
    server are for Argo CD's own programs."""
    access: Literal["everyone", "administrators"] = "administrators"
    """Who reaches its pages, where it asks for a name itself: `everyone` who reaches the gateway; `administrators` by
    port-forward alone."""
    url: Url | None = None
    """Address of its pages as people type it; by default the stack's host below the path `/argocd`."""
    git_webhook: bool = False
    """Let Git hosts reach `/argocd/api/webhook` past the gateway's login, so that a push is seen at once. Argo CD then
    compares each call with a secret of the host, which you write into the Secret `argocd-secret`, and takes calls of
    hosts without one from anyone."""
    admin: bool = True
    """Have an account `admin`, whose password the server makes when it starts first (Secret
    argocd-initial-admin-secret); switch it off once people sign in otherwise."""
    oidc: ArgoCdOidc | None = None
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

    @conflict
    def _settings_say_it_once(self) -> Iterator[ValueError]:
        known = {"url": "url", "oidc.config": "oidc", "admin.enabled": "admin"}
        for key, knob in known.items():
            if key in self.settings:
                yield ValueError(f"settings: say `{knob}` beside it, not '{key}' in it")


AnyArgoCd = Component[ArgoCdConfig, ArgoCdRelease]
"""The component, as its parts see it."""
