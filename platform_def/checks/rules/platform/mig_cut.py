"""A pool with a MIG layout has something that partitions its cards."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.capabilities import Devices, NodeWork
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.manifests.rendered import RenderedObject


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    stack = context.stack
    if any(given.value.work == "partitions" for given in stack.platform.all(NodeWork)):
        return
    uncut = [pool.name for pool in stack.platform.node_pools if pool.gpu and pool.gpu.mig]
    for given in stack.platform.all(Devices):
        component = stack.components.get(given.by)
        if uncut and component and component.objects:
            text = f"hands out MIG devices of pool {', '.join(uncut)}, and nothing in the stack partitions its cards"
            yield component.objects[-1], Fault("", text)
            return


MIG_CUT = StackRule(
    id="mig-cut",
    severity="warning",
    title="A component partitions the cards of every pool with a MIG layout",
    why="The layout of a pool is what pods count on: without it cards stay whole, and MIG devices never appear.",
    fix="add `mig-manager: {}` under components, or where the nodes' owner cuts them say "
    "`external: {nodeWork: {work: partitions}}`",
    check=_check,
    without_stack="not at all",
)
