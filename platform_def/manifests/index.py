"""A stack's objects by what one asks of them: by key, by kind, the custom kinds that its CRDs serve, its namespaces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from platform_def.config.objects import CRD as CRD
from platform_def.manifests.custom_kind import CustomKind
from platform_def.manifests.rendered import RenderedObject

CRD_GROUP = "apiextensions.k8s.io"

Key = tuple[str, str, str, str]
GroupKind = tuple[str, str]


class ObjectIndex:
    """The objects of one stack, looked up; built once and read by everything that needs more than one object."""

    def __init__(self, objects: Iterable[RenderedObject]):
        self.objects = tuple(objects)

    @cached_property
    def by_key(self) -> Mapping[Key, tuple[RenderedObject, ...]]:
        """Objects by group, kind, namespace and name, which name one object in a cluster."""
        found: defaultdict[Key, list[RenderedObject]] = defaultdict(list)
        for item in self.objects:
            found[item.key].append(item)
        return {key: tuple(items) for key, items in found.items()}

    @cached_property
    def by_kind(self) -> Mapping[GroupKind, tuple[RenderedObject, ...]]:
        """Objects by group and kind."""
        found: defaultdict[GroupKind, list[RenderedObject]] = defaultdict(list)
        for item in self.objects:
            found[item.group, item.kind].append(item)
        return {kind: tuple(items) for kind, items in found.items()}

    @cached_property
    def custom(self) -> Mapping[GroupKind, CustomKind]:
        """Kinds that the stack's own CRDs serve."""
        kinds = (item.custom_kind for item in self.by_kind.get((CRD_GROUP, CRD), ()))
        return {(kind.group, kind.kind): kind for kind in kinds if kind}

    @cached_property
    def namespaces(self) -> frozenset[str]:
        """Names of the namespaces that the stack renders."""
        return frozenset(item.name for item in self.by_kind.get(("", "Namespace"), ()))
