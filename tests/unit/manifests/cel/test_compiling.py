"""Rules of CRDs compile against the types of their schema, as the API server compiles them."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.crds.catalogue import definitions, known
from platform_def.crds.crd import crd
from platform_def.crds.model import Definition
from platform_def.manifests.cel.compiling import problems_of
from tests.unit.manifests.cel.tables import FIELDS, FINE, REFUSED, RULES


def problems(rule: dict[str, Any], *, minor: int = 36) -> list[tuple[str, str]]:
    """Path and text of what is wrong with a rule over `FIELDS`."""
    schema = {"type": "object", "properties": FIELDS, RULES: [rule]}
    return [(".".join(map(str, each.path)), each.text) for each in problems_of(schema, minor)]


@pytest.mark.parametrize("rule", FINE)
def test_a_rule_that_fits_its_schema_compiles(rule: str) -> None:
    assert problems({"rule": rule}) == []


@pytest.mark.parametrize(("rule", "said"), REFUSED.items())
def test_a_rule_that_does_not_is_refused_with_the_reason(rule: str, said: str) -> None:
    [(path, text)] = problems({"rule": rule})

    assert path == f"{RULES}.0.rule"
    assert said in text


def test_a_message_is_text() -> None:
    assert problems({"rule": "true", "messageExpression": "'a' + self.text"}) == []
    assert problems({"rule": "true", "messageExpression": "self.number"}) == [
        (f"{RULES}.0.messageExpression", "must give a string, and gives a number")
    ]


def test_an_optional_old_value_is_opened_first() -> None:
    assert problems({"rule": "oldSelf.value().number == self.number", "optionalOldSelf": True}) == []
    [(_, text)] = problems({"rule": "oldSelf.number == 1 ||\n self.nmuber == 1", "optionalOldSelf": True})
    assert "there is no field 'nmuber' (line 2, column 6)" in text
    assert problems({"rule": "true", "optionalOldSelf": True}) == [
        (f"{RULES}.0.optionalOldSelf", "goes with a rule that asks for oldSelf")
    ]


@pytest.mark.parametrize(("kind", "refused"), [("map", False), ("atomic", True)])
def test_old_items_are_asked_for_only_where_keys_tell_them_apart(kind: str, *, refused: bool) -> None:
    item = {"type": "object", "properties": {"name": {"type": "string"}}, RULES: [{"rule": "self == oldSelf"}]}
    listed = {"type": "array", "items": item, "x-kubernetes-list-type": kind, "x-kubernetes-list-map-keys": ["name"]}
    found = [*problems_of({"type": "object", "properties": {"listed": listed}}, 36)]

    assert bool(found) == refused


@pytest.mark.parametrize(
    "rule", ["(" * 300 + "self.number == 1" + ")" * 300, "self.\x00", "'\ud800' == ''", "[" * 999, "a" * 9999]
)
def test_a_rule_of_any_shape_gets_an_answer_of_a_line(rule: str) -> None:
    [(_, text)] = problems({"rule": rule})

    assert text.startswith("does not compile: ")
    assert len(text) < 300
    assert "\n" not in text


def test_a_field_may_be_named_as_the_checker_names_the_entries_of_a_map() -> None:
    fields = {
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "LabelsEntry": {"type": "string"},
    }
    schema = {"type": "object", "properties": fields, RULES: [{"rule": "self.labels['a'] == self.LabelsEntry"}]}

    assert [*problems_of(schema, 36)] == []


def every_definition() -> list[Definition]:
    """Each definition of the catalogue once."""
    return [*{id(one): one for name in known() for one in definitions(name)}.values()]


def test_every_rule_of_every_crd_of_the_catalogue_compiles() -> None:
    versions = [(one.name, each) for one in every_definition() for each in crd(one)["spec"]["versions"]]
    found = [
        (name, problem)
        for name, version in versions
        for problem in problems_of(version["schema"]["openAPIV3Schema"], 36)
    ]

    assert found == []
