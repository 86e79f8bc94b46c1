"""Where a Secret's content comes from. It is never in the repository; ciphertext may be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.config.model import Model, Subdomain, conflict

KeyName = Annotated[str, Field(pattern=r"^[-._a-zA-Z0-9]+$", max_length=253)]
FilePath = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$", max_length=400)]
"""A file of the repository, from its root."""


class ExternalSecretSource(Model):
    """A Secret that an ExternalSecret fetches."""

    store: Subdomain | None = None
    """ClusterSecretStore; by default the stack's one."""
    path: Annotated[str, Field(min_length=1, max_length=1000)]
    """Where the content is kept in that store."""


class GeneratedSource(Model):
    """A Secret that is made in the cluster once, and never again."""

    length: Annotated[int, Field(ge=16, le=128)] = 32
    """Characters of each password."""


class SecretSource(Model):
    """Where a Secret comes from: one of five ways."""

    existing: Subdomain | None = None
    """Name of a Secret that already exists in the namespace where it is used."""
    external_secret: ExternalSecretSource | None = None
    """An ExternalSecret fetches it from a store."""
    sealed: FilePath | None = None
    """File of the repository with a SealedSecret for it."""
    sops: FilePath | None = None
    """File of the repository with the Secret, encrypted by SOPS."""
    generate: GeneratedSource | None = None
    """It is made in the cluster, once: `{}` or `{length: 40}`."""
    keys: dict[KeyName, KeyName] = Field(default_factory=dict)
    """What its keys are called there, by what the component asks for: `{password: db-password}`."""

    @conflict
    def _one_way(self) -> Iterator[ValueError]:
        ways = ("existing", "external_secret", "sealed", "sops", "generate")
        given = [way for way in ways if getattr(self, way) is not None]
        if len(given) != 1:
            yield ValueError("name one of existing, externalSecret, sealed, sops, generate")

    @property
    def file(self) -> str | None:
        """The file of the repository that holds it as ciphertext, where one does."""
        return self.sealed or self.sops

    def key(self, name: str) -> str:
        """What a key is called there."""
        return self.keys.get(name, name)


GENERATED = SecretSource.model_construct(generate=GeneratedSource.of_defaults())
"""The default wherever a Secret may be of the cluster's own making."""


class CaSource(Model):
    """A private authority: who signed a certificate."""

    config_map: Subdomain
    """ConfigMap with it, in the namespace where it is used."""
    key: KeyName = "ca.crt"
    """Its key."""
