"""llm-d's router: two kinds with one owner, and the roles of who writes them."""

from __future__ import annotations

from platform_def.components.serving.llm_d_router.component import LlmDRouter
from tests.unit.built import built, grants


def test_it_brings_its_kinds_and_nothing_that_runs() -> None:
    made = built(LlmDRouter)

    assert made.names("CustomResourceDefinition") == [
        "inferencemodelrewrites.llm-d.ai",
        "inferenceobjectives.llm-d.ai",
    ]
    assert {each["kind"] for each in made.all} == {"ClusterRole", "CustomResourceDefinition"}


def test_editors_write_objectives() -> None:
    rules = built(LlmDRouter).rules("ClusterRole", "kubeflow-llm-d-router-edit")

    assert "create" in grants(rules, "llm-d.ai", "inferenceobjectives")
