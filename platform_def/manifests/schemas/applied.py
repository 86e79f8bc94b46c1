"""What server-side apply alone refuses: who creates the object, or writes it by kubectl's own apply, gets it through.

Flux writes by server-side apply, and so do the Applications of this tool; how third-party manifests are applied is
unknown here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from platform_def.manifests.rendered import Manifest
from platform_def.manifests.schemas.messages import ENTRIES_REFUSED, NULL_REFUSED
from platform_def.manifests.schemas.validator import Mismatch, ObjectSchema

_FREE = re.compile(
    r"(?:containers|initContainers|ephemeralContainers)\[\d+\]\.(?:env|ports)$"
    r"|(?:^|\.)(?:imagePullSecrets|hostAliases|secrets)$"
)
"""Lists of core kinds whose entries the server's own validation does not tell apart by their keys."""


def by_apply_alone(found: Sequence[Mismatch], manifest: Manifest, schema: ObjectSchema, *, core: bool) -> set[Mismatch]:
    """Of the mismatches of an object, those that are allowed unless it is written by server-side apply."""
    entries = {each for each in found if core and each.hint == ENTRIES_REFUSED and _FREE.search(each.path)}
    nulls = {each.path for each in found if each.hint == NULL_REFUSED}
    if not nulls:
        return entries
    passing = nulls - {each.path for each in schema.mismatches(_without_nulls(manifest))}
    return entries | {each for each in found if each.path in passing}


def _without_nulls(value: Any) -> Any:
    """As the server drops them from the fields of a custom resource; a list keeps them."""
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value
