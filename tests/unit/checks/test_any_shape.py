"""A document of any shape is an answer, never a traceback."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from platform_def.checks.context import Memo
from platform_def.checks.engine import check
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject
from tests.unit.checks.core_examples import EXAMPLES
from tests.unit.checks.samples import rendered

MEMO = Memo(one_stack=True)
ODD: tuple[Any, ...] = (None, True, 0, -1, 1.5, "", "Text!", [], {}, [None], [{}], [[]], {"a": None}, [{"a": {"b": 1}}])
SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all values below."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield (*path, step)
        yield from places(inner, (*path, step))


def put(manifest: Manifest, path: tuple[str | int, ...], value: Any) -> Manifest:
    """Another value at the path; what does not lead there is shared, for no rule changes a manifest."""
    changed: Any = copy.copy(manifest)
    inner = changed
    for step in path[:-1]:
        inner[step] = copy.copy(inner[step])
        inner = inner[step]
    inner[path[-1]] = value
    return changed  # type: ignore[no-any-return]


def answered(*manifests: Manifest, foreign: bool = True) -> None:
    objects = tuple(RenderedObject(each, "app", "main", "here", file_text=json.dumps(each)) for each in manifests)
    check(replace(rendered(), components={"app": RenderedComponent("app", objects)}, foreign=foreign), memo=MEMO)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_field_may_hold_anything(name: str) -> None:
    manifest = EXAMPLES[name]
    for path in places(manifest):
        if path[0] not in ("apiVersion", "kind"):
            answered(*(put(manifest, path, value) for value in ODD))


@given(st.data())
def test_any_value_at_any_place_is_an_answer(data: st.DataObject) -> None:
    manifest = EXAMPLES[data.draw(st.sampled_from(sorted(EXAMPLES)))]
    path = data.draw(st.sampled_from([path for path in places(manifest) if path[0] not in ("apiVersion", "kind")]))

    answered(put(manifest, path, data.draw(SHAPES)), foreign=data.draw(st.booleans()))


@given(st.dictionaries(st.sampled_from(["metadata", "spec", "data", "rules", "webhooks", "status"]), SHAPES))
def test_any_body_of_any_kind_is_an_answer(body: dict[str, Any]) -> None:
    answered(*({**body, **{key: each[key] for key in ("apiVersion", "kind")}} for each in EXAMPLES.values()))
