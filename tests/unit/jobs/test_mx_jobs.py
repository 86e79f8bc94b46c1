"""MXJobs have one form for the training operator and another for the operator before it."""

from __future__ import annotations

import pytest

from platform_def.config.platform import ComponentFact
from tests.unit.jobs.platforms import MINIMAL, PLATFORM, job, problems

FACT = ComponentFact("1.1.0", "kubeflow", component="mxnet-operator")


@pytest.mark.parametrize("name", ["insightface", "mxnet"])
def test_the_former_operator_finds_the_run_policy_beside_the_roles(name: str) -> None:
    said = {**MINIMAL[name], "workers": 2, "deadlineHours": 1}
    platform = PLATFORM.with_facts(components={"mxnet-operator": FACT})
    beside, below = (job(name, each, **said)["spec"] for each in (platform, PLATFORM))

    assert "runPolicy" not in beside
    assert {key: beside[key] for key in below["runPolicy"]} == below["runPolicy"]
    assert beside["mxReplicaSpecs"] == below["mxReplicaSpecs"]


@pytest.mark.parametrize("name", ["insightface", "mxnet"])
def test_pods_of_the_former_operator_do_not_find_each_other_by_their_label(name: str) -> None:
    said = {**MINIMAL[name], "workers": 2, "arrangement": "pack"}
    before = PLATFORM.with_facts(components={"mxnet-operator": FACT})

    told = "mxnet-operator labels pods otherwise, so that they would not find each other; leave it out"
    assert ("arrangement", told) in problems(name, before, **said)
    assert [field for field, _ in problems(name, PLATFORM, **said)] == []
