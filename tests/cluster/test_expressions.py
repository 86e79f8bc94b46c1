"""Tables of expressions are what a real API server says: which compile, which are true, which cannot be evaluated."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.samples import crd
from tests.cluster.snapshots import Boot
from tests.unit.manifests.cel.budgets import PAIRS
from tests.unit.manifests.cel.tables import ERRORS, FIELDS, FINE, REFUSED, RULES, TRUE

pytestmark = pytest.mark.cluster

_LIMITS = {"string": {"maxLength": 20}, "array": {"maxItems": 5}}


def with_rule(rule: str) -> Manifest:
    """A CRD with `FIELDS` at its top and one rule over them; sizes are limited, or the server says rules are too dear."""
    made = crd("Ruled")
    schema = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"] = {name: limited(field) for name, field in FIELDS.items()}
    schema[RULES] = [{"rule": rule}]
    return made


def limited(node: dict[str, Any]) -> dict[str, Any]:
    found = {**node, **_LIMITS.get(str(node.get("type")), {})}
    if "format" in node:
        found.pop("maxLength", None)
    if "items" in node:
        found["items"] = limited(node["items"])
    if "additionalProperties" in node:
        found |= {"additionalProperties": limited(node["additionalProperties"]), "maxProperties": 5}
    if "properties" in node:
        found["properties"] = {name: limited(child) for name, child in node["properties"].items()}
    return found


def test_what_the_tables_say_of_compiling_the_server_says(cluster: ControlPlane) -> None:
    taken = cluster.api.apply_all(map(with_rule, FINE), dry_run=True)
    refused = cluster.api.apply_all(map(with_rule, REFUSED), dry_run=True)

    assert [answer.refusal for answer in taken if answer.refusal] == []
    assert [rule for rule, answer in zip(REFUSED, refused, strict=True) if not says(answer.refusal)] == []


def test_what_the_table_says_of_costs_the_server_says(cluster: ControlPlane) -> None:
    cheap = cluster.api.apply_all([crd("Priced", dict(pair.cheap)) for pair in PAIRS], dry_run=True)
    dear = cluster.api.apply_all([crd("Priced", dict(pair.dear)) for pair in PAIRS], dry_run=True)

    assert [answer.refusal for answer in cheap if answer.refusal] == []
    assert [pair.about for pair, answer in zip(PAIRS, dear, strict=True) if "cost" not in answer.refusal] == []


def says(refusal: str) -> bool:
    """Whether the rule itself is refused, and not what it costs."""
    return "compilation failed" in refusal or "must evaluate to a bool" in refusal


def test_what_the_tables_say_of_values_the_server_says(boot: Boot) -> None:
    rules = [*TRUE, *ERRORS]
    fields = {f"f{index}": {"type": "integer", RULES: [{"rule": rule}]} for index, rule in enumerate(rules)}
    api = boot([crd("Evaluated", fields)]).api
    objects = [
        {
            "apiVersion": "test.example.com/v1",
            "kind": "Evaluated",
            "metadata": {"name": "one", "namespace": "default"},
            "spec": {name: 1},
        }
        for name in fields
    ]
    answers = dict(zip(rules, api.apply_all(objects, dry_run=True), strict=True))

    assert [answers[rule].refusal for rule in TRUE if answers[rule].refusal] == []
    assert [rule for rule in ERRORS if "evaluating rule" not in answers[rule].refusal] == []
