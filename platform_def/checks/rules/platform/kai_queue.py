"""Pods for KAI that name a queue: one that there is, and that has no queues below it (KAI 0.17, docs/queues)."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.selection import every_pods, labels_of
from platform_def.errors import nearest
from platform_def.manifests.loose import at, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject

_SCHEDULER, _LABEL = "kai-scheduler", "kai.scheduler/queue"


def unscheduled(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """Pods that no queue takes; nothing where nobody here makes any."""
    queues = context.index.by_kind.get(("scheduling.run.ai", "Queue"), ())
    parents = {text(at(item.manifest, "spec.parentQueue")) for item in queues} - {""}
    leaves = sorted({item.name for item in queues} - parents)
    for pods in context.once(every_pods) if queues else ():
        of_owner = text(labels_of(pods.item).get(_LABEL))
        name = of_owner or text(pods.labels.get(_LABEL))
        if text(pods.spec.get("schedulerName")) != _SCHEDULER or not name or name in leaves:
            continue
        place = ("metadata",) if of_owner else (*pods.path[:-1], "metadata")
        why = "has queues below it, which take pods in its stead" if name in parents else "is none that anybody makes"
        said = f"queue '{name[:60]}' {why}: KAI never schedules them"
        yield pods.item, Fault(f'{dotted(place)}.labels["{_LABEL}"]', said, nearest(name, leaves))
