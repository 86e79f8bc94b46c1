"""Of two hundred defects, each put alone into a stack without findings, every one is told with its rule and object."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache

import pytest

from platform_def.checks.catalogue import rules
from platform_def.checks.context import Memo
from platform_def.checks.engine import check
from platform_def.pipeline.load import load
from tests.unit.checks.seeded import exposure, names, nodes, operators, platform, policy, server, targets
from tests.unit.checks.seeded.seed import Seed, seeded
from tests.unit.checks.seeded.stacks import CLOUD, GUESTS, MESH, ONPREM, QUICK, ROOT, STARTED, TENANTS, TOOLS, stacks

SEEDS = (
    *server.SEEDS,
    *nodes.SEEDS,
    *names.SEEDS,
    *targets.SEEDS,
    *policy.SEEDS,
    *exposure.SEEDS,
    *platform.SEEDS,
    *operators.SEEDS,
)
OF_STACK_FILES = {
    "default-class",
    "engine-release",
    "left-behind",
    "member-name",
    "mig-cut",
    "openshift-admission",
    "quota-size",
    "registered-namespaces",
    "release-license",
    "release-range",
    "release-support",
    "release-vulnerability",
    "source-size",
    "unasked-route",
}
"""Rules about what stack files say, about what the cluster has, and about all objects of a folder together: no change of
one object breaks them."""


@cache
def memo() -> Memo:
    """Schemas, and what was found in objects that no seed touches."""
    return Memo()


@pytest.mark.parametrize("name", [CLOUD, ONPREM, QUICK, GUESTS, TENANTS, MESH, TOOLS])
def test_the_stacks_have_no_findings_before(name: str) -> None:
    let_pass = {(each.rule, each.object) for loaded in load(ROOT) for each in loaded.stack.checks.waive}

    assert [each for each in check(stacks()[name], memo=memo()) if (each.rule, each.object) not in let_pass] == []


def test_a_job_that_waits_for_a_person_may_delete_itself() -> None:
    (seed,) = (each for each in SEEDS if each.stack == STARTED)
    findings = check(seeded(stacks()[CLOUD], replace(seed, stack=CLOUD)), memo=memo())

    assert [each for each in findings if each.rule == seed.rule] == []


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: str(seed.id))
def test_a_defect_is_told_with_its_rule_and_object(seed: Seed) -> None:
    findings = check(seeded(stacks()[seed.stack], seed), memo=memo())
    told = [
        each
        for each in findings
        if (each.rule, each.severity) == (seed.rule, "warning" if seed.warns else "error")
        and fnmatchcase(each.object, seed.at or seed.object)
    ]

    assert any(seed.text in each.text for each in told), [f"{each.rule}: {each.text}" for each in findings]


def test_there_are_two_hundred_of_them_and_some_for_every_rule() -> None:
    counts = Counter(seed.id for seed in SEEDS)

    assert len(SEEDS) >= 200
    assert [name for name, count in counts.items() if count > 1] == []
    assert {rule.id for rule in rules()} - {seed.rule for seed in SEEDS} == OF_STACK_FILES
