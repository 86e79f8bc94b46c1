"""Where Dex looks people up: one typed model for each kind of connector.

Dex replaces `$NAME` in the text of a connector by an environment variable, which is how secrets get there; so no text
of a stack may hold a `$`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.config.model import Host, MisfitError, Model, Name, Port, Subdomain, Url, conflict
from platform_def.config.secrets import CaSource, SecretSource

Text = Annotated[str, Field(min_length=1, max_length=1000)]


class OAuthApp(Model):
    """An application that is registered at a provider, with `<issuer>/callback` as its redirect address."""

    client_id: Text
    """Its client id."""
    secret: SecretSource
    """Secret with the key `clientSecret`."""


class LdapUsers(Model):
    """How people are found in a directory."""

    base_dn: Text
    """Where the search begins: `ou=people,dc=example,dc=com`."""
    filter: Text | None = None
    """Entries that count: `(objectClass=person)`."""
    username: Text = "uid"
    """Attribute that people type."""
    id: Text = "uid"
    """Attribute that never changes for a person."""
    email: Text = "mail"
    """Attribute with the e-mail address."""
    name: Text = "cn"
    """Attribute with the full name."""


class LdapGroups(Model):
    """How the groups of a person are found in a directory."""

    base_dn: Text
    """Where the search begins."""
    filter: Text | None = None
    """Entries that count: `(objectClass=groupOfNames)`."""
    user: Text = "DN"
    """What of a person a group lists: an attribute, or `DN`."""
    member: Text = "member"
    """Attribute of a group that lists its people."""
    name: Text = "cn"
    """Attribute with the group's name."""


class Ldap(Model):
    """An LDAP directory, such as OpenLDAP or Active Directory."""

    host: Host
    """Its host."""
    port: Port | None = None
    """Its port; by default 636, or 389 without `ldaps`."""
    tls: Literal["ldaps", "startTLS", "none"] = "ldaps"
    """How the connection is encrypted; with `none` passwords cross the network in the clear."""
    ca: CaSource | None = None
    """Authority that signed its certificate, where that is a private one."""
    bind_dn: Text | None = None
    """Account that may search; absent: anonymous search."""
    password: SecretSource | None = None
    """Secret with the key `password` of that account."""
    users: LdapUsers
    """How people are found."""
    groups: LdapGroups | None = None
    """How their groups are found; absent: people have no groups."""

    @conflict
    def _both_or_neither(self) -> Iterator[ValueError]:
        if (self.bind_dn is None) != (self.password is None):
            yield ValueError("`bindDn` and `password` belong together: write both, or neither for anonymous search")


class Oidc(OAuthApp):
    """Another OpenID Connect issuer, such as Keycloak, Okta or Shibboleth."""

    issuer: Url
    """Its address."""
    ca: CaSource | None = None
    """Authority that signed its certificate, where that is a private one."""
    scopes: list[Text] = Field(default_factory=list)
    """Scopes to ask for beside `openid`; by default `profile` and `email`."""
    groups: bool = False
    """Take over the groups that it names; they change only when a person signs in again."""
    email_claim: Text | None = None
    """Claim with the e-mail address, where it is not `email`."""
    groups_claim: Text | None = None
    """Claim with the groups, where it is not `groups`."""
    unverified_email: bool = False
    """Accept addresses that it does not call verified: only where people cannot choose their address there."""


class GithubOrg(Model):
    """An organisation on GitHub."""

    name: Text
    """Its name."""
    teams: list[Text] = Field(default_factory=list)
    """Teams that may sign in; by default all members."""


class Github(OAuthApp):
    """GitHub; groups are called `<organisation>:<team>`."""

    orgs: Annotated[list[GithubOrg], Field(min_length=1)]
    """Organisations whose members may sign in; without any all of GitHub could."""
    host: Subdomain | None = None
    """Host of a GitHub Enterprise server."""
    ca: CaSource | None = None
    """Authority that signed its certificate, where that is a private one."""
    team_name: Literal["name", "slug", "both"] = "slug"
    """What of a team its group is called by."""


class Google(OAuthApp):
    """Google accounts of an organisation."""

    domains: Annotated[list[Subdomain], Field(min_length=1)]
    """Domains of Google Workspace whose people may sign in; without any every Google account could."""
    groups: list[Text] = Field(default_factory=list)
    """Groups whose people may sign in; by default all. Needs `serviceAccount`."""
    service_account: SecretSource | None = None
    """Secret with the key `serviceAccount.json`, an account that may read groups."""
    admin_email: Text | None = None
    """Administrator on whose behalf that account reads groups."""

    @conflict
    def _groups_are_read(self) -> Iterator[ValueError]:
        if (self.service_account is None) != (self.admin_email is None):
            yield ValueError("`serviceAccount` and `adminEmail` belong together: write both, or neither")
        if self.groups and self.service_account is None:
            yield MisfitError("Google tells groups only to a `serviceAccount` with `adminEmail`", "groups")


class Microsoft(OAuthApp):
    """Microsoft Entra ID."""

    tenant: Text
    """The tenant's id or name. `common` and `organizations` let in people of every tenant."""
    groups: list[Text] = Field(default_factory=list)
    """Groups whose people may sign in; by default all of the tenant."""
    only_security_groups: bool = True
    """Leave out distribution lists, which anyone may be able to join."""


class Saml(Model):
    """A SAML 2.0 identity provider; it cannot say that a person is gone until they sign in again."""

    sso_url: Url
    """Where browsers sign in."""
    ca: CaSource
    """Certificate that signs its answers."""
    entity_issuer: Text | None = None
    """Name by which the provider knows this Dex; by default the redirect address."""
    sso_issuer: Text | None = None
    """Name that its answers must have."""
    username: Text = "name"
    """Attribute with the user's name."""
    email: Text = "email"
    """Attribute with the e-mail address."""
    groups: Text | None = None
    """Attribute with the groups; absent: people have no groups."""
    allowed_groups: list[Text] = Field(default_factory=list)
    """Groups whose people may sign in; by default all."""


Kind = Ldap | Oidc | Github | Google | Microsoft | Saml


class Connector(Model):
    """Where people are looked up: exactly one of the kinds."""

    id: Name
    """Its id: part of every user's id, so it must not change."""
    name: Text | None = None
    """What the sign-in page calls it; by default the id."""
    ldap: Ldap | None = None
    """An LDAP directory."""
    oidc: Oidc | None = None
    """Another OpenID Connect issuer."""
    github: Github | None = None
    """GitHub."""
    google: Google | None = None
    """Google accounts."""
    microsoft: Microsoft | None = None
    """Microsoft Entra ID."""
    saml: Saml | None = None
    """A SAML 2.0 identity provider."""

    @conflict
    def _one_kind(self) -> Iterator[ValueError]:
        given = [each for each in KINDS if getattr(self, each) is not None]
        if len(given) != 1:
            yield ValueError(f"write one of {', '.join(KINDS)}")
        if self.id == "local":
            yield MisfitError("`local` is the id of Dex's own users: choose another", "id")
        if _holds_dollar(self.model_dump()):
            yield ValueError("a text holds `$`, which Dex would replace by an environment variable")

    @property
    def kind(self) -> str:
        """Its kind, as Dex calls it."""
        return next(each for each in KINDS if getattr(self, each) is not None)

    @property
    def chosen(self) -> Kind:
        """What is said of its kind."""
        chosen: Kind = getattr(self, self.kind)
        return chosen

    @property
    def sources(self) -> tuple[SecretSource, ...]:
        """Secrets that it reads."""
        named = (getattr(self.chosen, each, None) for each in ("secret", "password", "service_account"))
        return tuple(each for each in named if each is not None)


KINDS = ("ldap", "oidc", "github", "google", "microsoft", "saml")


def _holds_dollar(value: object) -> bool:
    if isinstance(value, dict):
        return any(_holds_dollar(each) for each in value.values())
    if isinstance(value, list):
        return any(_holds_dollar(each) for each in value)
    return isinstance(value, str) and "$" in value
