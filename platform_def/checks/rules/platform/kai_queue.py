"""Pods for KAI are in a queue that there is, with no queues below it, and in a partition that a scheduler of KAI's has.

Facts: KAI 0.17, docs/queues; a scheduler lists what has its partition's label, and the default one what has none
(GetLabelSelector of scheduler_conf.go).
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rules.operators.refusals.kai import SCHEDULER
from platform_def.checks.selection import every_pods, labels_of
from platform_def.errors import nearest
from platform_def.manifests.loose import at, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

_LABEL, _PARTITION = "kai.scheduler/queue", "kai.scheduler/node-pool"


def unscheduled(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """Pods that no queue takes, or that no scheduler sees; nothing where no queues are defined here."""
    queues = context.index.by_kind.get(("scheduling.run.ai", "Queue"), ())
    shards = context.index.by_kind.get(("kai.scheduler", "SchedulingShard"), ())
    parents = {text(at(item.manifest, "spec.parentQueue")) for item in queues} - {""}
    leaves = {item.name: item for item in queues if item.name not in parents}
    key = _partition(context)
    for pods in context.once(every_pods) if queues or shards else ():
        if text(pods.spec.get("schedulerName")) != SCHEDULER:
            continue
        place, name = _said(pods, _LABEL)
        if queues and name and name not in leaves:
            why = (
                "has queues below it, which take pods in its stead" if name in parents else "is none that anybody makes"
            )
            said = f"queue '{name[:60]}' {why}: KAI never schedules them"
            yield pods.item, Fault(f'{place}.labels["{_LABEL}"]', said, nearest(name, leaves))
        if shards and (fault := _unseen(pods, key, shards)):
            yield pods.item, fault
        elif shards and name in leaves and text(labels_of(leaves[name]).get(key)) != _said(pods, key)[1]:
            said = f"{leaves[name]} has another label {key} than they have: their scheduler does not know it"
            yield pods.item, Fault(f'{place}.labels["{_LABEL}"]', said, "give the queue the label of its pods")


def _partition(context: Context) -> str:
    """The label of partitions."""
    configs = context.index.by_kind.get(("kai.scheduler", "Config"), ())
    keys = (text(at(item.manifest, "spec.global.nodePoolLabelKey")) for item in configs)
    return next(filter(None, keys), _PARTITION)


def _unseen(pods: Pods, key: str, shards: tuple[RenderedObject, ...]) -> Fault | None:
    values = {text(at(item.manifest, "spec.partitionLabelValue")) for item in shards}
    place, value = _said(pods, key)
    if value in values:
        return None
    labelled = f"the label {key}: {value[:60]}" if value else f"no label {key}"
    said = f"they have {labelled}, and no SchedulingShard is for such pods: KAI never sees them"
    return Fault(f"{place}.labels", said, " or ".join(f"write `{key}: {one}`" for one in sorted(values) if one))


def _said(pods: Pods, key: str) -> tuple[str, str]:
    """Where a label of a gang stands, and its value: the owner's, or else the pods'."""
    of_owner = text(labels_of(pods.item).get(key))
    place = ("metadata",) if of_owner else (*pods.path[:-1], "metadata")
    return dotted(place), of_owner or text(pods.labels.get(key))
