"""Compares a stack with what it was before: what the API server refuses to change, and what the stack consents to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from platform_def.checks.context import Context
from platform_def.checks.engine import FileOf, check, check_in
from platform_def.checks.rule import Finding, StackRule
from platform_def.checks.rules.images.registry_move import REGISTRY_MOVE
from platform_def.checks.rules.platform.data_stays import DATA_STAYS
from platform_def.checks.rules.policy.replace import REPLACE
from platform_def.checks.rules.releases.version_skip import VERSION_SKIP
from platform_def.checks.rules.server.transition import TRANSITION, transition
from platform_def.checks.rules.server.update_refused import UPDATE_REFUSED, Refusal, refusals, update_refused
from platform_def.config.words.registered import engines
from platform_def.manifests.index import Key
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.pipeline.changes.consents import Consent, consents
from platform_def.pipeline.changes.data import left_behind, moved
from platform_def.pipeline.changes.previous import Previous, objects_in
from platform_def.pipeline.changes.registry import left, renamed
from platform_def.pipeline.changes.versions import steps_over
from platform_def.pipeline.findings.causes import at_stack
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.output.index import Index

_CUSTOM_LOSES = "what its controller keeps for it goes, unless that outlives the object"
CHANGES = frozenset({TRANSITION.id, UPDATE_REFUSED.id, REPLACE.id, REGISTRY_MOVE.id, DATA_STAYS.id, VERSION_SKIP.id})
"""The checks of changes rather than of objects; they find nothing once dist/ is written."""


@dataclass(frozen=True)
class Replacement:
    """An object that is deleted and recreated, with the stack's consent."""

    stack: str
    object: str
    reason: str
    loses: str
    then: str = ""
    """What is left to do by hand; empty: nothing."""
    engine: str = "none"

    @property
    def line(self) -> str:
        """For a person."""
        word = engines().get(self.engine or "")
        who = word.title if word else None
        does = f"{who} deletes and recreates {self.object}" if who else f"delete {self.object} before you apply this"
        then = f"; {self.then}" if self.then else ""
        return f"{self.stack}: {does} ({self.reason}): {self.loses}{then}"


@dataclass(frozen=True)
class Changes:
    """The result of a comparison."""

    findings: Sequence[Finding] = ()
    replaced: Sequence[Replacement] = ()


def of_stack(context: Context, previous: Previous, loaded: Loaded, *, file_of: FileOf) -> Changes:
    """Changes that the API server refuses, reported at the stack's lines where the tool made the object."""
    stack = context.stack
    known = [*previous.objects(stack)]
    agreed = consents(stack, loaded)
    indexes = previous.indexes(stack.name)
    rules = _rules(known, stack, indexes, loaded)
    found = check_in(context, file_of=file_of, rules=rules) if rules else []
    replaced = _replaced(context, found, known, agreed) if found and agreed else {}
    items = {(item.component, *item.key): item for item in stack.objects()} if found else {}
    kept = [
        _placed(finding, items[finding.component, *finding.key], loaded)
        for finding in found
        if finding.severity != "error" or finding.key not in replaced
    ]
    asked = agreed.keys() if previous.delivered else agreed.keys() & {item.key for item in known}
    idle = sorted((_idle(key, agreed[key]) for key in asked - replaced.keys()), key=lambda each: each.order)
    skipped = steps_over(stack, loaded, indexes)
    return Changes([*kept, *(each for each in idle if each.file), *skipped], [*replaced.values()])


def _rules(
    known: Sequence[RenderedObject], stack: RenderedStack, indexes: Sequence[Index], loaded: Loaded
) -> tuple[StackRule, ...]:
    """Those that have something to compare."""
    rules = [update_refused(known), transition(known)] if known else []
    if before := left(stack, indexes):
        rules.append(StackRule(**asdict(REGISTRY_MOVE), check=lambda _: renamed(stack, loaded, before)))
    if moves := moved(stack, indexes):
        rules.append(StackRule(**asdict(DATA_STAYS), check=lambda _: left_behind(moves)))
    return tuple(rules)


def of_manifests(stack: RenderedStack, previous: str, namespace: str) -> list[Finding]:
    """Changes from the manifests in a file or folder that the API server refuses."""
    known = [*objects_in(Path(previous), stack, namespace=namespace)]
    return check(stack, rules=(update_refused(known), transition(known)), file_of=lambda item: item.origin)


def _placed(finding: Finding, item: RenderedObject, loaded: Loaded) -> Finding:
    """Objects from the user's own folders are reported at their own lines."""
    own = item.component in loaded.stack.components and not item.origin.startswith(f"{item.component}/")
    return finding if own else at_stack(finding, item, loaded)


def _replaced(
    context: Context, found: Sequence[Finding], known: Sequence[RenderedObject], agreed: Mapping[Key, Consent]
) -> dict[Key, Replacement]:
    """What is deleted and recreated: what is refused, and consented to."""
    stack = context.stack
    custom = {finding.key: finding.object for finding in found if finding.rule == TRANSITION.id}
    core: dict[Key, Refusal] = {}
    for each in refusals(context, known):
        if each.replaceable:
            core.setdefault(each.item.key, each)
    made = partial(Replacement, stack.name, engine=stack.platform.delivery)
    whole = {key: made(title, agreed[key].reason, _CUSTOM_LOSES) for key, title in custom.items() if key in agreed}
    for key, each in core.items():
        if key in agreed:
            lost, then = each.row.lost(each.change), each.row.then(each.change)
            whole[key] = made(str(each.item), agreed[key].reason, lost, then)
    return whole


def _idle(key: Key, consent: Consent) -> Finding:
    """An entry that nothing needs."""
    return Finding(
        rule=REPLACE.id,
        severity=REPLACE.severity,
        object=consent.name,
        key=key,
        path="",
        text=f"replace.{consent.name}: the API server refuses no change of it",
        hint=REPLACE.fix,
        component="",
        origin="",
        file=consent.where.file if consent.where else None,
        line=consent.where.line if consent.where else 0,
    )
