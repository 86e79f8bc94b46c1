"""Folders that hold alternatives of the same objects, such as `dev/` and `prod/`: each is checked with its own.

What is in the same file goes before what is in the same folder, and that before what is further away. Objects for all
of them, which lie in no such folder, get the findings that every alternative has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from platform_def.checks.catalogue import rules_for
from platform_def.checks.context import Memo
from platform_def.checks.engine import FileOf, check
from platform_def.checks.rule import Finding
from platform_def.checks.rules.server.duplicate_object import DUPLICATE_OBJECT
from platform_def.manifests.rendered import RenderedObject, RenderedStack

_MOST = 24
"""Of more folders than these, all objects are checked together: it is no matter of alternatives then."""
Parts = tuple[str, ...]


@dataclass(frozen=True)
class _Alternatives:
    """The objects that are there more than once, and the folders that they lie in."""

    twins: Mapping[tuple[str, str, str, str], Sequence[RenderedObject]]
    folders: Sequence[Parts]

    def home(self, item: RenderedObject) -> Parts | None:
        """The folder of alternatives that an object lies in or below."""
        return max((each for each in self.folders if _common(each, _folder(item)) == len(each)), key=len, default=None)

    def seen_from(self, folder: Parts, objects: Iterable[RenderedObject]) -> tuple[RenderedObject, ...]:
        """The objects, of twins only the nearest."""
        return tuple(item for item in objects if item.key not in self.twins or item in self._nearest(folder, item))

    def _nearest(self, folder: Parts, item: RenderedObject) -> list[RenderedObject]:
        best = max(self.twins[item.key], key=lambda each: _nearness(folder, each))
        return [each for each in self.twins[item.key] if each.origin == best.origin]


def check_apart(stack: RenderedStack, *, file_of: FileOf) -> list[Finding]:
    """What the rules find in manifests that others made, sorted by place."""
    apart = _alternatives([*stack.objects()])
    if not apart.folders:
        return check(stack, memo=Memo(one_stack=True), file_of=file_of)
    memo = Memo()
    found = {*check(stack, memo=memo, file_of=file_of, rules=(DUPLICATE_OBJECT,))}
    homes = {(item.origin, item.document): apart.home(item) for item in stack.objects()}
    of_all: list[Mapping[object, Finding]] = []
    for folder in apart.folders:
        others = (rule for rule in rules_for(stack) if rule is not DUPLICATE_OBJECT)
        told = check(_seen_from(folder, stack, apart), memo=memo, file_of=file_of, rules=others)
        found |= {each for each in told if homes[each.origin, each.document] == folder}
        of_all.append({each.order: each for each in told if homes[each.origin, each.document] is None})
    found |= {finding for order, finding in of_all[0].items() if all(order in other for other in of_all)}
    return sorted(found, key=lambda finding: finding.order)


def _seen_from(folder: Parts, stack: RenderedStack, apart: _Alternatives) -> RenderedStack:
    components = {
        name: replace(component, objects=apart.seen_from(folder, component.objects))
        for name, component in stack.components.items()
    }
    return replace(stack, components=components)


def _alternatives(objects: Sequence[RenderedObject]) -> _Alternatives:
    by_key: defaultdict[tuple[str, str, str, str], list[RenderedObject]] = defaultdict(list)
    for item in objects:
        by_key[item.key].append(item)
    twins = {key: found for key, found in by_key.items() if key[3] and len({_folder(each) for each in found}) > 1}
    folders = sorted({_folder(each) for found in twins.values() for each in found})
    return _Alternatives(twins, folders) if len(folders) <= _MOST else _Alternatives({}, ())


def _folder(item: RenderedObject) -> Parts:
    return PurePosixPath(item.origin).parent.parts


def _nearness(folder: Parts, item: RenderedObject) -> tuple[int, int]:
    """How many steps from the top are shared, then how few more there are."""
    own = _folder(item)
    return _common(folder, own), -len(own)


def _common(first: Parts, second: Parts) -> int:
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count
