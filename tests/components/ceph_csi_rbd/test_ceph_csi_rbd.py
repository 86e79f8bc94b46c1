"""ceph-csi's RBD driver: what differs from CephFS, whose tests hold what both share."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.components.storage.ceph_csi_rbd.component import CephCsiRbd
from platform_def.config.platform import ComponentFact
from platform_def.config.storage import Rbd
from platform_def.constructs.component import Setting
from tests.unit.built import Objects, built, grants, platform, told

CONTROLLER, NODE = "csi-rbdplugin-provisioner", "csi-rbdplugin"
SNAPSHOTS = frozenset({"VolumeSnapshotClass.snapshot.storage.k8s.io"})
ZONES = [{"pool": "a", "domain": {"zone": "a"}}, {"pool": "b", "dataPool": "b-ec", "domain": {"zone": "b"}}]


def entry(**more: Any) -> Rbd:
    where = {"clusterId": "ceph-a", "monitors": ["10.0.0.1:6789"], "secret": {"existing": "ceph/rbd"}}
    pool = {} if "domainPools" in more else {"pool": "kubernetes"}
    return Rbd.from_file({"driver": "rbd", **where, **pool, **more})


def made(config: dict[str, Any] | None = None, facts: dict[str, Any] | None = None, **said: Any) -> Objects:
    return built(CephCsiRbd, platform(storage={"block": entry(**said)}, **(facts or {})), **(config or {}))


def mounted(objects: Objects, kind: str, name: str) -> dict[str, str]:
    return {each["name"]: each["mountPath"] for each in objects.container(kind, name)["volumeMounts"]}


def test_images_are_attached_before_they_are_mounted() -> None:
    objects = made()

    assert objects.one("CSIDriver", "rbd.csi.ceph.com")["spec"]["attachRequired"] is True
    assert "--default-fstype=ext4" in objects.arguments("Deployment", CONTROLLER, "csi-attacher")
    rules = objects.rules("ClusterRole", "rbd-external-provisioner-runner")
    assert {"patch", "watch"} <= grants(rules, "storage.k8s.io", "volumeattachments")


def test_the_node_plugin_heals_what_it_mapped_and_reads_no_more_for_it() -> None:
    rules = made().rules("ClusterRole", "rbd-csi-nodeplugin")

    assert grants(rules, "storage.k8s.io", "volumeattachments") == {"get", "list"}
    assert grants(rules, "", "persistentvolumes") == {"get"}
    assert grants(rules, "", "secrets") == {"get"}


def test_both_pods_have_the_token_for_key_management_and_the_node_ceph_logs() -> None:
    objects = made()

    for kind, name in (("Deployment", CONTROLLER), ("DaemonSet", NODE)):
        assert mounted(objects, kind, name)["oidc-token"] == "/run/secrets/tokens"
    assert mounted(objects, "DaemonSet", NODE)["ceph-logdir"] == "/var/log/ceph"


def test_volumes_are_staged_where_the_distributions_kubelet_has_them() -> None:
    flags = made(facts={"distribution": "microk8s"}).arguments("DaemonSet", NODE)

    assert "--stagingpath=/var/snap/microk8s/common/var/lib/kubelet/plugins/kubernetes.io/csi/" in flags


def test_a_class_says_what_an_image_is_and_nothing_that_was_not_said() -> None:
    plain = made().one("StorageClass", "block")
    said = made(
        dataPool="ec",
        imageFeatures=["layering", "exclusive-lock"],
        filesystemType="xfs",
        mapOptions="krbd:queue_depth=1024",
        tryOtherMounters=True,
    ).one("StorageClass", "block")["parameters"]

    assert plain["mountOptions"] == ["discard"]
    assert {key: value for key, value in plain["parameters"].items() if "secret" not in key} == {
        "clusterID": "ceph-a",
        "pool": "kubernetes",
        "imageFeatures": "layering",
        "csi.storage.k8s.io/fstype": "ext4",
    }
    assert (said["dataPool"], said["tryOtherMounters"]) == ("ec", "true")
    assert said["imageFeatures"] == "layering,exclusive-lock"
    assert said["csi.storage.k8s.io/fstype"] == "xfs"


def test_encryption_names_its_keys_or_takes_the_secrets_passphrase() -> None:
    own = made(encryption={})
    kept = made({"kms": {"vault": {"encryptionKMSType": "vault"}}}, encryption={"kms": "vault", "type": "file"})

    assert own.one("StorageClass")["parameters"]["encrypted"] == "true"
    assert "encryptionKMSID" not in own.one("StorageClass")["parameters"]
    assert kept.one("StorageClass")["parameters"]["encryptionKMSID"] == "vault"
    assert kept.one("StorageClass")["parameters"]["encryptionType"] == "file"
    assert "vault" in json.loads(kept.one("ConfigMap", "ceph-csi-encryption-kms-config")["data"]["config.json"])


def test_keys_that_no_service_has_are_told() -> None:
    found = told(CephCsiRbd, storage={"block": entry(encryption={"kms": "vault"})})

    assert "storage.block.encryption.kms: ceph-csi-rbd knows no key management service 'vault'" in found[0]


def test_pools_follow_the_domain_of_the_pods_node() -> None:
    objects = made(
        {"domain_labels": ["topology.kubernetes.io/zone"]}, binding="WaitForFirstConsumer", domainPools=ZONES
    )
    parameters = objects.one("StorageClass")["parameters"]

    assert "--domainlabels=topology.kubernetes.io/zone" in objects.arguments("DaemonSet", NODE)
    assert json.loads(parameters["topologyConstrainedPools"])[1] == {
        "poolName": "b",
        "dataPool": "b-ec",
        "domainSegments": [{"domainLabel": "zone", "value": "b"}],
    }
    assert "pool" not in parameters


def test_domains_that_no_label_tells_are_told() -> None:
    found = told(CephCsiRbd, storage={"block": entry(binding="WaitForFirstConsumer", domainPools=ZONES)})

    assert "storage.block.domainPools: ceph-csi-rbd tells the driver of no label 'zone'" in found[0]


def test_each_instance_answers_for_its_own_entries_alone() -> None:
    zoned = entry(binding="WaitForFirstConsumer", domainPools=ZONES)
    other = entry(clusterId="ceph-b", servedBy="archive")
    there = {name: ComponentFact("", name, component="ceph-csi-rbd") for name in ("ceph-csi-rbd", "archive")}
    facts = platform(storage={"block": zoned, "cold": other}, components=there)
    labels = CephCsiRbd.config_model()(domain_labels=["topology.kubernetes.io/zone"])

    assert list(CephCsiRbd.problems(Setting("ceph-csi-rbd", labels, facts))) == []
    assert list(CephCsiRbd.problems(Setting("archive", CephCsiRbd.config_model()(), facts))) == []


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"domainPools": ZONES}, "write `binding: WaitForFirstConsumer`"),
        ({"domainPools": ZONES, "pool": "x", "binding": "WaitForFirstConsumer"}, "either `pool` or `domainPools`"),
        ({"imageFeatures": ["layering", "fast-diff"]}, "fast-diff builds on object-map"),
        ({"imageFeatures": ["exclusive-lock", "journaling"]}, "no kernel maps images with journaling"),
    ],
)
def test_entries_that_ceph_csi_would_refuse_are_refused(said: dict[str, Any], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        entry(**said)


def test_one_rados_namespace_a_cluster() -> None:
    entries = {"a": entry(radosNamespace="ml"), "b": entry()}

    assert any("storage.b.radosNamespace: differs from" in each for each in told(CephCsiRbd, storage=entries))
    clusters = json.loads(made(radosNamespace="ml").one("ConfigMap", "ceph-csi-config")["data"]["config.json"])
    assert clusters[0]["rbd"] == {"radosNamespace": "ml"}


@pytest.mark.parametrize("said", [{"mounter": "rbd-nbd"}, {"tryOtherMounters": True}])
def test_images_mapped_by_a_process_outlive_an_upgrade_of_the_driver(said: dict[str, Any]) -> None:
    assert made(**said).one("DaemonSet")["spec"]["updateStrategy"] == {"type": "OnDelete"}
    assert "updateStrategy" not in made().one("DaemonSet")["spec"]


def test_each_release_has_its_own_attacher() -> None:
    newer, older = made(), made({"release": "3.12.2"})

    assert newer.container("Deployment", CONTROLLER, "csi-attacher")["image"].endswith(":v4.11.0")
    assert older.container("Deployment", CONTROLLER, "csi-attacher")["image"].endswith(":v4.6.1")


def test_snapshots_have_classes_where_they_are_served() -> None:
    parameters = made(facts={"apis": SNAPSHOTS}).one("VolumeSnapshotClass")["parameters"]

    assert parameters["clusterID"] == "ceph-a"
    assert parameters["csi.storage.k8s.io/snapshotter-secret-name"] == "rbd"
    assert made({"snapshots": "off"}, {"apis": SNAPSHOTS}).of("VolumeSnapshotClass") == []
