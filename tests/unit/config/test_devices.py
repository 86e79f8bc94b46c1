"""What pods can ask for on a pool, kind by kind, and what pools say of accelerators beside how cards are shared."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.config.devices import devices
from platform_def.config.pools import NodePool, asked, offered, places


def pool(**fields: Any) -> NodePool:
    return NodePool.from_file({"name": "p", "nodes": 8, **fields})


def gpus(**fields: Any) -> NodePool:
    return pool(gpu={"model": "h100-80gb", "perNode": 8, **fields})


MIXED = {"strategy": "mixed", "layout": {"3g.40gb": 1, "1g.10gb+me": 1, "1g.10gb": 3}}
SHARED = {"mode": "time-slicing", "replicas": 2, "rename": True}


@pytest.mark.parametrize(
    ("nodes", "kinds"),
    [
        (gpus(), [("h100-80gb", {"nvidia.com/gpu": 1}, 8, True)]),
        (gpus(sharing=SHARED), [("h100-80gb 1/2", {"nvidia.com/gpu.shared": 1}, 16, False)]),
        (gpus(mig={"layout": {"1g.10gb": 7}}), [("h100-80gb 1g.10gb", {"nvidia.com/gpu": 1}, 56, False)]),
        (
            gpus(mig=MIXED),
            [
                ("h100-80gb 1g.10gb", {"nvidia.com/mig-1g.10gb": 1}, 24, False),
                ("h100-80gb 1g.10gb+me", {"nvidia.com/mig-1g.10gb.me": 1}, 8, False),
                ("h100-80gb 3g.40gb", {"nvidia.com/mig-3g.40gb": 1}, 8, False),
            ],
        ),
        (
            gpus(sharing={"mode": "vgpu", "layer": "hami", "replicas": 4}),
            [
                (
                    "h100-80gb 1/4",
                    {"nvidia.com/vgpu": 1, "nvidia.com/gpucores": 25, "nvidia.com/gpumem-percentage": 25},
                    32,
                    False,
                )
            ],
        ),
        (
            pool(accelerator={"resource": "amd.com/gpu", "perNode": 8}),
            [("amd.com/gpu", {"amd.com/gpu": 1}, 8, True)],
        ),
        (pool(), []),
    ],
    ids=["whole", "shared", "mig", "mixed", "hami", "amd", "none"],
)
def test_a_pool_lists_each_kind_of_device(nodes: NodePool, kinds: list[Any]) -> None:
    assert [(kind.title, dict(kind.resources), kind.per_node, kind.several) for kind in devices(nodes)] == kinds


def test_each_profile_is_asked_for_and_counted_by_its_own_name() -> None:
    nodes = gpus(mig=MIXED, sharing=SHARED)

    for kind in devices(nodes):
        assert asked(nodes, 1, kind.profile) == kind.resources
        assert places(nodes, kind.profile) == offered(nodes)[next(iter(kind.resources))] == kind.per_node


@pytest.mark.parametrize(
    ("topology", "per_node", "hosts"), [("2x2", 4, 1), ("2x4", 4, 2), ("4x4x4", 4, 16), ("8", 8, 1), (None, 4, 1)]
)
def test_a_slice_may_be_of_several_nodes(topology: str | None, per_node: int, hosts: int) -> None:
    given = {"resource": "google.com/tpu", "perNode": per_node, **({"topology": topology} if topology else {})}
    nodes = pool(nodes=16, accelerator=given)

    assert nodes.accelerator is not None
    assert nodes.accelerator.hosts == hosts


def test_only_makers_with_a_label_for_shapes_are_asked_for_by_it() -> None:
    other = pool(accelerator={"resource": "example.com/card", "perNode": 4, "topology": "2x2"})

    assert other.accelerator is not None
    assert other.accelerator.node_labels == {}


@pytest.mark.parametrize("folder", ["/", "/usr", "/usr/lib", "/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/local/lib"])
def test_folders_of_the_system_are_no_folders_of_a_driver(folder: str) -> None:
    with pytest.raises(ValidationError, match="holds the node's own libraries too"):
        gpus(hostLibraries={"driver": folder})


@pytest.mark.parametrize("folder", ["/usr/local/nvidia", "/opt/nvidia", "/home/kubernetes/bin/nvidia"])
def test_folders_of_their_own_are(folder: str) -> None:
    assert gpus(hostLibraries={"driver": folder}).gpu


def test_the_search_path_names_cuda_where_it_is_mounted() -> None:
    nodes = gpus(hostLibraries={"driver": "/opt/nvidia", "cuda": "/opt/cuda"})

    assert nodes.gpu is not None
    assert nodes.gpu.host_libraries is not None
    assert nodes.gpu.host_libraries.search_path.endswith(":/usr/local/cuda/lib64")


@pytest.mark.parametrize(
    "folder", ["opt/nvidia", "/opt/../usr", "/opt/nvidia/", "/opt//nvidia", "/opt/a b", "/" + "x" * 200]
)
def test_a_folder_is_written_from_the_root(folder: str) -> None:
    with pytest.raises(ValidationError):
        gpus(hostLibraries={"driver": folder})


def test_what_is_no_folder_is_shown_up_to_80_characters() -> None:
    with pytest.raises(ValidationError) as caught:
        gpus(hostLibraries={"driver": "x" * 90})

    assert f"'{'x' * 80}' is not the path of a folder: write it from the root" in str(caught.value)


def test_a_driver_alone_is_searched_in_both_folders_that_it_may_have() -> None:
    nodes = gpus(hostLibraries={"driver": "/opt/nvidia"})

    assert nodes.gpu is not None
    assert nodes.gpu.host_libraries is not None
    assert nodes.gpu.host_libraries.search_path == "/usr/local/nvidia/lib64:/usr/local/nvidia/lib"


def test_a_slice_of_tpus_is_asked_for_by_its_shape() -> None:
    tpu = pool(accelerator={"resource": "google.com/tpu", "perNode": 4, "topology": "2x4"}).accelerator

    assert tpu is not None
    assert tpu.node_labels == {"cloud.google.com/gke-tpu-topology": "2x4"}
    assert tpu.model_copy(update={"topology": None}).node_labels == {}


@pytest.mark.parametrize(
    ("accelerator", "why"),
    [
        ({"resource": "nvidia.com/gpu"}, "nvidia.com/gpu is NVIDIA's: describe its cards with `gpu:`"),
        ({"resource": "cpu"}, "'cpu' is not an extended resource"),
        ({"resource": "kubernetes.io/gpu"}, "'kubernetes.io/gpu' is not an extended resource"),
        ({"resource": "node.kubernetes.io/gpu"}, "is not an extended resource"),
        (
            {"resource": "google.com/tpu", "topology": "2x3"},
            "a slice of 2x3 has 6 devices, which are no whole number of",
        ),
        ({"resource": "google.com/tpu", "topology": "0x4"}, "should match pattern"),
        ({"resource": "google.com/tpu", "topology": "2x2x2x2"}, "should match pattern"),
    ],
)
def test_what_is_no_accelerator_of_others_is_refused(accelerator: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError) as caught:
        pool(accelerator={"perNode": 4} | accelerator)

    assert why in str(caught.value)


def test_a_domain_that_only_ends_alike_is_a_makers() -> None:
    assert pool(accelerator={"resource": "mykubernetes.io/card", "perNode": 1}).accelerator


def test_a_pool_has_cards_of_one_maker_and_whole_slices() -> None:
    tpu = {"resource": "google.com/tpu", "perNode": 4, "topology": "4x4"}

    with pytest.raises(ValidationError, match="not both"):
        gpus_and(tpu)
    with pytest.raises(ValidationError, match="a slice of 4x4 is 4 nodes, and 6 nodes are no whole number of slices"):
        NodePool.from_file({"name": "p", "nodes": 6, "accelerator": tpu})


def gpus_and(accelerator: dict[str, Any]) -> NodePool:
    return pool(gpu={"model": "t4", "perNode": 1}, accelerator=accelerator)
