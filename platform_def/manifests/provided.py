"""Custom kinds that a cluster serves although the stack renders no CRD of them.

They come from components that the stack says are there already (`provided:`), and from the delivery engine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from importlib import import_module

import orjson

from platform_def.apis.model import Definition
from platform_def.config.platform import ComponentFact, Platform
from platform_def.manifests.index import CustomKind, GroupKind

_ENGINES: Mapping[str, tuple[str, ...]] = {
    "argocd": ("argocd_v1alpha1",),
    "flux": ("flux_source_v1", "flux_kustomize_v1"),
}
"""Modules of `apis` whose kinds each engine brings."""


def provided_definitions(platform: Platform) -> Mapping[GroupKind, Definition]:
    """Kinds of the stack's provided components, at the release it names or the newest known, and of its engine.

    Loads these components, and with them cdk8s: ask only for a kind that nothing else serves.
    """
    found = list(_engine(platform.delivery))
    for name, fact in sorted(platform.components.items()):
        if fact.provided:
            found += _component(name, fact)
    return {(definition.api.group, definition.api.kind): definition for definition in found}


def custom_kind(definition: Definition) -> CustomKind:
    """The kind as the CRD of its definition serves it."""
    from platform_def.apis.crd import crd

    manifest = crd(definition)
    kind = CustomKind.of(manifest, hashlib.sha256(orjson.dumps(manifest)).hexdigest())
    if kind is None:
        raise AssertionError(f"the CRD of {definition.name} is incomplete")
    return kind


def _engine(engine: str) -> Iterator[Definition]:
    for module in _ENGINES.get(engine, ()):
        yield from import_module(f"platform_def.apis.{module}").CRDS


def _component(name: str, fact: ComponentFact) -> tuple[Definition, ...]:
    from platform_def.components.catalogue import component
    from platform_def.constructs.release import Release

    known = [release for release in component(name).config_model().releases if isinstance(release, Release)]
    fitting = [release for release in known if fact.release and f"{release.version}.".startswith(f"{fact.release}.")]
    return next(iter(fitting or known)).apis if known else ()
