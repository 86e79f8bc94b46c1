"""gpu-manager: divides the cards of pools with virtual GPUs, and says where it cannot."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.components.gpu.gpu_manager.component import GpuManager, GpuManagerConfig
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool, offered
from platform_def.constructs.render import render
from tests.unit.built import setting, stack_of


def pool(name: str = "share", mode: str | None = "vgpu", **more: Any) -> NodePool:
    gpu: dict[str, Any] = {"model": "t4", "perNode": 4}
    if mode:
        gpu["sharing"] = {"mode": mode, "replicas": 4}
    return NodePool.from_file({"name": name, "selector": {"pool": name}, "gpu": gpu, **more})


def objects(*pools: NodePool, config: dict[str, Any] | None = None, **facts: Any) -> dict[str, Any]:
    platform = Platform(node_pools=pools, cgroup="v1", **facts)
    chosen = GpuManagerConfig.from_file(config or {})
    build = render(lambda scope: GpuManager(scope, config=chosen, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def pod(made: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = made["DaemonSet/gpu-manager-daemonset"]["spec"]["template"]["spec"]
    return spec


def flags(made: dict[str, Any]) -> dict[str, str]:
    env = {item["name"]: item.get("value", "") for item in pod(made)["containers"][0]["env"]}
    return dict(flag.lstrip("-").split("=", 1) for flag in env["EXTRA_FLAGS"].split())


def refusals(*pools: NodePool, config: dict[str, Any] | None = None, **stack: Any) -> list[str]:
    at = setting(GpuManager, config, **{"node_pools": pools, "cgroup": "v1", **stack})
    return [problem.text for problem in GpuManager.problems(at)]


def test_it_runs_on_the_pools_whose_cards_it_divides_alone() -> None:
    spec = pod(objects(pool(taints=["gpu=share:NoSchedule"]), pool("whole", None)))
    affinity = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]

    assert affinity["nodeSelectorTerms"] == [
        {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["share"]}]}
    ]
    assert {"key": "gpu", "operator": "Equal", "value": "share", "effect": "NoSchedule"} in spec["tolerations"]


def test_without_a_selector_nodes_are_found_by_upstreams_label() -> None:
    affinity = pod(objects(pool(selector={})))["affinity"]["nodeAffinity"]
    (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert term["matchExpressions"][0]["key"] == "nvidia-device-enable"


def test_it_offers_what_its_pools_offer() -> None:
    assert stack_of({"gpu-manager": {}}).resources == set(offered(pool()))


@pytest.mark.parametrize(
    ("distribution", "socket"),
    [
        ("kubeadm", "/var/run/containerd/containerd.sock"),
        ("k3s", "/var/run/k3s/containerd/containerd.sock"),
        ("minikube", "/var/run/cri-dockerd.sock"),
        ("microk8s", "/var/snap/microk8s/common/run/containerd.sock"),
    ],
)
def test_the_socket_of_the_runtime_follows_the_distribution(distribution: str, socket: str) -> None:
    made = objects(pool(), distribution=distribution)
    mounted = [mount["mountPath"] for mount in pod(made)["containers"][0]["volumeMounts"]]

    assert flags(made)["container-runtime-endpoint"] == socket
    assert any(socket.startswith(f"{path}/") for path in mounted)


def test_each_mount_has_its_volume() -> None:
    spec = pod(objects(pool(), distribution="microk8s"))

    assert {mount["name"] for mount in spec["containers"][0]["volumeMounts"]} == {
        volume["name"] for volume in spec["volumes"]
    }


def test_rights_are_what_its_sources_call_and_not_cluster_admin() -> None:
    made = objects(pool())
    rules = made["ClusterRole/gpu-manager-role"]["rules"]

    assert made["ClusterRoleBinding/gpu-manager-role"]["roleRef"]["name"] == "gpu-manager-role"
    assert all("*" not in rule["verbs"] + rule["resources"] + rule["apiGroups"] for rule in rules)
    assert {resource for rule in rules for resource in rule["resources"]} == {"nodes", "pods", "pods/status"}


def test_metrics_are_scraped_where_they_are() -> None:
    monitored = objects(pool(), apis=frozenset({"ServiceMonitor.monitoring.coreos.com"}))
    plain = objects(pool())

    assert monitored["ServiceMonitor/gpu-manager-metric"]["spec"]["endpoints"][0]["path"] == "/metric"
    assert plain["Service/gpu-manager-metric"]["metadata"]["annotations"]["prometheus.io/path"] == "/metric"
    assert "annotations" not in monitored["Service/gpu-manager-metric"]["metadata"]


def test_an_image_of_ones_own_replaces_the_releases() -> None:
    made = objects(pool(), config={"image": "registry.example.com/gpu-manager:2"})

    assert pod(made)["containers"][0]["image"] == "registry.example.com/gpu-manager:2"
    assert pod(objects(pool()))["containers"][0]["image"] == "docker.io/tkestack/gpu-manager:v1.1.5"


def test_a_stack_that_fits_has_no_problems() -> None:
    assert refusals(pool(), pool("whole", None), beside={"nvidia-device-plugin": {}}) == []


@pytest.mark.parametrize(
    ("config", "facts", "why"),
    [
        ({}, {"cgroup": "v2"}, "reads control groups of version 1 alone"),
        ({}, {"nvidia_runtime": "default"}, "nvidia is the nodes' default runtime"),
        ({"cgroupDriver": "systemd"}, {}, "looks for containerd's containers by a wrong name"),
        ({}, {"beside": {"gpu-operator": {}}}, "gpu-operator sets up NVIDIA's container runtime on every node"),
    ],
)
def test_nodes_and_company_that_it_cannot_bear_are_refused(config: Any, facts: Any, why: str) -> None:
    (text,) = refusals(pool(), config=config, **facts)

    assert why in text


def test_a_later_build_may_use_the_systemd_driver() -> None:
    assert refusals(pool(), config={"cgroupDriver": "systemd", "image": "registry.example.com/gpu-manager:2"}) == []


def test_a_stack_without_virtual_gpus_is_refused() -> None:
    assert refusals(pool(mode=None)) == ["components.gpu-manager: no node pool has virtual GPUs"]


def test_memory_that_is_not_known_cannot_be_divided() -> None:
    gpu = {"model": "odd", "perNode": 1, "sharing": {"mode": "vgpu"}}

    assert refusals(pool(gpu=gpu)) == [
        "nodePools: pool share divides the memory of its cards, and that of model odd is not known"
    ]
    assert refusals(pool(gpu=gpu | {"memoryGib": 16})) == []


def test_another_plugin_on_the_same_nodes_is_refused() -> None:
    (text,) = refusals(pool(selector={"gpu": "yes"}), pool("whole", None, selector={"gpu": "yes", "pool": "whole"}))

    assert "two programs would hand out the same cards" in text
