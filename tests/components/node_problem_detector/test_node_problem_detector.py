"""Node problem detector: its monitors, and what the script says of a node."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.monitoring.node_problem_detector import monitors
from platform_def.components.monitoring.node_problem_detector.component import NodeProblemDetector
from tests.unit.built import Objects, built

NAME = "node-problem-detector"


def build(**config: Any) -> Objects:
    return built(NodeProblemDetector, **config)


def files(**config: Any) -> dict[str, str]:
    found: dict[str, str] = build(**config).one("ConfigMap")["data"]
    return found


def test_every_file_is_named_by_a_flag_or_by_a_monitor() -> None:
    arguments = " ".join(build().arguments("DaemonSet", NAME))
    made = files()

    for name in made:
        assert name in arguments or name in made["gpu-node-checks.json"]


def test_cards_are_looked_at_on_demand() -> None:
    assert "gpu-monitor.json" not in files(gpus=False)
    assert "custom-plugin" not in " ".join(build(gpus=False).arguments("DaemonSet", NAME))


def test_every_permanent_rule_has_its_condition() -> None:
    for name, text in files().items():
        if name.endswith(".json"):
            content = json.loads(text)
            known = {each["type"] for each in content["conditions"]}
            assert {each["condition"] for each in content["rules"] if each["type"] == "permanent"} == known


@pytest.mark.parametrize(
    ("line", "fatal"),
    [
        ("NVRM: Xid (PCI:0000:65:00): 79, pid=1234, GPU has fallen off the bus.", True),
        ("NVRM: Xid (PCI:0000:65:00): 48, pid='<unknown>', name=<unknown>, An uncorrectable error", True),
        ("NVRM: Xid (PCI:0000:65:00): 13, pid=1234, Graphics Exception", False),
        ("NVRM: Xid (PCI:0000:65:00): 148, pid=1234, something", False),
    ],
)
def test_xids_of_the_hardware_set_a_condition_and_all_make_an_event(line: str, *, fatal: bool) -> None:
    rules = json.loads(files()["gpu-monitor.json"])["rules"]
    hit = {each["type"] for each in rules if re.search(each["pattern"], line)}

    assert hit == ({"temporary", "permanent"} if fatal else {"temporary"})


class Node:
    """A node as the script sees it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.state, self.script = folder / "root", folder / "state", folder / "script.sh"
        self.state.mkdir()
        self.script.write_text(monitors.SCRIPT)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def cards(self, count: int, *, seen: int | None = None) -> None:
        for index in range(count):
            self.write(f"sys/bus/pci/devices/{index}/vendor", "0x10de\n")
            self.write(f"sys/bus/pci/devices/{index}/class", "0x030200\n")
        for index in range(count if seen is None else seen):
            self.write(f"proc/driver/nvidia/gpus/{index}/information", "")
        if seen != 0:
            self.write("proc/driver/nvidia/version", "NVRM version: 580.1\n")

    def port(self, name: str, state: str) -> None:
        self.write(f"sys/class/infiniband/{name}/ports/1/state", f"4: {state}\n")

    def asked(self, what: str) -> tuple[int, str]:
        run = subprocess.run(
            ["sh", str(self.script), what],
            env={"ROOT": str(self.root), "STATE": str(self.state), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert not run.stderr
        return run.returncode, run.stdout.strip()


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_a_node_without_cards_and_adapters_is_well(node: Node) -> None:
    assert [node.asked(each.what)[0] for each in monitors.CHECKS] == [0, 0, 0]


def test_cards_without_a_driver_are_a_problem(node: Node) -> None:
    node.cards(2, seen=0)

    assert node.asked("driver") == (1, "2 cards and no driver")
    assert node.asked("cards")[0] == 0


def test_a_card_that_the_driver_does_not_see_is_a_problem(node: Node) -> None:
    node.cards(4, seen=3)

    assert node.asked("cards") == (1, "the driver sees 3 of 4 cards")


def test_a_card_that_is_gone_from_the_bus_too_is_remembered(node: Node) -> None:
    node.cards(2)
    assert node.asked("cards") == (0, "2 cards")

    (node.root / "sys/bus/pci/devices/1/vendor").unlink()
    (node.root / "proc/driver/nvidia/gpus/1/information").unlink()
    (node.root / "proc/driver/nvidia/gpus/1").rmdir()

    assert node.asked("cards") == (1, "the driver sees 1 of 2 cards")


def test_a_port_that_never_worked_is_no_problem_and_one_that_did_is(node: Node) -> None:
    node.port("mlx5_0", "ACTIVE")
    node.port("mlx5_1", "DOWN")
    assert node.asked("rdma")[0] == 0

    node.port("mlx5_0", "DOWN")
    assert node.asked("rdma") == (1, "down: mlx5_0/1")

    node.port("mlx5_0", "ACTIVE")
    assert node.asked("rdma") == (0, "all ports up")
