"""No object is rendered twice: two owners of one object overwrite each other at every sync."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault, Severity
from platform_def.checks.rule import StackRule
from platform_def.manifests.rendered import RenderedObject

_NAMESPACES = "namespaces"
"""The component that makes the namespaces that others ask for."""

_FOREIGN_HINT = "remove one of them, or give it another name or namespace: the last one wins"


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    named = (items for items in context.index.by_key.values() if items[0].name)
    for first, *others in named:
        for item in others:
            if context.stack.foreign:
                yield item, _in_files(first, item)
            else:
                text = f"component {first.component} renders it as well ({first.origin})"
                yield item, Fault("", text, _hint(first, item))


def _in_files(first: RenderedObject, item: RenderedObject) -> Fault:
    """Of one file both are meant; files of a folder may be alternatives, and a cluster takes both."""
    document = f", document {first.document}" if first.document else ""
    severity: Severity | None = None if first.origin == item.origin else "warning"
    return Fault("", f"is in {first.origin}{document} as well", _FOREIGN_HINT, severity)


def _hint(*items: RenderedObject) -> str | None:
    """How to keep an application's own Namespace; None where the rule's remedy says enough."""
    makers = {item.component for item in items} - {_NAMESPACES}
    if items[0].kind != "Namespace" or len(makers) != 1:
        return None
    return f"delete it from {makers.pop()}, or leave out `namespace:` of that component: its objects then name theirs"


DUPLICATE_OBJECT = StackRule(
    id="duplicate-object",
    severity="error",
    title="Every object is rendered once",
    why="Two Applications or Kustomizations that own one object overwrite each other, and removing either deletes it. "
    "With `check -f` it is a warning where they stand in two files, which may be alternatives.",
    fix="leave it to one of the two components, or give one of them another name or namespace",
    check=_check,
)
