import json
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.components.storage.ceph_csi_cephfs.component import CephCsiCephFs, CephCsiCephFsConfig
from platform_def.config.platform import ComponentFact, Platform
from platform_def.config.pools import NodePool
from platform_def.config.storage import CephFs, ExistingStorage
from platform_def.constructs.component import Setting
from platform_def.constructs.render import render
from platform_def.errors import ConfigError

READ = ["get", "list", "watch"]
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
    name: str = "",
    **facts: Any,
) -> dict[str, Any]:
    """Manifests by kind and name."""
    platform = Platform(storage={"shared": entry()} if storage is None else storage, **facts)
    build = render(lambda scope: CephCsiCephFs(scope, config=config, platform=platform, name=name))
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


def refusal(*, facts: Mapping[str, Any] | None = None, **storage: CephFs | ExistingStorage) -> str:
    with pytest.raises(ConfigError) as caught:
        objects(storage=storage, **(facts or {}))
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


@pytest.mark.parametrize(
    ("release", "flag"),
    [("3.17.1", "--feature-gates=CSIVolumeGroupSnapshot="), ("3.12.2", "--enable-volume-group-snapshots=")],
)
def test_group_snapshots_are_asked_for_in_the_words_of_the_release(release: str, flag: str) -> None:
    plain, group = (objects(CephCsiCephFsConfig(release=release, snapshots=each)) for each in ("on", "group"))

    assert f"{flag}false" in sidecars(plain)["csi-snapshotter"]["args"]
    assert "groupsnapshot.storage.k8s.io" not in groups(plain)
    assert f"{flag}true" in sidecars(group)["csi-snapshotter"]["args"]
    assert "groupsnapshot.storage.k8s.io" in groups(group)


def test_each_release_has_what_its_own_programs_take_and_no_more() -> None:
    newer, older = objects(), objects(CephCsiCephFsConfig(release="3.12.2"))
    gate = "--feature-gates=HonorPVReclaimPolicy=true"
    attributes = [{"apiGroups": ["storage.k8s.io"], "resources": ["volumeattributesclasses"], "verbs": READ}]

    assert gate in sidecars(older)["csi-provisioner"]["args"]
    assert gate not in sidecars(newer)["csi-provisioner"]["args"]
    assert "csi-cephfsplugin-controller" in sidecars(newer)
    assert "csi-cephfsplugin-controller" not in sidecars(older)
    assert newer["CSIDriver/cephfs.csi.ceph.com"]["spec"]["podInfoOnMount"] is True
    assert older["CSIDriver/cephfs.csi.ceph.com"]["spec"]["podInfoOnMount"] is False
    role = "ClusterRole/cephfs-external-provisioner-runner"
    assert [rule for rule in newer[role]["rules"] if rule not in older[role]["rules"]] == attributes


def test_an_upgrade_changes_no_field_that_can_never_be_changed() -> None:
    newer, older = objects(), objects(CephCsiCephFsConfig(release="3.12.2"))

    for made in (newer, older):
        assert made["CSIDriver/cephfs.csi.ceph.com"]["spec"]["attachRequired"] is False
    assert newer["StorageClass/shared"]["parameters"] == older["StorageClass/shared"]["parameters"]
    for kind in ("Deployment/csi-cephfsplugin-provisioner", "DaemonSet/csi-cephfsplugin"):
        assert newer[kind]["spec"]["selector"] == older[kind]["spec"]["selector"]


TWO = {name: ComponentFact("", name, component="ceph-csi-cephfs") for name in ("ceph-csi-cephfs", "archive")}
CLUSTERS = {"shared": entry(), "cold": entry(clusterId="ceph-b", monitors=["10.1.0.1:6789"], servedBy="archive")}


def test_two_ceph_clusters_have_two_drivers_that_share_no_name_folder_or_port() -> None:
    first = objects(storage=CLUSTERS, components=TWO)
    second = objects(storage=CLUSTERS, components=TWO, name="archive")

    assert not set(first) & set(second)
    assert second["StorageClass/cold"]["provisioner"] == "archive.cephfs.csi.ceph.com"
    assert [
        each["clusterID"] for each in json.loads(second["ConfigMap/archive-ceph-csi-config"]["data"]["config.json"])
    ] == ["ceph-b"]
    mounted = {
        volume.get("configMap", {}).get("name")
        for volume in pod(second, "DaemonSet/archive-csi-cephfsplugin")["volumes"]
    }
    assert {"archive-ceph-csi-config", "archive-ceph-config", "archive-ceph-csi-encryption-kms-config"} <= mounted
    ports = [
        next(
            flag
            for each in pod(made, f"DaemonSet/{name}")["containers"]
            for flag in each["args"]
            if "metricsport" in flag
        )
        for made, name in ((first, "csi-cephfsplugin"), (second, "archive-csi-cephfsplugin"))
    ]
    assert ports == ["--metricsport=8681", "--metricsport=8682"]
    assert "archive.cephfs.csi.ceph.com/" in str(pod(second, "DaemonSet/archive-csi-cephfsplugin"))


def test_entries_that_name_nobody_are_the_first_instances() -> None:
    assert "StorageClass/shared" in objects(storage=CLUSTERS, components=TWO)
    assert "StorageClass/shared" not in objects(storage=CLUSTERS, components=TWO, name="archive")


def test_an_entry_served_by_nobody_is_refused_with_who_there_is() -> None:
    text = refusal(a=entry(), b=entry(servedBy="arkive"), facts={"components": TWO})

    assert "storage.b.servedBy: no component 'arkive' makes cephfs volumes" in text
    assert "did you mean 'archive'?" in text


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
    text = refusal(a=entry(), b=entry(monitors=["10.9.9.9:6789"], subvolumeGroup="other"))

    assert "storage.b.monitors: differs from storage.a.monitors" in text
    assert "storage.b.subvolumeGroup: differs from storage.a.subvolumeGroup" in text


def test_cluster_ids_are_counted_in_bytes() -> None:
    assert "38 bytes, ceph-csi takes at most 36" in refusal(a=entry(clusterId="ä" * 19))


IMAGENET = {"storage": "shared", "namespace": "team-vision", "path": "/volumes/ml/imagenet"}
READER = {"existing": "ceph-credentials/reader"}


def test_a_directory_that_is_there_is_a_volume_and_a_claim_of_each_other() -> None:
    config = CephCsiCephFsConfig.from_file({"volumes": {"imagenet": {**IMAGENET, "secret": READER}}})
    made = objects(config, {"shared": entry(mountOptions=["noatime"], clientOptions="recover_session=clean")})
    volume = made["PersistentVolume/team-vision-imagenet"]["spec"]
    claim = made["PersistentVolumeClaim/imagenet"]

    assert volume["csi"]["volumeAttributes"] == {
        "clusterID": "ceph-a",
        "fsName": "ml",
        "mounter": "kernel",
        "kernelMountOptions": "recover_session=clean",
        "staticVolume": "true",
        "rootPath": "/volumes/ml/imagenet",
    }
    assert volume["csi"]["nodeStageSecretRef"] == {"name": "reader", "namespace": "ceph-credentials"}
    assert (volume["accessModes"], volume["csi"]["readOnly"]) == (["ReadOnlyMany"], True)
    assert volume["claimRef"] == {"namespace": claim["metadata"]["namespace"], "name": "imagenet"}
    assert volume["persistentVolumeReclaimPolicy"] == "Retain"
    assert volume["mountOptions"] == ["noatime"]
    assert (claim["spec"]["volumeName"], claim["spec"]["storageClassName"]) == ("team-vision-imagenet", "")


def test_a_directory_that_pods_write_is_not_mounted_read_only() -> None:
    said = {**IMAGENET, "mode": "ReadWriteMany", "secret": READER}
    made = objects(CephCsiCephFsConfig.from_file({"volumes": {"home": said}}))

    assert "readOnly" not in made["PersistentVolume/team-vision-home"]["spec"]["csi"]


def test_a_directory_needs_an_entry_of_this_driver_and_a_client_of_its_own() -> None:
    storage: Mapping[str, CephFs | ExistingStorage] = {"shared": entry(), "nvme": ExistingStorage(driver="existing")}
    config = CephCsiCephFsConfig.from_file({"volumes": {"a": IMAGENET, "b": {**IMAGENET, "storage": "nvme"}}})
    setting = Setting("ceph-csi-cephfs", config, Platform(storage=storage))
    found = [str(each) for each in CephCsiCephFs.problems(setting)]

    assert any("volumes.b.storage: 'nvme' is no entry with driver cephfs" in each for each in found)
    assert any("volumes.a.secret: is missing" in each for each in found)


def test_options_of_the_client_go_to_the_client_that_is_used() -> None:
    kernel = objects(storage={"shared": entry(clientOptions="recover_session=clean", volumeNamePrefix="ml-")})
    fuse = objects(storage={"shared": entry(clientOptions="debug", mounter="fuse")})

    assert kernel["StorageClass/shared"]["parameters"]["kernelMountOptions"] == "recover_session=clean"
    assert kernel["StorageClass/shared"]["parameters"]["volumeNamePrefix"] == "ml-"
    assert fuse["StorageClass/shared"]["parameters"]["fuseMountOptions"] == "debug"


def test_files_are_encrypted_with_keys_of_a_service_that_is_described() -> None:
    wanted = entry(encryption={"kms": "vault"})
    config = CephCsiCephFsConfig.from_file({"kms": {"vault": {"encryptionKMSType": "vault"}}})
    parameters = objects(config, {"shared": wanted})["StorageClass/shared"]["parameters"]

    assert (parameters["encrypted"], parameters["encryptionKMSID"]) == ("true", "vault")
    assert "encryptionType" not in parameters
    assert "knows no key management service 'vault'" in refusal(shared=wanted)
    with pytest.raises(ValidationError, match="only the kernel's client encrypts"):
        entry(encryption={}, mounter="fuse")
