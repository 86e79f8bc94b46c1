"""No engine whose order nobody has seen brings a platform up, unnoticed."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.config.cluster import ENGINES, PROVEN
from platform_def.manifests.rendered import RenderedObject


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    stack = context.stack
    engine = stack.platform.delivery
    component = stack.components.get(ENGINES.get(engine, ""))
    fact = stack.facts.get(component.name) if component else None
    if component is None or fact is None or not component.objects or fact.release in PROVEN[engine]:
        return
    text = f"the order was not proven with release {fact.release} of {fact.component}, but with "
    yield component.objects[-1], Fault("", text + ", ".join(PROVEN[engine]))


ENGINE_RELEASE = StackRule(
    id="engine-release",
    severity="warning",
    title="The engine that the stack brings is one whose order was seen",
    why="What waits for what is the engine's doing: another release may apply a part before those that it needs.",
    fix="take the `release:` that is named, or bring the stack to an empty cluster before you rely on it",
    check=_check,
    alone="not at all",
)
