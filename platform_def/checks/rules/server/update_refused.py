"""Objects change only in fields that the API server lets change.

Asked only where an earlier version of the set is given, as `transition` is; that one speaks of custom resources, and
this one of Kubernetes' own kinds (`manifests/updates`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from platform_def.checks.about import About
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.manifests.loose import at, mapping
from platform_def.manifests.rendered import JOBS, RenderedObject
from platform_def.manifests.updates.change import Change, Refused, Row
from platform_def.manifests.updates.table import rows_of

UPDATE_REFUSED = About(
    id="update-refused",
    severity="error",
    title="Objects change only in fields that the API server lets change",
    why="The API server refuses the object as a whole, and the old one stays. The engine tries again without end, and "
    "what waits for the object waits with it.",
    fix="keep the field as it was, give the object a new name, or consent to delete and recreate it: `replace:`",
)

_MADE_OTHERWISE = frozenset(
    {
        *(("argocd.argoproj.io/hook", phase) for phase in ("PreSync", "Sync", "PostSync", "SyncFail", "Skip")),
        ("kustomize.toolkit.fluxcd.io/ssa", "IfNotPresent"),
        ("kustomize.toolkit.fluxcd.io/ssa", "Ignore"),
        ("kustomize.toolkit.fluxcd.io/reconcile", "disabled"),
    }
)
"""Annotations of objects that the engine makes for each sync, makes once, or leaves alone."""


@dataclass(frozen=True, eq=False)
class Refusal:
    """A change that the API server refuses, with the row of the table that says so."""

    item: RenderedObject
    row: Row
    change: Change
    refused: Refused

    @property
    def replaceable(self) -> bool:
        """Whether deleting and recreating the object is a way out."""
        return self.row.replaceable and self.refused.severity == "error"


def update_refused(previous: Iterable[RenderedObject]) -> StackRule:
    """The rule, for changes from an earlier version of the set."""
    known = list(previous)

    def check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
        for each in refusals(context, known):
            yield each.item, Fault(each.refused.path, each.refused.text, _hint(each, context), each.refused.severity)

    return StackRule(**asdict(UPDATE_REFUSED), check=check)


def refusals(context: Context, previous: Iterable[RenderedObject]) -> Iterator[Refusal]:
    """What the table says to the changes from an earlier version of the set."""
    known = {item.key: item.manifest for item in previous}
    classes = {item.name: item.manifest for item in context.index.by_kind.get(("storage.k8s.io", "StorageClass"), ())}
    for item, old in context.former(known):
        if old == item.manifest or old.get("apiVersion") != item.api_version:
            continue
        rows = rows_of(item.group, item.kind) if _is_updated(item) else ()
        if not rows:
            continue
        change = Change.of(old, item.manifest, context.stack.platform.kubernetes, classes)
        for row in rows:
            yield from (Refusal(item, row, change, refused) for refused in row.find(change))


def _is_updated(item: RenderedObject) -> bool:
    """Whether an engine updates the object where it is there already: not jobs of the stack, nor hooks."""
    annotations = mapping(at(item.manifest, "metadata.annotations"))
    return item.component != JOBS and not any(
        (key, value) in _MADE_OTHERWISE for key, value in annotations.items() if isinstance(value, str)
    )


def _hint(each: Refusal, context: Context) -> str:
    way = each.refused.hint or each.row.way_out(each.change)
    if not each.replaceable:
        return way
    lost = each.row.lost(each.change)
    if context.stack.foreign:
        return f"{way}; or delete the object and apply it again: {lost}"
    name = called(each.item, context.own)
    return f'{way}; or write `replace: {{{name}: "why"}}`, and it is deleted and recreated: {lost}'


def called(item: RenderedObject, objects: Iterable[RenderedObject]) -> str:
    """What `replace:` calls an object: `Kind/name`, with group and namespace only where that is ambiguous."""
    alike = [each for each in objects if (each.kind, each.name) == (item.kind, item.name)]
    groups, namespaces = (Counter(each.group for each in alike), Counter(each.namespace for each in alike))
    kind = f"{item.kind}.{item.group}" if len(groups) > 1 and item.group else item.kind
    return f"{kind}/{item.namespace}/{item.name}" if len(namespaces) > 1 and item.namespace else f"{kind}/{item.name}"
