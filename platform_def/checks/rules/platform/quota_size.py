"""No team may use more devices at once than the cluster has, unnoticed: such a limit limits nothing."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.config.devices import excesses
from platform_def.manifests.rendered import RenderedObject


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    stack = context.stack
    teams = {team.home: team for team in stack.platform.teams}
    spaces = {item.name: item for item in stack.objects() if item.kind == "Namespace" and item.name in teams}
    limits = {item.namespace: item for item in stack.objects() if (item.kind, item.name) == ("ResourceQuota", "gpus")}
    for home, team in teams.items():
        # A team with a queue has its limit there.
        item = limits.get(home) or spaces.get(home)
        if item is None:
            continue
        for excess in excesses(team, stack.platform.node_pools):
            text = f"team {team.name} has a quota of {excess.limit} {excess.what}, and {excess.where} {excess.there}"
            hint = f"the pools have others: write {excess.instead}" if excess.instead else None
            yield item, Fault("spec.hard" if home in limits else "", text, hint)


QUOTA_SIZE = StackRule(
    id="quota-size",
    severity="warning",
    title="Quotas are within what the cluster has",
    why="A team's limit above what all nodes have together never takes effect.",
    fix="lower the team's `quota:`, or correct `nodes:` of the pools",
    check=_check,
    without_stack="not at all",
)
