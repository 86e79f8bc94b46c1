"""The shared RDMA device plugin: a configuration that it takes, on the nodes that have the fabric."""

from __future__ import annotations

import json
from typing import Any

import pytest

from platform_def.components.gpu.rdma_shared_device_plugin.component import (
    RdmaSharedDevicePlugin,
    RdmaSharedDevicePluginConfig,
)
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.render import render
from platform_def.jobs.placement import place
from tests.unit.built import setting, stack_of


def pool(name: str, rdma: str, **more: Any) -> NodePool:
    return NodePool.from_file({"name": name, "selector": {"pool": name}, "rdma": rdma, **more})


def objects(*pools: NodePool, config: dict[str, Any] | None = None, **facts: Any) -> dict[str, Any]:
    chosen = RdmaSharedDevicePluginConfig.from_file(config or {})
    platform = Platform(node_pools=pools, **facts)
    build = render(lambda scope: RdmaSharedDevicePlugin(scope, config=chosen, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def pod(made: dict[str, Any], name: str = "rdma-shared-dp-ds") -> dict[str, Any]:
    spec: dict[str, Any] = made[f"DaemonSet/{name}"]["spec"]["template"]["spec"]
    return spec


def file(made: dict[str, Any], name: str = "rdma-devices") -> dict[str, Any]:
    content: dict[str, Any] = json.loads(made[f"ConfigMap/{name}"]["data"]["config.json"])
    return content


def refusals(*pools: NodePool) -> list[str]:
    found = RdmaSharedDevicePlugin.problems(setting(RdmaSharedDevicePlugin, node_pools=pools))
    return [problem.text for problem in found]


@pytest.mark.parametrize(
    ("fabric", "suffix", "chosen"),
    [
        ("infiniband", "", {"vendors": ["15b3"], "linkTypes": ["infiniband"]}),
        ("roce", "-roce", {"ifNames": ["eth1"], "linkTypes": ["ether"]}),
    ],
)
def test_a_narrowed_fabric_chooses_by_link_type_as_well(fabric: str, suffix: str, chosen: dict[str, list[str]]) -> None:
    made = objects(pool("a", fabric), config={"infiniband": {"vendors": ["15b3"]}, "roce": {"ifNames": ["eth1"]}})
    (resource,) = file(made, f"rdma-devices{suffix}")["configList"]

    assert resource["selectors"] == chosen


def test_a_job_asks_for_the_resource_that_the_plugin_offers() -> None:
    nodes = pool("a", "roce")
    (resource,) = file(objects(nodes), "rdma-devices-roce")["configList"]
    limits = place("a", gpus=0, rdma=True, platform=Platform(node_pools=(nodes,))).limits()

    assert limits == {f"{resource['resourcePrefix']}/{resource['resourceName']}": "1"}
    assert stack_of({"rdma-shared-device-plugin": {}}).resources == set(limits)


def test_adapters_are_chosen_by_link_type_and_narrowed_by_fabric() -> None:
    made = objects(pool("a", "infiniband"), pool("b", "roce"), config={"roce": {"drivers": ["mlx5_core"]}})

    assert file(made)["configList"][0]["selectors"] == {"linkTypes": ["infiniband"]}
    assert file(made, "rdma-devices-roce")["configList"][0]["selectors"] == {
        "drivers": ["mlx5_core"],
        "linkTypes": ["ether"],
    }


def test_each_fabric_runs_on_its_own_pools_alone() -> None:
    made = objects(pool("a", "infiniband"), pool("b", "roce", taints=["gpu=b:NoSchedule"]), pool("c", "none"))
    spec = pod(made, "rdma-shared-dp-ds-roce")
    affinity = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]

    assert affinity["nodeSelectorTerms"] == [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["b"]}]}]
    assert {"key": "gpu", "operator": "Equal", "value": "b", "effect": "NoSchedule"} in spec["tolerations"]
    assert spec["volumes"][2]["configMap"]["name"] == "rdma-devices-roce"


def test_a_pool_keeps_its_objects_when_the_other_fabric_comes() -> None:
    alone, beside = objects(pool("b", "roce")), objects(pool("a", "infiniband"), pool("b", "roce"))

    assert beside.items() >= alone.items()


def test_without_a_selector_nodes_are_found_by_the_label_of_discovery() -> None:
    affinity = pod(objects(pool("a", "infiniband", selector={})))["affinity"]["nodeAffinity"]
    (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert term["matchExpressions"][0]["key"] == "feature.node.kubernetes.io/custom-rdma.available"


def test_a_changed_file_restarts_the_plugin() -> None:
    before, after = (
        objects(pool("a", "infiniband"), config=config)["DaemonSet/rdma-shared-dp-ds"]["spec"]["template"]["metadata"]
        for config in ({}, {"podsPerNode": 10})
    )

    assert before["annotations"] != after["annotations"]


def test_the_registry_is_hidden_where_its_path_would_be_wrong() -> None:
    usual = [mount["name"] for mount in pod(objects(pool("a", "infiniband")))["containers"][0]["volumeMounts"]]
    moved = pod(objects(pool("a", "infiniband"), distribution="microk8s"))

    assert usual == ["device-plugin", "plugins-registry", "config", "devs"]
    assert "plugins-registry" not in [volume["name"] for volume in moved["volumes"]]
    assert moved["volumes"][0]["hostPath"]["path"] == "/var/snap/microk8s/common/var/lib/kubelet/device-plugins"


def test_cdi_needs_argument_and_folder() -> None:
    spec = pod(objects(pool("a", "infiniband"), config={"cdi": True}))

    assert spec["containers"][0]["args"] == ["--use-cdi"]
    assert spec["volumes"][-1]["hostPath"]["path"] == "/var/run/cdi"


def test_pods_get_no_token() -> None:
    assert pod(objects(pool("a", "infiniband")))["automountServiceAccountToken"] is False


def test_a_stack_without_a_fabric_is_refused() -> None:
    (text,) = refusals(pool("a", "none"))

    assert text.startswith("components.rdma-shared-device-plugin: no node pool has an RDMA fabric")
    assert refusals(pool("a", "roce"), pool("b", "infiniband")) == []


def test_two_fabrics_on_one_node_are_refused() -> None:
    (text,) = refusals(pool("a", "roce", selector={"gpu": "yes"}), pool("b", "infiniband", selector={}))

    assert "two plugins would offer rdma/hca_shared on one node" in text
