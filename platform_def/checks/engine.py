"""Runs every rule over a rendered stack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from platform_def.checks.catalogue import rules_for
from platform_def.checks.context import Context, Memo
from platform_def.checks.fault import Fault
from platform_def.checks.objects import faults_of_objects
from platform_def.checks.rule import Finding, ObjectRule, Rule, covered
from platform_def.manifests.rendered import EXISTING, RenderedObject, RenderedStack

FileOf = Callable[[RenderedObject], str | None]


def check(
    stack: RenderedStack,
    *,
    memo: Memo | None = None,
    file_of: FileOf = lambda _: None,
    rules: Iterable[Rule] | None = None,
) -> list[Finding]:
    """What the rules find in a stack, sorted by place: these, or all; `memo` is shared by the stacks of one run."""
    return check_in(Context(stack, memo if memo is not None else Memo()), file_of=file_of, rules=rules)


def check_in(
    context: Context, *, file_of: FileOf = lambda _: None, rules: Iterable[Rule] | None = None
) -> list[Finding]:
    """The same where the stack has been looked at already."""
    stack = context.stack
    asked = rules_for(stack) if rules is None else tuple(rule for rule in rules if covered(rule.without_stack, stack))
    findings = {_finding(*each, context, file_of) for each in _faults(asked, context)}
    return sorted(findings, key=lambda finding: finding.order)


def _faults(rules: Sequence[Rule], context: Context) -> Iterator[tuple[Rule, RenderedObject, Fault]]:
    yield from faults_of_objects([rule for rule in rules if isinstance(rule, ObjectRule)], context)
    for rule in rules:
        for item, fault in rule.found(context):
            if item.component != EXISTING:  # known, and not judged
                yield rule, item, fault


def _finding(rule: Rule, item: RenderedObject, fault: Fault, context: Context, file_of: FileOf) -> Finding:
    lenient = context.stack.foreign and rule.without_stack == "as a warning"
    return Finding(
        rule=rule.id,
        severity="warning" if lenient else fault.severity or rule.severity,
        object=str(item),
        key=item.key,
        path=fault.path,
        text=fault.text,
        hint=rule.fix if fault.hint is None else fault.hint,
        component=item.component,
        origin=item.origin,
        file=file_of(item),
        document=item.document,
        uncovered=fault.uncovered,
    )
