"""The backup of a PostgreSQL, made by its CronJob as rendered, fills an empty server.

Real: Debian's PostgreSQL, SeaweedFS, the CronJob's program and the API server of Kubernetes with its controllers. Played: the
kubelet, which runs each container as processes, and images.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster.backups import FETCHES, backed_up, fetching, said, secret
from tests.cluster.flow_stores import postgres_folder, postgresql, python, seaweedfs
from tests.cluster.flows import FlowBench, flow_bench

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.own_network,
    pytest.mark.skipif(postgres_folder() is None, reason="no PostgreSQL: apt-get install postgresql"),
]

IMAGE = "docker.io/library/postgres:17"
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: cpu, nodes: 2, selector: {pool: cpu}}
storage:
  shared: {driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}
components:
  postgresql: {backup: {}, workloads: {postgresql: {containers: {postgresql: {flags: {max_connections: "50"}}}}}}
  seaweedfs: {}
"""
WRITES = """\
set -eu
export PGPASSWORD=$FULL PGHOST=postgresql.postgresql.svc.cluster.local PGUSER=postgres
psql -Xq -c 'CREATE ROLE notes LOGIN' -c 'CREATE DATABASE notes OWNER notes'
psql -Xq -d notes -c 'SET ROLE notes' -c 'CREATE TABLE kept (word text)' -c "INSERT INTO kept VALUES ('here')"
"""
ASKS = """\
PGPASSWORD=$FULL psql -XAt -h postgresql.postgresql.svc.cluster.local -U postgres -c 'SHOW max_connections'
"""
RESTORES = f"""\
{FETCHES}
initdb --auth=trust --username=postgres --pgdata=/tmp/data > /dev/null
pg_ctl --pgdata=/tmp/data --options="-c listen_addresses= -k /tmp" --log=/tmp/log --wait start > /dev/null
gunzip -c /tmp/dump.sql.gz | psql -Xq -h /tmp -U postgres > /tmp/said 2>&1
psql -XAt -h /tmp -U notes notes -c 'SELECT word FROM kept'
pg_ctl --pgdata=/tmp/data --wait stop > /dev/null
"""
"""As the page of postgresql says it, into a server of the pod's own."""


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlowBench]:
    """The cluster with server and store."""
    images = {**python(), **seaweedfs(programs), **postgresql()}
    root = tmp_path_factory.mktemp("backups")
    with flow_bench(root, programs, STACK, components=("seaweedfs", "postgresql"), images=images) as bench:
        yield bench


def test_a_setting_of_the_stack_is_the_server_s(running: FlowBench) -> None:
    full = [{"name": "FULL", "value": secret(running, "postgresql", "postgresql-root", "password")}]

    assert said(running, ASKS, namespace="postgresql", spec={}, image=IMAGE, env=full) == "50\n"


def test_a_dump_fills_an_empty_server_with_users_and_tables(running: FlowBench) -> None:
    full = [{"name": "FULL", "value": secret(running, "postgresql", "postgresql-root", "password")}]
    said(running, WRITES, namespace="postgresql", spec={}, image=IMAGE, env=full)
    values = fetching(running, "postgresql", backed_up(running, "postgresql"))
    env = [{"name": name, "value": value} for name, value in values.items()]

    assert said(running, RESTORES, namespace="postgresql", spec={}, image=IMAGE, env=env) == "here\n"
