"""Custom kinds that a cluster serves although the stack renders no CRD of them.

They come from components that the stack says are there already (`provided:`), and from the delivery engine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

import orjson

from platform_def.crds.catalogue import components_with_apis, definition_of, newest_definitions
from platform_def.crds.model import Definition
from platform_def.manifests.custom_kind import CustomKind
from platform_def.manifests.index import GroupKind

if TYPE_CHECKING:
    from platform_def.config.platform import ComponentFact, Platform

_ENGINES: Mapping[str, tuple[str, ...]] = {
    "argocd": ("argocd.v1alpha1",),
    "flux": ("flux.source_v1", "flux.kustomize_v1"),
}
"""Modules of `apis` whose kinds each engine brings."""


def provided_definitions(platform: Platform) -> Mapping[GroupKind, Definition]:
    """Kinds that the stack serves without a CRD of its own: of provided components at the release it names, of its
    engine, and those that exist outside the stack.

    Loads components of packages, and with them cdk8s: ask only for a kind that nothing else serves.
    """
    found = [each for api in sorted(platform.apis) if (each := definition_of(*api.partition(".")[::-2])) is not None]
    found += _engine(platform.delivery)
    for name, fact in sorted(platform.components.items()):
        if fact.provided:
            found += _component(name, fact)
    return {(definition.api.group, definition.api.kind): definition for definition in found}


def custom_kind(definition: Definition) -> CustomKind:
    """The kind as the CRD of its definition serves it."""
    from platform_def.crds.crd import crd

    manifest = crd(definition)
    kind = CustomKind.of(manifest, hashlib.sha256(orjson.dumps(manifest)).hexdigest())
    if kind is None:
        raise AssertionError(f"the CRD of {definition.name} is incomplete")
    return kind


def _engine(engine: str) -> Iterator[Definition]:
    for module in _ENGINES.get(engine, ()):
        yield from import_module(f"platform_def.apis.{module}").CRDS


def _component(name: str, fact: ComponentFact) -> tuple[Definition, ...]:
    """From the catalogue of APIs, which costs nothing; a package's component has them in its releases."""
    kind = fact.component or name
    if kind in components_with_apis():
        return newest_definitions(kind, fact.release)
    from platform_def.components.catalogue import catalogue, component
    from platform_def.constructs.release import Release

    if kind not in catalogue():
        return ()
    known = [release for release in component(kind).config_model().releases if isinstance(release, Release)]
    fitting = [release for release in known if fact.release and f"{release.version}.".startswith(f"{fact.release}.")]
    return next(iter(fitting or known)).apis if known else ()
