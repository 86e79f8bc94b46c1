"""The stacks that hold every component at every release come from nothing to ready, with either real engine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster.engines import state
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.either import ENGINES
from tests.cluster.engines.prepared import prepare
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import handed_over
from tests.cluster.stacks import COVERAGE, coverage_stacks

pytestmark = [pytest.mark.cluster, pytest.mark.thorough]


@pytest.mark.parametrize("covered", coverage_stacks())
@pytest.mark.parametrize("engine", ENGINES)
def test_a_stack_of_any_components_comes_from_nothing_and_stays_as_it_is(
    covered: str, engine: str, empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: ENGINES[engine](cluster, programs)  # noqa: E731 - it is passed on
    text = delivered_by(engine, (COVERAGE / f"stacks/{covered}.yaml").read_text(encoding="utf-8"))
    with handed_over(empty_cluster, covered, tmp_path, start, text=text, source=COVERAGE, prepare=prepare) as there:
        there.engine.wait(there.repository, there.repository.revision)
        missing = [each for each in there.repository.manifests() if there.api.read(each).status != 200]
        assert missing == []

        before = state.objects(there.api)
        there.engine.look_again(there.repository)
        after = state.objects(there.api)
        assert state.names(state.changed(before, after) | (before.keys() ^ after.keys())) == []


def delivered_by(engine: str, text: str) -> str:
    """The text of a stack whatever delivers it otherwise."""
    text = re.sub(r"^delivery:.*\n", "", text, flags=re.MULTILINE)
    return f'{text}delivery: {{engine: {engine}, repository: "{SAMPLE}"}}\n'
