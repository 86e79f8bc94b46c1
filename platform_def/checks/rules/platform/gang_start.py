"""Training jobs that start one by one cannot hold each other up: together they fit, or something starts them whole.

Jobs of the stack file are held against each other when it is read; here it is those of folders of the user's own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal

from platform_def.capabilities import GangScheduler, JobQueue
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.rules.platform.training_job import TRAINING_JOBS
from platform_def.checks.selection import labels_of
from platform_def.config.pools import offered
from platform_def.crds.quantity import amount as amount_of
from platform_def.manifests.loose import at
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import devices_asked, pods_of

_QUEUE = "kueue.x-k8s.io/queue-name"


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    platform = context.stack.platform
    if platform.all(GangScheduler):
        return
    there: defaultdict[str, int] = defaultdict(int)
    for pool in platform.node_pools:
        for name, of_node in offered(pool).items():
            there[name] += of_node * pool.nodes
    asking: defaultdict[str, list[tuple[RenderedObject, Decimal]]] = defaultdict(list)
    for item in context.own:
        if _starts_alone(item, context):
            for name, amount in _asked(item).items():
                if name in there and amount <= there[name]:
                    asking[name].append((item, amount))
    for name, jobs in sorted(asking.items()):
        total = sum(amount for _, amount in jobs)
        if len(jobs) > 1 and total > there[name]:
            others = ", ".join(item.name for item, _ in jobs[:-1])
            said = f"together with {others[:80]} it asks for {total:f} of {name}, and the pools have {there[name]}"
            yield jobs[-1][0], Fault("spec", said)


def _starts_alone(item: RenderedObject, context: Context) -> bool:
    """Whether it is a job of several pods that starts as soon as it is there.

    Where its namespace has a LocalQueue `default`, Kueue gives it to that.
    """
    if item.group != "kubeflow.org" or item.kind not in TRAINING_JOBS or item.job:
        return False
    by_default = ("kueue.x-k8s.io", "LocalQueue", item.namespace or "", "default") in context.index.by_key
    queued = bool(context.stack.platform.all(JobQueue)) and (_QUEUE in labels_of(item) or by_default)
    waits = at(item.manifest, "spec.runPolicy.suspend") is True or queued
    pods = sum(each.count or 0 for each in pods_of(item))
    return not waits and pods > 1


def _asked(item: RenderedObject) -> Mapping[str, Decimal]:
    total: defaultdict[str, Decimal] = defaultdict(Decimal)
    for pods in pods_of(item):
        for _, container in pods.containers(("containers",)):
            for name, amount in devices_asked(container).items():
                total[name] += (amount_of(amount) or 0) * (pods.count or 0)
    return total


GANG_START = StackRule(
    id="gang-start",
    severity="warning",
    title="Jobs that need all of their pods fit together, or are started whole",
    why="Each gets some of its pods and holds their GPUs while it waits for the rest: none ever trains.",
    fix="bring a queue or a gang scheduler (`kueue: {}`, `gangScheduler: volcano`), or commit one after the other",
    check=_check,
    alone="not at all",
)
