"""The real node-exporter with a stack's flags: on this machine, and on upstream's own example of a machine with RDMA.

Real: the program, this machine's kernel. Played: a machine with adapters, NVMe and memory controllers, by upstream's test data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from platform_def.components.monitoring.exporters.node_exporter import NODE_EXPORTER
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip
from tests.cluster.control_plane import until
from tests.cluster.door import Door
from tests.cluster.fed import unfed
from tests.cluster.sandbox import Sandbox
from tests.cluster.scrape import Page, bounds, differences, read, unserved
from tests.cluster.stacks import rendered_stack
from tests.cluster.tools import module_folder
from tests.cluster.ttar import unpack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
components:
  prometheus-operator: {}
  prometheus: {}
  node-exporter: {}
"""
PORT = 9101
SECONDS = 60.0


@pytest.fixture(scope="module")
def arguments(tmp_path_factory: pytest.TempPathFactory) -> Sequence[str]:
    """The container's arguments."""
    rendered = rendered_stack(tmp_path_factory.mktemp("stack"), STACK, name="machines")
    (daemon,) = (item.manifest for item in rendered.components["node-exporter"].objects if item.kind == "DaemonSet")
    containers: list[Manifest] = daemon["spec"]["template"]["spec"]["containers"]
    (found,) = (each["args"] for each in containers if each["name"] == "node-exporter")
    return list(found)


@pytest.fixture(scope="module")
def here(arguments: Sequence[str], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Page:
    """What it says of this machine."""
    return scraped(
        programs["node-exporter"], arguments, {"/host/root": "", "/host/sys": "/sys"}, tmp_path_factory.mktemp("here")
    )


@pytest.fixture(scope="module")
def example(arguments: Sequence[str], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Page:
    """What it says of upstream's example."""
    folder = tmp_path_factory.mktemp("example")
    fixtures = or_skip(lambda: module_folder("node-exporter")) / "collector" / "fixtures"
    unpack(fixtures / "sys.ttar", folder)
    places = {"/host/root/proc": str(fixtures / "proc"), "/host/root": str(folder), "/host/sys": str(folder / "sys")}
    return scraped(programs["node-exporter"], arguments, places, folder)


def scraped(program: Path, arguments: Sequence[str], places: Mapping[str, str], folder: Path) -> Page:
    """What the program says with folders of its container in other places."""
    placed = [_placed(each, places) for each in arguments]
    path = folder / "door.sock"
    with Sandbox() as sandbox:
        card = ["ip", "link", "add", "nic0", "type", "veth", "peer", "name", "nic1"]
        sandbox.start("card", card, log=folder / "card.log")
        sandbox.start("node-exporter", [str(program), *placed], log=folder / "log")
        sandbox.forward(path, port=PORT)
        pages: list[str] = []

        def answers() -> bool:
            assert "node-exporter" not in sandbox.ended(), (folder / "log").read_text()
            try:
                answer = Door(path, "").get("/metrics")
            except OSError:
                return False
            pages.append(answer.text)
            return answer.status == 200

        until(answers, seconds=SECONDS, what="node-exporter answers")
        return read(pages[-1])


def _placed(argument: str, places: Mapping[str, str]) -> str:
    name, _, value = argument.partition("=")
    for folder, place in places.items():
        if value == folder or value.startswith(f"{folder}/"):
            return f"{name}={place}{value.removeprefix(folder)}" if place or value != folder else f"{name}=/"
    return argument


def test_what_it_serves_is_what_its_table_says(here: Page, example: Page) -> None:
    assert [*differences(here, [NODE_EXPORTER])] == []
    assert [*differences(example, [NODE_EXPORTER])] == []


def test_it_serves_all_that_its_table_has(here: Page, example: Page) -> None:
    assert unserved(here, [NODE_EXPORTER]) & unserved(example, [NODE_EXPORTER]) == set()


def test_what_it_says_of_both_machines_feeds_panels_and_alerts(
    here: Page, example: Page, programs: Mapping[str, Path]
) -> None:
    assert unfed("node-exporter", [here, example], engine=programs["prometheus-engine"]) == []


def test_a_machine_makes_no_more_series_than_the_page_about_prometheus_says(here: Page, example: Page) -> None:
    for page in (here, example):
        of_threads = [labels["cpu"] for series in page.samples.values() for labels in series if "cpu" in labels]
        most = max(of_threads.count(thread) for thread in {*of_threads})

        assert most <= bounds()["CPU thread"]
        assert page.count - len(of_threads) <= bounds()["node, besides"]
