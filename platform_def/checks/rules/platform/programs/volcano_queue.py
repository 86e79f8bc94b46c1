"""The gang of a Volcano Job fits into what its queue may ever have.

Facts: Volcano 1.15 (a job is enqueued when what its `minAvailable` pods request fits below the queue's `capability`;
resources that the capability does not name are not bounded; without `minAvailable` all pods are the gang).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.crds.quantity import amount
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject

_DEFAULT = "default"


def crowded(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """Gangs larger than their queue's capability."""
    queues = {item.name: item for item in context.index.by_kind.get(("scheduling.volcano.sh", "Queue"), ())}
    for item in context.index.by_kind.get(("batch.volcano.sh", "Job"), ()) if queues else ():
        queue = queues.get(text(at(item.manifest, "spec.queue")) or _DEFAULT)
        for name, most in mapping(at(queue.manifest, "spec.capability")).items() if queue else ():
            bound, least = amount(most), _least(item, name)
            if bound is not None and least > bound:
                said = f"its gang requests {least:f} of {name}, and {queue} never has more than {bound:f}"
                yield item, Fault("spec.minAvailable", said, "raise the queue's capability, or use fewer pods")


def _least(item: RenderedObject, resource: str) -> Decimal:
    """The least that a gang requests of a resource, whichever of the job's pods are in it."""
    each: list[Decimal] = []
    for task in map(mapping, items(at(item.manifest, "spec.tasks"))):
        count = task.get("replicas")
        if isinstance(count, int) and 0 < count <= _MOST:
            each += [_requested(items(at(task, "template.spec.containers")), resource)] * count
    gang = at(item.manifest, "spec.minAvailable")
    return sum(sorted(each)[: gang if isinstance(gang, int) and gang > 0 else None], Decimal())


_MOST = 100_000
"""More pods than a cluster has."""


def _requested(containers: Sequence[Any], resource: str) -> Decimal:
    found = Decimal()
    for container in containers:
        limits, requests = (mapping(at(container, f"resources.{field}")) for field in ("limits", "requests"))
        found += _known({**limits, **requests}, resource)
    return found


def _known(amounts: Mapping[str, Any], resource: str) -> Decimal:
    return amount(amounts.get(resource)) or Decimal()
