"""What an object chooses by a name that is no object's: a topology's level, a pool, a request of a claim, a device.

Nothing is said where the objects do not hold what would decide it: no Topology, no pool, no template of the claim.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.rules.operators.choices import address_pools, attachments, claims, cluster_policy, topologies
from platform_def.manifests.rendered import RenderedObject

_AREAS = (topologies.chosen, address_pools.chosen, claims.chosen, cluster_policy.chosen, attachments.chosen)


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for chosen in _AREAS:
        yield from chosen(context)


CHOICE_EXISTS = StackRule(
    id="choice-exists",
    severity="error",
    title="Every level, pool, key, request and device that an object chooses is there",
    why="The API server takes any text; the operator finds nothing under it, and pods or Services wait without end.",
    fix="write a name that is there, or add what it names",
    check=_check,
)
