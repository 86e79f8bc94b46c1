"""Katib searches, as the stack renders it: experiments of the template `experiment` run to their end, and their trials train.

Real: Katib's controller with its webhooks, DB manager, interface and file collector 0.19, Debian's PostgreSQL, the Jobs that make
Secrets and database, the API server with its controllers and scheduler, and kubectl. Played: the kubelet, and images. Named
stand-ins: the suggestion service over optuna, and the service of median stopping (`programs/tuning`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.environments import obtain
from tests.cluster.fed import unfed
from tests.cluster.flow_stores import postgres_folder
from tests.cluster.scrape import Page, read
from tests.cluster.tuning import (
    CONTROLLER,
    CORE,
    HOME,
    INTERFACE,
    KUBECTL,
    NUMBERS,
    Tuning,
    asked,
    listed,
    search,
    tuning,
)
from tests.cluster.waves import condition

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.own_network,
    pytest.mark.skipif(postgres_folder() is None, reason="no PostgreSQL: apt-get install postgresql"),
]

RATE = {"name": "rate", "min": 0.01, "max": 0.4, "scale": "log"}
TOO_HIGH, TOO_LOW = "9", "0.001"
ALGORITHMS = {
    "random": {"random_state": "7"},
    "multivariate-tpe": {"random_state": "7", "n_startup_trials": "1", "n_ei_candidates": "8"},
}
"""What optuna has besides, each with settings by Katib's names."""
JOBS = (
    search("best", parameters=[RATE], trials=6, parallel=2, settings={"random_state": "1"}),
    listed("failing", "0.3", TOO_HIGH, "0.2"),
    listed("given-up", TOO_HIGH, "0.3", failures=0),
    listed("stopping", "0.3", "0.25", TOO_LOW, words=["--pause=0.2"], earlyStopping={"leastTrials": 2}),
    search("held", parameters=[RATE], trials=1, parallel=1),
    *(
        search(name, algorithm=name, settings=settings, parameters=[RATE], trials=2)
        for name, settings in ALGORITHMS.items()
    ),
)


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tuning]:
    """The cluster; what Katib's programs were refused by its end is told."""
    or_skip(lambda: obtain("katib"))
    with tuning(tmp_path_factory.mktemp("tuning"), programs, JOBS) as found:
        yield found


@pytest.fixture
def katib(running: Tuning, request: pytest.FixtureRequest) -> Tuning:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.bench.control_plane)
    return running


@pytest.fixture(scope="module")
def best(running: Tuning) -> Manifest:
    """The status of a search that has ended."""
    return running.run("best")


def loss(trial: Manifest) -> float:
    """The smallest loss that was kept of a trial."""
    (metric,) = trial["status"]["observation"]["metrics"]
    assert metric["name"] == "loss"
    return float(metric["min"])


def rate(trial: Manifest) -> float:
    (chosen,) = trial["spec"]["parameterAssignments"]
    return float(chosen["value"])


def ended(trial: Manifest) -> str:
    words = ("Failed", "EarlyStopped", "Succeeded")
    return next((each for each in words if condition(trial, each) == "True"), "")


def test_a_search_makes_all_its_trials_and_finds_the_best(katib: Tuning, best: Manifest) -> None:
    trials = katib.trials("best")

    assert (best["trials"], best["trialsSucceeded"]) == (6, 6)
    assert len({rate(each) for each in trials}) == 6
    assert all(0.01 <= rate(each) <= 0.4 for each in trials)
    wins = min(trials, key=loss)
    optimal = best["currentOptimalTrial"]
    assert optimal["bestTrialName"] == wins["metadata"]["name"]
    assert optimal["parameterAssignments"] == wins["spec"]["parameterAssignments"]
    # It trained, by the rate that Katib wrote into its words: a line that has not has a loss of 4.
    assert loss(wins) < 0.1
    # Without the right to read Secrets that it no longer needs, or any other that is missing.
    assert katib.forbidden() == []


def test_the_commands_of_explain_show_the_best_values_counts_and_each_trial(katib: Tuning, best: Manifest) -> None:
    explain = [sys.executable, "-m", "platform_def.cli.main", "explain", "flows", "jobs.best", "--output", "json"]
    said = subprocess.run(explain, cwd=katib.root, capture_output=True, text=True, check=True).stdout
    (row,) = json.loads(said)
    commands = dict(line.split(": ", 1) for line in row["results"])
    katib.bind("RoleBinding", "kubeflow-katib-view", "default", HOME)
    told = {name: katib.said(HOME, command, image=KUBECTL) for name, command in commands.items()}

    optimal = best["currentOptimalTrial"]
    assert json.loads(told["best"]) == optimal["parameterAssignments"]
    assert json.loads(told["of loss"]) == optimal["observation"]["metrics"]
    assert told["trials"].split() == ["6", "6"]
    rows = told["each"].splitlines()
    assert rows[0].split() == ["TRIAL", "VALUES", "METRICS"]
    assert {row.split()[0] for row in rows[1:]} == {each["metadata"]["name"] for each in katib.trials("best")}


def test_the_interface_shows_what_the_database_keeps_of_each_trial(katib: Tuning, best: Manifest) -> None:
    name = katib.bench.job("best")["metadata"]["name"]
    path = f"/katib/fetch_hp_job_info/?experimentName={name}&namespace={HOME}"
    table = katib.inside(INTERFACE, asked(path))

    head, *rows = [line.split(",") for line in json.loads(table).splitlines()]
    assert head == ["Status", "trialName", "loss", "rate"]
    assert {row[1] for row in rows} == {each["metadata"]["name"] for each in katib.trials("best")}
    assert [row for row in rows if row[0] != "Succeeded"] == []
    assert all(float(row[2]) >= 0 and 0.01 <= float(row[3]) <= 0.4 for row in rows), rows
    assert best["currentOptimalTrial"]["bestTrialName"] in {row[1] for row in rows}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_gets_its_settings_and_makes_all_trials(katib: Tuning, name: str) -> None:
    status = katib.run(name)

    assert (status["trials"], status["trialsSucceeded"]) == (2, 2)
    assert len({rate(each) for each in katib.trials(name)}) == 2


def page_while_a_search_runs(katib: Tuning) -> Page:
    """What the controller counts once it says that a search runs, and trials of it."""
    pages: list[Page] = []

    def runs() -> bool:
        pages.append(read(katib.inside(CONTROLLER, asked("/metrics"))))
        counted = [pages[-1].samples.get(f"katib_{each}s_current", []) for each in ("experiment", "trial")]
        return all("Running" in [each["status"] for each in every] for every in counted)

    katib.bench.wait(runs, "the controller counts what runs")
    return pages[-1]


def test_a_trial_that_fails_is_counted_and_the_search_goes_on(katib: Tuning, programs: Mapping[str, Path]) -> None:
    katib.begin("failing")
    pages = [page_while_a_search_runs(katib)]
    status = katib.run("failing")
    pages.append(read(katib.inside(CONTROLLER, asked("/metrics"))))

    assert unfed("katib", pages, engine=programs["prometheus-engine"]) == []

    assert (status["trialsFailed"], status["trialsSucceeded"]) == (1, 2)
    assert {rate(each): ended(each) for each in katib.trials("failing")} == {
        0.3: "Succeeded",
        float(TOO_HIGH): "Failed",
        0.2: "Succeeded",
    }


def test_a_search_fails_where_more_trials_fail_than_it_bears(katib: Tuning) -> None:
    status = katib.run("given-up", ends="Failed")

    assert status["trialsFailed"] == 1
    assert [rate(each) for each in katib.trials("given-up")] == [float(TOO_HIGH)]


def test_a_trial_without_prospects_is_stopped(katib: Tuning) -> None:
    status = katib.run("stopping")

    assert (status["trialsEarlyStopped"], status["trialsSucceeded"]) == (1, 2)
    (stopped,) = (each for each in katib.trials("stopping") if ended(each) == "EarlyStopped")
    assert rate(stopped) == float(TOO_LOW)
    # What it had reported by then is kept.
    name = stopped["metadata"]["name"]
    katib.bench.wait(lambda: "observation" in katib.bench.status(stopped), f"metrics of {name} are there", stopped)
    assert loss(katib.bench.control_plane.api.read(stopped).body) > 1
    assert "Training container is early stopped" in katib.collected(stopped)


@pytest.mark.parametrize(
    ("group", "resource", "verbs"),
    [
        ("", "services", "create"),
        ("apps", "deployments", "create"),
        ("batch", "jobs", "create"),
        ("kubeflow.org", "suggestions", "create"),
        ("kubeflow.org", "suggestions/status", "update"),
        ("kubeflow.org", "trials", "*"),
    ],
)
def test_no_trial_runs_without_a_right_of_the_controller(katib: Tuning, group: str, resource: str, verbs: str) -> None:
    role = katib.bench.object("ClusterRole", CONTROLLER)
    account = f"{CORE}:{CONTROLLER}"
    # A name of its own: of what was deleted a moment ago the controller may still believe that it is there.
    experiment = katib.bench.job("held")
    experiment["metadata"]["name"] = f"held-{next(NUMBERS)}"
    before = len(katib.forbidden())
    with katib.bench.without(role, (group, resource, verbs), account=account, namespace=HOME):
        katib.bench.store(experiment)
        katib.bench.wait(lambda: len(katib.forbidden()) > before, "the controller is refused", experiment)
        refused = katib.forbidden()[before]
    katib.remove(experiment)

    assert f"system:serviceaccount:{account}" in refused
    assert f"resource {resource} " in refused.replace("\\", "").replace('"', "")
