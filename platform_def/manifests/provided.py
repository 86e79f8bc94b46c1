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
    "argocd": ("platform_def.apis.argocd_v1alpha1",),
    "flux": ("platform_def.apis.flux_source_v1", "platform_def.apis.flux_kustomize_v1"),
}
"""Modules whose definitions each engine brings."""


def provided_kinds(platform: Platform) -> Mapping[GroupKind, CustomKind]:
    """Kinds of the stack's provided components, at the release it names or the newest known, and of its engine.

    Loads these components, and with them cdk8s: ask only for a kind that nothing else serves.
    """
    kinds = [_kind(definition) for definition in _engine(platform.delivery)]
    for name, fact in sorted(platform.components.items()):
        if fact.provided:
            kinds += [_kind(definition) for definition in _component(name, fact)]
    return {(kind.group, kind.kind): kind for kind in kinds if kind}


def _engine(engine: str) -> Iterator[Definition]:
    for module in _ENGINES.get(engine, ()):
        yield from import_module(module).CRDS


def _component(name: str, fact: ComponentFact) -> tuple[Definition, ...]:
    from platform_def.components.catalogue import component
    from platform_def.constructs.release import Release

    known = [release for release in component(name).config_model().releases if isinstance(release, Release)]
    fitting = [release for release in known if fact.release and f"{release.version}.".startswith(f"{fact.release}.")]
    return next(iter(fitting or known)).apis if known else ()


def _kind(definition: Definition) -> CustomKind | None:
    from platform_def.apis.crd import crd

    manifest = crd(definition)
    return CustomKind.of(manifest, hashlib.sha256(orjson.dumps(manifest)).hexdigest())
