"""The pool table is the one source: a changed pool changes what follows from it, and nothing of the other pools."""

from typing import Any

from platform_def.components.gpu.dcgm_exporter.component import DcgmExporter
from platform_def.components.gpu.gpu_feature_discovery.component import GpuFeatureDiscovery
from platform_def.components.gpu.gpu_operator.component import GpuOperator
from platform_def.components.gpu.mig_manager.component import MigManager
from platform_def.components.gpu.node_feature_discovery.component import NodeFeatureDiscovery
from platform_def.components.gpu.nvidia_device_plugin.component import NvidiaDevicePlugin
from platform_def.config.pools import NodePool, offered
from platform_def.constructs.component import Component
from platform_def.constructs.render import render
from tests.unit.built import stack_of

PARTS: tuple[type[Component[Any]], ...] = (
    NvidiaDevicePlugin,
    GpuFeatureDiscovery,
    NodeFeatureDiscovery,
    MigManager,
    DcgmExporter,
)


def pool(name: str, taint: str = "", **gpu: Any) -> NodePool:
    card = {"model": "a100-80gb", "perNode": 8, **gpu}
    taints = [taint] if taint else []
    return NodePool.from_file({"name": name, "selector": {"pool": name}, "taints": taints, "gpu": card})


def objects(*pools: NodePool, parts: tuple[type[Component[Any]], ...] = PARTS) -> dict[str, Any]:
    platform = stack_of({part.slug: {} for part in parts}, node_pools=pools)
    made = [item for part in parts for item in render(lambda scope, part=part: part(scope, platform=platform)).objects]  # type: ignore[misc]
    return {f"{each.manifest['kind']}/{each.manifest['metadata']['name']}": each.manifest for each in made}


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """`+` made, `-` gone, `~` changed."""
    marks = {key: "+" if key not in before else "-" if key not in after else "~" for key in {**before, **after}}
    return sorted(f"{mark} {key}" for key, mark in marks.items() if mark != "~" or before[key] != after[key])


OTHER = pool("other", "gpu=other:NoSchedule", model="t4", perNode=4)


def test_mig_on_one_pool_changes_its_plugin_discovery_label_and_layout() -> None:
    whole = pool("train")
    cut = pool("train", mig={"strategy": "mixed", "layout": {"1g.10gb": 7}})

    assert offered(cut) == {"nvidia.com/mig-1g.10gb": 56}
    assert changes(objects(whole, OTHER), objects(cut, OTHER)) == [
        "+ DaemonSet/gpu-feature-discovery-mig-mixed",
        "+ DaemonSet/nvidia-device-plugin-mig-mixed",
        "~ ConfigMap/gpu-feature-discovery-configs",
        "~ ConfigMap/mig-parted-config",
        "~ ConfigMap/nfd-worker-conf",
        "~ ConfigMap/nvidia-device-plugin-configs",
        "~ DaemonSet/nfd-worker-train",
        # The pool's nodes leave the plain plugin and discovery; the other pool's stay.
        "~ DaemonSet/nvidia-device-plugin",
        "~ DaemonSet/nvidia-device-plugin-gpu-feature-discovery",
        "~ DaemonSet/nvidia-mig-manager",
    ]


def test_renamed_shares_on_one_pool_reach_plugin_discovery_and_metrics() -> None:
    whole = pool("train")
    shared = pool("train", sharing={"mode": "time-slicing", "replicas": 4, "rename": True})
    found = changes(objects(whole, OTHER), objects(shared, OTHER))

    assert offered(shared) == {"nvidia.com/gpu.shared": 32}
    assert "~ DaemonSet/dcgm-exporter" in found
    assert [each for each in found if each.startswith("+")] == [
        "+ DaemonSet/gpu-feature-discovery-time-slicing-4",
        "+ DaemonSet/nvidia-device-plugin-time-slicing-4",
    ]
    assert "~ ConfigMap/mig-parted-config" not in found


def test_a_taint_on_one_pool_reaches_every_pod_that_runs_there() -> None:
    found = changes(objects(pool("train"), OTHER), objects(pool("train", "gpu=train:NoSchedule"), OTHER))

    assert found == [
        "~ DaemonSet/dcgm-exporter",
        "~ DaemonSet/nfd-worker",
        "~ DaemonSet/nfd-worker-train",
        "~ DaemonSet/nvidia-device-plugin",
        "~ DaemonSet/nvidia-device-plugin-gpu-feature-discovery",
        "~ DaemonSet/nvidia-mig-manager",
    ]


def test_the_operators_way_follows_the_same_table() -> None:
    before = objects(pool("train"), OTHER, parts=(GpuOperator,))
    after = objects(pool("train", mig={"strategy": "mixed", "layout": {"1g.10gb": 7}}), OTHER, parts=(GpuOperator,))

    assert changes(before, after) == [
        "~ ClusterPolicy/cluster-policy",
        "~ ConfigMap/gpu-operator-node-feature-discovery-worker-conf",
        "~ ConfigMap/pools-device-plugin-config",
        "~ ConfigMap/pools-mig-parted-config",
        "~ DaemonSet/nfd-worker-train",
    ]
