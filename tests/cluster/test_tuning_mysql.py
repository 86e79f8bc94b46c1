"""Katib keeps its metrics in a MySQL of the stack, in a database and as a user of its own: its DB manager makes the tables
and reads back what collectors report.

Real: Katib's controller, DB manager, interface and file collector 0.19, Debian's MariaDB, the Jobs that make Secrets and
database, the API server with its controllers and scheduler. Played: the kubelet, and images. Named stand-in: the suggestion
service over optuna (`programs/tuning`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.environments import obtain
from tests.cluster.flow_stores import has_mariadb
from tests.cluster.tuning import CORE, HOME, INTERFACE, Tuning, asked, listed, tuning

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.own_network,
    pytest.mark.skipif(not has_mariadb(), reason="no MariaDB: apt-get install mariadb-server"),
]

STEPS = 40
"""Of `programs/tuning/tried.py`."""
SETTINGS = '{workloads: {mysql: {containers: {mysql: {flags: {max-connections: "50"}}}}}}'
RATES = ("0.3", "0.2")
ENV: Sequence[Manifest] = [
    {"name": name, "valueFrom": {"secretKeyRef": {"name": "katib-database", "key": key}}}
    for name, key in (("MYSQL_PWD", "password"), ("NAME", "username"))
]
ASKS = "mariadb --no-defaults --skip-ssl --protocol=TCP --batch --skip-column-names --host=mysql.mysql"
KEPT = (
    f"""{ASKS} --user="$NAME" --execute='SELECT trial_name, COUNT(*) FROM observation_logs GROUP BY trial_name' katib"""
)
"""How many values of each trial the database has, asked as its user."""
SET = f"""{ASKS} --user="$NAME" --execute='SELECT @@max_connections' katib"""


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tuning]:
    """The cluster, whose stack has a MySQL."""
    or_skip(lambda: obtain("katib"))
    jobs = [listed("kept", *RATES)]
    with tuning(tmp_path_factory.mktemp("tuning"), programs, jobs, database="mysql", settings=SETTINGS) as found:
        yield found


@pytest.fixture
def katib(running: Tuning, request: pytest.FixtureRequest) -> Tuning:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.bench.control_plane)
    return running


def asked_of_server(katib: Tuning, command: str) -> str:
    """What the server answers Katib's user."""
    return katib.said(CORE, command, image="docker.io/library/mysql:8.4", env=ENV)


def test_a_setting_of_the_stack_is_the_server_s(katib: Tuning) -> None:
    assert asked_of_server(katib, SET) == "50\n"


def test_metrics_of_each_trial_are_kept_in_a_mysql_and_read_back(katib: Tuning) -> None:
    status = katib.run("kept")
    trials = {each["metadata"]["name"] for each in katib.trials("kept")}
    name = katib.bench.job("kept")["metadata"]["name"]
    table = katib.inside(INTERFACE, asked(f"/katib/fetch_hp_job_info/?experimentName={name}&namespace={HOME}"))

    head, *rows = [line.split(",") for line in json.loads(table).splitlines()]
    assert status["trialsSucceeded"] == len(RATES)
    assert head == ["Status", "trialName", "loss", "rate"]
    assert {row[1] for row in rows} == trials
    assert all(row[0] == "Succeeded" and float(row[2]) < 1 for row in rows)
    # Each step's loss is a row of the table that the DB manager made.
    kept = dict(line.split("\t") for line in asked_of_server(katib, KEPT).splitlines())
    assert kept.keys() == trials
    assert all(int(count) >= STEPS for count in kept.values())
    assert katib.forbidden() == []
