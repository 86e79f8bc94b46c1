"""What rules cost at least, and which CRDs a server refuses for it."""

from __future__ import annotations

import pytest

from platform_def.manifests.cel.costs import dear
from tests.unit.manifests.cel.budgets import PAIRS, Pair, Properties


def over(properties: Properties) -> list[str]:
    """The places of what is too dear."""
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": dict(properties)}}}
    return [".".join(map(str, found.path)) for found in dear(schema)]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: str(pair.about))
def test_a_rule_over_the_limit_is_told_and_a_bound_mends_it(pair: Pair) -> None:
    assert over(pair.dear) != []
    assert over(pair.cheap) == []


def test_a_bound_around_counts_for_what_is_inside() -> None:
    rule = {"type": "string", "maxLength": 2000, "x-kubernetes-validations": [{"rule": "self.matches('[a-z]+')"}]}

    assert over({"a": {"type": "array", "items": rule}})[0].endswith("a.items.x-kubernetes-validations.0.rule")
    assert over({"a": {"type": "array", "maxItems": 1000, "items": rule}}) == []


def test_all_rules_together_have_a_limit_of_their_own() -> None:
    assert over(PAIRS[-1].dear) == [""]


def test_what_does_not_compile_costs_nothing() -> None:
    assert over({"a": {"type": "string", "x-kubernetes-validations": [{"rule": "self.("}]}}) == []
