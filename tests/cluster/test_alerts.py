"""What every component asks of Prometheus, asked of Prometheus' own engine: alerts that fire and clear, panels with data.

Exporters are played from the tables of metrics that components have, never from queries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from platform_def.components.catalogue import BUILT_IN
from platform_def.pipeline.load import load
from platform_def.yaml import dump, load_all
from tests.cluster.alert_trials import FOLDER, Trial, at_first, course_of, series_of, trials
from tests.cluster.client import Manifest
from tests.cluster.observed import ASKED, Asked, Observed, dashboards_of, of_stack, queries_of, shows
from tests.cluster.played import Values, completed, everything, timeline
from tests.cluster.readers import ask
from tests.cluster.stacks import DIST, REPOSITORY, dist_stacks
from tests.cluster.whole import whole

pytestmark = pytest.mark.cluster

KUBERNETES = ("kubelet", "cadvisor", "apiserver")
"""Exporters that every cluster has."""
LEAST = 60
"""Alerts that the smallest sample stack with a Prometheus has at the least."""
MINUTES, SHOWN = 40, 10
"""How long exporters are played before panels are asked, and how far back these look."""
BROKEN = re.compile(r"<no value>|<error|%!")
"""What a text becomes whose template asks for what is not there."""


@pytest.fixture(scope="module", params=ASKED)
def component(request: pytest.FixtureRequest) -> Observed:
    return whole(request.param)


def watching_stacks() -> list[str]:
    """The sample stacks that have a Prometheus of their own."""
    return [each for each in dist_stacks() if (DIST / each / "prometheus").is_dir()]


@pytest.fixture(scope="module", params=watching_stacks())
def sample(request: pytest.FixtureRequest) -> dict[str, Observed]:
    """What each component of a sample stack asks there, by its files in dist/. Its tables are those of the stack's own
    exporters: a panel over metrics of one that the stack does not have stays empty."""
    folder = DIST / request.param
    exporters = {*KUBERNETES, *(each.name for each in folder.iterdir() if each.is_dir())}
    found: dict[str, Observed] = {}
    for part in sorted(each for each in folder.iterdir() if each.is_dir()):
        texts = [file.read_bytes() for file in sorted(part.rglob("*.yaml"))]
        objects = [item for text in texts for item in cast("list[Manifest]", load_all(text, file=part.name))]
        if dashboards_of(objects) or any(each["kind"] == "PrometheusRule" for each in objects):
            asked = of_stack(objects, whole(part.name))
            tables = [each for each in asked.tables if not each.exporter or each.exporter in exporters]
            found[part.name] = replace(asked, tables=tables)
    return found


@pytest.fixture(scope="module")
def engine(programs: Mapping[str, Path]) -> Path:
    return programs["prometheus-engine"]


def test_every_component_with_alerts_or_dashboards_is_asked() -> None:
    components = Path(__file__).parents[2] / "platform_def" / "components"
    asking = {
        folder.name.replace("_", "-")
        for folder in (file.parent for file in components.glob("*/*/component.py"))
        if any(re.search(r"\b(Alerts|Dashboards)\(", file.read_text()) for file in folder.rglob("*.py"))
    }

    assert asking & {*BUILT_IN} == {*ASKED}
    assert {file.stem for file in FOLDER.glob("*.yaml")} <= {*ASKED}


def test_every_alert_fires_on_its_fault_alone_and_clears(component: Observed, engine: Path) -> None:
    planned = [*trials(component)]

    answers = ask(engine, [_question(each, component) for each in planned])

    assert {each.alert for each in planned} == component.alerts.keys()
    assert [
        line for trial, answer in zip(planned, answers, strict=True) for line in _faults(trial, component, answer)
    ] == []


def firsts(component: Observed, *, known: bool) -> list[tuple[Trial, Manifest]]:
    """Trials of its alerts over counters that begin with their first event, each with its question."""
    asked = [at_first(each, component, known=known) for each in trials(component)]
    return [(each, _question(each, component)) for each in asked if each]


def test_the_first_event_that_a_counter_begins_with_fires_and_is_over_after_a_while(
    component: Observed, engine: Path
) -> None:
    planned = firsts(component, known=True)

    answers = ask(engine, [question for _, question in planned]) if planned else []

    for (trial, _), answer in zip(planned, answers, strict=True):
        course, alerts = course_of(component.alerts[trial.alert]), answer["alerts"]
        given = {"alertname": trial.alert, **component.alerts[trial.alert].get("labels", {})}
        assert [*map(_key, (each["labels"] for each in alerts))] == [_key({**given, **each}) for each in trial.fires]
        assert all(course.fault <= each["from"] <= each["until"] < course.end for each in alerts), alerts


def test_what_a_target_has_counted_before_prometheus_reads_it_fires_nothing(component: Observed, engine: Path) -> None:
    planned = firsts(component, known=False)

    answers = ask(engine, [question for _, question in planned]) if planned else []

    assert [alert for answer in answers for alert in answer["alerts"]] == []


def test_these_alerts_see_first_events() -> None:
    seen = {trial.alert for name in ASKED for trial, _ in firsts(whole(name), known=True)}

    assert seen == {
        "AdmissionWebhookFails",
        "ArgoCdSyncFails",
        "IstiodCannotSend",
        "IstiodConfigurationRejected",
        "IstiodInjectionFails",
        "KatibTrialsFail",
        "KueuePodsNotReady",
        "NotebooksNotCreated",
        "ProfilesFail",
        "SealedSecretsUnsealErrors",
        "TrainingJobsFail",
        "WorkflowErrors",
    }


RUNS = 22
"""One more than the alert allows in an hour, and one for good measure."""


@pytest.mark.parametrize(("known", "every", "fires"), [(True, 2, True), (True, 6, False), (False, 2, False)])
def test_runs_that_fail_once_each_have_a_series_each_and_are_counted_together(
    engine: Path, known: bool, every: int, fires: bool
) -> None:
    kfp = whole("kfp")
    failed = 'resource_manager_workflow_runs_failed{{profile="team-vision", workflow="run-{}"}}'
    ended = [
        (failed.format(each), timeline((None, 70 + every * each), (1, 180 - every * each))) for each in range(RUNS)
    ]
    before = [(failed.format(f"old-{each}"), timeline((1, 250))) for each in range(RUNS)]
    read = [('up{job="ml-pipeline"}', timeline((1, 250)) if known else timeline((None, 70), (1, 180)))]
    rules = [each for each in kfp.rules if each.get("alert") == "PipelineRunsFail"]
    series = [(completed(name, kfp.tables, kfp.jobs), text) for name, text in [*ended, *before, *read]]
    question = {"rules": dump({"groups": [{"name": "runs", "rules": rules}]}), "series": series, "minutes": 249}

    (answer,) = ask(engine, [{**question, "queries": []}])

    assert [each["labels"]["profile"] for each in answer["alerts"]] == ["team-vision"] * fires


def of_its_team(trial: Trial, found: Observed) -> Trial:
    """A trial whose team has a share of a queue, with the team that the stack has in its place."""
    team = re.search(r'cohort=~"(\w+)-share', found.alerts[trial.alert]["expr"])
    if not team:
        return trial
    series = {name.replace("vision-share", f"{team[1]}-share"): value for name, value in trial.series.items()}
    fires = [{key: value.replace("vision", team[1]) for key, value in each.items()} for each in trial.fires]
    return replace(trial, series=series, fires=fires)


def test_in_sample_stacks_every_alert_fires_and_clears(sample: dict[str, Observed], engine: Path) -> None:
    planned = [
        (found, of_its_team(trial, found))
        for found in sample.values()
        for trial in trials(found, part=True)
        if trial.alert in found.alerts
    ]

    answers = ask(engine, [_question(trial, found) for found, trial in planned])

    assert {trial.alert for _, trial in planned} == {name for found in sample.values() for name in found.alerts}
    assert len(planned) > LEAST
    assert [
        line for (found, trial), answer in zip(planned, answers, strict=True) for line in _faults(trial, found, answer)
    ] == []


def labels_of(stack: str) -> Values:
    """What nodes and namespaces of a sample stack are called: labels of its first pool with GPUs, homes of its teams."""
    (loaded,) = load(REPOSITORY, [stack])
    homes = [home for team in loaded.stack.teams for home in team.homes][:2]
    (pool, *_) = (each for each in loaded.stack.node_pools if each.gpu)
    nodes = {f"label_{re.sub(r'[^a-zA-Z0-9_]', '_', key)}": [value] for key, value in pool.selector.items()}
    return {"any": {"namespace": homes}, "kube_node_labels": nodes}


def test_in_sample_stacks_every_panel_shows_something(
    sample: dict[str, Observed], engine: Path, request: pytest.FixtureRequest
) -> None:
    values = labels_of(request.node.callspec.params["sample"])
    asked = [
        (name, query) for name, found in sample.items() for board in found.dashboards for query in queries_of(board)
    ]
    rules = [each for found in sample.values() for each in found.rules if "record" in each]
    series: dict[str, str] = {}
    for found in sample.values():
        series = {**dict(everything(found.tables, found.jobs, minutes=MINUTES, values=values)), **series}
    text = dump({"groups": [{"name": "recorded", "rules": rules}]}) if rules else ""
    question = {
        "rules": text,
        "series": [*series.items()],
        "minutes": MINUTES,
        "queries": [_timed(each) for _, each in asked],
    }

    (answer,) = ask(engine, [question]) if asked else ({"results": []},)

    assert "refused" not in answer, answer.get("refused")
    answered = zip(asked, answer["results"], strict=True)
    assert [f"{name}: {each.title}: {each.expr}" for (name, each), got in answered if not shows(got)] == []


def test_in_sample_stacks_every_dashboard_is_as_grafanas_own_types_have_it(
    sample: dict[str, Observed], programs: Mapping[str, Path]
) -> None:
    texts = [json.dumps(board) for found in sample.values() for board in found.dashboards]

    assert [each["refused"] for each in ask(programs["grafana-reader"], texts) if "refused" in each] == []


def _question(trial: Trial, found: Observed) -> Manifest:
    """The alert's rule after those that record series, on the series of the trial."""
    course = course_of(found.alerts[trial.alert])
    rules = [each for each in found.rules if "record" in each or each["alert"] == trial.alert]
    groups = [{"name": "trial", "rules": rules}]
    return {
        "rules": dump({"groups": groups}),
        "series": series_of(trial, found, course),
        "minutes": course.end,
        "queries": [],
    }


def _faults(trial: Trial, found: Observed, answer: Manifest) -> Iterator[str]:
    """Where an alert did something else than it should."""
    rule, course = found.alerts[trial.alert], course_of(found.alerts[trial.alert])
    if "refused" in answer:
        yield f"{trial.alert}: {answer['refused']}"
        return
    alerts = answer["alerts"]
    given = {"alertname": trial.alert, **rule.get("labels", {})}
    wanted = [{**given, **labels} for labels in trial.fires]
    firing = [each["labels"] for each in alerts if each["until"] >= course.mended - 1]
    if sorted(map(_key, firing)) != sorted(map(_key, wanted)):
        yield f"{trial.alert}: fires with {firing} and not with {wanted}"
    if not trial.always:
        for each in alerts:
            if each["from"] < course.fault:
                yield f"{trial.alert}: fires at minute {each['from']}, before the fault at {course.fault}: {each['labels']}"
            if each["until"] >= course.end:
                yield f"{trial.alert}: still fires when all is well again: {each['labels']}"
    for each in alerts:
        for text in each["annotations"].values():
            if BROKEN.search(text):
                yield f"{trial.alert}: its text becomes {text!r}"


def _key(labels: Mapping[str, str]) -> str:
    return str(sorted(labels.items()))


def test_every_panel_shows_something_and_every_choice_has_values(component: Observed, engine: Path) -> None:
    asked = [query for board in component.dashboards for query in queries_of(board)]
    if not asked:
        return
    series = everything(component.tables, component.jobs, minutes=MINUTES)
    rules = [each for each in component.rules if "record" in each]
    text = dump({"groups": [{"name": "recorded", "rules": rules}]}) if rules else ""

    (answer,) = ask(engine, [{"rules": text, "series": series, "minutes": MINUTES, "queries": [*map(_timed, asked)]}])

    assert "refused" not in answer, answer["refused"]
    empty = [f"{each.title}: {each.expr}" for each, got in zip(asked, answer["results"], strict=True) if not shows(got)]
    assert empty == []


def test_every_dashboard_is_as_grafanas_own_types_have_it(component: Observed, programs: Mapping[str, Path]) -> None:
    texts = [json.dumps(board) for board in component.dashboards]

    answers = ask(programs["grafana-reader"], texts)

    assert [each["refused"] for each in answers if "refused" in each] == []
    assert [each["dashboard"]["title"] for each in answers] == [each["title"] for each in component.dashboards]


def test_what_grafanas_types_do_not_have_is_found(programs: Mapping[str, Path]) -> None:
    board = whole("prometheus").dashboards[0]
    panel = board["panels"][1]
    wrong = [
        {**board, "titel": "x"},
        {**board, "panels": [{**panel, "options": {**panel["options"], "grafMode": "area"}}]},
        {**board, "schemaVersion": "41"},
        {**board, "panels": [{**panel, "targets": [{**panel["targets"][0], "expression": "up"}]}]},
    ]

    assert [bool(each.get("refused")) for each in ask(programs["grafana-reader"], [*map(json.dumps, wrong)])] == [
        True
    ] * 4


def _timed(asked: Asked) -> Manifest:
    """A query at the end of what is played, or over its last minutes."""
    until = {"expr": asked.expr, "until": MINUTES}
    return until if asked.instant else {**until, "from": MINUTES - SHOWN}
