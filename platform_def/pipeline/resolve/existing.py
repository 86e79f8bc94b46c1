"""Objects that a stack says the cluster has: its list, Secrets that fields name, what provided components bring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel

from platform_def.capabilities import RuntimeClass, SecretStore, SqlDatabase, capabilities
from platform_def.config.platform import ExistingObject, Offers, Platform
from platform_def.config.secrets import SecretSource
from platform_def.config.stack import Stack
from platform_def.config.storage import ExistingStorage, SecretRef


def existing_objects(
    stack: Stack, configs: Iterable[BaseModel], offers: Mapping[str, Offers], platform: Platform
) -> set[ExistingObject]:
    """Everything that objects may name although the stack does not render it."""
    return {
        *map(ExistingObject.parse, stack.cluster.existing),
        *(found for model in (stack, *configs) for found in _secrets(model)),
        *_given_secrets(platform),
        *_classes(stack),
        *_runtimes(stack),
        *_brought(platform),
        *(found for offer in offers.values() for found in offer.existing),
        *_of_the_gateway(stack),
        *(ExistingObject("Secret", name) for name in stack.cluster.pull_secrets),
    }


def _secrets(value: object) -> Iterator[ExistingObject]:
    """Every `existing:` Secret in a configuration, however deep."""
    if isinstance(value, SecretRef):
        yield ExistingObject("Secret", value.name, value.namespace)
    elif isinstance(value, SecretSource):
        if value.existing:
            yield ExistingObject("Secret", value.existing)
    elif isinstance(value, BaseModel):
        for _, inner in value:
            yield from _secrets(inner)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _secrets(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _secrets(inner)


def _given_secrets(platform: Platform) -> Iterator[ExistingObject]:
    """What given capabilities name: credentials that exist, administrators of servers and stores of the cluster."""
    known = capabilities()
    for each in platform.provisions:
        value = known[each.kind].from_file(dict(each.data))
        yield from _secrets(value)
        if isinstance(value, SqlDatabase) and value.administrator and each.provided:
            yield ExistingObject("Secret", value.administrator.secret, value.namespace or "")
        if isinstance(value, SecretStore) and each.provided:
            yield ExistingObject("ClusterSecretStore", value.store, group="external-secrets.io")


def _classes(stack: Stack) -> Iterator[ExistingObject]:
    for name, storage in stack.storage.items():
        if isinstance(storage, ExistingStorage):
            yield ExistingObject("StorageClass", storage.class_name or name, group="storage.k8s.io")


def _runtimes(stack: Stack) -> Iterator[ExistingObject]:
    """Other makers' plugins, which bring these, are the cluster's own."""
    for pool in stack.node_pools:
        if pool.accelerator and pool.accelerator.runtime_class:
            yield ExistingObject("RuntimeClass", pool.accelerator.runtime_class, group="node.k8s.io")


def _brought(platform: Platform) -> Iterator[ExistingObject]:
    """RuntimeClasses that the cluster has, by itself or with a component of its own."""
    for given in platform.all(RuntimeClass):
        if given.provided or given.value.made == "existing":
            yield ExistingObject("RuntimeClass", given.value.name, group="node.k8s.io")


def _of_the_gateway(stack: Stack) -> Iterator[ExistingObject]:
    for tls in (stack.ingress.tls, *(each.tls for each in stack.ingress.further_hosts)):
        if tls and tls.secret:
            yield ExistingObject("Secret", tls.secret)
        if tls and tls.issuer:
            yield ExistingObject("ClusterIssuer", tls.issuer, group="cert-manager.io")
