"""What breaks a rule, with anything at any of its places, is an answer and never a traceback."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

import pytest

from platform_def.checks.catalogue import checks_of
from platform_def.checks.context import Memo
from platform_def.checks.engine import check
from platform_def.checks.examples import cases
from platform_def.checks.rule import Rule
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject
from platform_def.yaml import load_all
from tests.unit.checks.samples import rendered
from tests.unit.checks.test_any_shape import places, put

ODD: tuple[Any, ...] = (None, "Text!", 7, [{}], [[]], {"a": [None]})
RULES = tuple(
    rule
    for area in ("references", "policy", "operators", "platform", "releases", "delivery")
    for rule in checks_of(area)
    if isinstance(rule, Rule)
)
"""The API server's own are held to this over examples of all kinds."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.id))
def test_a_rule_answers_whatever_stands_in_what_breaks_it(rule: Any) -> None:
    memo = Memo()
    for case in cases(rule.id):
        files = case.breaking.values() if not isinstance(case.breaking, str) else (case.breaking,)
        for written in files:
            manifests = [each for each in cast(list[Manifest], load_all(written)) if "kind" in each]
            for changed, manifest in enumerate(manifests):
                others = [each for index, each in enumerate(manifests) if index != changed]
                for path in places(manifest):
                    if path[0] not in ("apiVersion", "kind"):
                        mutants = [put(manifest, path, value) for value in ODD]
                        objects = tuple(
                            RenderedObject(each, "app", "main", "here", file_text=json.dumps(each))
                            for each in (*others, *mutants)
                        )
                        stack = replace(
                            rendered(),
                            components={"app": RenderedComponent("app", objects)},
                            foreign=rule.without_stack != "not at all",
                        )
                        check(stack, memo=memo, rules=(rule,))
