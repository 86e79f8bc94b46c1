"""What changes between an earlier version of the manifests and this one, held against rules that speak of changes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from platform_def.checks.engine import check
from platform_def.checks.rule import Finding
from platform_def.checks.rules.server.transition import transition
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.applications.foreign import foreign_stack


def of_stacks(stacks: Iterable[RenderedStack], previous: Path) -> list[Finding]:
    """Forbidden changes of each stack from its folder in `previous`; a stack without one there is new."""
    if not previous.is_dir():
        raise ConfigError(f"there is no folder {previous}", hint="name one like dist/, with a folder for each stack")
    found = []
    for stack in stacks:
        if (previous / stack.name).is_dir():
            found += _changes(stack, previous / stack.name, namespace="default")
    return found


def of_manifests(stack: RenderedStack, previous: str, namespace: str) -> list[Finding]:
    """Forbidden changes from the manifests in a file or folder."""
    return _changes(stack, Path(previous), namespace=namespace)


def _changes(stack: RenderedStack, previous: Path, *, namespace: str) -> list[Finding]:
    former = foreign_stack([str(previous)], kubernetes=stack.platform.kubernetes, namespace=namespace)
    if former.problems:
        raise ConfigError(former.problems)
    return check(stack, rules=(transition(former.stack),), file_of=lambda item: item.origin if stack.foreign else None)
