"""No release runs on a Kubernetes that is newer than those it is known to work with, unnoticed."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.rules.releases.facts import released
from platform_def.config.kubernetes import KubernetesRange
from platform_def.manifests.rendered import RenderedObject


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    version = context.stack.platform.kubernetes
    for item, fact in released(context):
        known = KubernetesRange.parse(fact.kubernetes) if fact.kubernetes else None
        if known and version > known.newest:
            text = f"release {fact.release} of {fact.component} is known to work with Kubernetes {known}, not {version}"
            yield item, Fault("", text)


RELEASE_RANGE = StackRule(
    id="release-range",
    severity="warning",
    title="Releases support the cluster's Kubernetes version",
    why="A newer server may have dropped what the release uses. One older than the oldest is an error of the stack.",
    fix="choose a newer `release:` where there is one, or try it before you rely on it",
    check=_check,
    without_stack="not at all",
)
