"""Every object is one that the API server takes: known kind, known fields, right types, values in range."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault, Severity
from platform_def.checks.rule import ObjectRule
from platform_def.crds.catalogue import api_of
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.errors import nearest
from platform_def.manifests.ciphertext import encrypted
from platform_def.manifests.rendered import Kind, Manifest, RenderedObject
from platform_def.manifests.schemas import ObjectSchema
from platform_def.manifests.schemas.applied import by_apply_alone
from platform_def.manifests.schemas.messages import MISSING
from platform_def.manifests.schemas.validator import Mismatch

_OLDEST = 25
_INDEX = re.compile(r"\[\d+\]")


_DECRYPTED = frozenset({"sops", "data", "stringData"})
"""What Flux takes out of an encrypted Secret, or decrypts, before the API server sees it."""

_NO_CRD = (
    "add the component that brings its CRD, or name it `provided: true`; "
    "where the catalogue has none, put its CRD into a folder of your own (`path:`)"
)


_BUILT_IN = frozenset(api.rpartition("/")[0] for api, _ in CORE_KINDS) | {"extensions"}
"""Groups of which only the API server itself serves a kind."""
_ON_BY_DEFAULT = ("flowcontrol.apiserver.k8s.io/v1beta3",)
"""A beta version that came after 1.24, since when they are off until the server's flags turn them on, and is on."""


class _Unserved(NamedTuple):
    """Why the object's kind is not served."""

    text: str
    hint: str
    users_own: bool


class _Served(NamedTuple):
    """What the object's server takes of the kind."""

    schema: ObjectSchema
    foreign: bool
    """Whether the object comes from outside the stack, and it is unknown how it is applied."""


def _reads(context: Context, item: RenderedObject) -> _Served | _Unserved:
    return context.of_kind(_served, item.versioned_kind) or _unserved(context, item)


def _served(context: Context, kind: Kind) -> _Served | _Unserved | None:
    """None where nothing serves the kind: what there is to say depends on the object then."""
    kubernetes = context.stack.platform.kubernetes
    schemas = context.memo.schemas
    found = schemas.core(kubernetes, *kind)
    if found is not None and _is_off(context, kind):
        return _turned_off(kubernetes, kind)
    if found is None and "." in kind.group and (custom := context.custom_kind(kind.group, kind.kind, kind.version)):
        found = schemas.custom(kubernetes, custom, kind.version)
        if found is None:
            text = f"{kind.kind} is served as {' and '.join(sorted(custom.schemas))}, not as {kind.api_version}"
            return _Unserved(
                text,
                f"write apiVersion: {kind.group}/{max(custom.schemas, default='')}",
                users_own=context.knows_by_catalogue(kind),
            )
    return _Served(found, context.stack.foreign) if found else None


def _is_off(context: Context, kind: Kind) -> bool:
    """Whether it is a version that a server serves only when its flags say so, and the stack speaks of no gate."""
    if context.stack.platform.feature_gates or kind.api_version in _ON_BY_DEFAULT:
        return False
    since = CORE_KINDS[kind].since if kind in CORE_KINDS else 0
    version = kind.version
    return "alpha" in version or ("beta" in version and since > _OLDEST)


def _turned_off(kubernetes: str, kind: Kind) -> _Unserved:
    text = f"Kubernetes {kubernetes} serves no {kind.api_version} {kind.kind} unless --runtime-config turns it on"
    on = [api for api in _versions(kubernetes, kind.kind) if not re.search("alpha|beta", api)]
    hint = f"write apiVersion: {on[0]}" if on else "leave it out, or say under cluster.featureGates which gates are on"
    return _Unserved(text, hint, users_own=False)


def _versions(kubernetes: str, kind: str) -> list[str]:
    """The API versions in which Kubernetes has a kind."""
    return sorted(
        api for (api, name), known in CORE_KINDS.items() if name == kind and _has(kubernetes, known.since, known.until)
    )


def _unserved(context: Context, item: RenderedObject) -> _Unserved:
    kubernetes = context.stack.platform.kubernetes
    built_in = item.group in _BUILT_IN
    own = context.is_users_own(item) and not built_in
    versions = _versions(kubernetes, item.kind)
    if versions and built_in:
        text = f"Kubernetes {kubernetes} has no {item.api_version} {item.kind}"
        return _Unserved(text, f"it has {', '.join(versions)}", users_own=False)
    text = f"nothing serves {item.kind or 'an object without kind'} of {item.api_version or 'no apiVersion'}"
    if versions:
        return _Unserved(text, f"Kubernetes {kubernetes} has it in {', '.join(versions)}", own)
    if built_in:
        return _Unserved(text, _nearest_kind(kubernetes, item), own)
    if context.stack.foreign:
        return _Unserved(text, "its fields are not checked: its CRD is missing; add it to the manifests", own)
    known = {kind for group, kind in (*context.index.custom, *context.provided) if group == item.group}
    return _Unserved(text, nearest(item.kind, known) if known else _NO_CRD, own)


def _nearest_kind(kubernetes: str, item: RenderedObject) -> str:
    """The kind of any group that is written most like it, else those of its group."""
    every = {kind for (_, kind), known in CORE_KINDS.items() if _has(kubernetes, known.since, known.until)}
    near = nearest(item.kind, every)
    if near.startswith("did you mean"):
        return near
    return nearest(item.kind, {kind for api, kind in CORE_KINDS if api.rpartition("/")[0] == item.group})


def _has(kubernetes: str, since: int, until: int) -> bool:
    return since <= int(kubernetes.partition(".")[2]) <= until


def _check(manifest: Manifest, served: _Served | _Unserved) -> Iterable[Fault]:
    if isinstance(served, _Unserved):
        severity: Severity | None = "warning" if served.users_own else None
        return [Fault("", served.text, served.hint, severity, uncovered=True)]
    if manifest.get("kind") == "Secret" and encrypted(manifest):
        manifest = {key: value for key, value in manifest.items() if key not in _DECRYPTED}
    found = served.schema.mismatches(manifest)
    filled = _filled(manifest) if found else ()
    passing = _passing(found, manifest, served.schema) if found and served.foreign else ()
    return [
        Fault(*each, severity="warning" if each in passing else None)
        for each in found
        if each.text != MISSING or _INDEX.sub("[]", each.path) not in filled
    ]


def _passing(found: Sequence[Mismatch], manifest: Manifest, schema: ObjectSchema) -> set[Mismatch]:
    core = (manifest.get("apiVersion"), manifest.get("kind")) in CORE_KINDS
    return by_apply_alone(found, manifest, schema, core=core)


def _filled(manifest: Manifest) -> tuple[str, ...]:
    """Fields that a webhook of the kind's operator fills in."""
    group, _, version = str(manifest.get("apiVersion")).rpartition("/")
    api = api_of(group, str(manifest.get("kind")), version)
    return api.filled if api else ()


SCHEMA = ObjectRule(
    id="schema",
    severity="error",
    title="Every object matches the schema of the stack's Kubernetes version or CRD",
    why="The API server refuses the object and the sync stops at it, or it silently drops an unknown field.",
    fix="see the kind's fields with `platformctl explain api`, or in its CRD",
    reads=_reads,
    check=_check,
)
