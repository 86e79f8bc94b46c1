"""HAMi: divides the cards of its pools, and its scheduler knows the parts."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def import yaml
from platform_def.components.gpu.gpu_manager.component import GpuManager
from platform_def.components.gpu.hami.component import Hami, HamiConfig
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool, asked, offered, places
from platform_def.constructs.render import render
from platform_def.jobs.placement import Demand, demand_problems, place
from tests.unit.built import setting, stack_of


def pool(name: str = "share", layer: str | None = "hami", replicas: int = 4, **more: Any) -> NodePool:
    gpu: dict[str, Any] = {"model": "odd", "perNode": 4}
    if layer:
        gpu["sharing"] = {"mode": "vgpu", "layer": layer, "replicas": replicas}
    return NodePool.from_file({"name": name, "nodes": 2, "selector": {"pool": name}, "gpu": gpu, **more})


PLAIN = NodePool.from_file(
    {"name": "old", "gpu": {"model": "k80", "perNode": 4, "hostLibraries": {"driver": "/opt/nvidia"}}}
)
"""A pool without NVIDIA's runtime: the device plugin makes no class for it."""


def objects(*pools: NodePool, config: dict[str, Any] | None = None, **facts: Any) -> dict[str, Any]:
    chosen = HamiConfig.from_file(config or {})
    build = render(lambda scope: Hami(scope, config=chosen, platform=Platform(node_pools=pools, **facts)))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def pod(made: dict[str, Any], workload: str = "DaemonSet/hami-device-plugin") -> dict[str, Any]:
    spec: dict[str, Any] = made[workload]["spec"]["template"]["spec"]
    return spec


def file(made: dict[str, Any], name: str, key: str) -> Any:
    return yaml.load(made[f"ConfigMap/{name}"]["data"][key])


def devices(made: dict[str, Any]) -> Any:
    return file(made, "hami-scheduler-device", "device-config.yaml")["nvidia"]


def scheduler(made: dict[str, Any]) -> Any:
    return file(made, "hami-scheduler", "config.yaml")


def refusals(*pools: NodePool, **beside: Any) -> list[str]:
    named = {name.replace("_", "-"): value for name, value in beside.items()}
    return [problem.text for problem in Hami.problems(setting(Hami, beside=named, node_pools=pools))]


def test_a_node_offers_shares_and_a_job_gets_its_part_of_the_card() -> None:
    assert offered(pool()) == {"nvidia.com/vgpu": 16}
    assert places(pool()) == 16
    assert asked(pool(), 1) == {
        "nvidia.com/vgpu": 1,
        "nvidia.com/gpucores": 25,
        "nvidia.com/gpumem-percentage": 25,
    }


def test_the_configuration_has_the_names_and_shares_of_the_pools() -> None:
    content = devices(objects(pool()))

    assert content["deviceSplitCount"] == 4
    assert {content["resourceCountName"], content["resourceCoreName"], content["resourceMemoryPercentageName"]} == set(
        asked(pool(), 1)
    )


def test_the_scheduler_leaves_to_the_extender_what_no_node_offers() -> None:
    managed = {
        each["name"]: each["ignoredByScheduler"]
        for each in scheduler(objects(pool()))["extenders"][0]["managedResources"]
    }

    assert set(asked(pool(), 1)) <= set(managed)
    assert all(managed.values())
    assert stack_of({"hami": {}}).resources <= set(managed)


def test_jobs_ask_for_its_scheduler_and_the_nvidia_runtime() -> None:
    platform = stack_of({"hami": {}}, node_pools=(pool(),))
    made = place("share", gpus=1, rdma=False, platform=platform).pod({"name": "main"}, shared_memory="1Gi")
    (profile,) = scheduler(objects(pool()))["profiles"]

    assert made["schedulerName"] == profile["schedulerName"] == "hami-scheduler"
    assert made["runtimeClassName"] == "nvidia"


def test_memory_by_percent_needs_no_model() -> None:
    demand = Demand("share", 2, 1, "gpusPerWorker", rdma=False, owner="")
    platform = stack_of({"hami": {}}, node_pools=(pool(),))

    assert list(demand_problems(demand, platform)) == []


def test_it_runs_on_its_own_pools_alone() -> None:
    terms = pod(objects(pool(), pool("whole", None), pool("old", "gpu-manager")))["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]["nodeSelectorTerms"]

    assert terms == [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["share"]}]}]


def test_each_mount_has_its_volume() -> None:
    for workload in ("DaemonSet/hami-device-plugin", "Deployment/hami-scheduler"):
        spec = pod(objects(pool()), workload)
        mounts = {mount["name"] for container in spec["containers"] for mount in container["volumeMounts"]}

        assert mounts == {volume["name"] for volume in spec["volumes"]}


def test_its_own_pods_do_not_wait_for_its_webhook() -> None:
    made = objects(pool())
    (hook,) = made["MutatingWebhookConfiguration/hami-webhook"]["webhooks"]
    labels = [
        made[workload]["spec"]["template"]["metadata"]["labels"]["hami.io/webhook"]
        for workload in ("DaemonSet/hami-device-plugin", "Deployment/hami-scheduler")
    ]

    assert labels == ["ignore", "ignore"]
    assert hook["objectSelector"]["matchExpressions"][0] == {
        "key": "hami.io/webhook",
        "operator": "NotIn",
        "values": ["ignore"],
    }
    assert hook["failurePolicy"] == "Ignore"


def test_the_service_reaches_the_pod_that_leads() -> None:
    selector = objects(pool())["Service/hami-scheduler"]["spec"]["selector"]

    assert selector["hami.io/scheduler-role"] == "leader"


def test_the_scheduler_marks_the_leader_among_pods_that_it_finds() -> None:
    template = objects(pool())["Deployment/hami-scheduler"]["spec"]["template"]

    assert template["metadata"]["labels"]["app.kubernetes.io/component"] == "hami-scheduler"


def test_nothing_is_open_on_the_nodes() -> None:
    services = [manifest for key, manifest in objects(pool()).items() if key.startswith("Service/")]

    assert {service["spec"]["type"] for service in services} == {"ClusterIP"}


@pytest.mark.parametrize(
    ("facts", "made"),
    [
        ({}, True),
        ({"nvidia_runtime": "default"}, False),
        ({"provisions": stack_of({"nvidia-device-plugin": {}}).provisions}, False),
        ({"provisions": stack_of({"nvidia-device-plugin": {"runtimeClass": "existing"}}).provisions}, False),
        ({"provisions": stack_of({"nvidia-device-plugin": {}}, node_pools=(PLAIN,)).provisions}, True),
        ({"distribution": "k3s", "kubernetes": Kubernetes("1.36")}, False),
    ],
)
def test_the_runtime_class_is_made_where_nobody_else_does(facts: dict[str, Any], made: bool) -> None:
    assert ("RuntimeClass/nvidia" in objects(pool(), **facts)) is made


def test_another_number_of_shares_restarts_plugin_and_scheduler() -> None:
    few, many = objects(pool()), objects(pool(replicas=10))

    for workload in ("DaemonSet/hami-device-plugin", "Deployment/hami-scheduler"):
        before, after = (made[workload]["spec"]["template"]["metadata"]["annotations"] for made in (few, many))

        assert before != after


def test_a_stack_that_fits_has_no_problems() -> None:
    assert refusals(pool(), pool("whole", None), nvidia_device_plugin={}) == []


@pytest.mark.parametrize(
    ("pools", "components", "why"),
    [
        ((pool("whole", None),), {}, "no node pool has virtual GPUs with `layer: hami`"),
        ((pool(), pool("other", replicas=10)), {}, "divide cards into 4 and 10 shares"),
        ((pool(selector={}), pool("whole", None)), {}, "two programs would hand out the same cards"),
        (
            (pool(selector={}), pool("old", "gpu-manager")),
            {"gpu_manager": {}},
            "two programs would hand out the same cards",
        ),
        ((pool(), pool("old", "gpu-manager")), {}, "pool old leaves its cards to gpu-manager"),
    ],
)
def test_what_it_cannot_serve_is_refused(pools: Any, components: Any, why: str) -> None:
    (text,) = refusals(*pools, **components)

    assert why in text


def test_gpu_manager_leaves_its_pools_alone() -> None:
    found = GpuManager.problems(setting(GpuManager, beside={"hami": {}}, node_pools=(pool(),), cgroup="v1"))

    assert [problem.text for problem in found] == ["components.gpu-manager: no node pool has virtual GPUs"]


def test_a_layer_divides_virtual_gpus_alone() -> None:
    gpu = {"model": "t4", "perNode": 1, "sharing": {"mode": "mps", "layer": "hami"}}

    with pytest.raises(ValidationError, match="layer 'hami' divides virtual GPUs, so the mode is vgpu, not mps"):
        NodePool.from_file({"name": "p", "gpu": gpu})
