"""No default class of storage deletes data unless the stack says so: claims that name no class get it."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.config.storage import Provisioned
from platform_def.manifests.rendered import RenderedObject


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    stack = context.stack
    unsaid = {
        entry.class_name or key
        for key, entry in stack.platform.storage.items()
        if isinstance(entry, Provisioned) and entry.default and entry.reclaim_policy is None
    }
    for item in stack.objects() if unsaid else ():
        if item.kind == "StorageClass" and item.name in unsaid:
            text = "is the default class, and a volume goes with its claim: the data of who named no class is lost then"
            yield item, Fault("reclaimPolicy", text)


DEFAULT_CLASS = StackRule(
    id="default-class",
    severity="warning",
    title="The default StorageClass retains volumes, unless the stack says otherwise",
    why="Deleting a claim, a StatefulSet's namespace or a notebook also deletes its data, without a confirmation.",
    fix="write `reclaimPolicy: Retain` in the entry of `storage:`, or `reclaimPolicy: Delete` if that is meant",
    check=_check,
    without_stack="not at all",
)
