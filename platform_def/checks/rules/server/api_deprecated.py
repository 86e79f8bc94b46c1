"""No object is written in a version of its kind that goes: the server still takes it, and a later one does not.

When core versions go follows from the schemas of the Kubernetes releases; a CRD says of its versions themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, OfKind
from platform_def.config.kubernetes import SUPPORTED_KUBERNETES, Kubernetes
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.manifests.rendered import Kind, Manifest
from platform_def.manifests.schemas import ObjectSchema

_MOST = 3
_NEWEST = Kubernetes(SUPPORTED_KUBERNETES[-1]).minor


class _Going(NamedTuple):
    """A version that goes."""

    text: str
    hint: str
    heir: str = ""
    """The apiVersion that the hint names."""
    schemas: tuple[ObjectSchema | None, ObjectSchema | None] = (None, None)
    """What the server takes of the version that goes, and of its heir; None where it does not serve it."""


def _reads(context: Context, written: Kind) -> _Going | None:
    kubernetes, schemas = context.stack.platform.kubernetes, context.memo.schemas
    if written in CORE_KINDS:
        core = _core(kubernetes.minor, *written)
        if core is None or not core.heir:
            return core
        now, then = (schemas.core(kubernetes, each, written.kind) for each in (written.api_version, core.heir))
        return core._replace(schemas=(now, then))
    custom = context.custom_kind(written.group, written.kind) if "." in written.group else None
    version = written.version
    if custom is None or version not in custom.deprecated:
        return None
    kept = max((each for each in custom.schemas if each not in custom.deprecated), default="")
    hint = f"write apiVersion: {written.group}/{kept}" if kept else "nothing else is served yet"
    text = custom.deprecated[version] or f"{written.api_version} {written.kind} is deprecated"
    both = (schemas.custom(kubernetes, custom, version), schemas.custom(kubernetes, custom, kept) if kept else None)
    return _Going(text, hint, f"{written.group}/{kept}", both)


def _core(minor: int, api_version: str, kind: str) -> _Going | None:
    known = CORE_KINDS[api_version, kind]
    if not known.since <= minor <= known.until < _NEWEST:
        return None
    after = known.until + 1
    heirs = [(api, each.since) for (api, name), each in CORE_KINDS.items() if name == kind and each.until >= after]
    text = f"Kubernetes 1.{after} has no {api_version} {kind} any more"
    if not heirs:
        return _Going(text, "nothing takes its place")
    api, since = min(heirs, key=lambda heir: (heir[1] > minor, "alpha" in heir[0], "beta" in heir[0], heir[0]))
    later = f", which Kubernetes 1.{since} brings" if since > minor else ""
    return _Going(text, f"write apiVersion: {api}{later}", api)


def _check(manifest: Manifest, going: _Going | None) -> Iterator[Fault]:
    if going:
        yield Fault("apiVersion", going.text, f"{going.hint}{_besides(manifest, going)}")


def _besides(manifest: Manifest, going: _Going) -> str:
    """What else of the object has to change, as far as a schema can tell."""
    now, then = going.schemas
    if now is None or then is None:
        return ""
    known = {each.path for each in now.mismatches(manifest)}
    wrong = [each for each in then.mismatches({**manifest, "apiVersion": going.heir}) if each.path not in known]
    said = "; ".join(f"{each.path}: {each.text}" for each in wrong[:_MOST])
    return f", which is different: {said}" if said else ""


API_DEPRECATED = ObjectRule(
    id="api-deprecated",
    severity="warning",
    title="No object uses a deprecated API version",
    why="An upgrade of the cluster, or of the operator, leaves an object that can be neither applied nor changed.",
    fix="write the version that stays",
    reads=OfKind(_reads),
    check=_check,
)
