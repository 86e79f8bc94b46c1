"""Objects held against the structural schema of their kind."""

from __future__ import annotations

from functools import cache
from typing import Any

from platform_def.crds.schema import Schema
from platform_def.manifests.rendered import Manifest
from platform_def.manifests.schemas.core import OBJECT_META, CoreSchemas
from platform_def.manifests.schemas.structural import resource_schema
from platform_def.manifests.schemas.validator import Mismatch, ObjectSchema

NOTHING = object()


@cache
def core() -> CoreSchemas:
    return CoreSchemas("1.36")


def judge(schema: Schema, value: Any = NOTHING, *, minor: int = 36, whole: bool = False, **more: Any) -> list[Mismatch]:
    """What is wrong with an object whose `spec`, or `whole` body, has this schema."""
    root = schema if whole else {"type": "object", "properties": {"spec": schema}}
    converted = resource_schema(root, core().with_needed(OBJECT_META), minor)
    item: Manifest = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "it"}} | more
    if value is not NOTHING:
        item["spec"] = value
    return list(ObjectSchema(lambda: converted).mismatches(item))


def texts(schema: Schema, value: Any = NOTHING, **more: Any) -> list[str]:
    """`path: what is wrong`."""
    return [f"{each.path}: {each.text}" for each in judge(schema, value, **more)]
