from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.definitions import APPROVAL, UNAPPROVED, condition_problems
from tests.cluster.samples import config_map, crd

GOOD = {"NamesAccepted": "True", "Established": "True"}


def _problems(**statuses: str) -> list[str]:
    conditions: list[dict[str, Any]] = [
        {"type": name, "status": status, "message": "why"} for name, status in statuses.items()
    ]
    return condition_problems({**crd("Widget"), "status": {"conditions": conditions}})


def test_an_established_definition_with_its_names_is_good() -> None:
    assert _problems(**GOOD) == []


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("NamesAccepted", "False"),
        ("Established", "Unknown"),
        ("NonStructuralSchema", "True"),
        ("KubernetesAPIApprovalPolicyConformant", "False"),
    ],
)
def test_a_bad_condition_is_told_with_the_servers_reason(name: str, status: str) -> None:
    assert _problems(**{**GOOD, name: status}) == [f"widgets.test.example.com: {name} is {status}: why"]


def test_one_whose_project_has_not_asked_for_approval_is_good() -> None:
    conditions = [{"type": name, "status": status} for name, status in {**GOOD, APPROVAL: "False"}.items()]
    found = {**crd("Widget"), "status": {"conditions": conditions}}
    found["metadata"] = {"name": f"widgets{UNAPPROVED}"}

    assert condition_problems(found) == []


def test_a_young_definition_has_no_conditions_and_is_not_good() -> None:
    assert len(condition_problems({**crd("Widget"), "status": {"conditions": None}})) == 2


def test_other_kinds_have_no_problems() -> None:
    assert condition_problems(config_map("a")) == []
