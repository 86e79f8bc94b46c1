"""A platform is not delivered by an engine release that was never tested, without a finding that says so."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.config.words.registered import engines
from platform_def.manifests.rendered import RenderedObject


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    stack = context.stack
    engine = engines().get(stack.platform.delivery)
    fact = stack.platform.component(engine.component) if engine else None
    if engine is None or fact is None or not fact.release:
        return
    # Of an engine that the cluster has, a stack may name the minor version alone.
    known = f"{fact.release.removeprefix('v')}."
    if any(f"{each}.".startswith(known) for each in engine.proven):
        return
    # A release may be proven and no longer offered.
    sound = {version for version, _ in fact.sound}
    proven = [each for each in engine.proven if fact.provided or each in sound]
    text = f"delivery was not proven with release {fact.release} of {engine.component}, but with {', '.join(proven)}"
    yield stack.delivery[-1], Fault("", text)


ENGINE_RELEASE = StackRule(
    id="engine-release",
    severity="warning",
    title="The engine's release is one that the tests deliver with",
    why="The engine decides what it applies when, and what it tries again: another release may apply a part before "
    "those that it needs, or leave one that was refused.",
    fix="take the `release:` that is named, or bring the stack to an empty cluster before you rely on it",
    check=_check,
    without_stack="not at all",
)
