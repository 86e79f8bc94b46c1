"""Every object is one that the API server takes: known kind, known fields, right types, values in range."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from platform_def.apis.catalogue import api_of
from platform_def.apis.core.kinds import CORE_KINDS
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule
from platform_def.errors import nearest
from platform_def.manifests.index import CustomKind
from platform_def.manifests.rendered import Manifest, RenderedObject
from platform_def.manifests.schemas import ObjectSchema
from platform_def.manifests.schemas.messages import MISSING

_INDEX = re.compile(r"\[\d+\]")


_NO_CRD = (
    "add the component that brings its CRD, or name it `provided: true`; "
    "where the catalogue has none, put its CRD into a folder of your own (`path:`)"
)


class _Unserved(NamedTuple):
    """Why nobody serves the object's kind."""

    text: str
    hint: str
    users_own: bool


def _reads(context: Context, item: RenderedObject) -> ObjectSchema | _Unserved:
    kubernetes = context.stack.platform.kubernetes
    schemas = context.memo.schemas
    found = schemas.core(kubernetes, item.api_version, item.kind)
    if found is None and "." in item.group and (custom := _custom(context, item)):
        found = schemas.custom(kubernetes, custom, item.api_version.rpartition("/")[2])
        if found is None:
            text = f"{item.kind} is served as {' and '.join(sorted(custom.schemas))}, not as {item.api_version}"
            return _Unserved(
                text,
                f"write apiVersion: {item.group}/{max(custom.schemas, default='')}",
                users_own=context.knows_by_catalogue(item),
            )
    return found or _unserved(context, item)


def _custom(context: Context, item: RenderedObject) -> CustomKind | None:
    return context.custom_kind(item.group, item.kind, item.api_version.rpartition("/")[2])


def _unserved(context: Context, item: RenderedObject) -> _Unserved:
    kubernetes = context.stack.platform.kubernetes
    own = context.is_users_own(item)
    versions = sorted(
        api
        for (api, kind), known in CORE_KINDS.items()
        if kind == item.kind and _has(kubernetes, known.since, known.until)
    )
    if versions and (item.api_version, item.kind) in CORE_KINDS:
        return _Unserved(
            f"Kubernetes {kubernetes} has no {item.api_version} {item.kind}",
            f"it has {', '.join(versions)}",
            users_own=False,
        )
    text = f"nobody serves {item.kind or 'an object without kind'} of {item.api_version or 'no apiVersion'}"
    if versions:
        return _Unserved(text, f"Kubernetes {kubernetes} has it in {', '.join(versions)}", own)
    if context.stack.foreign:
        return _Unserved(text, "its fields are not checked: nobody here has its CRD; add it to the manifests", own)
    known = {kind for api, kind in CORE_KINDS if api.rpartition("/")[0] == item.group}
    known |= {kind for group, kind in (*context.index.custom, *context.provided) if group == item.group}
    return _Unserved(text, nearest(item.kind, known) if known else _NO_CRD, own)


def _has(kubernetes: str, since: int, until: int) -> bool:
    return since <= int(kubernetes.partition(".")[2]) <= until


def _check(manifest: Manifest, served: ObjectSchema | _Unserved) -> Iterable[Fault]:
    if isinstance(served, _Unserved):
        return [Fault("", served.text, served.hint, "warning" if served.users_own else None)]
    found = served.mismatches(manifest)
    filled = _filled(manifest) if found else ()
    return [Fault(*each) for each in found if each.text != MISSING or _INDEX.sub("[]", each.path) not in filled]


def _filled(manifest: Manifest) -> tuple[str, ...]:
    """Fields that a webhook of the kind's operator fills in."""
    group, _, version = str(manifest.get("apiVersion")).rpartition("/")
    api = api_of(group, str(manifest.get("kind")), version)
    return api.filled if api else ()


SCHEMA = ObjectRule(
    id="schema",
    severity="error",
    title="Every object fits the schema that its API server has for it",
    why="The API server refuses the object and the sync stops at it, or it drops an unknown field without a word.",
    fix="see the kind's fields with `platformctl explain api`, or in its CRD",
    reads=_reads,
    check=_check,
)
