"""A program that feeds its panels is told from one that does not, by Prometheus' own engine; pages are played here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cluster import fed
from tests.cluster.fed import Source, unfed
from tests.cluster.pages import page as played
from tests.cluster.pages import tables_of
from tests.cluster.scrape import Page, read
from tests.cluster.whole import whole

pytestmark = pytest.mark.cluster

FAILED = "Searches: Katib: Trials failed in an hour"


def page_of(component: str, *, without: str = "", called: tuple[str, str] = ("", "")) -> Page:
    """What an exporter with the component's tables says, but for one metric, and with another name for a label."""
    lines = [
        text if text.startswith("#") else f"{text.replace(*called) if called[0] else text} {value + growth:g}"
        for text, value, growth in played(tables_of(component))
        if not without or without not in text
    ]
    return read("\n".join(lines))


@pytest.fixture
def engine(programs: Mapping[str, Path]) -> Path:
    return programs["prometheus-engine"]


def test_what_has_all_metrics_of_its_tables_feeds_all(engine: Path) -> None:
    assert unfed("katib", [page_of("katib")], engine=engine) == []


def test_panels_and_alerts_over_a_metric_that_is_gone_are_found(engine: Path) -> None:
    found = unfed("katib", [page_of("katib", without="katib_trial_failed_total")], engine=engine)

    assert [each.partition(" gets nothing")[0] for each in found] == [FAILED, "KatibTrialsFail"]


def test_a_value_of_a_label_that_the_program_does_not_write_is_found(engine: Path) -> None:
    found = unfed("katib", [page_of("katib", called=('status="Running"', 'status="running"'))], engine=engine)

    assert [each.partition(" gets nothing")[0].rpartition(": ")[2] for each in found] == [
        "Experiments that run",
        "Trials that run",
    ]


def test_a_label_that_the_target_has_too_is_found_where_the_monitor_does_not_honor_it(engine: Path) -> None:
    katib = whole("katib")
    (monitor,) = katib.monitors
    ends = [{**each, "honorLabels": False, "relabelings": []} for each in monitor["spec"]["endpoints"]]
    changed = replace(katib, monitors=[{**monitor, "spec": {**monitor["spec"], "endpoints": ends}}])
    boards = [
        {**board, "panels": [_by_namespace_of_teams(each) for each in board["panels"]]} for board in katib.dashboards
    ]

    assert unfed("katib", [page_of("katib")], engine=engine, found=replace(katib, dashboards=boards)) == []
    found = unfed("katib", [page_of("katib")], engine=engine, found=replace(changed, dashboards=boards))
    assert any("gets nothing" in each for each in found)


def test_what_is_said_to_be_empty_and_is_not_is_found(engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = Source("katib", "katib", "test_tuning.py", empty={FAILED: "nothing fails", "Searched": "never"})
    known = {**fed.sources(), "katib": said}
    monkeypatch.setattr(fed, "sources", lambda: known)

    assert unfed("katib", [page_of("katib")], engine=engine) == [
        f"{FAILED} is fed, and fed.yaml says it is not",
        "fed.yaml names Searched, which katib does not show",
    ]


def _by_namespace_of_teams(panel: dict[str, object]) -> dict[str, object]:
    targets = panel.get("targets", [])
    assert isinstance(targets, list)
    chosen = [{**each, "expr": each["expr"].replace("{status=", '{namespace=~"team-.+", status=')} for each in targets]
    return {**panel, "targets": chosen}
