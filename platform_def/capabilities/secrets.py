"""Where Secrets come from that are kept outside the cluster, and what a stack must have for each source of one."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import JsonValue

from platform_def.config.capability import Capability, Need, need
from platform_def.config.model import Subdomain
from platform_def.config.platform import Platform
from platform_def.config.secrets import SecretSource
from platform_def.errors import ConfigError

EXTERNAL_SECRETS = "ExternalSecret.external-secrets.io"
SEALED_SECRETS = "SealedSecret.bitnami.com"
EVERYWHERE = "sealedsecrets.bitnami.com/cluster-wide"
"""Annotation of a SealedSecret that may be opened under any name in any namespace."""


class SecretStore(Capability):
    """A ClusterSecretStore of External Secrets: what is kept in a vault arrives as Secrets of any namespace."""

    title: ClassVar[str] = "a secret store"

    store: Subdomain
    """Name of the ClusterSecretStore."""


def needs_of(source: SecretSource | None) -> tuple[Need[Any], ...]:
    """The capabilities that a component needs for a Secret of this source: for its `needs_of`."""
    asks = source is not None and source.external_secret is not None and source.external_secret.store is None
    return (need(SecretStore),) if asks else ()


def refuse_unserved(source: SecretSource, platform: Platform) -> None:
    """ConfigError where nothing in the stack makes a Secret of this source."""
    if source.external_secret and not platform.serves(EXTERNAL_SECRETS):
        raise ConfigError(
            "externalSecret: the stack has no External Secrets, which fetches it",
            hint="add `external-secrets: {provided: true}` where the cluster has it, or choose another source",
        )
    if source.external_secret:
        store_of(source, platform)
    if source.sealed and not platform.serves(SEALED_SECRETS):
        raise ConfigError(
            "sealed: the stack has no Sealed Secrets, whose controller opens it",
            hint="add `sealed-secrets: {provided: true}` where the cluster has it, or choose another source",
        )
    if source.sops and platform.delivery != "flux":
        who = "Argo CD applies" if platform.delivery == "argocd" else "no engine decrypts"
        raise ConfigError(
            f"sops: {who} the file{' as it is' if platform.delivery == 'argocd' else ''}: Flux alone opens it",
            hint="write `sealed:` or `externalSecret:`, or have Flux deliver: `delivery: {engine: flux}`",
        )


def store_of(source: SecretSource, platform: Platform) -> str:
    """Name of the store that an `externalSecret` is kept in; ConfigError where none is named."""
    said = source.external_secret.store if source.external_secret else None
    return said or platform.one(SecretStore, who="externalSecret").value.store


def documents(source: SecretSource, platform: Platform) -> tuple[dict[str, JsonValue], ...]:
    """The encrypted Secrets of its file; none for other sources. ConfigError where the file has not been read."""
    if not source.file:
        return ()
    found = platform.ciphertext(source.file)
    if not found:
        raise ConfigError(f"{source.file}: not among the platform's ciphertexts", hint="pass its documents with them")
    return found


def document_for(source: SecretSource, namespace: str, platform: Platform) -> dict[str, JsonValue]:
    """The encrypted Secret for one namespace: that of the namespace, or one that may be opened everywhere."""
    found = documents(source, platform)
    for each in found:
        if _metadata(each).get("namespace") == namespace:
            return each
    for each in found:
        annotations = _metadata(each).get("annotations")
        if isinstance(annotations, dict) and annotations.get(EVERYWHERE) == "true":
            return each
    what, hint = "SealedSecret", f"seal one with `kubeseal --namespace {namespace}`, or with `--scope cluster-wide`"
    if source.sops:
        what, hint = "Secret", f"add one with `namespace: {namespace}`, as a document of its own"
    raise ConfigError(f"{source.file}: holds no {what} for the namespace {namespace}", hint=hint)


def keys_in(document: dict[str, JsonValue]) -> set[str]:
    """The keys of an encrypted Secret."""
    spec = document.get("spec")
    held = [spec.get("encryptedData")] if isinstance(spec, dict) else [document.get("data"), document.get("stringData")]
    return {key for each in held if isinstance(each, dict) for key in each}


def _metadata(document: dict[str, JsonValue]) -> dict[str, JsonValue]:
    found = document.get("metadata")
    return found if isinstance(found, dict) else {}
