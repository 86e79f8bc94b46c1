"""Constructs that Node gets when it is asked: the tree is the one that Node would have made."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cdk8s
import pytest
from constructs import Construct
from hypothesis import given
from hypothesis import strategies as st
from jsii.errors import JSIIError

from platform_def.apis.core.core_v1 import CONFIG_MAP, SERVICE_ACCOUNT
from platform_def.constructs import Resource
from platform_def.constructs.node import pending, released
from tests.unit.constructs.samples import built, objects

IDS = st.sampled_from(["b", "a", "10", "9", "0", "01", "-1", "4294967294", "4294967295", "a/b", "a\nb", "é", "٣"])
TREES: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.just({}), lambda below: st.dictionaries(IDS, below, max_size=4), max_leaves=12
)


def grow(scope: Construct, tree: dict[str, Any]) -> None:
    """Constructs below another, where no two ids become the same."""
    seen = set()
    for name, below in tree.items():
        if (plain := name.replace("/", "--").replace("\n", "--")) not in seen:
            seen.add(plain)
            grow(Construct(scope, name), below)


@given(TREES)
@released()
def test_the_tree_has_the_order_of_nodes_own(tree: dict[str, Any]) -> None:
    with pending() as waiting:
        top = cdk8s.Chart(cdk8s.App(), "chart")
        grow(top, tree)
        assert waiting.holds(top)
        ours = [*waiting.all_below(top)]
        theirs = top.node.find_all()

    assert ours == theirs


def test_who_asks_sees_what_was_made_before_and_what_comes_after() -> None:
    seen: list[str] = []

    def build(self: Any) -> None:
        first = Resource(self, CONFIG_MAP, "first", fields={})
        seen.append(first.node.path)
        second = Resource(self, CONFIG_MAP, "second", fields={})
        second.node.add_dependency(first)
        seen.extend(each.node.id for each in self.node.children)

    made = objects(build)

    assert seen == ["chart/sample/ConfigMap-here-first", "ConfigMap-here-first", "ConfigMap-here-second"]
    assert [*made] == [("ConfigMap", "first"), ("ConfigMap", "second")]


def test_objects_of_cdk8s_own_are_built_with_ours(tmp_path: Path) -> None:
    file = tmp_path / "objects.yaml"
    file.write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: read}, data: {k: v}}")

    def build(self: Any) -> None:
        Resource(self, SERVICE_ACCOUNT, "ours")
        cdk8s.ApiObject(self, "theirs", api_version="v1", kind="Secret", metadata={"name": "theirs"})
        cdk8s.Include(self, "read", url=str(file))

    assert [*objects(build)] == [("ServiceAccount", "ours"), ("Secret", "theirs"), ("ConfigMap", "read")]


def twice(self: Any) -> None:
    """Two of a name."""
    Resource(self, CONFIG_MAP, "a", fields={})
    Resource(self, CONFIG_MAP, "a", fields={})


def nameless(self: Any) -> None:
    """One without a name."""
    Construct(self, "")


@pytest.mark.parametrize(
    ("build", "words"),
    [(twice, "already a Construct with name 'ConfigMap-here-a'"), (nameless, "may have an empty ID")],
)
def test_what_node_refuses_is_refused_where_it_is_made(build: Callable[[Any], None], words: str) -> None:
    reached: list[bool] = []

    def until(self: Any) -> None:
        build(self)
        reached.append(True)

    with pytest.raises((JSIIError, RuntimeError), match=words):
        built(until)
    assert not reached


def test_a_construct_that_was_made_before_the_build_is_asked_about_at_once() -> None:
    chart = cdk8s.Chart(cdk8s.App(), "chart")
    with pending() as waiting:
        below = Construct(chart, "below")

        assert waiting.asked
    assert below.node.path == "chart/below"


ALL = """
from platform_def.constructs import node
from platform_def.pipeline.synth import Options, render
from pathlib import Path
rendered = render(Options(Path("."), ("quickstart",), jobs=1))
print(sum(1 for stack in rendered.stacks for _ in stack.objects()), len(node._Process.running))
"""


def test_no_node_is_started_for_our_own_components() -> None:
    done = subprocess.run([sys.executable, "-c", ALL], capture_output=True, text=True, check=True)
    count, started = map(int, done.stdout.split())

    assert count > 50
    assert started == 0
