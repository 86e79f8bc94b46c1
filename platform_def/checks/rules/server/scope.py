"""Objects of namespaced kinds name a namespace, those of the cluster do not."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, OfKind
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.manifests.rendered import Kind, Manifest
from platform_def.manifests.scope import namespaced


def _reads(context: Context, kind: Kind) -> bool | None:
    if kind in CORE_KINDS:
        return namespaced(*kind)
    custom = context.custom_kind(kind.group, kind.kind) if "." in kind.group else None
    return custom.namespaced if custom else None


def _check(manifest: Manifest, in_namespaces: bool | None) -> Iterator[Fault]:
    metadata = manifest.get("metadata")
    named = bool(isinstance(metadata, dict) and metadata.get("namespace"))
    if in_namespaces is False and named:
        text = f"{manifest['kind']} belongs to the cluster, not to a namespace"
        yield Fault("metadata.namespace", text, "remove the namespace")
    if in_namespaces and not named:
        text = f"{manifest['kind']} lives in a namespace, and names none"
        yield Fault("metadata.namespace", text, "add the namespace: without it the engine's default decides")


SCOPE = ObjectRule(
    id="scope",
    severity="error",
    title="Namespaced objects name a namespace, cluster-scoped ones do not",
    why="Without one the object lands wherever the engine's default points; with a wrong one it never gets in sync.",
    fix="add or remove metadata.namespace",
    reads=OfKind(_reads),
    check=_check,
    without_stack="as a warning",
)
