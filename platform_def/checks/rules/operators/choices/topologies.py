"""Levels that pods ask Kueue to be placed at are levels of a Topology.

Facts: Kueue 0.19 (a workload that asks for a level which the flavor's Topology does not have is never admitted).
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rules.operators.refusals.kueue import GROUP, PREFERRED, REQUIRED, SLICES
from platform_def.checks.selection import every_pods
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject


def chosen(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """Pods at levels that no Topology here has."""
    levels = _levels(context)
    for pods in context.once(every_pods) if levels else ():
        for name in (REQUIRED, PREFERRED, SLICES):
            level = text(pods.annotations.get(name))
            if level and level not in levels:
                said = f"no Topology has a level '{level[:80]}': Kueue never admits the job"
                path = dotted((*pods.path[:-1], "metadata", "annotations", name))
                yield pods.item, Fault(path, said, nearest(level, levels))


def _levels(context: Context) -> list[str]:
    topologies = context.index.by_kind.get((GROUP, "Topology"), ())
    return [text(at(level, "nodeLabel")) for item in topologies for level in items(at(item.manifest, "spec.levels"))]
