from collections.abc import Mapping
from typing import Any

import pytest

from platform_def import yaml
from platform_def.capabilities import NodeWork
from platform_def.components.gpu.gpu_operator.component import GpuOperator
from platform_def.components.gpu.gpu_operator.config import PROGRAMS, GpuOperatorConfig, OperatorProgram
from platform_def.components.gpu.gpu_operator.stack import labels_of
from platform_def.components.gpu.pools.mig_layouts import layout_of
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.render import render
from tests.components.formats.device_plugin import problems as file_problems
from tests.unit.built import setting, told

SLICED = {"sharing": {"mode": "time-slicing", "replicas": 4, "rename": True}}
MPS = {"sharing": {"mode": "mps", "replicas": 4, "rename": True}}
VGPU = {"sharing": {"mode": "vgpu"}}


def mig(strategy: str = "mixed") -> dict[str, Any]:
    return {"model": "h100-80gb", "mig": {"strategy": strategy, "layout": {"1g.10gb": 7}}}


def pool(name: str, more: dict[str, Any] | None = None, **fields: Any) -> NodePool:
    gpu = {"model": "a100-80gb", "perNode": 8, **(more or {})}
    return NodePool.from_file({"name": name, "selector": {"pool": name}, "gpu": gpu, **fields})


def objects(*pools: NodePool, config: dict[str, Any] | None = None, **facts: Any) -> dict[str, Any]:
    platform = Platform(node_pools=pools, **facts)
    chosen = GpuOperatorConfig.from_file(config or {})
    build = render(lambda scope: GpuOperator(scope, config=chosen, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def policy(*pools: NodePool, **rest: Any) -> dict[str, Any]:
    spec: dict[str, Any] = objects(*pools, **rest)["ClusterPolicy/cluster-policy"]["spec"]
    return spec


def problems(
    *pools: NodePool, config: dict[str, Any] | None = None, beside: Mapping[str, Any] | None = None, **facts: Any
) -> list[str]:
    return told(GpuOperator, config, beside=beside, node_pools=pools, **facts)


def test_the_policy_comes_after_the_operator() -> None:
    build = render(lambda scope: GpuOperator(scope, platform=Platform()))
    parts = {made.manifest["kind"]: made.part for made in build.objects}

    assert parts["ClusterPolicy"] == "after"
    assert parts["NVIDIADriver"] == "after"
    assert parts["Deployment"] == "main"


def test_labels_of_pools_name_files_that_the_plugin_takes() -> None:
    pools = (pool("whole"), pool("sliced", SLICED), pool("mig", mig()))
    made, labels = objects(*pools), labels_of(pools, PROGRAMS)
    files = {name: yaml.load(text) for name, text in made["ConfigMap/pools-device-plugin-config"]["data"].items()}
    named = {labels.get(each.name, {}).get("nvidia.com/device-plugin.config", "default") for each in pools}

    assert named == set(files)
    assert [file_problems(file) for file in files.values()] == [[], [], []]
    assert made["ClusterPolicy/cluster-policy"]["spec"]["devicePlugin"]["config"] == {
        "name": "pools-device-plugin-config",
        "default": "default",
    }


def test_layouts_of_pools_are_those_of_the_managers_file() -> None:
    pools = (pool("whole"), pool("mig", mig()))
    file: Any = yaml.load(objects(*pools)["ConfigMap/pools-mig-parted-config"]["data"]["config.yaml"])

    assert {layout_of(each) for each in pools} == set(file["mig-configs"])


def test_a_changed_file_rolls_the_programs_that_read_it() -> None:
    before, after = policy(pool("a")), policy(pool("a", SLICED))

    assert before["devicePlugin"]["env"] != after["devicePlugin"]["env"]
    assert before["migManager"]["env"] == after["migManager"]["env"]


def test_nodes_with_virtual_gpus_are_left_to_their_own_plugin() -> None:
    pools = (pool("v", VGPU), pool("a"))
    made = objects(*pools, provisions=setting(GpuOperator, node_pools=pools).platform.provisions)
    conf = made["ConfigMap/gpu-operator-node-feature-discovery-worker-conf"]["data"]["v.conf"]

    assert 'nvidia.com/gpu.deploy.device-plugin: "false"' in conf
    assert list(made["ConfigMap/pools-device-plugin-config"]["data"]) == ["default"]


@pytest.mark.parametrize(
    ("pools", "strategy"),
    [((), "none"), ((pool("m", mig("single")),), "single"), ((pool("a"), pool("m", mig())), "mixed")],
)
def test_the_strategy_follows_the_pools(pools: tuple[NodePool, ...], strategy: str) -> None:
    assert policy(*pools)["mig"] == {"strategy": strategy}


def test_every_image_comes_from_the_mirror() -> None:
    made = objects(pool("a"), registry="registry.example.com/mirror")
    spec = made["ClusterPolicy/cluster-policy"]["spec"]
    repositories = [part["repository"] for part in spec.values() if "repository" in part]
    env = made["Deployment/gpu-operator"]["spec"]["template"]["spec"]["containers"][0]["env"]

    assert len(repositories) >= 8
    assert all(each.startswith("registry.example.com/mirror/nvcr.io/nvidia") for each in repositories)
    assert made["NVIDIADriver/default"]["spec"]["repository"] == "registry.example.com/mirror/nvcr.io/nvidia"
    assert all(each["value"].startswith("registry.") for each in env if each["name"].endswith("_IMAGE"))


def test_a_mirror_is_told_which_drivers_to_hold() -> None:
    config = {"drivers": {"old": "580.105.08"}, "nodeSystems": ["ubuntu24.04"]}
    images = GpuOperator.runtime_images(setting(GpuOperator, config))

    assert "nvcr.io/nvidia/driver:580.105.08-ubuntu24.04" in images
    assert "nvcr.io/nvidia/driver:595.91.07-ubuntu24.04" in images
    assert "nvcr.io/nvidia/k8s/container-toolkit:v1.20.0" in images


def test_a_pool_gets_a_driver_of_its_own() -> None:
    made = objects(
        pool("a"), pool("old", {"model": "v100"}, taints=["gpu=old:NoSchedule"]), config={"drivers": {"old": "580.1"}}
    )
    own, rest = made["NVIDIADriver/pool-old"]["spec"], made["NVIDIADriver/default"]["spec"]

    assert own["nodeSelector"] == {"pool": "old"}
    assert own["version"] == "580.1"
    assert own["tolerations"][-1]["value"] == "old"
    assert rest["default"] is True
    assert "nodeSelector" not in rest


def test_drivers_of_the_host_leave_no_driver_objects() -> None:
    made = objects(pool("a"), config={"driver": "host", "toolkit": "host"})
    spec = made["ClusterPolicy/cluster-policy"]["spec"]

    assert not [key for key in made if key.startswith("NVIDIADriver/")]
    assert (spec["driver"]["enabled"], spec["toolkit"]["enabled"]) == (False, False)


def test_paths_follow_the_distribution() -> None:
    spec = policy(distribution="microk8s")
    rke2 = policy(distribution="rke2", config={"toolkitEnvironment": {"CONTAINERD_CONFIG": "/etc/c.toml"}})

    assert spec["hostPaths"]["kubeletRootDir"] == "/var/snap/microk8s/common/var/lib/kubelet"
    assert rke2["toolkit"]["env"] == [
        {"name": "CONTAINERD_CONFIG", "value": "/etc/c.toml"},
        {"name": "CONTAINERD_SOCKET", "value": "/run/k3s/containerd/containerd.sock"},
    ]
    assert policy()["toolkit"]["env"] == []
    assert {each["name"]: each["value"] for each in spec["toolkit"]["env"]} == {
        "CONTAINERD_CONFIG": "/var/snap/microk8s/current/args/containerd-template.toml",
        "CONTAINERD_SOCKET": "/var/snap/microk8s/common/run/containerd.sock",
        "RUNTIME_CONFIG_SOURCE": "file=/var/snap/microk8s/current/args/containerd.toml",
    }
    assert policy(distribution="openshift")["toolkit"]["env"] == []


def test_what_others_do_the_operator_leaves_out() -> None:
    beside = ["nvidia-device-plugin", "gpu-feature-discovery", "dcgm-exporter", "mig-manager", "node-feature-discovery"]
    made = objects(pool("a"), config={"beside": beside})
    spec = made["ClusterPolicy/cluster-policy"]["spec"]

    assert [spec[part]["enabled"] for part in ("devicePlugin", "gfd", "dcgmExporter", "migManager")] == [False] * 4
    assert not [key for key in made if "node-feature-discovery" in key or "nodefeature" in key]
    assert problems(pool("a"), config={"beside": beside}, beside={key: {} for key in beside}) == []


def test_discovery_has_an_account_for_each_program() -> None:
    made = objects()
    worker = made["DaemonSet/gpu-operator-node-feature-discovery-worker"]["spec"]["template"]["spec"]

    assert worker["serviceAccountName"] == "gpu-operator-node-feature-discovery-worker"
    assert "ClusterRole/gpu-operator-node-feature-discovery-worker" not in made


def work(config: dict[str, Any]) -> set[str]:
    return {given.value.work for given in setting(GpuOperator, config).platform.all(NodeWork)}


@pytest.mark.parametrize(("name", "program"), PROGRAMS.items())
def test_work_that_is_left_to_others_is_needed_and_not_given(name: str, program: OperatorProgram) -> None:
    needs = GpuOperator.needs_of(setting(GpuOperator, {"beside": [name]}))

    assert work({}) - work({"beside": [name]}) == {program.work}
    assert [each.where for each in needs] == [{"work": program.work}]
    assert GpuOperator.needs_of(setting(GpuOperator)) == ()


def test_clients_that_its_own_mig_manager_does_not_see_are_refused() -> None:
    beside = {"beside": ["dcgm-exporter"]}
    (problem,) = problems(pool("m", mig()), config=beside, beside={"dcgm-exporter": {}})

    assert "waits for GPU clients in gpu-operator" in problem
    assert "`namespace: gpu-operator`" in problem
    assert problems(pool("m"), config=beside, beside={"dcgm-exporter": {}}) == []
    assert problems(pool("m", mig()), config=beside, beside={"dcgm-exporter": {"namespace": "gpu-operator"}}) == []


def test_the_dra_driver_brings_the_crds_of_compute_domains_where_it_is_there() -> None:
    alone, beside = (
        objects(),
        objects(components=setting(GpuOperator, beside={"nvidia-dra-driver": {}}).platform.components),
    )
    name = "CustomResourceDefinition/computedomains.resource.nvidia.com"

    assert name in alone
    assert name not in beside
    assert "CustomResourceDefinition/clusterpolicies.nvidia.com" in beside


def test_the_clusters_own_discovery_cannot_write_labels_of_pools() -> None:
    provided = {"node-feature-discovery": {"provided": True}}
    (problem,) = problems(pool("s", SLICED), config={"beside": ["node-feature-discovery"]}, beside=provided)

    assert "nothing writes their labels" in problem


def test_two_mig_strategies_are_refused() -> None:
    (problem,) = problems(pool("a", mig("single")), pool("b", mig("mixed")))

    assert "pool a wants single, pool b mixed" in problem


def test_mps_beside_mixed_mig_is_refused_and_beside_single_is_not() -> None:
    (problem,) = problems(pool("a", MPS), pool("b", mig("mixed")))

    assert "the plugin refuses MPS, which pool a wants" in problem
    assert problems(pool("a", MPS), pool("b", mig("single"))) == []


def test_a_pool_that_needs_a_label_needs_a_selector() -> None:
    found = problems(pool("s", SLICED, selector={}))

    assert any("has no selector, so the nodes that get its labels cannot be found" in each for each in found)


@pytest.mark.parametrize(
    ("model", "driver", "branch"), [("v100-32gb", "595.91.07", 580), ("p100", "595.91.07", 580), ("k80", "580.1", 470)]
)
def test_a_driver_that_dropped_the_card_is_refused(model: str, driver: str, branch: int) -> None:
    (problem,) = problems(pool("old", {"model": model}), config={"driverVersion": driver})

    assert f"the last branch that does is R{branch}" in problem
    assert problems(pool("old", {"model": model}), config={"driver": "host"}) == []
    assert problems(pool("old", {"model": model}), config={"drivers": {"old": f"{branch}.1"}}) == []


def test_a_driver_needs_a_pool_and_the_pool_a_selector() -> None:
    found = problems(pool("a", selector={}), config={"drivers": {"a": "595.1", "b": "595.1"}})

    assert any("no pool with GPUs is called b" in each for each in found)
    assert any("its driver would go everywhere" in each for each in found)


def test_drivers_in_containers_are_refused_on_talos() -> None:
    assert "signed kernel modules" in problems(distribution="talos")[0]
    assert problems(distribution="talos", config={"driver": "host"}) == []


def test_high_availability_runs_two_operators() -> None:
    assert objects(availability="ha")["Deployment/gpu-operator"]["spec"]["replicas"] == 2


def named(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Pull secrets of each image of a spec, by the path of the image."""
    found = {"": spec["imagePullSecrets"]} if "imagePullSecrets" in spec else {}
    for key, each in spec.items():
        if isinstance(each, Mapping):
            found |= {f"{key}.{path}".rstrip("."): secrets for path, secrets in named(each).items()}
    return found


def test_every_image_of_operands_and_drivers_names_the_stacks_pull_secrets() -> None:
    made = objects(pool("whole"), config={"gdrcopy": True}, pull_secrets=["registry"])
    operands = named(made["ClusterPolicy/cluster-policy"]["spec"])
    driver = next(each["spec"] for name, each in made.items() if name.startswith("NVIDIADriver/"))

    assert {"validator", "toolkit", "devicePlugin", "gfd", "dcgmExporter", "migManager"} <= operands.keys()
    assert {tuple(each) for each in operands.values()} == {("registry",)}
    assert named(driver).keys() == {"", "manager", "gdrcopy"}
    assert named(policy(pool("whole"))) == {}
