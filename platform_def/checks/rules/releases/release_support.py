"""No release that upstream has stopped mending is installed unnoticed."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.rules.releases.facts import released, to_take
from platform_def.config.releases.upkeep import Support
from platform_def.manifests.rendered import RenderedObject
from platform_def.version import RELEASED


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for item, fact in released(context):
        if fact.upkeep.ended(RELEASED):
            day = f" on {fact.upkeep.support}" if fact.upkeep.support is not Support.ENDED else ""
            text = f"release {fact.release} of {fact.component}: upstream's support ended{day}"
            yield item, Fault("", text, to_take(context, fact))


RELEASE_SUPPORT = StackRule(
    id="release-support",
    severity="warning",
    title="Upstream still maintains every release, as far as is known",
    why="A vulnerability that is found from now on is not fixed in this line. Judged at the release date of this tool.",
    fix="no release that this tool knows is maintained: take a newer platformctl, or plan to replace the component",
    check=_check,
    without_stack="not at all",
)
