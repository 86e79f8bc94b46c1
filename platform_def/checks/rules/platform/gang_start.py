"""Training jobs that start one by one cannot hold each other up: together they fit, or something starts them whole.

Jobs of the stack file are held against each other when it is read; here it is those of folders of the user's own. A Ray
cluster that grows by itself takes what is there, and is no gang.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal

from platform_def.apis.kueue import QUEUE_LABEL
from platform_def.capabilities import GangScheduler, JobQueue
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.rules.platform.training_job import TRAINING_JOBS
from platform_def.checks.selection import labels_of
from platform_def.config.pools import common, offered
from platform_def.crds.index import suspended_by
from platform_def.crds.quantity import amount as amount_of
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import Path
from platform_def.manifests.rendered import Manifest, RenderedObject
from platform_def.manifests.workloads import devices_asked, pods_of

_TRAINER = "trainer.kubeflow.org"


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    platform = context.stack.platform
    if any(given.value.of_all_pools for given in platform.all(GangScheduler)):
        return
    there: defaultdict[str, int] = defaultdict(int)
    for pool in common(platform.node_pools):
        for name, of_node in offered(pool).items():
            there[name] += of_node * pool.nodes
    asking: defaultdict[str, list[tuple[RenderedObject, Decimal]]] = defaultdict(list)
    for item in context.own:
        if _starts_alone(item, context):
            for name, amount in _asked(item, context).items():
                if name in there and amount <= there[name]:
                    asking[name].append((item, amount))
    for name, jobs in sorted(asking.items()):
        total = sum(amount for _, amount in jobs)
        if len(jobs) > 1 and total > there[name]:
            others = ", ".join(item.name for item, _ in jobs[:-1])
            said = f"together with {others[:80]} it asks for {total:f} of {name}, and the pools have {there[name]}"
            yield jobs[-1][0], Fault("spec", said)


def _starts_alone(item: RenderedObject, context: Context) -> bool:
    """Whether it is a job of several pods that starts at once, without a scheduler or queue that starts them together.

    Where its namespace has a LocalQueue `default`, Kueue gives it to that.
    """
    if item.job or not _is_gang(item):
        return False
    by_default = ("kueue.x-k8s.io", "LocalQueue", item.namespace or "", "default") in context.index.by_key
    queued = bool(context.stack.platform.all(JobQueue)) and (QUEUE_LABEL in labels_of(item) or by_default)
    whole = {given.value.scheduler for given in context.stack.platform.all(GangScheduler)}
    asks = any(text(pods.spec.get("schedulerName")) in whole for pods in pods_of(item))
    held = suspended_by(item.group, item.kind)
    return not (held and at(item.manifest, held) is True) and not queued and not asks


def _is_gang(item: RenderedObject) -> bool:
    if item.group == "ray.io":
        return item.kind == "RayJob" and at(item.manifest, "spec.rayClusterSpec.enableInTreeAutoscaling") is not True
    if item.group == _TRAINER:
        return item.kind == "TrainJob"
    return item.group == "kubeflow.org" and item.kind in TRAINING_JOBS


def _asked(item: RenderedObject, context: Context) -> Mapping[str, Decimal]:
    """What all pods of a job ask for together; nothing where it is one pod."""
    total: defaultdict[str, Decimal] = defaultdict(Decimal)
    pods = 0
    for count, container in _containers(item, context):
        pods += count
        for name, amount in devices_asked(container).items():
            total[name] += (amount_of(amount) or 0) * count
    return total if pods > 1 else {}


def _containers(item: RenderedObject, context: Context) -> Iterator[tuple[int, Manifest]]:
    """The containers of a job, each with how many pods have it."""
    if item.group == _TRAINER:
        yield from _of_nodes(item, context)
        return
    for pods in pods_of(item):
        hosts = _hosts(item.manifest, pods.path) if item.group == "ray.io" else 1
        for _, container in pods.containers(("containers",)):
            yield (pods.count or 0) * hosts, container


def _hosts(manifest: Manifest, path: Path) -> int:
    """Pods that are one worker of a group in a Ray cluster."""
    groups = items(at(manifest, "spec.rayClusterSpec.workerGroupSpecs"))
    worker = path[:3] == ("spec", "rayClusterSpec", "workerGroupSpecs") and len(path) > 3
    hosts = mapping(groups[int(path[3])]).get("numOfHosts") if worker else None
    return hosts if isinstance(hosts, int) else 1


def _of_nodes(item: RenderedObject, context: Context) -> Iterator[tuple[int, Manifest]]:
    """A TrainJob's nodes, with what its runtime says where it says nothing itself."""
    kind, name = (text(at(item.manifest, f"spec.runtimeRef.{field}")) for field in ("kind", "name"))
    home = item.namespace or "" if kind == "TrainingRuntime" else ""
    found = context.index.by_key.get((_TRAINER, kind or "ClusterTrainingRuntime", home, name), ())
    said = at(item.manifest, "spec.trainer.numNodes")
    nodes = said or next((at(each.manifest, "spec.mlPolicy.numNodes") for each in found), None) or 1
    own = mapping(at(item.manifest, "spec.trainer.resourcesPerNode"))
    given = (container for each in found for pods in pods_of(each) for _, container in pods.containers(("containers",)))
    node = next((container for container in given if container.get("name") == "node"), {})
    yield nodes if isinstance(nodes, int) else 1, {"resources": own} if own else node


GANG_START = StackRule(
    id="gang-start",
    severity="warning",
    title="Jobs that need all of their pods at once are started as a gang",
    why="Each job gets some of its pods and holds their GPUs while it waits for the rest: none ever trains.",
    fix="bring a queue or a gang scheduler (`kueue: {}`, `gangScheduler: volcano`), or commit one after the other",
    check=_check,
    without_stack="not at all",
)
