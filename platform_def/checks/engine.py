"""Runs every rule over a rendered stack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from platform_def.checks.catalogue import rules_for
from platform_def.checks.context import Context, Memo
from platform_def.checks.rule import Finding, Rule, covered
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
    context = Context(stack, memo if memo is not None else Memo())
    asked = rules_for(stack) if rules is None else (rule for rule in rules if covered(rule.without_stack, stack))
    findings = {finding for rule in asked for finding in _findings(rule, context, file_of)}
    return sorted(findings, key=lambda finding: finding.order)


def _findings(rule: Rule, context: Context, file_of: FileOf) -> Iterator[Finding]:
    for item, fault in rule.found(context):
        if item.component == EXISTING:  # known, and not judged
            continue
        lenient = context.stack.foreign and rule.without_stack == "as a warning"
        yield Finding(
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
