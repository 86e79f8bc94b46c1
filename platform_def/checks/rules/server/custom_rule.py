"""Every custom resource satisfies the CEL rules of its CRD (`x-kubernetes-validations`).

Rules are the last thing that the API server looks at, so an object that does not fit its schema is not held to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, OfKind
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import Kind, Manifest
from platform_def.manifests.schemas import ObjectSchema

if TYPE_CHECKING:
    from platform_def.manifests.cel.rules import Broken


def schema_of(context: Context, kind: Kind) -> ObjectSchema | None:
    """The schema of a custom resource in its version; None for core kinds, and for kinds that are not served."""
    group = kind.group
    if "." not in group or (custom := context.custom_kind(group, kind.kind, kind.version)) is None:
        return None
    return context.memo.schemas.custom(context.stack.platform.kubernetes, custom, kind.version)


def fault(broken: Broken) -> Fault:
    """A broken rule as users read it."""
    return Fault(dotted(broken.path), broken.text, f"the CRD's rule: {broken.rule}" if broken.rule else "")


def _check(manifest: Manifest, schema: ObjectSchema | None) -> Iterator[Fault]:
    if schema is not None and schema.rules is not None and schema.is_valid(manifest):
        yield from map(fault, schema.rules.broken(manifest))


CUSTOM_RULE = ObjectRule(
    id="custom-rule",
    severity="error",
    title="Every custom resource satisfies the CEL rules of its CRD",
    why="The API server refuses the object with the rule's message, and the sync stops at it.",
    fix="see the rule in the kind's fields, with `platformctl explain api`",
    reads=OfKind(schema_of),
    check=_check,
)
