"""Datasets: the claim that pods read, and copies of it on the disks of nodes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from platform_def.checks.rules.policy.pod_security import _violations
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.storage import AnyStorage, DatasetConfig, ExistingStorage
from platform_def.config.teams import Team
from platform_def.constructs.dataset import SCRIPT, Dataset, Reading, dataset_problems
from tests.unit.constructs.samples import Made, objects

STORAGE: Mapping[str, AnyStorage] = {
    "ceph": ExistingStorage(driver="existing", class_name="cephfs", access_modes=["ReadWriteMany"]),
    "disk": ExistingStorage(driver="existing"),
}
POOL = NodePool.from_file({"name": "train", "selector": {"pool": "train"}, "localDisk": {"path": "/mnt/nvme"}})


def config(**said: Any) -> DatasetConfig:
    return DatasetConfig.from_file(said)


def made(pool: NodePool | None = None, **said: Any) -> tuple[Reading, Made]:
    there = objects(
        lambda scope: Dataset(scope, "faces", config(**said), pools=[pool] if pool else []),
        platform=Platform(storage=STORAGE),
    )
    return Reading("faces", config(**said), pool), there


def mirrored(image: str) -> str:
    return f"mirror.example.com/{image}"


def told(pool: NodePool | None = None, team: Team | None = None, **said: Any) -> str:
    platform = Platform(storage=STORAGE, teams=(team,) if team else ())
    found = dataset_problems(config(**said), platform, pool=pool, namespace="team-vision", who="jobs[0].dataset")
    return "\n".join(map(str, found))


def test_a_claim_is_made_of_what_many_nodes_can_mount() -> None:
    dataset, there = made(size="2Ti")
    claim = there["PersistentVolumeClaim", "faces"]["spec"]

    assert claim == {
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "2Ti"}},
        "storageClassName": "cephfs",
    }
    assert dataset.volumes() == [{"name": "data", "persistentVolumeClaim": {"claimName": "faces"}}]
    assert dataset.mounts("/data") == [{"name": "data", "mountPath": "/data"}]
    assert dataset.init_containers(mirrored) == []


def test_a_claim_that_exists_is_read_as_it_is() -> None:
    dataset, there = made(claim="imagenet", readOnly=True)

    assert not there
    assert dataset.volumes()[0]["persistentVolumeClaim"] == {"claimName": "imagenet"}
    assert dataset.mounts("/data") == [{"name": "data", "mountPath": "/data", "readOnly": True}]


def test_a_copy_is_one_claim_for_the_disks_of_all_nodes_of_the_pool() -> None:
    dataset, there = made(POOL, localCopy={})
    volume = there["PersistentVolume", "here-faces-copy-train"]["spec"]

    assert volume["hostPath"] == {"path": "/mnt/nvme/here/faces", "type": "DirectoryOrCreate"}
    (term,) = volume["nodeAffinity"]["required"]["nodeSelectorTerms"]
    assert term["matchExpressions"] == [{"key": "pool", "operator": "In", "values": ["train"]}]
    assert volume["claimRef"] == {"namespace": "here", "name": "faces-copy-train"}
    assert there["PersistentVolumeClaim", "faces-copy-train"]["spec"]["volumeName"] == "here-faces-copy-train"
    assert [each["name"] for each in dataset.volumes()] == ["data", "data-copy"]


def test_pods_read_the_copy_of_their_generation_and_cannot_change_it() -> None:
    dataset, _ = made(POOL, localCopy={"generation": "2026-05"})
    (container,) = dataset.init_containers(mirrored)

    assert dataset.mounts("/data") == [
        {"name": "data-copy", "mountPath": "/data", "subPath": "2026-05", "readOnly": True}
    ]
    assert {"name": "GENERATION", "value": "2026-05"} in container["env"]
    assert container["image"] == "mirror.example.com/docker.io/library/busybox:1.37.0"


def test_without_a_disk_there_is_no_copy() -> None:
    dataset, there = made(NodePool.from_file({"name": "plain"}), localCopy={})

    assert ("PersistentVolume", "here-faces-copy-train") not in there
    assert dataset.init_containers(mirrored) == []
    assert dataset.mounts("/data")[0]["name"] == "data"


def test_a_pod_that_copies_keeps_to_the_baseline_level() -> None:
    dataset, _ = made(POOL, localCopy={})
    pod = {"containers": [], "initContainers": dataset.init_containers(mirrored), "volumes": dataset.volumes()}

    assert list(_violations(pod, "baseline")) == []
    assert list(_violations(pod, "restricted")) != []


@pytest.mark.parametrize(
    ("pool", "said", "text"),
    [
        (None, {"localCopy": {}}, "no node pool says where the disks are"),
        ({"name": "a"}, {"localCopy": {}}, "the nodes of pool a have no local disk"),
        ({"name": "a", "localDisk": {"path": "/x"}}, {"localCopy": {}}, "pool a has no selector"),
        (
            {"name": "a", "selector": {"a": "b"}, "localDisk": {"path": "/x", "size": "1Ti"}},
            {"localCopy": {}, "size": "2Ti"},
            "2Ti of data do not fit on a disk of 1Ti of pool a",
        ),
        (None, {"storage": "disk"}, "is ReadWriteMany, which storage 'disk' cannot be"),
        (None, {"storage": "dsik"}, "storage 'dsik' is not in the stack"),
    ],
)
def test_what_the_stack_cannot_give_is_told(pool: Any, said: dict[str, Any], text: str) -> None:
    assert text in told(NodePool.from_file(pool) if pool else None, **said)


def test_a_restricted_team_cannot_copy() -> None:
    team = Team.from_file({"name": "vision", "podSecurity": "restricted"})

    assert "which team vision's Pod Security level keeps out" in told(POOL, team, localCopy={})
    assert told(POOL, team) == ""
    assert told(POOL, localCopy={}) == ""


@pytest.mark.skipif(not (shutil.which("flock") and shutil.which("awk")), reason="the machine has no flock or awk")
def test_the_data_is_copied_once_as_a_whole_and_anew_for_another_generation(tmp_path: Path) -> None:
    source, disk = tmp_path / "from", tmp_path / "to"
    (source / "inner").mkdir(parents=True)
    disk.mkdir()
    (source / "inner" / "one").write_text("1")
    (disk / ".partial").mkdir()
    (disk / ".partial" / "broken").write_text("from a pod that was killed")

    def copy(generation: str) -> None:
        variables = {"FROM": str(source), "TO": str(disk), "GENERATION": generation, "PATH": "/usr/bin:/bin"}
        subprocess.run(["/bin/sh", "-c", SCRIPT], env=variables, check=True, capture_output=True)

    copy("a")
    (source / "inner" / "one").write_text("2")
    copy("a")
    copy("b")

    assert (disk / "a" / "inner" / "one").read_text() == "1"
    assert (disk / "b" / "inner" / "one").read_text() == "2"
    assert not (disk / "a" / "broken").exists()
    assert not (disk / ".partial").exists()
