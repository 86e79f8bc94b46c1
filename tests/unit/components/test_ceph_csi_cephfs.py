import json
from collections.abc import Mapping
from typing import Any

import pytest

from platform_def.components.storage.ceph_csi_cephfs import CephCsiCephFs, CephCsiCephFsConfig
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.storage import CephFs, ExistingStorage
from platform_def.constructs.render import render
from platform_def.errors import ConfigError

SNAPSHOTS = frozenset({"VolumeSnapshotClass.snapshot.storage.k8s.io"})


def entry(**more: Any) -> CephFs:
    return CephFs.from_file(
        {
            "driver": "cephfs",
            "clusterId": "ceph-a",
            "monitors": ["10.0.0.1:6789"],
            "filesystem": "ml",
            "secret": {"existing": "ceph-credentials/cephfs"},
            **more,
        }
    )


def objects(
    config: CephCsiCephFsConfig | None = None,
    storage: Mapping[str, CephFs | ExistingStorage] | None = None,
    **facts: Any,
) -> dict[str, Any]:
    """Manifests by kind and name."""
    platform = Platform(storage={"shared": entry()} if storage is None else storage, **facts)
    build = render(lambda scope: CephCsiCephFs(scope, config=config, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def pod(made: Mapping[str, Any], workload: str = "DaemonSet/csi-cephfsplugin") -> dict[str, Any]:
    spec: dict[str, Any] = made[workload]["spec"]["template"]["spec"]
    return spec


def sidecars(made: Mapping[str, Any]) -> dict[str, Any]:
    spec = pod(made, "Deployment/csi-cephfsplugin-provisioner")
    return {container["name"]: container for container in spec["containers"]}


def clusters(made: Mapping[str, Any]) -> Any:
    return json.loads(made["ConfigMap/ceph-csi-config"]["data"]["config.json"])


def groups(made: Mapping[str, Any]) -> set[str]:
    rules = made["ClusterRole/cephfs-external-provisioner-runner"]["rules"]
    return {group for rule in rules for group in rule["apiGroups"]}


def refusal(**storage: CephFs | ExistingStorage) -> str:
    with pytest.raises(ConfigError) as caught:
        objects(storage=storage)
    return str(caught.value)


def test_a_class_names_cluster_filesystem_and_secret() -> None:
    made = objects(storage={"shared": entry(pool="data", reclaimPolicy="Retain", mountOptions=["noatime"])})
    storage_class = made["StorageClass/shared"]
    parameters = storage_class["parameters"]

    assert parameters["clusterID"] == "ceph-a"
    assert parameters["fsName"] == "ml"
    assert parameters["pool"] == "data"
    for step in ("provisioner", "controller-expand", "node-stage"):
        assert parameters[f"csi.storage.k8s.io/{step}-secret-name"] == "cephfs"
        assert parameters[f"csi.storage.k8s.io/{step}-secret-namespace"] == "ceph-credentials"
    assert storage_class["provisioner"] == "cephfs.csi.ceph.com"
    assert storage_class["reclaimPolicy"] == "Retain"
    assert storage_class["mountOptions"] == ["noatime"]


def test_no_secret_is_ever_written() -> None:
    made = objects(apis=SNAPSHOTS)

    assert not [key for key in made if key.startswith("Secret/")]
    assert made["ConfigMap/ceph-config"]["data"]["keyring"] == ""


def test_a_class_may_have_another_name_and_be_the_default() -> None:
    made = objects(storage={"shared": entry(className="ceph.fs", default=True)})

    annotations = made["StorageClass/ceph.fs"]["metadata"]["annotations"]
    assert annotations["storageclass.kubernetes.io/is-default-class"] == "true"


def test_entries_of_one_cluster_become_one_entry_of_the_drivers_configuration() -> None:
    made = objects(storage={"b": entry(subvolumeGroup="ml"), "a": entry(subvolumeGroup="ml", filesystem="scratch")})

    assert clusters(made) == [
        {"clusterID": "ceph-a", "monitors": ["10.0.0.1:6789"], "cephFS": {"subvolumeGroup": "ml"}}
    ]


def test_classes_of_other_drivers_are_left_alone() -> None:
    made = objects(storage={"shared": entry(), "local": ExistingStorage.from_file({"driver": "existing"})})

    assert [key for key in made if key.startswith("StorageClass/")] == ["StorageClass/shared"]


def test_the_configuration_of_key_management_is_always_there() -> None:
    volumes = {volume["name"]: volume for volume in pod(objects())["volumes"]}

    assert objects()["ConfigMap/ceph-csi-encryption-kms-config"]["data"] == {"config.json": "{}\n"}
    assert volumes["ceph-csi-encryption-kms-config"]["configMap"] == {"name": "ceph-csi-encryption-kms-config"}


def test_paths_follow_the_distribution_on_both_sides_of_the_mount() -> None:
    spec = pod(objects(distribution="microk8s"))
    kubelet = "/var/snap/microk8s/common/var/lib/kubelet"
    driver, registrar = spec["containers"][:2]
    hosts = {volume["name"]: volume.get("hostPath", {}).get("path") for volume in spec["volumes"]}
    inside = {mount["name"]: mount["mountPath"] for mount in driver["volumeMounts"]}

    assert hosts["mountpoint-dir"] == inside["mountpoint-dir"] == f"{kubelet}/pods"
    assert hosts["plugin-dir"] == inside["plugin-dir"] == f"{kubelet}/plugins"
    assert hosts["registration-dir"] == f"{kubelet}/plugins_registry/"
    assert f"--kubelet-registration-path={kubelet}/plugins/cephfs.csi.ceph.com/csi.sock" in registrar["args"]
    assert f"--pluginpath={kubelet}/plugins" in driver["args"]


def test_another_driver_name_reaches_every_place() -> None:
    made = objects(CephCsiCephFsConfig(driver_name="scratch.cephfs.example.com"), apis=SNAPSHOTS)
    hosts = [volume.get("hostPath", {}).get("path", "") for volume in pod(made)["volumes"]]

    assert "CSIDriver/scratch.cephfs.example.com" in made
    assert made["StorageClass/shared"]["provisioner"] == "scratch.cephfs.example.com"
    assert made["VolumeSnapshotClass/shared"]["driver"] == "scratch.cephfs.example.com"
    assert "/var/lib/kubelet/plugins/scratch.cephfs.example.com/" in hosts
    assert "cephfs.csi.ceph.com" not in str(made)


def test_the_node_plugin_runs_on_tainted_pools_and_is_not_placed() -> None:
    gpu = NodePool.from_file({"name": "gpu", "taints": ["gpu=train:NoSchedule"]})
    config = CephCsiCephFsConfig.from_file({"placement": {"nodeSelector": {"role": "infra"}}})
    made = objects(config, node_pools=(gpu, gpu))

    assert pod(made)["tolerations"] == [{"key": "gpu", "operator": "Equal", "value": "train", "effect": "NoSchedule"}]
    assert "nodeSelector" not in pod(made)
    assert pod(made, "Deployment/csi-cephfsplugin-provisioner")["nodeSelector"] == {"role": "infra"}


def test_fuse_mounts_outlive_an_upgrade_of_the_driver() -> None:
    kernel, fuse = objects(), objects(storage={"shared": entry(mounter="fuse")})

    assert "updateStrategy" not in kernel["DaemonSet/csi-cephfsplugin"]["spec"]
    assert fuse["DaemonSet/csi-cephfsplugin"]["spec"]["updateStrategy"] == {"type": "OnDelete"}
    assert "limits" not in pod(fuse)["containers"][0]["resources"]


def test_high_availability_spreads_three_provisioners() -> None:
    made = objects(availability="ha")
    spec = made["Deployment/csi-cephfsplugin-provisioner"]["spec"]

    assert spec["replicas"] == 3
    assert spec["template"]["spec"]["topologySpreadConstraints"][0]["whenUnsatisfiable"] == "ScheduleAnyway"
    assert "PodDisruptionBudget/csi-cephfsplugin-provisioner" in made
    assert objects()["Deployment/csi-cephfsplugin-provisioner"]["spec"]["replicas"] == 1


def test_group_snapshots_are_asked_for() -> None:
    plain, group = objects(), objects(CephCsiCephFsConfig(snapshots="group"))

    assert "--enable-volume-group-snapshots=false" in sidecars(plain)["csi-snapshotter"]["args"]
    assert "groupsnapshot.storage.k8s.io" not in groups(plain)
    assert "--enable-volume-group-snapshots=true" in sidecars(group)["csi-snapshotter"]["args"]
    assert "groupsnapshot.storage.k8s.io" in groups(group)


def test_without_snapshots_there_is_no_sidecar_and_no_right() -> None:
    made = objects(CephCsiCephFsConfig(snapshots="off"), apis=SNAPSHOTS)

    assert "csi-snapshotter" not in sidecars(made)
    assert "snapshot.storage.k8s.io" not in groups(made)
    assert "VolumeSnapshotClass/shared" not in made


def test_snapshot_classes_are_made_where_the_stack_serves_them() -> None:
    made = objects(apis=SNAPSHOTS)["VolumeSnapshotClass/shared"]

    assert made["parameters"] == {
        "clusterID": "ceph-a",
        "csi.storage.k8s.io/snapshotter-secret-name": "cephfs",
        "csi.storage.k8s.io/snapshotter-secret-namespace": "ceph-credentials",
    }
    assert "VolumeSnapshotClass/shared" not in objects()


@pytest.mark.parametrize(("kubernetes", "there"), [("1.27", False), ("1.28", True)])
def test_selinux_mounts_are_declared_where_the_server_keeps_the_field(kubernetes: str, there: bool) -> None:
    driver = objects(kubernetes=kubernetes)["CSIDriver/cephfs.csi.ceph.com"]

    assert ("seLinuxMount" in driver["spec"]) is there


def test_talos_has_no_selinux_folder() -> None:
    assert "etc-selinux" not in str(pod(objects(distribution="talos")))
    assert "etc-selinux" in str(pod(objects(CephCsiCephFsConfig(selinux=True), distribution="talos")))


def test_everything_lives_in_the_configured_namespace() -> None:
    made = objects(CephCsiCephFsConfig(namespace="storage"))
    namespaces = {manifest["metadata"].get("namespace", "storage") for manifest in made.values()}
    subjects = [subject for manifest in made.values() for subject in manifest.get("subjects", [])]

    assert namespaces == {"storage"}
    assert {subject["namespace"] for subject in subjects} == {"storage"}


def test_further_options_reach_ceph_conf() -> None:
    made = objects(CephCsiCephFsConfig(ceph_options={"fuse_big_writes": "true"}))

    assert "fuse_big_writes = true\n" in made["ConfigMap/ceph-config"]["data"]["ceph.conf"]


def test_a_stack_without_cephfs_is_told_what_to_add() -> None:
    text = refusal(local=ExistingStorage.from_file({"driver": "existing"}))

    assert "storage has no entry with driver cephfs" in text
    assert "add under storage: `shared: {driver: cephfs" in text


def test_entries_that_contradict_each_other_are_refused_together() -> None:
    text = refusal(a=entry(className="x"), b=entry(monitors=["10.9.9.9:6789"], subvolumeGroup="other", className="x"))

    assert "storage.b.monitors: differs from storage.a.monitors" in text
    assert "storage.b.subvolumeGroup: differs from storage.a.subvolumeGroup" in text
    assert "its class is called 'x', as that of storage.a is" in text


def test_cluster_ids_are_counted_in_bytes() -> None:
    assert "38 bytes, ceph-csi takes at most 36" in refusal(a=entry(clusterId="ä" * 19))
