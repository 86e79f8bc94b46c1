"""The stacks that hold every component at every release come from nothing to ready, with either real engine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from platform_def.yaml import load_all
from tests.cluster.client import Api, Manifest
from tests.cluster.engines import state
from tests.cluster.engines.conftest import ROOM, EmptyCluster, node
from tests.cluster.engines.either import ENGINES
from tests.cluster.engines.repository import SAMPLE, PlatformRepository
from tests.cluster.engines.story import handed_over
from tests.cluster.stacks import COVERAGE, borrowed_crds, catalogued_crds, coverage_stacks
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.thorough]


CONTROL_PLANE = ("control-plane", {"node-role.kubernetes.io/control-plane": ""})
"""Name and labels of a node that every cluster has."""
DEVICES = "64"
"""How many a node has of each."""


def _read(file: Path) -> Manifest:
    (text,) = cast("list[Manifest]", load_all(file.read_bytes(), file=str(file)))
    return text


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


def prepare(api: Api, repository: PlatformRepository) -> None:
    """What the cluster has already: nodes of the stack's pools, with as many devices as any pod wants, since no plugin
    counts any, and the definitions of what somebody else provides."""
    objects = repository.manifests(jobs=True)
    room = {**ROOM, **dict.fromkeys(sorted(devices(objects)), DEVICES)}
    for name, labels in [CONTROL_PLANE, *pools(repository.file)]:
        assert api.request("POST", "/api/v1/nodes", _labelled(node(name, room), labels)).status == 201
    own = [each for each in objects if not each["apiVersion"].startswith(("argoproj.io/", "kustomize.", "source."))]
    assert refusals(apply_in_waves(api, borrowed_crds(own, catalogued_crds(own)))) == []


def devices(found: object) -> set[str]:
    """The resources beyond those of every node that containers ask for, wherever these are in objects."""
    if isinstance(found, Mapping):
        kinds = found.get("resources")
        asked = [kinds.get(each) for each in ("requests", "limits")] if isinstance(kinds, Mapping) else []
        names = {name for each in asked if isinstance(each, Mapping) for name in each if "/" in name}
        return names.union(*map(devices, found.values()))
    return set[str]().union(*map(devices, found)) if isinstance(found, list) else set()


def pools(file: Path) -> list[tuple[str, Mapping[str, str]]]:
    """Names and labels of the pools that a stack's file names."""
    found: list[dict[str, Any]] = _read(file).get("nodePools") or []
    return [(each["name"], each.get("selector") or {}) for each in found]


def _labelled(found: Manifest, labels: Mapping[str, str]) -> Manifest:
    return {**found, "metadata": {**found["metadata"], "labels": {**found["metadata"]["labels"], **labels}}}
