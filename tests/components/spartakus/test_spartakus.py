"""Spartakus: nothing without the word, and what the stack must name."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.components.people.spartakus.component import Spartakus
from tests.unit.built import built, grants

REPORTING: dict[str, Any] = {
    "report_usage": True,
    "cluster_id": "8f1c2f7e",
    "image": "registry.example.com/spartakus:1.0.0",
    "collector": "https://stats.example.com",
}


def test_without_the_word_nothing_is_rendered() -> None:
    assert built(Spartakus).all == []


def test_it_reports_to_what_the_stack_names_and_reads_nodes_alone() -> None:
    made = built(Spartakus, **REPORTING)

    assert made.arguments("Deployment") == [
        "volunteer",
        "--cluster-id=8f1c2f7e",
        "--database=https://stats.example.com",
    ]
    assert made.rules("ClusterRole") == [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list"]}]
    assert grants(made.rules("ClusterRole"), "", "secrets") == set()


@pytest.mark.parametrize("lacking", ["cluster_id", "image", "collector"])
def test_reports_need_a_name_an_image_and_a_collector(lacking: str) -> None:
    with pytest.raises(ValidationError, match="reports need it"):
        built(Spartakus, **{**REPORTING, lacking: None})
