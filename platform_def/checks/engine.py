"""Runs every rule over a rendered stack."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from platform_def.checks.context import Context, Memo
from platform_def.checks.crd_size import CRD_SIZE
from platform_def.checks.duplicate_object import DUPLICATE_OBJECT
from platform_def.checks.image_mirror import IMAGE_MIRROR
from platform_def.checks.image_tag import IMAGE_TAG
from platform_def.checks.name_valid import NAME_VALID
from platform_def.checks.namespace_exists import NAMESPACE_EXISTS
from platform_def.checks.reference_exists import REFERENCE_EXISTS
from platform_def.checks.rule import Finding, Rule
from platform_def.checks.schema import SCHEMA
from platform_def.checks.scope import SCOPE
from platform_def.checks.secret_content import SECRET_CONTENT
from platform_def.checks.visible_gpus import VISIBLE_GPUS
from platform_def.manifests.rendered import RenderedObject, RenderedStack

RULES: tuple[Rule, ...] = (
    SCHEMA,
    DUPLICATE_OBJECT,
    NAMESPACE_EXISTS,
    REFERENCE_EXISTS,
    SCOPE,
    IMAGE_MIRROR,
    IMAGE_TAG,
    VISIBLE_GPUS,
    SECRET_CONTENT,
    NAME_VALID,
    CRD_SIZE,
)
"""All rules; ids are distinct and stay."""

NOT_COVERED_ALONE = tuple(rule.id for rule in RULES if rule.alone == "not at all")
"""Rules that manifests without a stack file are not held to."""

FileOf = Callable[[RenderedObject], str | None]


def check(
    stack: RenderedStack, *, memo: Memo | None = None, file_of: FileOf = lambda _: None, rules: tuple[Rule, ...] = RULES
) -> list[Finding]:
    """What the rules find in a stack, sorted by place; `memo` is shared by the stacks of one run."""
    context = Context(stack, memo if memo is not None else Memo())
    rules = tuple(rule for rule in rules if not (stack.foreign and rule.alone == "not at all"))
    findings = {finding for rule in rules for finding in _findings(rule, context, file_of)}
    return sorted(findings, key=lambda finding: finding.order)


def _findings(rule: Rule, context: Context, file_of: FileOf) -> Iterator[Finding]:
    for item, fault in rule.found(context):
        lenient = context.stack.foreign and rule.alone == "as a warning"
        yield Finding(
            rule=rule.id,
            severity="warning" if lenient else fault.severity or rule.severity,
            object=str(item),
            key=item.key,
            path=fault.path,
            text=fault.text,
            hint=fault.hint or rule.fix,
            component=item.component,
            origin=item.origin,
            file=file_of(item),
        )
