"""csi-driver-nfs: directories of servers, made and mounted by one program."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.components.storage.csi_driver_nfs.component import CsiDriverNfs
from platform_def.config.storage import Nfs, StaticVolume
from platform_def.config.teams import Team
from tests.unit.built import Objects, built, grants, platform, told

CONTROLLER, NODE = "csi-nfs-controller", "csi-nfs-node"
SNAPSHOTS = frozenset({"VolumeSnapshotClass.snapshot.storage.k8s.io"})


def entry(**more: Any) -> Nfs:
    return Nfs.from_file({"driver": "nfs", "server": "nfs.example.com", "share": "/ml", **more})


def made(config: dict[str, Any] | None = None, facts: dict[str, Any] | None = None, **said: Any) -> Objects:
    return built(CsiDriverNfs, platform(storage={"files": entry(**said)}, **(facts or {})), **(config or {}))


def test_a_class_names_server_share_and_what_becomes_of_a_directory() -> None:
    plain = made().one("StorageClass", "files")
    said = made(directory="${pvc.metadata.namespace}/${pvc.metadata.name}", onDelete="archive", mountPermissions="0770")

    assert plain["parameters"] == {"server": "nfs.example.com", "share": "/ml"}
    assert plain["mountOptions"] == ["nfsvers=4.1"]
    assert said.one("StorageClass")["parameters"] == {
        "server": "nfs.example.com",
        "share": "/ml",
        "subDir": "${pvc.metadata.namespace}/${pvc.metadata.name}",
        "onDelete": "archive",
        "mountPermissions": "0770",
    }


def test_a_directory_that_all_claims_would_share_is_refused() -> None:
    with pytest.raises(ValidationError, match="all claims would share one directory"):
        entry(directory="datasets/${pvc.metadata.namespace}")


def test_it_runs_on_every_node_whatever_its_taints() -> None:
    objects = made()

    assert objects.pod("DaemonSet", NODE)["tolerations"] == [{"operator": "Exists"}]
    assert objects.pod("DaemonSet", NODE)["hostNetwork"] is True


def test_only_what_mounts_is_privileged_and_only_the_node_sees_the_kubelet() -> None:
    objects = made()
    privileged = {
        each["name"] for each in objects.pod("Deployment")["containers"] if each["securityContext"].get("privileged")
    }

    assert privileged == {"nfs"}
    assert not [each for each in objects.pod("Deployment")["volumes"] if "hostPath" in each]
    paths = {each["name"]: each["hostPath"]["path"] for each in objects.pod("DaemonSet")["volumes"]}
    assert paths == {
        "socket-dir": "/var/lib/kubelet/plugins/csi-nfsplugin/",
        "mountpoint-dir": "/var/lib/kubelet/pods",
        "registration-dir": "/var/lib/kubelet/plugins_registry/",
    }


def test_the_kubelet_asks_each_pod_at_a_port_of_its_own() -> None:
    objects = made()
    ports = [
        objects.container(kind, "", "nfs")["livenessProbe"]["httpGet"]["port"] for kind in ("Deployment", "DaemonSet")
    ]

    assert ports == [29652, 29653]
    assert "--http-endpoint=localhost:29652" in objects.arguments("Deployment", "", "liveness-probe")
    assert objects.one("Deployment")["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}


def test_leases_are_its_own_namespaces_alone() -> None:
    objects = made()

    assert not grants(objects.rules("ClusterRole"), "coordination.k8s.io", "leases")
    assert "create" in grants(objects.rules("Role"), "coordination.k8s.io", "leases")


def test_without_snapshots_there_is_no_sidecar_right_or_class() -> None:
    on, off = made(facts={"apis": SNAPSHOTS}), made({"snapshots": "off"}, {"apis": SNAPSHOTS})
    names = [each["name"] for each in off.pod("Deployment")["containers"]]

    assert on.one("VolumeSnapshotClass", "files")["parameters"] == {"mountOptions": "nfsvers=4.1"}
    assert off.of("VolumeSnapshotClass") == []
    assert "csi-snapshotter" not in names
    assert not grants(off.rules("ClusterRole"), "snapshot.storage.k8s.io", "volumesnapshots")


def test_snapshots_may_stay_uncompressed() -> None:
    flag = "--enable-snapshot-compression=false"
    objects = made({"snapshot_compression": False})

    assert flag in objects.arguments("Deployment", "", "nfs")
    assert flag not in objects.arguments("DaemonSet", "", "nfs")
    assert flag not in made().arguments("Deployment", "", "nfs")


def test_sidecars_leave_out_classes_of_attributes_which_the_driver_does_not_have() -> None:
    for sidecar in ("csi-provisioner", "csi-resizer"):
        assert "--feature-gates=VolumeAttributesClass=false" in made().arguments("Deployment", "", sidecar)


def test_a_stack_without_a_server_is_told_what_to_add() -> None:
    [text] = told(CsiDriverNfs)

    assert "storage has no entry with driver nfs" in text
    assert "{driver: nfs, server: …, share: …, servedBy: csi-driver-nfs}" in text


def test_a_directory_that_is_there_is_mounted_as_it_is() -> None:
    there = {"storage": "files", "namespace": "team-vision", "path": "/imagenet"}
    objects = made({"volumes": {"imagenet": there}})
    source = objects.one("PersistentVolume", "team-vision-imagenet")["spec"]["csi"]

    assert source["volumeAttributes"] == {"server": "nfs.example.com", "share": "/ml/imagenet"}
    assert source["readOnly"] is True
    assert objects.one("PersistentVolumeClaim", "imagenet")["metadata"]["namespace"] == "team-vision"


def test_a_directory_of_no_server_is_told() -> None:
    there = {"storage": "fils", "namespace": "team-vision", "path": "/imagenet"}
    (text,) = told(CsiDriverNfs, {"volumes": {"imagenet": there}}, storage={"files": entry()})

    assert "volumes.imagenet.storage: 'fils' is no entry with driver nfs" in text
    assert "did you mean 'files'?" in text


def test_it_reads_only_secrets_that_entries_name_for_removing_volumes() -> None:
    """It mounts the share without the class's options when it removes a volume, unless a Secret holds them."""
    named = made(mountOptions=["sec=krb5"], secret={"existing": "storage/nfs-options"})
    (rule,) = [each for each in named.rules("ClusterRole") if "secrets" in each["resources"]]

    assert (rule["verbs"], rule["resourceNames"]) == (["get"], ["nfs-options"])
    parameters = named.one("StorageClass")["parameters"]
    assert parameters["csi.storage.k8s.io/provisioner-secret-name"] == "nfs-options"
    assert parameters["csi.storage.k8s.io/provisioner-secret-namespace"] == "storage"
    assert grants(made().rules("ClusterRole"), "", "secrets") == set()


TEAMS = (
    Team.from_file({"name": "vision", "members": [{"name": "li@example.com", "quota": {"gpus": 1}}]}),
    Team(name="speech"),
)


@pytest.mark.parametrize(
    ("whose", "homes"),
    [
        ({"teams": "all"}, [home for team in TEAMS for home in team.homes]),
        ({"teams": ["speech"]}, ["team-speech"]),
        ({"namespace": "lab"}, ["lab"]),
    ],
)
def test_data_that_several_teams_read_is_a_claim_of_one_name_in_each(whose: dict[str, Any], homes: list[str]) -> None:
    there = {"storage": "files", "path": "/imagenet", **whose}
    objects = made({"volumes": {"imagenet": there}}, {"teams": TEAMS})
    claims, volumes = objects.of("PersistentVolumeClaim"), objects.of("PersistentVolume")

    assert [each["metadata"]["namespace"] for each in claims] == homes
    assert {each["metadata"]["name"] for each in claims} == {"imagenet"}
    assert {each["spec"]["csi"]["volumeHandle"] for each in volumes} == {f"{home}-imagenet" for home in homes}
    assert all(each["spec"]["csi"]["readOnly"] for each in volumes)
    assert [each["spec"]["claimRef"]["namespace"] for each in volumes] == homes


@pytest.mark.parametrize("whose", [{}, {"namespace": "lab", "teams": ["speech"]}])
def test_a_volume_says_whose_it_is(whose: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="say whose it is: `namespace:`, or `teams:` with names or `all`"):
        StaticVolume.from_file({"storage": "files", "path": "/imagenet", **whose})


def test_teams_of_a_volume_are_teams_of_the_stack() -> None:
    def said(whose: object, **stack: Any) -> list[str]:
        config = {"volumes": {"imagenet": {"storage": "files", "path": "/i", "teams": whose}}}
        return told(CsiDriverNfs, config, storage={"files": entry()}, **stack)

    (unknown,) = said(["speach"], teams=TEAMS)
    assert "components.csi-driver-nfs.volumes.imagenet.teams: the stack has no team 'speach'" in unknown
    assert "the stack has no teams, so that there would be no claim" in said("all")[0]
    assert said("all", teams=TEAMS) == said(["speech"], teams=TEAMS) == []
