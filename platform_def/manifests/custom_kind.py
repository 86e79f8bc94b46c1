"""What one CRD serves, as far as it can be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from platform_def.crds.schema import Manifest
from platform_def.manifests.loose import at, text


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
