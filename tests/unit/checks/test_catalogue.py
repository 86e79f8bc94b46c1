"""The index of checks: it leaves out what has nothing to say, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import cast

import pytest

from platform_def.checks.catalogue import OF_OBJECTS, IndexedCheck, rules, rules_for
from platform_def.checks.context import Memo
from platform_def.checks.engine import check
from platform_def.checks.examples import cases
from platform_def.manifests.rendered import Manifest, RenderedStack
from platform_def.yaml import load_all
from tests.unit.checks.samples import config_map, rendered

NARROW = [entry for entry in OF_OBJECTS if entry.kinds is not None]
MEMO = Memo()
SERVICE: Manifest = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "default"}}


@pytest.mark.parametrize("entry", NARROW, ids=lambda entry: str(entry.id))
def test_a_rule_without_an_object_of_its_kinds_finds_nothing(entry: IndexedCheck) -> None:
    """Of what breaks it, whatever is of its kinds is taken away: then the rule itself, asked all the same, is silent."""
    (rule,) = (each for each in rules() if each.id == entry.id)
    for case in cases(rule.id):
        for objects in _objects(case.breaking):
            others = [each for each in objects if each["kind"] not in (rule.kinds or ())]
            for stack in _stacks(others):
                assert check(stack, memo=MEMO, rules=(rule,)) == []


def test_what_breaks_a_rule_is_found_through_the_index_as_by_all_rules() -> None:
    for entry in NARROW:
        for case in cases(entry.id):
            for objects in _objects(case.breaking):
                for stack in _stacks(objects):
                    assert check(stack, memo=MEMO) == check(stack, memo=MEMO, rules=rules())


def test_what_the_cluster_has_counts_as_well() -> None:
    stack = replace(rendered(config_map()), existing=tuple(rendered(SERVICE).objects()))

    assert "node-port" in {rule.id for rule in rules_for(stack)}
    assert "node-port" not in {rule.id for rule in rules_for(rendered(config_map()))}


def test_a_rule_that_has_nothing_to_say_is_not_imported() -> None:
    code = (
        "import sys\n"
        "from tests.unit.checks.samples import config_map, rendered\n"
        "from platform_def.checks.engine import check\n"
        "check(rendered(config_map()))\n"
        "print(*sorted(each.rpartition('.')[2] for each in sys.modules if each.startswith('platform_def.checks.rules.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "reference_exists" in done.stdout
    assert not {"admission_policy", "network_reach", "crd_size"} & {*done.stdout.split()}


def _objects(written: object) -> list[list[Manifest]]:
    files = written.values() if isinstance(written, dict) else (written,)
    return [[each for each in cast(list[Manifest], load_all(str(text))) if "kind" in each] for text in files]


def _stacks(objects: list[Manifest]) -> tuple[RenderedStack, ...]:
    """As a stack has them, and as others made them."""
    stack = rendered(*objects)
    return stack, replace(stack, foreign=True)
