"""Objects that their operator's webhook refuses, or that its program cannot read: what no schema says.

A table names who judges which kind; what a judge reads of other objects, it says next to it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule
from platform_def.checks.rules.operators.refusals import gpu_files
from platform_def.manifests.rendered import Manifest, RenderedObject


class _Judge(NamedTuple):
    """Who judges a kind."""

    judge: Callable[[Manifest, Hashable], Iterable[Fault]]
    reads: Callable[[Context, RenderedObject], Hashable] = lambda _context, _item: None
    """What of other objects it needs to know."""


def _alone(judge: Callable[[Manifest], Iterable[Fault]]) -> _Judge:
    return _Judge(lambda manifest, _: judge(manifest))


_JUDGES: Mapping[tuple[str, str], _Judge] = {
    ("", "ConfigMap"): _alone(gpu_files.of_config_map),
}
"""By group and kind."""


def _judge(manifest: Manifest) -> _Judge | None:
    group, slash, _ = str(manifest.get("apiVersion")).rpartition("/")
    return _JUDGES.get((group if slash else "", str(manifest.get("kind"))))


def _reads(context: Context, item: RenderedObject) -> Hashable:
    judge = _judge(item.manifest)
    return judge.reads(context, item) if judge else None


def _check(manifest: Manifest, given: Hashable) -> Iterator[Fault]:
    judge = _judge(manifest)
    if judge:
        yield from judge.judge(manifest, given)


VALUE_REFUSED = ObjectRule(
    id="value-refused",
    severity="error",
    title="What operators and device plugins read is what they take",
    why="The API server takes the object, and then the operator's webhook refuses it, its program stops, or it ignores "
    "what it does not know.",
    fix="see the documentation of the operator for the field",
    reads=_reads,
    check=_check,
    kinds=frozenset(kind for _, kind in _JUDGES),
)
