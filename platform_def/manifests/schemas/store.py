"""The schemas that one run needs, each converted and compiled once for all stacks."""

from __future__ import annotations

from collections.abc import Hashable

from platform_def.crds.schema import Schema
from platform_def.manifests.custom_kind import CustomKind
from platform_def.manifests.schemas.core import OBJECT_META, CoreSchemas
from platform_def.manifests.schemas.structural import not_negative, resource_schema
from platform_def.manifests.schemas.validator import ObjectSchema


class Schemas:
    """Schemas by kind; the same kind of the same Kubernetes version or CRD is the same object."""

    def __init__(self) -> None:
        self._core: dict[str, CoreSchemas] = {}
        self._kept: dict[Hashable, ObjectSchema | None] = {}

    def core(self, kubernetes: str, api_version: str, kind: str) -> ObjectSchema | None:
        """The schema of a core kind in a minor version (`1.36`), or None where that version has no such kind."""
        key = (kubernetes, api_version, kind)
        if key not in self._kept:
            schema = self._version(kubernetes).schema(api_version, kind)
            self._kept[key] = ObjectSchema(lambda: schema) if schema else None
        return self._kept[key]

    def custom(self, kubernetes: str, kind: CustomKind, version: str) -> ObjectSchema | None:
        """The schema of a custom kind in one of its versions, or None where that version is not served."""
        if version not in kind.schemas:
            return None
        key = (kubernetes, kind.identity, version)
        if key not in self._kept:
            schema, replicas = kind.schemas[version], kind.replicas.get(version, ())
            self._kept[key] = ObjectSchema(lambda: self._resource(kubernetes, schema, replicas), schema)
        return self._kept[key]

    def _resource(self, kubernetes: str, schema: Schema, replicas: tuple[str, ...]) -> Schema:
        metadata = self._version(kubernetes).with_needed(OBJECT_META)
        try:
            found = resource_schema(schema, metadata, int(kubernetes.partition(".")[2]))
            for path in replicas:
                found = not_negative(found, path.lstrip(".").split("."))
            return found
        except (AttributeError, TypeError):
            return {}  # no schema in its shape: the CRD is reported, what it serves is not judged

    def _version(self, kubernetes: str) -> CoreSchemas:
        if kubernetes not in self._core:
            self._core[kubernetes] = CoreSchemas(kubernetes)
        return self._core[kubernetes]
