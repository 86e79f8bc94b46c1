"""Checks a stack, or recalls what an earlier run found in the very same objects on the very same platform."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Any

from platform_def.checks.catalogue import rules
from platform_def.checks.context import Context, Memo
from platform_def.checks.engine import check, check_in
from platform_def.checks.rule import Finding, ObjectRule
from platform_def.config.reads import observed
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.pipeline.cache import Cache, Json


def find(context: Context, *, cache: Cache, file_of: Callable[[RenderedObject], str]) -> tuple[Finding, ...]:
    """The findings of a stack, sorted."""
    stack = context.stack
    objects = [[item.component, item.part, item.origin, item.digest] for item in stack.objects()]
    runtime = {name: list(images) for name, images in stack.runtime_images.items()}
    existing = [item.digest for item in stack.existing]
    key = cache.key("findings", stack.name, objects, list(stack.images), runtime, stack.platform.digest(), existing)
    kept = cache.get(key)
    if kept is None:
        found = check_in(context, file_of=file_of)
        cache.put(key, {"findings": [asdict(finding) for finding in found]})
        return tuple(found)
    return _recalled(kept)


def find_in_part(
    stack: RenderedStack,
    *,
    memo: Memo,
    file_of: Callable[[RenderedObject], str],
    doubted: Callable[[Iterable[str]], bool],
) -> tuple[Finding, ...]:
    """The errors of single objects of a stack of which others are missing, sorted.

    A rule that read a fact which is `doubted` has no say, nor has any about a component that cannot run there; and the
    definition that a kind lacks may yet come.
    """
    return tuple(sorted(_of_objects(stack, memo, file_of, doubted), key=lambda finding: finding.order))


def _of_objects(
    stack: RenderedStack,
    memo: Memo,
    file_of: Callable[[RenderedObject], str],
    doubted: Callable[[Iterable[str]], bool],
) -> Iterator[Finding]:
    for rule in rules():
        if isinstance(rule, ObjectRule) and rule.severity == "error":
            with observed() as reads:
                found = check(stack, memo=memo, file_of=file_of, rules=(rule,))
            if not doubted(reads):
                errors = (each for each in found if each.severity == "error" and not each.uncovered)
                yield from (each for each in errors if not doubted([f"components.{each.component}"]))


def _recalled(kept: Json) -> tuple[Finding, ...]:
    plain: Any = kept["findings"]
    return tuple(Finding(**{**each, "key": tuple(each["key"])}) for each in plain)
