"""CSI drivers: what the construct makes of a driver's container, its sidecars and the stack's entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from platform_def.apis.core.core_v1 import Container
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.storage import CephFs
from platform_def.constructs.csi import CsiDriver, Sidecar
from platform_def.constructs.rbac import allow
from tests.unit.constructs.samples import Made, objects

NAME = "disk.example.com"
PLUGIN: Container = {"name": "driver", "image": "example.com/driver:1"}
SIZES = allow("", "persistentvolumeclaims/status", verbs="patch")
SNAPSHOTS = frozenset({"VolumeSnapshotClass.snapshot.storage.k8s.io"})


def entry(**more: Any) -> CephFs:
    needed = {"clusterId": "ceph", "monitors": ["10.0.0.1"], "filesystem": "ml", "secret": {"existing": "a/b"}}
    return CephFs.from_file({"driver": "cephfs", **needed, **more})


def driver(component: Any) -> CsiDriver:
    return CsiDriver(component, NAME, spec={"attachRequired": False, "seLinuxMount": True})


def making(**more: Any) -> Made:
    """What the pods that make volumes come with."""
    given = {
        "plugin": PLUGIN,
        "sidecars": [Sidecar("csi-resizer", "example.com/r:1", ("--x",), rules=(SIZES,))],
    }
    fields = {
        "account": "disk",
        "role": "disk-everywhere",
        "leader_role": "disk-leader",
        "timeout_seconds": 30,
        **given,
    }
    config = {key: more.pop(key) for key in ("availability",) if key in more}
    return objects(lambda scope: driver(scope).controller("disk", **{**fields, **more}), **config)


def mounting(platform: Platform | None = None, **more: Any) -> dict[str, Any]:
    """The pod on each node."""
    fields = {"account": "disk-node", "plugin": PLUGIN, "registrar": Sidecar("registrar", "example.com/n:1")}
    made = objects(lambda scope: driver(scope).node_plugin("disk-node", **{**fields, **more}), platform=platform)
    spec: dict[str, Any] = made["DaemonSet", "disk-node"]["spec"]["template"]["spec"]
    return spec


def paths(pod: Mapping[str, Any], index: int = 0) -> dict[str, str]:
    return {each["name"]: each["mountPath"] for each in pod["containers"][index]["volumeMounts"]}


def test_all_containers_share_the_drivers_socket() -> None:
    pod = making()["Deployment", "disk"]["spec"]["template"]["spec"]

    assert [paths(pod, index)["socket-dir"] for index in range(2)] == ["/csi", "/csi"]
    assert pod["containers"][1]["env"] == [{"name": "ADDRESS", "value": "unix:///csi/csi.sock"}]
    assert pod["containers"][1]["args"][-2:] == ["--leader-election=true", "--x"]
    assert "--timeout=30s" in pod["containers"][1]["args"]


def test_the_account_has_the_rights_of_its_sidecars_and_a_lease_in_its_own_namespace() -> None:
    more = allow("", "nodes", verbs="get")
    made = making(rules=[more])

    assert made["ClusterRole", "disk-everywhere"]["rules"] == [SIZES, more]
    assert made["Role", "disk-leader"]["metadata"]["namespace"] == "here"
    assert made["Role", "disk-leader"]["rules"][0]["resources"] == ["leases"]


def test_volumes_are_made_by_one_pod_and_by_more_where_the_stack_is_highly_available() -> None:
    assert making()["Deployment", "disk"]["spec"]["replicas"] == 1
    assert making(availability="ha")["Deployment", "disk"]["spec"]["replicas"] == 2


def test_the_nodes_network_is_used_where_asked() -> None:
    pod = making(host_network=True)["Deployment", "disk"]["spec"]["template"]["spec"]

    assert (pod["hostNetwork"], pod["dnsPolicy"]) == (True, "ClusterFirstWithHostNet")


def test_a_volume_has_one_path_on_the_node_and_in_the_drivers_container() -> None:
    pod = mounting(Platform(distribution="microk8s"), folders={"cache": "cache"})
    hosts = {each["name"]: each["hostPath"]["path"] for each in pod["volumes"]}
    kubelet = "/var/snap/microk8s/common/var/lib/kubelet"

    for volume in ("mountpoint-dir", "plugin-dir"):
        assert hosts[volume] == paths(pod)[volume]
    assert hosts["cache"] == f"{kubelet}/plugins/{NAME}/cache"
    assert f"--kubelet-registration-path={kubelet}/plugins/{NAME}/csi.sock" in pod["containers"][1]["args"]
    assert paths(pod, 1)["registration-dir"] == "/registration"


def test_a_driver_that_mounts_for_pods_alone_sees_no_folder_of_others() -> None:
    pod = mounting(stages=False)

    assert "plugin-dir" not in paths(pod)
    assert "plugin-dir" not in {each["name"] for each in pod["volumes"]}


def test_it_runs_on_tainted_pools_unless_it_says_where() -> None:
    pool = NodePool.from_file({"name": "gpu", "taints": ["gpu=train:NoSchedule"]})
    platform = Platform(node_pools=(pool, pool))

    assert len(mounting(platform)["tolerations"]) == 1
    assert mounting(platform, tolerations=[{"operator": "Exists"}])["tolerations"] == [{"operator": "Exists"}]
    assert "tolerations" not in mounting(platform, tolerations=[])


def test_an_account_without_rights_has_no_role() -> None:
    made = objects(
        lambda scope: driver(scope).node_plugin(
            "disk-node", account="disk-node", plugin=PLUGIN, registrar=Sidecar("registrar", "example.com/n:1")
        )
    )

    assert ("ServiceAccount", "disk-node") in made
    assert not [kind for kind, _ in made if kind == "ClusterRole"]


@pytest.mark.parametrize(("kubernetes", "there"), [("1.27", False), ("1.28", True)])
def test_fields_behind_a_gate_that_is_off_are_left_out(kubernetes: str, there: bool) -> None:
    made = objects(driver, platform=Platform(kubernetes=kubernetes))  # type: ignore[arg-type]

    assert ("seLinuxMount" in made["CSIDriver", NAME]["spec"]) is there


def test_a_class_says_when_where_and_how_its_volumes_are_made() -> None:
    wanted = entry(
        reclaimPolicy="Retain",
        allowExpansion=False,
        binding="WaitForFirstConsumer",
        mountOptions=["noatime"],
        topology={"zone": ["a", "b"]},
        default=True,
    )
    made = objects(lambda scope: driver(scope).storage_class("fast", wanted, {"pool": "x"}))["StorageClass", "fast"]

    assert made["provisioner"] == NAME
    assert made["parameters"] == {"pool": "x"}
    assert (made["reclaimPolicy"], made["allowVolumeExpansion"]) == ("Retain", False)
    assert made["volumeBindingMode"] == "WaitForFirstConsumer"
    assert made["mountOptions"] == ["noatime"]
    assert made["allowedTopologies"] == [{"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}]
    assert made["metadata"]["annotations"] == {"storageclass.kubernetes.io/is-default-class": "true"}


def test_a_class_of_snapshots_is_made_where_they_are_served() -> None:
    def build(scope: Any) -> None:
        driver(scope).snapshot_class("fast", {}, deletion="Retain")

    made = objects(build, platform=Platform(apis=SNAPSHOTS))["VolumeSnapshotClass", "fast"]

    assert (made["driver"], made["deletionPolicy"]) == (NAME, "Retain")
    assert "parameters" not in made
    assert ("VolumeSnapshotClass", "fast") not in objects(build)
