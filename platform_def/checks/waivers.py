"""Waives findings for which a reason is given, and reports waivers that are wrong, unnecessary or expired.

A waiver stands in the stack (`checks.waive`), in a file (`check --waivers`), or on the object, as the annotation
`platform-def/waive.<rule>: <reason>`. It is for one rule and one object, so that it hides nothing that comes later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from platform_def.checks.about import About
from platform_def.checks.catalogue import OF_OBJECTS, checks
from platform_def.checks.engine import FileOf
from platform_def.checks.rule import Finding
from platform_def.checks.rules.policy.waiver import WAIVER
from platform_def.errors import Problem, Source, nearest
from platform_def.manifests.loose import mapping
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject, RenderedStack

if TYPE_CHECKING:
    from platform_def.config.stack import Waiver

ANNOTATION = "platform-def/waive."
"""The rule's id follows; the value is the reason."""


@dataclass(frozen=True, eq=False)
class PlacedWaiver:
    """A waiver and where it is written."""

    waiver: Waiver
    where: Source | None

    def is_for(self, finding: Finding) -> bool:
        """Whether it is for this finding."""
        return self.waiver.rule == finding.rule and self.names(finding.key)

    def names(self, key: tuple[str, str, str, str]) -> bool:
        """Whether its object is the one of this key."""
        from platform_def.config.platform import ExistingObject

        named = ExistingObject.parse(self.waiver.object)
        group, kind, namespace, name = key
        return (named.kind, named.namespace, named.name) == (kind, namespace, name) and named.group in ("", group)


def problems(waivers: Sequence[PlacedWaiver], *, foreign: bool = False) -> Iterator[Problem]:
    """Those that name no rule, or one that takes no waiver, or stand there twice."""
    known = checks()
    seen: set[tuple[str, str]] = set()
    for each in waivers:
        rule, item = each.waiver.rule, each.waiver.object
        if rule not in known:
            yield Problem(f"waiver for '{rule}': there is no such rule", each.where, nearest(rule, known))
        elif not takes(known[rule], foreign=foreign):
            yield Problem(f"waiver for {rule}: this rule takes none", each.where, known[rule].fix)
        elif (rule, item) in seen:
            yield Problem(f"waiver for {rule} at {item}: is listed twice", each.where, "remove one of them")
        seen.add((rule, item))


def takes(rule: About, *, foreign: bool) -> bool:
    """Whether a rule takes waivers; of what others made all that look at objects do, for there we promise nothing."""
    return rule.waivable or (foreign and any(rule.id == each.id for each in OF_OBJECTS))


def settled(
    findings: Iterable[Finding],
    stack: RenderedStack,
    waivers: Sequence[PlacedWaiver] = (),
    *,
    file_of: FileOf,
    day: str = "",
) -> list[Finding]:
    """The findings, those that are let pass with the reason, and beside them what is wrong with waivers; sorted.

    `day` is the one on which waivers are to hold; empty: any. The waivers have no `problems`.
    """
    live = [each for each in waivers if not _run_out(each.waiver, day)]
    notes = _notes(stack)
    used: set[object] = set()
    passed: list[Finding] = []
    for finding in findings:
        by: PlacedWaiver | None = next((each for each in live if each.is_for(finding)), None)
        note = (finding.key, finding.rule)
        if by:
            used.add(by)
            finding = replace(finding, waived=by.waiver.reason)
        elif note in notes and notes[note].usable(stack):
            used.add(note)
            finding = replace(finding, waived=notes[note].reason)
        passed.append(finding)
    passed += _of_stack(waivers, live, used, stack, day)
    for note, each in notes.items():
        found = each.fault(stack, needed=note in used)
        passed += [replace(found, file=file_of(each.item))] if found else []
    return sorted(passed, key=lambda finding: finding.order)


def _run_out(waiver: Waiver, day: str) -> bool:
    return bool(day and waiver.until and waiver.until < day)


def _of_stack(
    waivers: Sequence[PlacedWaiver], live: Sequence[PlacedWaiver], used: set[object], stack: RenderedStack, day: str
) -> Iterator[Finding]:
    objects = [item.key for item in stack.objects()] if len(used) < len(waivers) else []
    for each in waivers:
        rule, item = each.waiver.rule, each.waiver.object
        if each not in live:
            yield _finding(each, f"the waiver for {rule} at {item} ran out on {each.waiver.until}, before {day}")
        elif each not in used and not any(each.names(key) for key in objects):
            hint = nearest(item, (_named(key) for key in objects))
            near = hint if hint.startswith("did you mean") else "correct the name, or remove the waiver"
            yield replace(
                _finding(each, f"the waiver for {rule} names {item}, which is not there", near), severity="error"
            )
        elif each not in used:
            yield _finding(each, f"the waiver for {rule} at {item} lets nothing pass: there is no such finding")


def _named(key: tuple[str, str, str, str]) -> str:
    _, kind, namespace, name = key
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"


def _finding(each: PlacedWaiver, text: str, hint: str = WAIVER.fix) -> Finding:
    return Finding(
        rule=WAIVER.id,
        severity=WAIVER.severity,
        object=each.waiver.object,
        key=("", "", "", ""),
        path="",
        text=text,
        hint=hint,
        component="",
        origin="",
        file=each.where.file if each.where else None,
        line=each.where.line if each.where else 0,
    )


@dataclass(frozen=True, eq=False)
class _Note:
    """The annotation of an object."""

    item: RenderedObject
    rule: str
    reason: str

    def usable(self, stack: RenderedStack) -> bool:
        """Whether the rule takes it, and it gives a reason; in third-party manifests every rule takes one."""
        known = checks().get(self.rule)
        return bool(known and self.reason.strip() and takes(known, foreign=stack.foreign))

    def fault(self, stack: RenderedStack, *, needed: bool) -> Finding | None:
        """What is wrong with it."""
        known = checks()
        if self.rule not in known:
            return self._finding(f"there is no rule '{self.rule[:60]}'", nearest(self.rule, known))
        if not self.reason.strip():
            return self._finding("the waiver gives no reason", "write why it may be so as the annotation's value")
        if not self.usable(stack):
            return self._finding(f"{self.rule} takes no waiver", WAIVER.fix)
        if not needed:
            said = f"the waiver for {self.rule} lets nothing pass: there is no such finding"
            return replace(self._finding(said, WAIVER.fix), severity=WAIVER.severity)
        return None

    def _finding(self, text: str, hint: str) -> Finding:
        return Finding(
            rule=WAIVER.id,
            severity="error",
            object=str(self.item),
            key=self.item.key,
            path=dotted(("metadata", "annotations", f"{ANNOTATION}{self.rule}")),
            text=text,
            hint=hint,
            component=self.item.component,
            origin=self.item.origin,
            document=self.item.document,
        )


def _notes(stack: RenderedStack) -> Mapping[tuple[tuple[str, str, str, str], str], _Note]:
    """The annotations, by object and rule."""
    return {
        (item.key, rule): _Note(item, rule, reason)
        for item in stack.objects()
        for rule, reason in item.once(_noted).items()
    }


def _noted(item: RenderedObject) -> Mapping[str, str]:
    """Reasons by rule."""
    return {
        key.removeprefix(ANNOTATION): reason
        for key, reason in mapping(mapping(item.manifest.get("metadata")).get("annotations")).items()
        if isinstance(key, str) and key.startswith(ANNOTATION) and isinstance(reason, str)
    }
