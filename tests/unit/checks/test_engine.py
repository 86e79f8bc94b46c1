"""The engine: order, memory between stacks, files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace

from platform_def.checks.catalogue import rules
from platform_def.checks.context import Context, Memo
from platform_def.checks.engine import check
from platform_def.checks.fault import Fault
from platform_def.checks.rule import Finding, ObjectRule, OfKind, reads_nothing
from platform_def.checks.rules.server.definition_valid import DEFINITION_VALID
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.platform import Platform
from platform_def.manifests.rendered import Kind, Manifest, RenderedStack
from platform_def.pipeline.cache import Cache
from tests.unit.checks.samples import config_map, crd, deployment, found, rendered


def test_rules_have_ids_of_their_own_and_say_what_they_are_for() -> None:
    assert len({rule.id for rule in rules()}) == len(rules())
    assert all(rule.title and rule.why and rule.fix for rule in rules())


def test_findings_are_sorted_by_place_whatever_the_order_of_objects() -> None:
    bad = [deployment("b", image="x"), deployment("a", image="x")]

    assert check(rendered(*bad)) == check(rendered(*reversed(bad)))
    assert [finding.object for finding in check(rendered(*bad))] == ["Deployment default/a", "Deployment default/b"]


def test_an_object_is_looked_at_once_in_all_stacks_of_a_run() -> None:
    looked: list[str] = []

    def look(manifest: Manifest, _: None) -> list[Fault]:
        looked.append(manifest["metadata"]["name"])
        return [Fault("", "seen")]

    rule = ObjectRule(id="look", severity="warning", title="t", why="w", fix="f", check=look, reads=reads_nothing)
    memo = Memo()
    stacks = [rendered(config_map("same"), config_map(name)) for name in ("one", "two")]
    findings = [found(rule, stack, memo=memo) for stack in stacks]

    assert sorted(looked) == ["one", "same", "two"]
    assert [len(each) for each in findings] == [2, 2]


def test_what_a_rule_reads_of_a_kind_is_asked_once_and_decides_with_the_object_what_is_known() -> None:
    asked: list[Kind] = []
    looked: list[str] = []

    def read(context: Context, kind: Kind) -> str:
        asked.append(kind)
        return context.stack.platform.kubernetes

    def look(manifest: Manifest, kubernetes: str) -> list[Fault]:
        looked.append(manifest["metadata"]["name"])
        return [Fault("", f"seen by {kubernetes}")]

    rule = ObjectRule(id="look", severity="warning", title="t", why="w", fix="f", check=look, reads=OfKind(read))
    memo, objects = Memo(), (config_map("one"), config_map("two"))
    findings = [
        found(rule, rendered(*objects, platform=Platform(kubernetes=Kubernetes(each))), memo=memo)
        for each in ("1.34", "1.35", "1.34")
    ]

    assert asked == [("v1", "ConfigMap")] * 3
    assert looked == ["one", "two"] * 2
    assert [{each.text for each in one} for one in findings] == [
        {f"seen by {each}"} for each in ("1.34", "1.35", "1.34")
    ]


def test_the_sign_of_a_rule_is_looked_for_once_in_an_object_that_stacks_share() -> None:
    looked: list[str] = []

    def sign(_: Kind, text: str) -> bool:
        looked.append(text)
        return "one" in text

    def rule(name: str) -> ObjectRule[str]:
        return ObjectRule(
            id=name,
            severity="warning",
            title="t",
            why="w",
            fix="f",
            check=lambda _, given: [Fault("", given)],
            reads=lambda context, item: f"{context.stack.name} {item.name} by {name}",
            sign=sign,
        )

    rules, memo = [rule("first"), rule("second")], Memo()
    first = rendered(config_map("one"), config_map("two"))
    stacks = [replace(first, name=name) for name in ("a", "b")]
    texts = [[each.text for each in check(stack, memo=memo, rules=rules)] for stack in stacks]

    assert texts == [["a one by first", "a one by second"], ["b one by first", "b one by second"]]
    assert len(looked) == 4


def test_results_with_a_memory_are_those_without() -> None:
    memo = Memo()
    stacks = [rendered(deployment(image=image)) for image in ("x", "x", "x:1")]

    assert [check(stack, memo=memo) for stack in stacks] == [check(stack) for stack in stacks]


def test_results_that_are_not_held_are_the_same() -> None:
    stack = rendered(deployment(image="x"), deployment(image="x", imagePolicy="y"), config_map(dat={}))

    assert check(stack, memo=Memo(one_stack=True)) == check(stack)


def test_what_takes_long_is_kept_between_runs_by_text_and_version() -> None:
    bad = {"type": "object", "x-kubernetes-validations": [{"rule": "self.nothing"}]}
    cache = Cache(None, "code")

    first = check(rendered(crd(bad)), memo=Memo(cache))
    again = _judged_anew(rendered(crd(bad)), cache)
    changed = _judged_anew(rendered(crd({**bad, "description": "new"})), cache)

    assert [finding.rule for finding in first] == ["crd-valid"]
    assert again == (first, 0)
    assert changed[1] == 1


def _judged_anew(stack: RenderedStack, cache: Cache) -> tuple[list[Finding], int]:
    """The findings of a new run, and how many definitions it looked into."""
    looked: list[Manifest] = []

    def check_(manifest: Manifest, minor: int) -> Iterable[Fault]:
        looked.append(manifest)
        return DEFINITION_VALID.check(manifest, minor)

    changed = (replace(DEFINITION_VALID, check=check_) if each is DEFINITION_VALID else each for each in rules())
    return check(stack, memo=Memo(cache), rules=changed), len(looked)


def test_starting_the_engine_loads_neither_cdk8s_nor_the_validator() -> None:
    code = "import sys, platform_def.checks.engine; print(*({'jsii', 'cdk8s', 'constructs', 'jsonschema_rs', 'google.protobuf'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == ""


def test_the_language_of_rules_is_loaded_where_an_object_has_some_alone() -> None:
    code = (
        "import sys\n"
        "from tests.unit.checks.samples import config_map, crd, deployment, rendered\n"
        "from platform_def.checks.engine import check\n"
        "check(rendered(config_map(), deployment(), crd({'type': 'object'})))\n"
        "print('cel_expr_python' in sys.modules, 'google.protobuf' in sys.modules)\n"
        "rule = {'rule': 'self.size() < 2'}\n"
        "check(rendered(crd({'type': 'object', 'x-kubernetes-validations': [rule]})))\n"
        "print('cel_expr_python' in sys.modules, 'google.protobuf' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False", "True", "True"]
