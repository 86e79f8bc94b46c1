"""Budgets let nodes be drained: they leave at least one pod to evict, and no pod has two."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import NOBODY, pods_by_namespace
from platform_def.manifests.loose import at
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

_PERCENT = re.compile(r"(\d{1,9})%")
_SCALED = "HorizontalPodAutoscaler"


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    budgets: defaultdict[int, list[RenderedObject]] = defaultdict(list)
    scaled = _scaled(context)
    for item in context.index.by_kind.get(("policy", "PodDisruptionBudget"), ()):
        selector = at(item.manifest, "spec.selector")
        pods = context.once(pods_by_namespace).get(item.namespace or "", NOBODY)
        chosen = [each for each in pods.selected(selector) if each.core] if isinstance(selector, dict) else []
        for each in chosen:
            budgets[id(each)].append(item)
            others = budgets[id(each)][:-1]
            if others:
                said = f"{others[0]} chooses the pods of {each.item} as well: the API server evicts none of them"
                yield item, Fault("spec.selector", said, "leave one of the two budgets out", "error")
                break
        if fault := _blocks(item, chosen, scaled):
            yield item, fault


def _scaled(context: Context) -> Mapping[tuple[str, str, str], int]:
    """The fewest pods of what autoscalers scale, by kind, namespace and name."""
    found = {}
    for item in context.index.by_kind.get(("autoscaling", _SCALED), ()):
        target, fewest = at(item.manifest, "spec.scaleTargetRef"), at(item.manifest, "spec.minReplicas")
        key = (str(at(target, "kind")), item.namespace or "", str(at(target, "name")))
        found[key] = fewest if isinstance(fewest, int) else 1
    return found


def _blocks(item: RenderedObject, chosen: list[Pods], scaled: Mapping[tuple[str, str, str], int]) -> Fault | None:
    """Why no pod may ever be evicted."""
    most, least = at(item.manifest, "spec.maxUnavailable"), at(item.manifest, "spec.minAvailable")
    if most in (0, "0", "0%"):
        return Fault("spec.maxUnavailable", "no pod may ever be evicted: draining a node never finishes")
    counts = [_count(each, scaled) for each in chosen]
    if least is None or not counts or any(count is None for count in counts):
        return None
    pods = sum(count or 0 for count in counts)
    kept = _of(least, pods)
    if kept is None or kept < pods or not pods:
        return None
    said = f"{least} of {pods} must stay, so no pod may ever be evicted: draining a node never finishes"
    return Fault("spec.minAvailable", said)


def _count(pods: Pods, scaled: Mapping[tuple[str, str, str], int]) -> int | None:
    return scaled.get((pods.item.kind, pods.namespace, pods.item.name), pods.count)


def _of(said: Any, pods: int) -> int | None:
    """A number, or a share of the pods, rounded up as the controller does."""
    if isinstance(said, int):
        return said
    share = _PERCENT.fullmatch(said) if isinstance(said, str) else None
    return ceil(int(share[1]) * pods / 100) if share else None


DISRUPTION_BUDGET = StackRule(
    id="disruption-budget",
    severity="warning",
    title="Disruption budgets allow an eviction, and no pod has two of them",
    why="A node that cannot be drained stops the upgrade of its pool, and an autoscaler never gives it back.",
    fix="write `maxUnavailable: 1`, or run one pod more than must stay",
    kinds=frozenset({"PodDisruptionBudget"}),
    check=_check,
)
