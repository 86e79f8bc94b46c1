"""The real node problem detector with a stack's account, flags, rules and script: what ails a node becomes its conditions.

Real: the program, the API server, the script of the stack. Played: the kernel's log, and folders for /proc and /sys of a
machine with cards and an RDMA adapter.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

from platform_def.components.monitoring.node_problem_detector.metrics import METRICS
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.door import Door
from tests.cluster.fed import unfed
from tests.cluster.mounted import Mounted
from tests.cluster.scrape import Page, differences, page_at, read, unserved
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
components:
  prometheus-operator: {}
  prometheus: {}
  node-problem-detector: {intervalSeconds: 10}
"""
NAME, NODE, PORT = "node-problem-detector", "node-1", 20257
CARDS = ("0000:3b:00.0", "0000:5e:00.0")
PORT_STATE = "sys/class/infiniband/mlx5_0/ports/1/state"
XID = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=python, GPU has fallen off the bus."
LOGS = "--config.system-log-monitor="
SECONDS = 90.0
CONDITIONS = {
    "CperHardwareErrorFatal",
    "GpuDriverMissing",
    "GpuFatalError",
    "GpuMissing",
    "KernelDeadlock",
    "RdmaPortDown",
    "ReadonlyFilesystem",
    "XfsShutdown",
}


@dataclass(frozen=True)
class Detector(Mounted):
    """The detector on a played machine; what its container has at /config is at /etc/config here."""

    kind: str = "DaemonSet"

    def files(self) -> dict[PurePosixPath, bytes]:
        """Its rules and the script."""
        (mount,) = (each for each in self.spec["volumeMounts"] if each["name"] == "config")
        (volume,) = (each for each in self.pod["volumes"] if each["name"] == "config")
        placed = PurePosixPath("/etc", mount["mountPath"].lstrip("/"))
        return {
            placed / path: content.replace(b"/config/", b"/etc/config/")
            for path, content in self._content(volume).items()
        }

    def run(self, program: Path, *, logs: str = "") -> None:
        """Start it with the played kernel's log in the place of the real one; `logs` are the only rules for lines of it."""
        if not (self.tmp / "kmsg").exists():
            os.mkfifo(self.tmp / "kmsg")
        shutil.copy(program, self.tmp / NAME)
        wrapper = self.tmp / "start"
        wrapper.write_text(
            f'#!/bin/sh\nchmod -R +x /etc/config\nmount --bind /tmp/kmsg /dev/kmsg && exec /tmp/{NAME} "$@"\n'
        )
        wrapper.chmod(0o755)
        flags = [each.replace("/config/", "/etc/config/") for each in self.spec["args"]]
        chosen = f"{LOGS}/etc/config/{logs}"
        flags = [chosen if logs and each.startswith(LOGS) else each for each in flags]
        assert not logs or chosen in flags
        self.start(wrapper, flags, settings={"ROOT": "/tmp/machine", "STATE": "/tmp/state"})

    def play(self, path: str, content: str) -> None:
        """Write a file of the machine."""
        file = self.tmp / "machine" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)

    def conditions(self) -> dict[str, str]:
        """Those of the Node, with their reason where they hold."""
        found = self.control_plane.api.get(f"/api/v1/nodes/{NODE}").body.get("status", {}).get("conditions", [])
        return {each["type"]: each["reason"] if each["status"] == "True" else "" for each in found}

    def page(self) -> Page:
        """Its metrics."""
        return read(Door(self.control_plane.folder / "door.sock", "").get("/metrics").text)


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Manifest]:
    """The stack's."""
    rendered = rendered_stack(tmp_path_factory.mktemp("stack"), STACK, name="detected")
    return [item.manifest for each in rendered.components.values() for item in each.objects]


@pytest.fixture(scope="module")
def running(
    objects: Sequence[Manifest], binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Detector]:
    """The detector on a machine with two cards and an RDMA port, all well."""
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        with control_plane.explaining():
            node: Manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}}
            results = apply_in_waves(control_plane.api, [*objects, node])
            assert not refusals(results), "\n".join(refusals(results))
            detector = Detector(control_plane, objects, NAME, NAME, node=NODE)
            (detector.tmp / "state").mkdir(parents=True)
            for card in CARDS:
                plug(detector, card)
            detector.play("proc/driver/nvidia/version", "NVRM version: 580.95.05")
            detector.play(PORT_STATE, "4: ACTIVE\n")
            detector.run(programs[NAME])
            kernel = os.open(detector.tmp / "kmsg", os.O_RDWR | os.O_NONBLOCK)  # until it is open, readers wait
            control_plane.sandbox.forward(control_plane.folder / "door.sock", port=PORT)
            detector.wait(lambda: detector.conditions().keys() >= CONDITIONS, "it has written all conditions")
        yield detector
        os.close(kernel)


@pytest.fixture
def detector(running: Detector, request: pytest.FixtureRequest) -> Detector:
    """The shared detector; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def plug(detector: Detector, card: str) -> None:
    """Put a card into the machine."""
    detector.play(f"sys/bus/pci/devices/{card}/vendor", "0x10de\n")
    detector.play(f"sys/bus/pci/devices/{card}/class", "0x030200\n")
    detector.play(f"proc/driver/nvidia/gpus/{card}/information", "Model: any\n")


def say(detector: Detector, line: str) -> None:
    """Have the kernel log a line."""
    kernel = os.open(detector.tmp / "kmsg", os.O_RDWR | os.O_NONBLOCK)
    try:
        now = round(time.clock_gettime(time.CLOCK_BOOTTIME) * 1_000_000)
        os.write(kernel, f"3,1,{now},-;{line}\n".encode())
    finally:
        os.close(kernel)


def becomes(detector: Detector, condition: str, reason: str, *, line: str = "") -> None:
    """Wait until a condition holds for this reason, or for none does not hold, while the kernel repeats a line."""

    def so() -> bool:
        if line:
            say(detector, line)
        return detector.conditions()[condition] == reason

    until(so, seconds=SECONDS, every=0.5, what=f"{condition} holds: {reason or 'no'}")


def test_a_sound_machine_has_all_conditions_and_none_holds(detector: Detector) -> None:
    assert {detector.conditions()[each] for each in CONDITIONS} == {""}


def test_a_card_that_the_driver_lost_is_a_condition_until_it_is_back(detector: Detector) -> None:
    lost = detector.tmp / "machine" / "proc/driver/nvidia/gpus" / CARDS[1]
    becomes(detector, "GpuMissing", "")
    shutil.rmtree(lost)
    becomes(detector, "GpuMissing", "GpuLost")
    assert of(detector.page(), "problem_gauge", type="GpuMissing")

    plug(detector, CARDS[1])
    becomes(detector, "GpuMissing", "")


def test_an_rdma_port_that_goes_down_is_a_condition_until_it_is_up(detector: Detector) -> None:
    detector.play(PORT_STATE, "1: DOWN\n")
    becomes(detector, "RdmaPortDown", "PortDown")

    detector.play(PORT_STATE, "4: ACTIVE\n")
    becomes(detector, "RdmaPortDown", "")


def of(page: Page, name: str, **labels: str) -> bool:
    """Whether a page has a series with these labels."""
    return any(labels.items() <= each.items() for each in page.samples[name])


def test_its_metrics_are_those_of_its_table(detector: Detector) -> None:
    assert [*differences(detector.page(), [METRICS])] == []
    assert unserved(detector.page(), [METRICS]) == set()


def test_its_account_may_do_all_that_it_does(detector: Detector) -> None:
    assert detector.forbidden() == []


def test_a_fatal_xid_in_the_kernels_log_is_a_condition_and_counted(
    detector: Detector, programs: Mapping[str, Path]
) -> None:
    pages = [detector.page()]
    # All readers of the kernel's own log see a line; of the played one, one does.
    detector.control_plane.sandbox.stop(detector.name)
    detector.run(programs[NAME], logs="gpu-monitor.json")
    pages.append(page_at(detector.control_plane, PORT))
    becomes(detector, "GpuFatalError", "GpuFatalXid", line=XID)
    page = detector.page()

    assert of(page, "problem_gauge", type="GpuFatalError", reason="GpuFatalXid")
    assert of(page, "problem_counter", reason="GpuXid")
    assert unfed("node-problem-detector", [*pages, page], engine=programs["prometheus-engine"]) == []
