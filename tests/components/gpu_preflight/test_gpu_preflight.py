"""The preflight: what the script says of a node, and what the owner of the nodes is told to set."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from platform_def import yaml
from platform_def.components.gpu.gpu_preflight.component import (
    GpuPreflight,
    GpuPreflightConfig,
    expectations,
    name_of,
)
from platform_def.components.gpu.gpu_preflight.script import SCRIPT
from platform_def.components.gpu.gpu_preflight.settings import node_settings
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.render import render
from tests.unit.built import setting

CLOSED = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Sat Aug 19 01:15:15 UTC 2023\nGCC version: 12\n"
OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {}  Release Build  (dvs)\n"


def pool(name: str = "train", model: str = "a100-80gb", **more: Any) -> NodePool:
    values = {"name": name, "selector": {"pool": name}, "gpu": {"model": model, "perNode": 2}, **more}
    return NodePool.from_file({key: value for key, value in values.items() if value is not None})


def objects(*pools: NodePool, config: dict[str, Any] | None = None, **facts: Any) -> dict[str, Any]:
    chosen = GpuPreflightConfig.from_file(config or {})
    build = render(lambda scope: GpuPreflight(scope, config=chosen, platform=Platform(node_pools=pools, **facts)))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def pod(made: dict[str, Any], name: str = "gpu-preflight-train") -> dict[str, Any]:
    spec: dict[str, Any] = made[f"DaemonSet/{name}"]["spec"]["template"]["spec"]
    return spec


class Node:
    """A folder that looks like a node to the script."""

    def __init__(self, root: Path):
        self.root = root
        self.write("proc/modules", "nvidia 1 0 - Live\n")
        self.write("sys/fs/cgroup/cgroup.controllers", "cpu")
        (root / "state").mkdir()

    def write(self, path: str, text: str | bytes) -> Node:
        """A file of the node."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return self

    def driver(self, version: str = "535.104.05", cards: int = 2, text: str = CLOSED) -> Node:
        """A driver that is loaded."""
        self.write("proc/driver/nvidia/version", text.format(version))
        for card in range(cards):
            self.write(f"proc/driver/nvidia/gpus/0000:0{card}:00.0/information", "")
        return self

    def fabric(self, *modules: str) -> Node:
        """Loaded modules, and an adapter."""
        for module in modules:
            self.write(f"sys/module/{module}/refcnt", "1")
        return self.write("sys/class/infiniband/mlx5_0/node_type", "1")

    def check(self, nodes: NodePool, memlock: str = "unlimited", **facts: Any) -> tuple[bool, str]:
        """Whether the node passes, and what the script says."""
        env = {
            **expectations(nodes, Platform(**facts)),
            "ROOT": str(self.root),
            "FIRMWARE": str(self.root / "firmware"),
            "DRIVER_FILES": str(self.root / "files"),
            "STATE": str(self.root / "state"),
            "MEMLOCK_FOUND": memlock,
            "ONCE": "yes",
            "PATH": "/usr/bin:/bin",
        }
        ran = subprocess.run(["sh"], input=SCRIPT, env=env, text=True, capture_output=True, check=False)
        passed = (self.root / "state/passed").exists()

        assert ran.stderr == ""
        assert passed is (ran.returncode == 0)

        return passed, ran.stdout


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


@pytest.mark.parametrize("text", [CLOSED, OPEN])
def test_a_good_node_passes(node: Node, text: str) -> None:
    passed, said = node.driver("580.65.06", text=text).check(pool())

    assert passed
    assert "ok    driver: 580.65.06, secure boot unknown" in said
    assert "node ?, pool train" in said


def test_a_missing_driver_is_told_with_its_reason(node: Node) -> None:
    node.write("proc/modules", "nouveau 1 0 - Live\n")
    node.write("firmware/efi/efivars/SecureBoot-8be4df61", b"\x06\x00\x00\x00\x01")
    passed, said = node.check(pool())

    assert not passed
    assert "FAIL  driver: NVIDIA's kernel module is not loaded" in said
    assert "note  secure boot is on" in said
    assert "FAIL  driver: nouveau holds the cards" in said


@pytest.mark.parametrize(("byte", "word"), [(b"\x01", "on"), (b"\x00", "off")])
def test_secure_boot_is_read_from_the_firmware(node: Node, byte: bytes, word: str) -> None:
    node.write("firmware/efi/efivars/SecureBoot-8be4df61", b"\x06\x00\x00\x00" + byte)
    _, said = node.driver().check(pool())

    assert f"secure boot {word}" in said


@pytest.mark.parametrize(
    ("model", "version", "passes"),
    [
        ("k80", "470.256.02", True),
        ("k80", "535.104.05", False),
        ("v100-32gb", "580.65.06", True),
        ("v100-32gb", "595.10", False),
        ("p100", "595.10", False),
        ("t4", "595.10", True),
        ("a100-80gb", "595.10", True),
    ],
)
def test_drivers_that_have_dropped_the_card_fail(node: Node, model: str, version: str, passes: bool) -> None:
    passed, said = node.driver(version).check(pool(model=model))

    assert passed is passes
    assert (f"FAIL  driver: {model} is served up to R" in said) is not passes


def test_a_lost_card_fails(node: Node) -> None:
    passed, said = node.driver(cards=1).check(pool())

    assert not passed
    assert "FAIL  cards: the pool says 2, the driver sees 1" in said


def test_another_version_of_control_groups_fails(node: Node) -> None:
    passed, said = node.driver().check(pool(), cgroup="v1")

    assert not passed
    assert "FAIL  control groups: the stack says v1, the node has v2" in said


def test_rdma_without_its_modules_fails(node: Node) -> None:
    passed, said = node.driver().check(pool(rdma="infiniband"))

    assert not passed
    assert said.count("FAIL  module:") == 4
    assert "FAIL  adapters: none" in said


def test_rdma_with_its_modules_passes(node: Node) -> None:
    node.fabric("ib_uverbs", "rdma_ucm").driver()
    passed, said = node.check(pool(rdma="roce"))

    assert passed
    assert "ok    adapters: mlx5_0" in said
    assert "note  nvidia_peermem is not loaded" in said


def test_the_exclusive_mode_fails(node: Node) -> None:
    node.fabric("ib_uverbs", "rdma_ucm", "nvidia_peermem").driver().write(
        "sys/module/ib_core/parameters/netns_mode", "N\n"
    )
    passed, said = node.check(pool(rdma="roce"))

    assert not passed
    assert "exclusive namespace mode" in said


@pytest.mark.parametrize(("promised", "word"), [(True, "FAIL"), (False, "note")])
def test_locked_memory_fails_where_the_pool_promises_it(node: Node, promised: bool, word: str) -> None:
    node.fabric("ib_uverbs", "rdma_ucm").driver()
    passed, said = node.check(pool(rdma="roce", memlockUnlimited=promised), memlock="8192")

    assert passed is not promised
    assert f"{word}  locked memory:" in said


def test_pools_without_gpus_are_looked_at_for_rdma_alone(node: Node) -> None:
    _, said = node.fabric("ib_uverbs", "rdma_ucm").check(pool(gpu=None, rdma="roce"))

    assert "driver" not in said
    assert "nvidia_peermem" not in said


def test_each_pool_is_looked_at_on_its_own_nodes() -> None:
    made = objects(pool(taints=["gpu=train:NoSchedule"]), pool("fabric", gpu=None, rdma="roce"), pool("cpu", gpu=None))
    spec = pod(made)
    terms = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert [key for key in made if key.startswith("DaemonSet/")] == [
        "DaemonSet/gpu-preflight-train",
        "DaemonSet/gpu-preflight-fabric",
    ]
    assert terms == [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["train"]}]}]
    assert {"key": "gpu", "operator": "Equal", "value": "train", "effect": "NoSchedule"} in spec["tolerations"]


def test_nothing_but_the_firmware_asks_for_a_privilege() -> None:
    with_it, without = setting(GpuPreflight), setting(GpuPreflight, {"secureBoot": False})
    spec = pod(objects(pool(), config={"secureBoot": False}))

    assert GpuPreflight.offered(with_it).namespaces[0].pod_security == "privileged"
    assert GpuPreflight.offered(without).namespaces[0].pod_security == "restricted"
    assert not any("hostPath" in volume for volume in spec["volumes"])
    assert spec["automountServiceAccountToken"] is False
    assert [volume["hostPath"]["path"] for volume in pod(objects(pool()))["volumes"] if "hostPath" in volume] == [
        "/sys/firmware"
    ]


def test_readiness_follows_the_node_only_when_asked_for() -> None:
    (strict,) = pod(objects(pool(), config={"strict": True}))["containers"]
    (lenient,) = pod(objects(pool()))["containers"]

    assert strict["readinessProbe"]["exec"]["command"] == ["test", "-e", "/tmp/passed"]
    assert "readinessProbe" not in lenient


def test_long_names_fit_a_label_and_stay_apart() -> None:
    names = {name_of(pool("a" * 55 + end)) for end in ("b", "c")}

    assert len(names) == 2
    assert all(len(name) <= 63 for name in names)


def test_a_stack_without_such_pools_is_refused() -> None:
    found = GpuPreflight.problems(setting(GpuPreflight, node_pools=(pool(gpu=None),)))

    assert [problem.text for problem in found] == ["components.gpu-preflight: no node pool has GPUs or RDMA"]


def test_settings_follow_from_the_pool() -> None:
    text = node_settings(pool(taints=["gpu=train:NoSchedule"], rdma="infiniband"), Platform())

    assert "--node-labels=pool=train" in text
    assert "LimitMEMLOCK=infinity" in text
    assert "nvidia-ctk runtime configure --runtime=containerd &&" in text
    assert "ib_ipoib\nnvidia_peermem" in text
    assert "registerWithTaints:\n- effect: NoSchedule\n  key: gpu\n  value: train" in text


def test_settings_of_virtual_gpus_go_without_the_toolkit() -> None:
    shared = {"model": "t4", "perNode": 2, "sharing": {"mode": "vgpu"}}
    text = node_settings(pool(gpu=shared), Platform(cgroup="v1", kubernetes=Kubernetes("1.36")))

    assert "SystemdCgroup = false" in text
    assert "cgroupDriver: cgroupfs" in text
    assert "failCgroupV1: false" in text
    assert "nvidia-ctk" not in text
    assert "failCgroupV1" not in node_settings(pool(gpu=shared), Platform(cgroup="v1", kubernetes=Kubernetes("1.34")))


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ({"distribution": "k3s"}, "systemctl restart k3s-agent"),
        ({"nvidia_runtime": "default"}, "--runtime=containerd --set-as-default"),
        ({"distribution": "openshift"}, "# openshift sets its nodes by images or machine configurations"),
        ({"feature_gates": {"DRAExtendedResource": True}}, "  DRAExtendedResource: true"),
    ],
)
def test_settings_follow_from_the_cluster(facts: dict[str, Any], line: str) -> None:
    assert line in node_settings(pool(), Platform(**facts))


def test_settings_are_one_text_a_pool() -> None:
    data = objects(pool(), pool("fabric", gpu=None, rdma="roce"))["ConfigMap/gpu-preflight-node-settings"]["data"]

    assert sorted(data) == ["fabric.txt", "train.txt"]


def test_the_kubelets_part_of_the_settings_is_yaml() -> None:
    text = node_settings(pool(taints=["gpu:NoSchedule"]), Platform(feature_gates={"A": True}))
    part = text.split("on top of what it has:\n")[1].split("\n##")[0]

    assert yaml.load(part) == {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "featureGates": {"A": True},
        "registerWithTaints": [{"key": "gpu", "effect": "NoSchedule"}],
    }


PLAIN = {"model": "k80", "perNode": 2, "hostLibraries": {"driver": "/opt/nvidia", "cuda": "/opt/cuda"}}


def test_settings_of_nodes_without_a_toolkit_name_libraries_and_device_files() -> None:
    text = node_settings(pool(gpu=PLAIN), Platform())

    assert "/opt/nvidia/lib64: libcuda.so.1" in text
    assert "/opt/cuda/lib64" in text
    assert "nvidia-modprobe -u -c=0" in text
    assert "nvidia-ctk" not in text


@pytest.mark.parametrize(
    ("files", "said", "passes"),
    [
        (("lib64/libcuda.so.1", "lib64/libnvidia-ml.so.1"), "ok    library: libcuda.so.1", True),
        (("lib/libcuda.so.1", "lib/libnvidia-ml.so.1"), "ok    library: libnvidia-ml.so.1", True),
        (("lib64/libcuda.so.1",), "FAIL  library: libnvidia-ml.so.1 is in neither lib64 nor lib of /opt/nvidia", False),
        (
            ("lib64/libcuda.so.1", "lib64/libnvidia-ml.so.1", "lib64/libc.so.6"),
            "holds the node's C library too",
            False,
        ),
    ],
)
def test_libraries_of_the_node_are_looked_for(node: Node, files: tuple[str, ...], said: str, passes: bool) -> None:
    node.driver("470.256.02")
    for file in files:
        node.write(f"files/{file}", "")
    passed, text = node.check(pool(gpu=PLAIN))

    assert said in text
    assert passed is passes


def test_looking_into_the_folder_takes_a_privilege_and_a_mount() -> None:
    at = setting(GpuPreflight, {"secureBoot": False}, node_pools=(pool(gpu=PLAIN),))
    (need,) = GpuPreflight.offered(at).namespaces
    volumes = pod(objects(pool(gpu=PLAIN), config={"secureBoot": False}))["volumes"]

    assert need.pod_security == "privileged"
    assert {"name": "driver", "hostPath": {"path": "/opt/nvidia", "type": "Directory"}} in volumes


def test_labels_of_kubernetes_own_are_set_by_an_administrator() -> None:
    text = node_settings(
        pool(
            selector={"pool": "a", "node.kubernetes.io/instance-type": "x", "alpha.kubernetes.io/rack": "3"},
            gpu={"model": "k80", "perNode": 2, "modelLabel": {"key": "alpha.kubernetes.io/gpu", "values": ["K80"]}},
        ),
        Platform(),
    )

    assert "--node-labels=node.kubernetes.io/instance-type=x,pool=a\n" in text
    assert "kubectl label node NODE alpha.kubernetes.io/gpu=K80 alpha.kubernetes.io/rack=3" in text


def test_labels_that_programs_write_are_left_to_them() -> None:
    label = {"key": "nvidia.com/gpu.product", "values": ["Tesla-K80"]}

    assert "gpu.product" not in node_settings(pool(gpu={"model": "k80", "perNode": 2, "modelLabel": label}), Platform())
