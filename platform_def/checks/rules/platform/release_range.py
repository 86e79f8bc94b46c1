"""No release runs on a Kubernetes that is newer than those that upstream has tried it with, unnoticed."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.config.kubernetes import KubernetesRange
from platform_def.manifests.rendered import RenderedObject


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    stack = context.stack
    for name, component in stack.components.items():
        fact = stack.facts.get(name)
        if fact is None or not fact.kubernetes or not component.objects:
            continue
        known = KubernetesRange.parse(fact.kubernetes)
        if stack.platform.kubernetes > known.newest:
            text = f"release {fact.release} of {fact.component} is known to work with Kubernetes {known}, "
            yield component.objects[-1], Fault("", f"{text}not {stack.platform.kubernetes}")


RELEASE_RANGE = StackRule(
    id="release-range",
    severity="warning",
    title="Releases are tried with the cluster's Kubernetes",
    why="A newer server may have dropped what the release uses. One older than the oldest is an error of the stack.",
    fix="choose a newer `release:` where there is one, or try it before you rely on it",
    check=_check,
    alone="not at all",
)
