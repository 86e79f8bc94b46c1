from collections.abc import Mapping
from typing import Any

import pytest

from platform_def import yaml
from platform_def.components.gpu.gpu_feature_discovery.component import GpuFeatureDiscovery
from platform_def.components.gpu.nvidia_device_plugin.component import NvidiaDevicePlugin
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.render import render
from tests.components.formats.device_plugin import problems as file_problems
from tests.unit.built import told

WAYS: Mapping[str, dict[str, Any]] = {
    "whole": {},
    "sliced": {"sharing": {"mode": "time-slicing", "replicas": 4, "rename": True}},
    "mps": {"sharing": {"mode": "mps", "replicas": 10, "rename": True}},
    "mig-single": {"mig": {"layout": {"1g.10gb": 7}}},
    "mig-mixed": {"mig": {"strategy": "mixed", "layout": {"1g.10gb": 4, "3g.40gb": 1}}},
}


def pool(way: str, **more: Any) -> NodePool:
    gpu = {"model": "a100-80gb", "perNode": 8, **WAYS.get(way, {"sharing": {"mode": "vgpu"}})}
    return NodePool.from_file({"name": way, "selector": {"pool": way}, "gpu": gpu, **more})


def objects(*pools: NodePool, **facts: Any) -> dict[str, Any]:
    platform = Platform(node_pools=pools, **facts)
    build = render(lambda scope: GpuFeatureDiscovery(scope, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def files(made: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: yaml.load(text) for key, text in made[f"ConfigMap/{name}"]["data"].items()}


def test_it_reads_the_sharing_that_the_plugin_reads() -> None:
    pools = tuple(pool(way) for way in WAYS)
    build = render(lambda scope: NvidiaDevicePlugin(scope, platform=Platform(node_pools=pools)))
    plugin = {made.manifest["metadata"]["name"]: made.manifest for made in build.objects}
    theirs = files({f"ConfigMap/{name}": made for name, made in plugin.items()}, "nvidia-device-plugin-configs")
    ours = files(objects(*pools), "gpu-feature-discovery-configs")

    assert ours.keys() == theirs.keys()
    for name, file in ours.items():
        assert file.get("sharing") == theirs[name].get("sharing")
        assert file["flags"]["migStrategy"] == theirs[name]["flags"]["migStrategy"]
        assert file_problems(file) == []


def test_the_plain_way_has_the_charts_name_and_others_fit_a_label() -> None:
    layout = {f"{g}g.{g}0gb": 1 for g in range(1, 5)}
    made = objects(
        pool("whole"),
        pool(
            "x",
            gpu={
                "model": "a100-80gb",
                "perNode": 8,
                "mig": {"strategy": "mixed", "layout": layout},
                "sharing": {"mode": "time-slicing", "replicas": 4, "rename": True},
            },
        ),
    )
    names = [key.partition("/")[2] for key in made if key.startswith("DaemonSet/")]

    assert "nvidia-device-plugin-gpu-feature-discovery" in names
    assert all(len(name) <= 63 for name in names)


def test_it_leaves_the_cards_while_mig_manager_cuts_them() -> None:
    spec = objects(pool("mig-mixed"))["DaemonSet/gpu-feature-discovery-mig-mixed"]["spec"]["template"]
    (term,) = spec["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]

    assert spec["metadata"]["labels"]["app"] == "gpu-feature-discovery"
    assert term["matchExpressions"][-1]["key"] == "nvidia.com/gpu.deploy.gpu-feature-discovery"


def test_it_writes_reports_in_its_own_namespace_alone() -> None:
    made = objects(pool("whole"))

    assert made["ClusterRole/gpu-feature-discovery"]["rules"] == [
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch"]}
    ]
    assert made["Role/gpu-feature-discovery"]["rules"][1]["resources"] == ["nodefeatures"]


@pytest.mark.parametrize(("runtime", "expected"), [("class", "nvidia"), ("default", None)])
def test_it_runs_under_the_nvidia_runtime(runtime: str, expected: str | None) -> None:
    made = objects(pool("whole"), nvidia_runtime=runtime)
    spec = made["DaemonSet/nvidia-device-plugin-gpu-feature-discovery"]["spec"]["template"]["spec"]

    assert spec.get("runtimeClassName") == expected


def problems(*pools: NodePool) -> list[str]:
    return told(GpuFeatureDiscovery, node_pools=pools)


def test_pools_that_cannot_be_told_apart_are_refused() -> None:
    assert "pool whole has no selector" in problems(pool("whole", selector={}), pool("sliced"))[0]


def test_virtual_gpus_alone_leave_nothing_to_discover() -> None:
    (problem,) = problems(pool("vgpu"))

    assert "no pool is left for it" in problem


def test_without_a_toolkit_it_finds_the_driver_in_its_folder() -> None:
    made = objects(pool("old", gpu={"model": "k80", "perNode": 4, "hostLibraries": {"driver": "/opt/nvidia"}}))
    (spec,) = [each["spec"]["template"]["spec"] for key, each in made.items() if key.startswith("DaemonSet/")]

    assert "runtimeClassName" not in spec
    assert {"name": "nvidia-driver", "mountPath": "/usr/local/nvidia", "readOnly": True} in spec["containers"][0][
        "volumeMounts"
    ]
