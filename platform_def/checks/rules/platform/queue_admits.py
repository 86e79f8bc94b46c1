"""A job in a queue can be admitted: Kueue's takes its namespace, covers what it asks for, and has as much.

KAI's queues are judged in `kai_queue`, and whether a gang fits Volcano's in `programs.volcano_queue`.

Facts: Kueue 0.19 (a workload that asks for a resource which its ClusterQueue does not cover is never admitted, unless
quotaCheckStrategy says otherwise; namespaceSelector left out takes no namespace, `{}` every one; where resources are
overlooked, it leaves off at a part of a job for which nothing is left to count, and the admission never holds the
others: flavorassigner.go and the rule on podSetAssignments of the Workload's CRD at 0.19.2).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from platform_def.apis.kueue import QUEUE_LABEL
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.rules.operators.refusals.kueue import FEWEST, GROUP
from platform_def.checks.rules.platform.kai_queue import unscheduled
from platform_def.checks.rules.platform.programs.volcano_queue import crowded
from platform_def.checks.selection import labels_of
from platform_def.crds.quantity import amount as amount_of
from platform_def.manifests.admission import selects
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods, pods_of

_NAME = "kubernetes.io/metadata.name"
_PODS_OF_A_CLUSTER = 150_000
"""More than Kubernetes is made for, by its page on large clusters."""
_PATH = f'metadata.labels["{QUEUE_LABEL}"]'


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    yield from unscheduled(context)
    yield from crowded(context)
    queues = context.index.by_kind.get((GROUP, "LocalQueue"), ())
    for queue in queues:
        found = _cluster_queue(context, queue)
        if found and (fault := _unwelcome(context, queue, found)):
            yield queue, fault
    yield from _quotas(context, queues)
    if not queues:
        return
    for item in context.index.objects:
        name = text(labels_of(item).get(QUEUE_LABEL))
        local = context.index.by_key.get((GROUP, "LocalQueue", item.namespace or "", name)) if name else None
        target = _cluster_queue(context, local[0]) if local else None
        if target:
            every = pods_of(item)
            faults = _uncounted(every, target) if context.once(_lenient) else _lacking(_asked(every), target)
            yield from ((item, fault) for fault in faults)


def _cluster_queue(context: Context, queue: RenderedObject) -> RenderedObject | None:
    found = context.index.by_key.get((GROUP, "ClusterQueue", "", text(at(queue.manifest, "spec.clusterQueue"))))
    return found[0] if found else None


def _unwelcome(context: Context, queue: RenderedObject, target: RenderedObject) -> Fault | None:
    selector = at(target.manifest, "spec.namespaceSelector")
    hint = f"write `namespaceSelector: {{}}` in {target}, or labels that the namespace has"
    if selector is None:
        return Fault("spec.clusterQueue", f"{target} has no namespaceSelector, and so takes no namespace", hint)
    home = context.index.by_key.get(("", "Namespace", "", queue.namespace or ""))
    if home and not selects(selector, {**labels_of(home[0]), _NAME: home[0].name}):
        return Fault("spec.clusterQueue", f"{target} does not take namespace {queue.namespace}", hint)
    return None


def _lenient(context: Context) -> bool:
    """Whether a configuration of Kueue in the set makes it overlook resources."""
    words = ("IgnoreUndeclared", "excludeResourcePrefixes")
    maps = context.index.by_kind.get(("", "ConfigMap"), ())
    return any(
        word in str(value) for item in maps for value in mapping(item.manifest.get("data")).values() for word in words
    )


def _asked(every: Sequence[Pods]) -> Mapping[str, Decimal]:
    """What all pods of a job ask for together."""
    total: defaultdict[str, Decimal] = defaultdict(Decimal)
    for pods in every:
        for _, container in pods.containers(("containers",)):
            resources = mapping(container.get("resources"))
            for name, amount in {**mapping(resources.get("limits")), **mapping(resources.get("requests"))}.items():
                value = amount_of(amount)
                if value:
                    total[name] += value * _fewest(pods)
    return {name: amount for name, amount in total.items() if amount}


def _fewest(pods: Pods) -> int:
    """How many pods there are at least: a Job may let Kueue start it with fewer."""
    count, said = pods.count or 0, mapping(at(pods.item.manifest, "metadata.annotations")).get(FEWEST)
    partial = (pods.item.api_version, pods.item.kind) == ("batch/v1", "Job") and str(said).isdecimal()
    return min(count, int(str(said))) if partial else count


def _offered(queue: RenderedObject) -> Mapping[str, Decimal | None]:
    """The most that a workload can have of each resource, in one flavor; None where it may borrow without bound."""
    most: dict[str, Decimal | None] = {}
    for group in items(at(queue.manifest, "spec.resourceGroups")):
        covered = map(text, items(at(group, "coveredResources")))
        most |= {name: most.get(name, Decimal()) for name in covered}
        for flavor in items(at(group, "flavors")):
            for resource in map(mapping, items(at(flavor, "resources"))):
                name, nominal = text(resource.get("name")), amount_of(resource.get("nominalQuota"))
                limit = _limit(queue, resource, nominal)
                former = most.get(name, Decimal())
                most[name] = None if limit is None or former is None else max(limit, former)
    return most


def _limit(queue: RenderedObject, resource: Mapping[str, Any], nominal: Decimal | None) -> Decimal | None:
    if nominal is None:
        return None
    if not (at(queue.manifest, "spec.cohortName") or at(queue.manifest, "spec.cohort")):
        return nominal
    borrowed = amount_of(resource.get("borrowingLimit"))
    return None if borrowed is None else nominal + borrowed


def _lacking(asked: Mapping[str, Decimal], queue: RenderedObject) -> Iterator[Fault]:
    offered = _offered(queue)
    for name, amount in sorted(asked.items()):
        if name not in offered:
            said = f"the job asks for {name}, which {queue} does not cover: it is never admitted"
            yield Fault(_PATH, said, f"add {name} to coveredResources, with a quota")
        elif (most := offered[name]) is not None and amount > most:
            said = f"the job asks for {amount:f} of {name}, and {queue} never has more than {most:f}"
            yield Fault(_PATH, said, "raise the quota, or use fewer pods")


def _uncounted(every: Sequence[Pods], queue: RenderedObject) -> Iterator[Fault]:
    """A part of a job of several that asks for resources, and for none that the queue covers."""
    offered = _offered(queue)
    if len(every) < 2 or "pods" in offered:
        return
    for pods in every:
        asked = _asked([pods])
        if asked and not asked.keys() & offered.keys():
            said = f"{queue} covers nothing that the pods of {dotted(pods.path)} ask for: the job is never admitted"
            hint = (
                "cover `pods` there, in a group of its own; the queues of teams do where no pool has a `topology:`, so "
                "leave that out of the pools, or give the job to a team without a queue"
            )
            yield Fault(_PATH, said, hint)
            return


def _quotas(context: Context, queues: tuple[RenderedObject, ...]) -> Iterator[tuple[RenderedObject, Fault]]:
    """Quotas of Kubernetes below what Kueue admits: it starts jobs whose pods are then refused."""
    homes = {queue.namespace: target for queue in queues if (target := _cluster_queue(context, queue))}
    for item in context.index.by_kind.get(("", "ResourceQuota"), ()) if homes else ():
        target = homes.get(item.namespace)
        offered = _offered(target) if target else {}
        for name, amount in mapping(at(item.manifest, "spec.hard")).items():
            resource = str(name).removeprefix("requests.")
            hard, most = amount_of(amount), offered.get(resource, Decimal())
            if resource == "pods" and most is not None and most > _PODS_OF_A_CLUSTER:
                continue  # the queue does not bound them: it covers them so that every part of a job is counted
            if resource in offered and hard is not None and (most is None or hard < most):
                shown = "without bound" if most is None else f"{most:f}"
                said = f"less than what {target} admits ({shown}): pods of admitted jobs are refused"
                yield item, Fault(f'spec.hard["{name}"]', said, "leave it to Kueue, or raise it", "warning")


QUEUE_ADMITS = StackRule(
    id="queue-admits",
    severity="error",
    title="A job's queue admits its namespace, covers its resources, and has enough of them",
    why="The job stays suspended, and only the conditions of its Workload say why.",
    fix="change the ClusterQueue, or what the job asks for",
    check=_check,
    without_stack="as a warning",
)
