"""What a stack may choose about Dex."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.capabilities.identity import ClientId
from platform_def.components.people.dex.connectors import Connector
from platform_def.components.people.dex.releases import RELEASES
from platform_def.config.model import MisfitError, Model, Name, Url, conflict
from platform_def.config.secrets import CaSource, KeyName, SecretSource
from platform_def.constructs import Component, ComponentConfig


class Client(Model):
    """A program outside the stack that signs people in here; those of the stack's components are known."""

    id: ClientId
    """Its client id."""
    name: str = ""
    """What the sign-in page calls it; by default the id."""
    redirect_uris: Annotated[list[Url], Field(min_length=1)]
    """Where browsers return to after they signed in: `http://localhost:8000` for `kubectl oidc-login`."""
    secret: SecretSource | None = None
    """Secret with the key `clientSecret`; absent: a public client, which runs on people's own machines."""


class LocalUser(Model):
    """A user of Dex's own, for a way in when the directory is down."""

    email: Annotated[str, Field(pattern=r"^[^\s@$]+@[^\s@$]+$", max_length=253)]
    """The address that the user types."""
    name: Annotated[str, Field(pattern=r"^[^$]*$", max_length=200)] = ""
    """The user's name; by default the address."""
    groups: list[str] = Field(default_factory=list)
    """The user's groups."""
    hash_key: KeyName
    """Key of `localPasswords` with the bcrypt hash of the user's password."""


class DexConfig(ComponentConfig):
    """What a stack may choose about Dex."""

    releases = RELEASES

    namespace: Name = "auth"
    """Namespace of Dex and of the secrets of its clients, upstream's."""
    issuer: Url | None = None
    """Its address, as tokens name it; by default `/dex` at the host of the stack's ingress. A change signs everyone
    out."""
    connectors: list[Connector] = Field(default_factory=list)
    """Where people are looked up."""
    local_users: list[LocalUser] = Field(default_factory=list)
    """Users of Dex's own. Their passwords are in no file: `localPasswords` names the Secret with the hashes."""
    local_passwords: SecretSource | None = None
    """Secret with the bcrypt hashes of local users' passwords, by key; it cannot be generated."""
    clients: list[Client] = Field(default_factory=list)
    """Programs outside the stack that sign people in here."""
    storage: Literal["kubernetes", "sql"] = "kubernetes"
    """Where sessions and signing keys are: custom resources in its namespace, or the stack's SQL database."""
    database_ca: CaSource | None = None
    """Authority that signed the database's certificate, where that is a private one."""

    @conflict
    def _apart(self) -> Iterator[ValueError]:
        for field, ids in (
            ("connectors", [each.id for each in self.connectors]),
            ("clients", [each.id for each in self.clients]),
            ("localUsers", [each.email for each in self.local_users]),
        ):
            for twice in dict.fromkeys(each for each in ids if ids.count(each) > 1):
                yield MisfitError(f"{twice} is there twice", field)

    @conflict
    def _hashes(self) -> Iterator[ValueError]:
        if bool(self.local_users) != (self.local_passwords is not None):
            yield ValueError("`localUsers` and `localPasswords` belong together: write both, or neither")
        if self.local_passwords and self.local_passwords.generate:
            text = "a generated password is no bcrypt hash: make one with `htpasswd -nBC 10` and name its Secret"
            yield MisfitError(text, "localPasswords")
        for connector in self.connectors:
            if any(source.generate for source in connector.sources):
                text = f"{connector.id}: its credentials are known to the provider, and cannot be generated"
                yield MisfitError(text, "connectors")

    @property
    def sources(self) -> list[SecretSource]:
        """All Secrets that it reads beside those of the stack's own clients."""
        of_connectors = [source for each in self.connectors for source in each.sources]
        of_clients = [each.secret for each in self.clients if each.secret]
        return [*of_connectors, *of_clients, *([self.local_passwords] if self.local_passwords else [])]


AnyDex = Component[DexConfig]
"""The component, as its parts see it."""
