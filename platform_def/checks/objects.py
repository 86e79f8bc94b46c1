"""Evaluates the rules over single objects: one pass over the objects, and each of a text once for all stacks of a run.

What rules read of an object's kind is asked for once a kind, and where they read nothing else, an object that was seen
before has one answer for all of them. Only what the other rules read is asked for at each object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, OfKind, reads_nothing
from platform_def.manifests.paths import HeldPods
from platform_def.manifests.rendered import EXISTING, Kind, RenderedObject

_Found = tuple[tuple[str, Fault], ...]
"""Faults, each with the rule's id."""


class _Asked(NamedTuple):
    """A rule with what it reads beside an object."""

    rule: ObjectRule[Any]
    given: Any


class _Rules(NamedTuple):
    """The rules that look at a kind."""

    number: int
    """Under which the answers of all that are asked `together` are kept."""
    together: Sequence[_Asked]
    apart: Callable[[RenderedObject], Sequence[ObjectRule[Any]]]
    """Those of the rules that are asked one by one that may find something in an object."""


def faults_of_objects(
    rules: Sequence[ObjectRule[Any]], context: Context
) -> Iterator[tuple[ObjectRule[Any], RenderedObject, Fault]]:
    """The faults that rules find in the objects of a stack, object by object."""
    by_id = {rule.id: rule for rule in rules}
    choice = context.memo.held(_Choice, rules)
    looking: dict[Kind, _Rules] = {}
    for item in context.own if rules else ():
        if item.component == EXISTING:  # known, and not judged
            continue
        kind = item.versioned_kind
        if kind not in looking:
            looking[kind] = _looking_at(kind, choice.of(kind.kind), context)
        for rule_id, fault in _found(looking[kind], context, item):
            yield by_id[rule_id], item, fault


class _Chosen(NamedTuple):
    """The rules that look at a kind of a name, by what they read beside an object."""

    nothing: Sequence[_Asked]
    of_kind: Sequence[tuple[ObjectRule[Any], OfKind[Any]]]
    apart: _Apart


class _Choice:
    """The rules that look at each kind: the same in all stacks."""

    def __init__(self, rules: Sequence[ObjectRule[Any]]):
        self._rules = rules
        self._known: dict[str, _Chosen] = {}

    def of(self, kind: str) -> _Chosen:
        """Those for kinds of a name."""
        if kind not in self._known:
            looking = [rule for rule in self._rules if rule.kinds is None or kind in rule.kinds]
            nothing = [_Asked(rule, None) for rule in looking if rule.reads is reads_nothing]
            of_kind = [(rule, rule.reads) for rule in looking if isinstance(rule.reads, OfKind)]
            rest = [each for each in looking if each.reads is not reads_nothing and not isinstance(each.reads, OfKind)]
            self._known[kind] = _Chosen(nothing, of_kind, _Apart(rest))
        return self._known[kind]


def _looking_at(kind: Kind, chosen: _Chosen, context: Context) -> _Rules:
    given = tuple([reads.of(context, kind) for _, reads in chosen.of_kind])
    asked = [_Asked(rule, each) for (rule, _), each in zip(chosen.of_kind, given, strict=True) if each is not None]
    return _Rules(context.memo.number((id(chosen.nothing), given)), [*chosen.nothing, *asked], chosen.apart)


class _Apart:
    """Rules that are asked one by one, since what they read differs from object to object."""

    def __init__(self, rules: Sequence[ObjectRule[Any]]):
        self._rules = rules

    def __call__(self, item: RenderedObject) -> Sequence[ObjectRule[Any]]:
        """Those that may find something in an object."""
        kind, text = item.versioned_kind, item.text
        return [rule for rule in self._rules if rule.sign is None or rule.sign(kind, text)]


def _found(rules: _Rules, context: Context, item: RenderedObject) -> _Found:
    found = _found_together(rules, context, item)
    for rule in rules.apart(item) if context.memo.one_stack else item.once(rules.apart):
        found += _of_rule(_Asked(rule, rule.reads(context, item)), context, item)
    return found


def _found_together(rules: _Rules, context: Context, item: RenderedObject) -> _Found:
    kept, key = context.memo.found, (item.text, rules.number)
    found = None if context.memo.one_stack else kept.get(key)
    if found is None:
        found = ()
        with HeldPods(item.manifest, item.pods):
            for asked in rules.together:
                sign = asked.rule.sign
                if sign is None or sign(item.versioned_kind, item.text):
                    found += _of_rule(asked, context, item)
        if not context.memo.one_stack:
            kept.put(key, found)
    return found


def _of_rule(asked: _Asked, context: Context, item: RenderedObject) -> _Found:
    if context.memo.one_stack:
        return _looked(asked, context, item)
    kept, key = context.memo.found, (item.text, context.memo.number((asked.rule.id, asked.given)))
    found = kept.get(key)
    if found is None:
        found = _looked(asked, context, item)
        kept.put(key, found)
    return found


def _looked(asked: _Asked, context: Context, item: RenderedObject) -> _Found:
    faults = asked.rule.faults(context, item, asked.given)
    return tuple([(asked.rule.id, fault) for fault in faults]) if faults else ()
