"""Custom resources keep the rules of their CRD that compare them with what they were (`oldSelf`).

Asked for only where an earlier version of the set is given, so the rule is made for it and is not among those that
always run. Objects are the same by group, kind, namespace and name, and are compared in one API version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from platform_def.checks.about import About
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.rules.server.custom_rule import fault, schema_of
from platform_def.manifests.index import Key
from platform_def.manifests.rendered import Manifest, RenderedObject

TRANSITION = About(
    id="transition",
    severity="error",
    title="Custom resources change only as the CEL transition rules of their CRDs allow",
    why="The API server refuses the change with the rule's message, and the object stays as it was.",
    fix="leave the field as it was, or consent to delete and recreate the object: `replace:` in the stack",
)


def transition(previous: Iterable[RenderedObject]) -> StackRule:
    """The rule, for changes from an earlier version of the set."""
    known = {item.key: item.manifest for item in previous}
    return StackRule(**asdict(TRANSITION), check=lambda context: _check(context, known))


def _check(context: Context, former: dict[Key, Manifest]) -> Iterator[tuple[RenderedObject, Fault]]:
    for item, old in context.former(former):
        if old == item.manifest or old.get("apiVersion") != item.api_version:
            continue
        schema = context.of_kind(schema_of, item.versioned_kind)
        if schema is None or schema.rules is None or not schema.is_valid(item.manifest):
            continue
        always = {*schema.rules.broken(item.manifest)}
        for broken in schema.rules.broken(item.manifest, old):
            if broken not in always:
                yield item, fault(broken)
