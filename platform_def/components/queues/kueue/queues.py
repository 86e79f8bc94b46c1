"""Queues of the stack's teams: flavors and topologies from node pools, quotas from `shares`, priorities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import cast

from platform_def.apis.core.scheduling_v1 import PRIORITY_CLASS, PriorityClass
from platform_def.apis.kueue.v1beta2 import (
    ADMISSION_CHECK,
    CLUSTER_QUEUE,
    COHORT,
    LOCAL_QUEUE,
    MULTI_KUEUE_CLUSTER,
    MULTI_KUEUE_CONFIG,
    RESOURCE_FLAVOR,
    TOPOLOGY,
    WORKLOAD_PRIORITY_CLASS,
    ClusterQueueSpec,
    CohortSpec,
    Flavor,
    Level,
    ResourceFlavorSpec,
    ResourceGroup,
)
from platform_def.apis.kueue.v1beta2 import Resource as Quota
from platform_def.components.queues.kueue.config import KueueConfig, MultiKueue
from platform_def.config.pools import NodePool, common, offered
from platform_def.config.queues import Place, Queue, Shares, shares
from platform_def.constructs import Piece, Resource, Scope, tolerations_of

DEFAULT_QUEUE = "default"
"""LocalQueue of jobs that name none: Kueue looks for it in their namespace."""
MULTI_KUEUE = "multikueue"
"""Name of the check that sends jobs to other clusters, and of its settings."""
NAMESPACE, HOST = "kubernetes.io/metadata.name", "kubernetes.io/hostname"
PODS, ANYWHERE = "pods", "pods.anywhere"
"""A resource that Kueue counts of every part of a job, and its flavor; the dot keeps it apart from names of pools."""
PLENTY = "1000000"


class KueueQueues(Piece):
    """Everything that jobs wait for, in the part `after`: Kueue's webhooks must admit it."""

    def __init__(self, scope: Scope, config: KueueConfig):
        super().__init__(scope, "queues")
        platform = self.component.platform
        pools = [pool for pool in common(platform.node_pools) if offered(pool)]
        for pool in pools:
            self._flavor(pool, levels_of(pool, pools))
        for each in config.priorities:
            self._priority(each.name, each.value, each.description, pods=each.pods)
        if config.multi_kueue:
            self._workers(config.multi_kueue)
        divided = shares(platform.teams, platform.node_pools).on(pools)
        groups = covered(pools)
        if divided.queues:
            if counts_pods(pools):
                Resource(self, RESOURCE_FLAVOR, ANYWHERE, spec={}, part="after")
            cohort = {"resourceGroups": cohort_groups(groups, divided)}
            Resource(self, COHORT, config.cohort, spec=cast(CohortSpec, cohort), part="after")
        for queue in divided.queues:
            if queue.below:
                Resource(self, COHORT, queue.share, spec=share(queue, groups, config), part="after")
            spec = cluster_queue(queue, groups, config)
            if counts_pods(pools):
                spec["resourceGroups"] = [*spec["resourceGroups"], every_pod()]
            Resource(self, CLUSTER_QUEUE, queue.name, spec=spec, part="after")
            for team in queue.teams:
                names = {queue.name, *([DEFAULT_QUEUE] if config.takes_unnamed(platform.node_pools) else [])}
                for name in sorted(names):
                    Resource(
                        self, LOCAL_QUEUE, name, spec={"clusterQueue": queue.name}, namespace=team.home, part="after"
                    )

    def _flavor(self, pool: NodePool, levels: Sequence[str]) -> None:
        spec: ResourceFlavorSpec = {}
        if pool.selector:
            spec["nodeLabels"] = dict(pool.selector)
        if pool.taints:
            spec["tolerations"] = tolerations_of(pool)
        if levels:
            known: list[Level] = [{"nodeLabel": label} for label in levels]
            Resource(self, TOPOLOGY, pool.name, spec={"levels": known}, part="after")
            spec["topologyName"] = pool.name
        Resource(self, RESOURCE_FLAVOR, pool.name, spec=spec, part="after")

    def _priority(self, name: str, value: int, description: str, *, pods: bool) -> None:
        told = {"description": description} if description else {}
        fields = {"value": value, **told}
        Resource(self, WORKLOAD_PRIORITY_CLASS, name, fields=fields, part="after")  # type: ignore[arg-type]
        if pods:
            Resource(self, PRIORITY_CLASS, name, fields=cast(PriorityClass, fields))

    def _workers(self, chosen: MultiKueue) -> None:
        for name, secret in sorted(chosen.workers.items()):
            source = {"kubeConfig": {"location": secret, "locationType": "Secret"}}
            Resource(self, MULTI_KUEUE_CLUSTER, name, spec={"clusterSource": source}, part="after")  # type: ignore[typeddict-item]
        Resource(self, MULTI_KUEUE_CONFIG, MULTI_KUEUE, spec={"clusters": sorted(chosen.workers)}, part="after")
        parameters = {"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": MULTI_KUEUE}
        spec = {"controllerName": "kueue.x-k8s.io/multikueue", "parameters": parameters}
        Resource(self, ADMISSION_CHECK, MULTI_KUEUE, spec=spec, part="after")  # type: ignore[arg-type]


def levels_of(pool: NodePool, pools: Sequence[NodePool]) -> list[str]:
    """Levels of the pool's topology.

    Where one pool has a topology, all have one, of single nodes at least: Kueue lets a job that says nothing of
    topologies into a flavor that has one only if every flavor of its queue does.
    """
    return pool.topology or ([HOST] if any(each.topology for each in pools) else [])


def counts_pods(pools: Sequence[NodePool]) -> bool:
    """Whether queues count pods beside devices, so that all parts of a job are given some flavor.

    Kueue 0.19.2 leaves off at a part that is given none (flavorassigner.go, `atLeastOnePodsAssignmentFailed`): the
    admission then lacks the parts behind, and the API server always refuses it. A launcher without GPUs is such
    a part. With a topology every part would have to have one flavor alone.
    """
    return not any(each.topology for each in pools)


def every_pod() -> ResourceGroup:
    """Pods as a resource of a queue: more of them than there ever are, on whatever node."""
    quota: Quota = {"name": PODS, "nominalQuota": PLENTY, "borrowingLimit": "0"}
    return {"coveredResources": [PODS], "flavors": [{"name": ANYWHERE, "resources": [quota]}]}


Group = tuple[tuple[str, ...], tuple[str, ...]]
"""Resources, and the pools whose nodes offer some of them."""


def covered(pools: Sequence[NodePool]) -> list[Group]:
    """Resource groups: Kueue takes a resource, and a flavor, in one group alone, so pools with a resource in common
    are in one, in their order."""
    found: list[tuple[set[str], list[str]]] = []
    for pool in pools:
        resources, members = set(offered(pool)), [pool.name]
        for group in [each for each in found if each[0] & resources]:
            found.remove(group)
            resources |= group[0]
            members = [*group[1], *members]
        found.append((resources, members))
    order = {pool.name: index for index, pool in enumerate(pools)}
    return [(tuple(sorted(resources)), tuple(sorted(members, key=order.__getitem__))) for resources, members in found]


def cluster_queue(queue: Queue, groups: Iterable[Group], config: KueueConfig) -> ClusterQueueSpec:
    """The queue of some teams, in the cohort of all, or of a member, in the cohort of the team's share.

    The share owns what the team owns, and no queue in it: none takes back from another what both use of it, and each
    takes back for the share what other teams have borrowed.
    """
    nothing: Mapping[Place, int | None] = dict.fromkeys(queue.own, 0)
    own, borrowing = (nothing, dict.fromkeys(queue.own)) if queue.below else (queue.own, queue.borrowing)
    chosen = config.preemption
    together = queue.above or (queue if queue.below else None)
    spec: ClusterQueueSpec = {
        "cohortName": together.share if together else config.cohort,
        "namespaceSelector": {"matchExpressions": [{"key": NAMESPACE, "operator": "In", "values": [*queue.homes]}]},
        "queueingStrategy": "StrictFIFO" if config.strict_order else "BestEffortFIFO",
        "preemption": {
            "reclaimWithinCohort": chosen.reclaim,
            "withinClusterQueue": chosen.within,
            "borrowWithinCohort": {"policy": chosen.borrow},
        },
        "resourceGroups": [_group(group, partial(_quota, own, borrowing)) for group in groups],
    }
    if queue.name in config.weights and not queue.below:
        spec["fairSharing"] = {"weight": str(config.weights[queue.name])}
    if config.usage_half_life_hours:
        spec["admissionScope"] = {"admissionMode": "UsageBasedAdmissionFairSharing"}
    if config.multi_kueue:
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": MULTI_KUEUE}]}
    return spec


def share(queue: Queue, groups: Iterable[Group], config: KueueConfig) -> CohortSpec:
    """What a team's queue and those of its members use together: what the team owns, and what it may borrow."""
    owned = [_group(group, partial(_quota, queue.own, queue.borrowing)) for group in groups]
    spec = cast(CohortSpec, {"parentName": config.cohort, "resourceGroups": owned})
    if queue.name in config.weights:
        spec["fairSharing"] = {"weight": str(config.weights[queue.name])}
    return spec


def _quota(own: Mapping[Place, int | None], borrowing: Mapping[Place, int | None], place: Place) -> Quota:
    made: Quota = {"name": place[1], "nominalQuota": str(own.get(place) or 0)}
    limit = borrowing.get(place, 0)
    if limit is not None:
        made["borrowingLimit"] = str(limit)
    return made


def cohort_groups(groups: Iterable[Group], divided: Shares) -> list[ResourceGroup]:
    """What no team's quota has: it is the cohort's, and who may borrow gets it."""

    def quota(place: Place) -> Quota:
        return {"name": place[1], "nominalQuota": str(divided.rest.get(place, 0))}

    return [_group(group, quota) for group in groups]


def _group(group: Group, quota: Callable[[Place], Quota]) -> ResourceGroup:
    resources, pools = group
    flavors: list[Flavor] = [
        {"name": pool, "resources": [quota((pool, resource)) for resource in resources]} for pool in pools
    ]
    return {"coveredResources": [*resources], "flavors": flavors}


def managed(homes: Sequence[str], others: Mapping[str, object]) -> Mapping[str, object]:
    """Selects namespaces by name: these, or, where there are none, all but some."""
    operator, names = ("In", homes) if homes else ("NotIn", [*others])
    return {"matchExpressions": [{"key": NAMESPACE, "operator": operator, "values": sorted(names)}]}
