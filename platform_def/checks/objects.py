"""Evaluates the rules over single objects: one pass over the objects, and each of a text once for all stacks of a run.

What rules read of an object's kind is asked for once a kind, and where they read nothing else, an object that was seen
before has one answer for all of them. Only what the other rules read is asked for at each object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, OfKind, reads_nothing
from platform_def.manifests.rendered import EXISTING, Kind, RenderedObject

_Found = tuple[tuple[str, Fault], ...]
"""Faults, each with the rule's id."""


class _Asked(NamedTuple):
    """A rule with what it reads beside an object, and the number under which answers to that are kept."""

    number: int
    rule: ObjectRule[Any]
    given: Any


class _Rules(NamedTuple):
    """The rules that look at a kind."""

    number: int
    """Under which the answers of all that are asked `together` are kept."""
    together: Sequence[_Asked]
    apart: Sequence[ObjectRule[Any]]


def faults_of_objects(
    rules: Sequence[ObjectRule[Any]], context: Context
) -> Iterator[tuple[ObjectRule[Any], RenderedObject, Fault]]:
    """The faults that rules find in the objects of a stack, object by object."""
    by_id = {rule.id: rule for rule in rules}
    looking: dict[Kind, _Rules] = {}
    for item in context.own if rules else ():
        if item.component == EXISTING:  # known, and not judged
            continue
        kind = item.versioned_kind
        if kind not in looking:
            looking[kind] = _looking_at(kind, rules, context)
        for rule_id, fault in _found(looking[kind], context, item):
            yield by_id[rule_id], item, fault


def _looking_at(kind: Kind, rules: Iterable[ObjectRule[Any]], context: Context) -> _Rules:
    together: list[_Asked] = []
    apart: list[ObjectRule[Any]] = []
    for rule in rules:
        if rule.kinds is not None and kind.kind not in rule.kinds:
            continue
        if rule.reads is reads_nothing:
            together.append(_asked(rule, None, context))
        elif isinstance(rule.reads, OfKind):
            together.append(_asked(rule, rule.reads.of(context, kind), context))
        else:
            apart.append(rule)
    return _Rules(context.memo.number(tuple(each.number for each in together)), together, apart)


def _asked(rule: ObjectRule[Any], given: Any, context: Context) -> _Asked:
    return _Asked(context.memo.number((rule.id, given)), rule, given)


def _found(rules: _Rules, context: Context, item: RenderedObject) -> _Found:
    kept, key = context.memo.found, (item.text, rules.number)
    found = kept.get(key)
    if found is None:
        found = tuple(each for asked in rules.together for each in _of_rule(asked, context, item))
        kept.put(key, found)
    for rule in rules.apart:
        found += _of_rule(_asked(rule, rule.reads(context, item), context), context, item)
    return found


def _of_rule(asked: _Asked, context: Context, item: RenderedObject) -> _Found:
    kept, key = context.memo.found, (item.text, asked.number)
    found = kept.get(key)
    if found is None:
        found = tuple((asked.rule.id, fault) for fault in asked.rule.faults(context, item, asked.given))
        kept.put(key, found)
    return found
