"""local-path-provisioner: which folders are volumes, and the pods that make them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.components.storage.local_path_provisioner.component import LocalPathProvisioner
from platform_def.config.pools import NodePool
from platform_def.config.storage import LocalPath
from platform_def.constructs.component import Setting
from platform_def.yaml import load
from tests.unit.built import Objects, built, platform, told


def entry(**more: Any) -> LocalPath:
    return LocalPath.from_file({"driver": "local-path", **more})


def made(config: dict[str, Any] | None = None, facts: dict[str, Any] | None = None, **said: Any) -> Objects:
    return built(LocalPathProvisioner, platform(storage={"scratch": entry(**said)}, **(facts or {})), **(config or {}))


def classes(objects: Objects) -> Any:
    return json.loads(objects.one("ConfigMap")["data"]["config.json"])["storageClassConfigs"]


def helper(objects: Objects) -> Any:
    document: Any = load(objects.one("ConfigMap")["data"]["helperPod.yaml"])
    return document["spec"]


def test_each_class_has_its_folders() -> None:
    objects = made(path="/mnt/nvme", nodes={"gpu-0": ["/a", "/b"], "login": []})

    assert classes(objects)["scratch"]["nodePathMap"] == [
        {"node": "DEFAULT_PATH_FOR_NON_LISTED_NODES", "paths": ["/mnt/nvme"]},
        {"node": "gpu-0", "paths": ["/a", "/b"]},
        {"node": "login", "paths": []},
    ]
    made_class = objects.one("StorageClass", "scratch")
    assert (made_class["volumeBindingMode"], made_class["allowVolumeExpansion"]) == ("WaitForFirstConsumer", False)


def test_a_shared_file_system_has_one_path_and_serves_several_nodes() -> None:
    shared = entry(shared=True, path="/srv", binding="Immediate")

    assert classes(made(shared=True, path="/srv"))["scratch"] == {"sharedFileSystemPath": "/srv"}
    assert "ReadWriteMany" in shared.modes
    assert "ReadWriteMany" not in entry().modes


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"binding": "Immediate"}, "can be made once its pod's node is known"),
        ({"shared": True, "nodes": {"a": ["/x"]}}, "leave `nodes` or `shared` out"),
        ({"path": "/"}, "path"),
        ({"allowExpansion": True}, "allowExpansion"),
    ],
)
def test_entries_that_could_never_serve_a_claim_are_refused(said: dict[str, Any], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        entry(**said)


def test_helper_pods_stay_on_the_nodes_of_all_pools_and_come_from_the_mirror() -> None:
    pool = NodePool.from_file({"name": "gpu", "taints": ["held:NoExecute"]})
    spec = helper(made(facts={"node_pools": (pool, pool), "registry": "mirror.example.com"}))

    assert [each["key"] for each in spec["tolerations"]] == ["node.kubernetes.io/disk-pressure", "held"]
    assert spec["containers"][0]["image"] == "mirror.example.com/docker.io/library/busybox:1.37.0"
    assert spec["automountServiceAccountToken"] is False


def test_helper_pods_have_nothing_that_the_provisioner_refuses_in_their_template() -> None:
    spec = helper(made())
    (container,) = spec["containers"]

    assert not {"volumes", "initContainers", "hostNetwork", "nodeName", "serviceAccountName"} & set(spec)
    assert not {"volumeMounts", "lifecycle", "livenessProbe", "envFrom"} & set(container)


def test_their_image_is_known_to_the_inventory() -> None:
    config = LocalPathProvisioner.config_model()(helper_image="registry.example.com/shell:1")

    assert LocalPathProvisioner.runtime_images(Setting("local-path-provisioner", config)) == (
        "registry.example.com/shell:1",
    )


def test_one_provisioner_works_under_its_own_account() -> None:
    objects = made({"driver_name": "disks.example.com/local"})
    variables = {each["name"]: each.get("value") for each in objects.container("Deployment")["env"]}

    assert objects.one("Deployment")["spec"]["strategy"] == {"type": "Recreate"}
    assert variables["SERVICE_ACCOUNT_NAME"] == objects.one("ServiceAccount")["metadata"]["name"]
    assert variables["PROVISIONER_NAME"] == "disks.example.com/local"
    assert objects.one("StorageClass")["provisioner"] == "disks.example.com/local"


def test_folders_have_the_mode_of_their_class() -> None:
    assert made(permissions="0750").one("StorageClass")["parameters"] == {"permPattern": "0750"}


@pytest.mark.parametrize(("distribution", "known"), [("k3s", "local-path"), ("kind", "standard")])
def test_a_second_one_under_the_distributions_name_is_told(distribution: str, known: str) -> None:
    storage = {"scratch": entry()}
    (text,) = told(LocalPathProvisioner, storage=storage, distribution=distribution)

    assert f"className: {known}" in text
    assert told(LocalPathProvisioner, {"driverName": "own.example.com"}, storage=storage, distribution="k3s") == []
