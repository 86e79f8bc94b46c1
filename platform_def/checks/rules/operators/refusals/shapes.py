"""Values held against their types: files in ConfigMaps, and parameters inside of other objects."""

from __future__ import annotations

from functools import cache

from platform_def.crds.structure import Structure
from platform_def.manifests.schemas.structural import value_schema
from platform_def.manifests.schemas.validator import Mismatch, ObjectSchema

_MINOR = 36
"""No type here has a format whose meaning changed between versions of Kubernetes."""
UNKNOWN = "unknown field"


@cache
def _shape(kind: type) -> ObjectSchema:
    schema = value_schema(Structure("").typed_dict(kind), _MINOR)
    return ObjectSchema(lambda: schema)


def mismatches(kind: type, value: object) -> tuple[Mismatch, ...]:
    """How a value differs from its type; a null counts as left out, as Go's decoders have it."""
    filled = _filled(value)
    return _shape(kind).mismatches(filled) if isinstance(filled, dict) else ()


def _filled(value: object) -> object:
    if isinstance(value, dict):
        return {key: _filled(each) for key, each in value.items() if each is not None}
    return [_filled(each) for each in value] if isinstance(value, list) else value
