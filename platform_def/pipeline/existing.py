"""Objects that a stack says the cluster has: its list, Secrets that fields name, what provided components bring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel

from platform_def.config.platform import ExistingObject, Offers
from platform_def.config.stack import Stack
from platform_def.config.storage import ExistingStorage, SecretRef


def existing_objects(
    stack: Stack, configs: Iterable[BaseModel], offers: Mapping[str, Offers], provided: Iterable[str]
) -> set[ExistingObject]:
    """Everything that others may name although nobody renders it; `provided` are names of components in `offers`."""
    return {
        *map(ExistingObject.parse, stack.cluster.existing),
        *(found for model in (stack, *configs) for found in _secrets(model)),
        *_classes(stack),
        *_runtimes(stack),
        *_brought(offers[name] for name in provided),
        *(found for offer in offers.values() for found in offer.existing),
        *_of_the_gateway(stack),
    }


def _secrets(value: object) -> Iterator[ExistingObject]:
    """Every `existing:` Secret in a configuration, however deep."""
    if isinstance(value, SecretRef):
        yield ExistingObject("Secret", value.name, value.namespace)
    elif isinstance(value, BaseModel):
        for _, inner in value:
            yield from _secrets(inner)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _secrets(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _secrets(inner)


def _classes(stack: Stack) -> Iterator[ExistingObject]:
    for name, storage in stack.storage.items():
        if isinstance(storage, ExistingStorage):
            yield ExistingObject("StorageClass", storage.class_name or name, group="storage.k8s.io")


def _runtimes(stack: Stack) -> Iterator[ExistingObject]:
    """Other makers' plugins, which bring these, are the cluster's own."""
    for pool in stack.node_pools:
        if pool.accelerator and pool.accelerator.runtime_class:
            yield ExistingObject("RuntimeClass", pool.accelerator.runtime_class, group="node.k8s.io")


def _brought(offers: Iterable[Offers]) -> Iterator[ExistingObject]:
    for offer in offers:
        yield from (ExistingObject("StorageClass", name, group="storage.k8s.io") for name in offer.storage_classes)
        yield from (ExistingObject("RuntimeClass", name, group="node.k8s.io") for name in offer.runtime_classes)


def _of_the_gateway(stack: Stack) -> Iterator[ExistingObject]:
    if stack.ingress.tls and stack.ingress.tls.secret:
        yield ExistingObject("Secret", stack.ingress.tls.secret)
    if stack.ingress.tls and stack.ingress.tls.issuer:
        yield ExistingObject("ClusterIssuer", stack.ingress.tls.issuer, group="cert-manager.io")
