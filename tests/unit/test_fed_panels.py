"""Every panel and alert is fed by a real program in a cluster test, or the page about Prometheus says why not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from maintenance.fed_panels import PAGE, page
from tests.cluster import fed
from tests.cluster.observed import ASKED
from tests.cluster.scrape import read
from tests.cluster.targets import kept, labels_of, relabelled
from tests.cluster.whole import whole

TESTS = Path(fed.__file__).parent


@pytest.fixture(scope="module")
def shown() -> dict[str, list[fed.Shown]]:
    """What each component shows and warns of."""
    return {name: [*fed.shown(whole(name))] for name in ASKED}


def calls() -> Iterator[tuple[str, str]]:
    """Programs about which tests ask, each with the test's file."""
    for file in {*TESTS.rglob("test_*.py")} - {TESTS / "test_fed.py"}:
        text = file.read_text(encoding="utf-8")
        for name in re.findall(r"\bunfed\(\s*\"([\w-]+)\"", text):
            yield name, str(file.relative_to(TESTS))
        if "unfed(name, " in text:  # in a loop over the programs that the file names
            named = [each for each, source in fed.sources().items() if file.name in source.proofs.values()]
            yield from ((each, file.name) for each in named if re.search(rf"\b{each}\b", text))


def test_every_panel_and_alert_is_fed_by_a_cluster_test_or_listed_with_why_not(
    shown: dict[str, list[fed.Shown]],
) -> None:
    known = fed.sources()

    assert [
        f"{name}: {each.title}: {sorted(each.programs - known.keys())}"
        for name, every in shown.items()
        for each in every
        if not each.programs <= known.keys()
    ] == []
    assert [
        f"{name}: {each.title}: no test reads {sorted(each.programs)} together"
        for name, every in shown.items()
        for each in every
        if not each.played and not all(known[one].proof and known[one].component == name for one in each.programs)
    ] == []
    assert [
        f"{name}: {each.title} is of {sorted(each.programs)}: say of one why it is played"
        for name, every in shown.items()
        for each in every
        if len(each.programs) > 1 and not each.played
    ] == []


def test_the_test_of_each_program_asks_about_its_panels_and_no_other_does() -> None:
    asked = [(name, proof) for name, each in fed.sources().items() for proof in each.proofs.values()]

    assert sorted(calls()) == sorted(asked)


def test_nothing_is_listed_that_no_panel_or_alert_shows(shown: dict[str, list[fed.Shown]]) -> None:
    for name, source in fed.sources().items():
        own = [each for each in shown[source.component] if name in each.programs]
        metrics = {metric for each in own for metric in each.metrics}

        assert source.empty.keys() <= {each.title for each in own}
        assert [
            each for each in (*source.played, *source.others) if not any(fnmatchcase(one, each) for one in metrics)
        ] == []


def test_the_page_says_what_is_listed() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"


MONITOR = {
    "kind": "ServiceMonitor",
    "metadata": {"name": "widgets", "namespace": "made"},
    "spec": {"selector": {"matchLabels": {"app": "widgets"}}, "endpoints": [{"port": "metrics"}]},
}


def with_endpoint(**fields: object) -> dict[str, object]:
    return {**MONITOR, "spec": {"selector": {}, "endpoints": [{"port": "metrics", **fields}]}}


def test_a_label_of_the_page_that_the_target_has_too_is_renamed_unless_it_is_honored() -> None:
    made = read('widgets_made_total{namespace="team",size="s"} 3')
    (name, labels, value), up = kept(made, MONITOR)
    ((_, honored, _), _) = kept(made, with_endpoint(honorLabels=True))

    assert (name, value, labels["namespace"], labels["exported_namespace"]) == (
        "widgets_made_total",
        "3",
        "made",
        "team",
    )
    assert (labels["job"], labels["endpoint"], labels["size"]) == ("widgets", "metrics", "s")
    assert (honored["namespace"], "exported_namespace" in honored) == ("team", False)
    assert up == ("up", labels_of(MONITOR), "1")


def test_relabelling_drops_labels_and_series_and_takes_labels_of_the_pod() -> None:
    node = {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}
    monitor = with_endpoint(
        relabelings=[{"action": "labeldrop", "regex": "pod|container"}, node],
        metricRelabelings=[{"action": "keep", "sourceLabels": ["__name__"], "regex": "a|c"}],
    )
    found = {name: labels for name, labels, _ in kept(read("a 1\nb 1"), monitor)}

    assert found.keys() == {"a", "up"}
    assert (found["a"]["node"], "pod" in found["a"]) == ("node-1", False)
    two = {"sourceLabels": ["a", "b"], "regex": "(.+);(.+)", "replacement": "${2}-$1", "targetLabel": "c"}
    assert relabelled({"a": "1", "b": "2"}, [two]) == {"a": "1", "b": "2", "c": "2-1"}
    assert relabelled({"a": "1"}, [{"action": "drop", "sourceLabels": ["a"], "regex": "1"}]) is None
