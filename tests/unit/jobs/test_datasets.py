"""Datasets of a team in its jobs: read alone, from the node's disk where there is a copy."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.pools import NodePool
from platform_def.config.teams import Team
from tests.unit.jobs.platforms import MINIMAL, PLATFORM, TRAIN, WITH_PODS, job, pod, problems, templates_of

TEAM = Team.from_file(
    {
        "name": "vision",
        "podSecurity": "privileged",
        "datasets": {"faces": {"claim": "faces-2026"}, "hot": {"size": "1Ti", "localCopy": {"generation": "2"}}},
    }
)
DISK = NodePool.from_file(
    {
        "name": "disk",
        "selector": {"pool": "disk"},
        "gpu": {"model": "l4", "perNode": 8},
        "localDisk": {"path": "/mnt/a"},
    }
)
TEAMS = PLATFORM.with_facts(teams=(TEAM,), node_pools=(TRAIN, DISK))


def made(name: str, pool: str, *datasets: str, **said: Any) -> dict[str, Any]:
    return job(name, TEAMS, **MINIMAL[name], pool=pool, team="vision", datasets=[*datasets], **said)


def told(**said: Any) -> list[tuple[str, str]]:
    return problems("jax", TEAMS, **MINIMAL["jax"], **{"team": "vision", "pool": "train", **said})


@pytest.mark.parametrize("name", WITH_PODS)
def test_every_pod_of_every_template_reads_them_and_changes_none(name: str) -> None:
    for _, template in templates_of(made(name, "train", "faces", "hot")):
        spec = template["spec"]
        claims = {each["name"]: each.get("persistentVolumeClaim", {}).get("claimName") for each in spec["volumes"]}
        assert (claims["dataset-faces"], claims["dataset-hot"]) == ("faces-2026", "hot")
        mounts = spec["containers"][0]["volumeMounts"]
        assert {"name": "dataset-faces", "mountPath": "/datasets/faces", "readOnly": True} in mounts
        assert {"name": "dataset-hot", "mountPath": "/datasets/hot", "readOnly": True} in mounts


def test_where_nodes_have_a_disk_the_first_pod_copies_and_all_read_the_copy() -> None:
    spec = pod(made("jax", "disk", "faces", "hot"))
    (copies,) = spec["initContainers"]

    assert copies["name"] == "copy-dataset-hot"
    assert {"name": "GENERATION", "value": "2"} in copies["env"]
    mounts = {each["mountPath"]: each for each in spec["containers"][0]["volumeMounts"]}
    assert mounts["/datasets/hot"]["name"] == "dataset-hot-copy"
    assert mounts["/datasets/faces"]["name"] == "dataset-faces"
    (volume,) = (each for each in spec["volumes"] if each["name"] == "dataset-hot-copy")
    assert volume["persistentVolumeClaim"] == {"claimName": "hot-copy-disk"}


def test_code_comes_before_data_is_copied_and_servers_start_after() -> None:
    code = {"image": "registry.example.com/code:1", "path": "/src"}
    before = pod(made("tensorflow-ps", "disk", "hot", code=code))["initContainers"]

    assert [each["name"] for each in before] == ["code", "copy-dataset-hot", "server"]


@pytest.mark.parametrize(
    ("said", "field", "text"),
    [
        ({"datasets": ["face"]}, "datasets", "team vision has no dataset 'face'; did you mean 'faces'?"),
        ({"datasets": ["faces"], "team": None}, "datasets", "datasets are a team's; say `team:`"),
        ({"datasets": ["hot", "hot"]}, "datasets", "hot is named twice"),
        ({"datasets": ["hot"], "volumes": {"datasets": {"claim": "c"}}}, "volumes", "/datasets is the place of"),
    ],
)
def test_what_cannot_be_is_told(said: dict[str, Any], field: str, text: str) -> None:
    where, what = told(**said)[0]

    assert where == field
    assert text in what


def test_a_runtime_of_the_cluster_has_no_container_that_copies() -> None:
    said = {**MINIMAL["trainjob"], "runtime": "torch-distributed", "team": "vision", "datasets": ["hot"]}

    assert [field for field, _ in problems("trainjob", TEAMS, **said, pool="disk")] == ["datasets"]
    assert problems("trainjob", TEAMS, **said, pool="train") == []
