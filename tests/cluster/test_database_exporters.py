"""Exporters beside SQL servers of the catalogue sign in with what the stack gives them, and count as their tables say.

Real: mysqld_exporter 0.19.0 and postgres_exporter 0.19.1, the newest that the proxy of Go modules has of what the stack names (0.20),
Debian's PostgreSQL and MariaDB, and the Jobs that make Secrets. Played: the kubelet, and images; MySQL's programs are MariaDB's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from platform_def.components.databases.exporter import MYSQL, POSTGRESQL
from tests.cluster.backups import said, secret
from tests.cluster.conftest import show_logs
from tests.cluster.fed import unfed
from tests.cluster.flow_stores import has_mariadb, mysql, postgres_folder, postgresql, python
from tests.cluster.flows import FlowBench, flow_bench
from tests.cluster.kubelet.image import Image
from tests.cluster.scrape import Page, faults, page_of_service
from tests.cluster.whole import whole

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.own_network,
    pytest.mark.skipif(postgres_folder() is None, reason="no PostgreSQL: apt-get install postgresql"),
    pytest.mark.skipif(not has_mariadb(), reason="no MariaDB: apt-get install mariadb-server"),
]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: cpu, nodes: 2, selector: {pool: cpu}}
storage:
  shared: {driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}
components:
  postgresql: {exporter: true}
  mysql: {exporter: true}
"""
SERVERS = ("mysql", "postgresql")
IMAGES = {"postgresql": "docker.io/library/postgres:17", "mysql": "docker.io/library/mysql:8"}
PROGRAMS = {"mysql": "mysqld-exporter", "postgresql": "postgres-exporter"}
TABLES = {"mysql": MYSQL, "postgresql": POSTGRESQL}
UP = {"mysql": "mysql_up", "postgresql": "pg_up"}
CLIENTS = {
    "postgresql": 'PGPASSWORD=$FULL psql -XAtq -h postgresql.postgresql.svc.cluster.local -U postgres -c "$ASKED"',
    "mysql": 'MYSQL_PWD=$FULL mariadb --host=mysql.mysql.svc.cluster.local --user=root -Ne "$ASKED"',
}
USED = {
    "postgresql": "CREATE TABLE jobs (name text); INSERT INTO jobs VALUES ('resnet')",
    "mysql": "CREATE DATABASE hub; CREATE TABLE hub.jobs (name text); INSERT INTO hub.jobs VALUES ('resnet')",
}
SHUT = {
    "postgresql": "ALTER ROLE postgres PASSWORD 'another'; "
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'postgres'",
    "mysql": "ALTER USER root@localhost IDENTIFIED BY 'another', root@'%' IDENTIFIED BY 'another'",
}
"""What has the server refuse its exporter from then on."""


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlowBench]:
    """The cluster with both servers."""
    images = {
        **python(),
        **postgresql(),
        **mysql(),
        "quay.io/prometheus/mysqld-exporter:": exporter(programs, "mysql", "mysqld_exporter"),
        "quay.io/prometheuscommunity/postgres-exporter:": exporter(programs, "postgresql", "postgres_exporter"),
    }
    root = tmp_path_factory.mktemp("exporters")
    with flow_bench(root, programs, STACK, components=SERVERS, images=images) as bench:
        yield bench


def exporter(programs: Mapping[str, Path], server: str, name: str) -> Image:
    """The image of an exporter, whose entry point is its program."""
    program = programs[PROGRAMS[server]]
    link = program.with_name(name)
    link.unlink(missing_ok=True)
    link.symlink_to(program.name)
    return Image((str(program.parent),), entrypoint=(name,))


@pytest.fixture
def servers(running: FlowBench, request: pytest.FixtureRequest) -> FlowBench:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def page(bench: FlowBench, name: str) -> Page:
    """What the exporter says, at the port of the Service that the component's monitor names."""
    (monitor,) = whole(name).monitors
    (end,) = monitor["spec"]["endpoints"]
    ports = bench.object("Service", monitor["metadata"]["name"], name)["spec"]["ports"]
    (port,) = (each["port"] for each in ports if each["name"] == end["port"])
    return page_of_service(bench, name, name, port, path=end["path"])


def asked(bench: FlowBench, name: str, words: str) -> str:
    """What the server answers its administrator."""
    env = [
        {"name": "FULL", "value": secret(bench, name, f"{name}-root", "password")},
        {"name": "ASKED", "value": words},
    ]
    return said(bench, CLIENTS[name], namespace=name, spec={}, image=IMAGES[name], env=env)


@pytest.mark.parametrize("name", SERVERS)
def test_an_exporter_counts_as_its_table_says(servers: FlowBench, programs: Mapping[str, Path], name: str) -> None:
    early = page(servers, name)
    asked(servers, name, USED[name])
    late = page(servers, name)

    assert late.values[UP[name]] == ["1"]
    assert faults(late, [TABLES[name]], program=programs[PROGRAMS[name]]) == []
    assert unfed(name, [early, late], engine=programs["prometheus-engine"]) == []


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_that_refuses_its_exporter_is_down_for_the_alert(servers: FlowBench, name: str) -> None:
    asked(servers, name, SHUT[name])

    servers.wait(lambda: page(servers, name).values.get(UP[name]) == ["0"], f"{name} is down")
