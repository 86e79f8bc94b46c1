"""A stack's objects by what one asks of them: by key, by kind, the custom kinds that its CRDs serve, its namespaces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from platform_def.config.objects import CRD as CRD
from platform_def.manifests.loose import at, text
from platform_def.manifests.rendered import Manifest, RenderedObject

CRD_GROUP = "apiextensions.k8s.io"

Key = tuple[str, str, str, str]
GroupKind = tuple[str, str]


@dataclass(frozen=True, eq=False)
class CustomKind:
    """What one CRD serves."""

    group: str
    kind: str
    plural: str
    namespaced: bool
    schemas: Mapping[str, Manifest]
    """OpenAPI v3 schema by served version; empty where the CRD has none."""
    identity: str
    """Equal for equal CRDs."""
    deprecated: Mapping[str, str] = field(default_factory=dict)
    """Served versions that go, with what the CRD says of it, or an empty text."""
    replicas: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By version, the paths (`.spec.replicas`) of what the subresource `scale` reads: none may be negative."""

    @staticmethod
    def of(crd: Manifest, identity: str) -> CustomKind | None:
        """The kind of a CRD; None for one that is too broken to tell (the schema check reports it as an object)."""
        try:
            spec = crd["spec"]
            schemas = {
                str(version["name"]): (version.get("schema") or {}).get("openAPIV3Schema") or {}
                for version in spec["versions"]
                if version["served"] is True
            }
            group, kind, plural = spec["group"], spec["names"]["kind"], spec["names"]["plural"]
            if not all(isinstance(each, str) for each in (group, kind, plural)):
                return None
            going = {
                str(version["name"]): text(version.get("deprecationWarning"))
                for version in spec["versions"]
                if version.get("deprecated") is True
            }
            replicas = {str(version["name"]): _scaled(version) for version in spec["versions"]}
            return CustomKind(group, kind, plural, spec["scope"] == "Namespaced", schemas, identity, going, replicas)
        except (KeyError, TypeError, AttributeError):
            return None


def _scaled(version: Manifest) -> tuple[str, ...]:
    paths = (at(version, f"subresources.scale.{name}ReplicasPath") for name in ("spec", "status"))
    return tuple(path for path in paths if isinstance(path, str) and path.startswith("."))


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
        kinds = (CustomKind.of(item.manifest, item.text) for item in self.by_kind.get((CRD_GROUP, CRD), ()))
        return {(kind.group, kind.kind): kind for kind in kinds if kind}

    @cached_property
    def namespaces(self) -> frozenset[str]:
        """Names of the namespaces that the stack renders."""
        return frozenset(item.name for item in self.by_kind.get(("", "Namespace"), ()))
