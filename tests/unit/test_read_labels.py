"""Tables of metrics say the labels that series have once a monitor of their component has read them.

A PodMonitor gives no `service`, and one that honors labels drops those of the target: a query by such a label finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from platform_def.constructs.observation.tables import HONORED_TARGET, POD_TARGET, SCRAPED, TARGET, MetricTable, counter
from tests.cluster.client import Manifest
from tests.cluster.observed import ASKED, Observed
from tests.cluster.targets import labels_of
from tests.cluster.whole import whole

NODES = {"kubelet", "cadvisor", "apiserver"}
"""Exporters of Kubernetes itself, whose monitors are Prometheus'."""


def unread(found: Observed) -> Iterator[str]:
    """Tables of which no monitor makes the series that they say."""
    for table in found.tables:
        if table is SCRAPED or table.exporter not in ("", found.name, *(NODES if found.name == "prometheus" else ())):
            continue
        faults = [[*_faults(table, each)] for each in found.monitors]
        if faults and all(faults):
            yield f"{found.name}: {table.source}: {min(faults, key=len)}"


def _faults(table: MetricTable, monitor: Manifest) -> Iterator[str]:
    """Where a monitor makes other labels than a table says."""
    (end, *_) = monitor["spec"].get("endpoints") or monitor["spec"]["podMetricsEndpoints"]
    added = {each.get("targetLabel") for each in end.get("relabelings", ())}
    given, own = {*labels_of(monitor)}, {label for each in table.series.values() for label in each.labels}
    name = monitor["metadata"]["name"]
    yield from (f"{name} gives no {each}" for each in sorted({*table.target} - given))
    if not end.get("honorLabels"):
        taken = sorted((own - {*table.target}) & (given - added))
        yield from (f"{name} gives {each}, and the exporter's becomes exported_{each}" for each in taken)


@pytest.mark.parametrize("name", ASKED)
def test_a_monitor_of_the_component_makes_the_labels_of_its_tables(name: str) -> None:
    assert [*unread(whole(name))] == []


def with_table(name: str, target: tuple[str, ...], labels: str = "") -> Observed:
    table = MetricTable("widgets.go", counter("widgets_made_total", labels), target=target)
    return replace(whole(name), tables=[SCRAPED, table])


@pytest.mark.parametrize(
    ("name", "target", "labels", "fault"),
    [
        ("katib", TARGET, "", ["katib-controller gives no " + each for each in sorted({*TARGET} - {*HONORED_TARGET})]),
        ("dex", POD_TARGET, "service", ["dex gives service, and the exporter's becomes exported_service"]),
        ("dex", TARGET, "kind", []),
        ("katib", HONORED_TARGET, "namespace", []),
    ],
)
def test_a_table_with_labels_that_its_monitor_does_not_give_is_found(
    name: str, target: tuple[str, ...], labels: str, fault: list[Any]
) -> None:
    assert [*unread(with_table(name, target, labels))] == ([f"{name}: widgets.go: {fault}"] if fault else [])


def test_a_pod_monitor_gives_no_service() -> None:
    seldon = with_table("seldon-core", TARGET)
    pods = [each for each in seldon.monitors if each["kind"] == "PodMonitor"]

    assert [*unread(replace(seldon, monitors=pods))] == ["seldon-core: widgets.go: ['seldon-models gives no service']"]
