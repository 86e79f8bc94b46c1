"""Metrics of a SQL server: its exporter beside it in the pod, the alerts and the board over what that exports.

The exporter comes to the server by the pod's own address, as the administrator: no other user exists before the server
is there, and its password is in the pod already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from platform_def.apis.core.core_v1 import Container, EnvVar, VolumeMount
from platform_def.components.databases.security import CONTEXT
from platform_def.constructs import Alert, Dashboard, MetricTable, Query, counter, gauge, graph, stat
from platform_def.constructs.observation.tables import untyped

MYSQL_IMAGE = "quay.io/prometheus/mysqld-exporter:v0.20.0"
POSTGRESQL_IMAGE = "quay.io/prometheuscommunity/postgres-exporter:v0.20.1"
MYSQL = MetricTable(
    "collector/exporter.go, global_status.go and global_variables.go of mysqld_exporter v0.20.0",
    gauge("mysql_up mysql_global_variables_max_connections"),
    untyped("mysql_global_status_threads_connected mysql_global_status_queries mysql_global_status_slow_queries"),
)
POSTGRESQL = MetricTable(
    "exporter/postgres_exporter.go, exporter/pg_setting.go, collector/pg_stat_database.go and pg_database.go of "
    "postgres_exporter v0.20.1",
    gauge("pg_up"),
    gauge("pg_settings_max_connections", "server"),
    gauge("pg_stat_database_numbackends", "datid datname"),
    counter("pg_stat_database_deadlocks pg_stat_database_xact_commit", "datid datname"),
    gauge("pg_database_size_bytes", "datname"),
)
_ACTION = "Look at the pod's log, and at the claim: a full volume stops a server."
_CROWDED = "Find who holds connections, or raise max_connections by the workload's flags; each takes memory."
MYSQL_ALERTS = (
    Alert(
        "MysqlDown",
        "mysql_up == 0",
        summary="MySQL {{ $labels.service }} does not answer its exporter",
        action=_ACTION,
        severity="critical",
        lasting="5m",
    ),
    Alert(
        "MysqlConnections",
        "mysql_global_status_threads_connected / mysql_global_variables_max_connections > 0.8",
        summary="More than 80% of the connections of MySQL {{ $labels.service }} are taken",
        action=_CROWDED,
    ),
)
POSTGRESQL_ALERTS = (
    Alert(
        "PostgresqlDown",
        "pg_up == 0",
        summary="PostgreSQL {{ $labels.service }} does not answer its exporter",
        action=_ACTION,
        severity="critical",
        lasting="5m",
    ),
    Alert(
        "PostgresqlConnections",
        "sum by (namespace, service) (pg_stat_database_numbackends)"
        " / max by (namespace, service) (pg_settings_max_connections) > 0.8",
        summary="More than 80% of the connections of PostgreSQL {{ $labels.service }} are taken",
        action=_CROWDED,
    ),
)
MYSQL_BOARD = Dashboard(
    "MySQL",
    [
        stat("Servers that answer", "sum(mysql_up)"),
        graph("Connections", Query("mysql_global_status_threads_connected", "{{service}}")),
        graph("Queries", Query("rate(mysql_global_status_queries[5m])", "{{service}}"), unit="ops"),
        graph("Slow queries", Query("rate(mysql_global_status_slow_queries[5m])", "{{service}}"), unit="ops"),
    ],
)
POSTGRESQL_BOARD = Dashboard(
    "PostgreSQL",
    [
        stat("Servers that answer", "sum(pg_up)"),
        graph("Connections", Query("sum by (service) (pg_stat_database_numbackends)", "{{service}}")),
        graph("Commits", Query("sum by (datname) (rate(pg_stat_database_xact_commit[5m]))", "{{datname}}"), unit="ops"),
        graph("Size of databases", Query("pg_database_size_bytes", "{{datname}}"), unit="bytes"),
    ],
)


@dataclass(frozen=True)
class Exporting:
    """A container that exports, and its port."""

    container: Container
    port: int


def mysql(image: str, password: EnvVar) -> Exporting:
    """Of MySQL; `password` is the variable of root's."""
    words = ["--mysqld.address=127.0.0.1:3306", "--mysqld.username=root"]
    return _exporting(image, 9104, args=words, variables=[password])


def postgresql(image: str, folder: VolumeMount, file: str) -> Exporting:
    """Of PostgreSQL; `file` in the mounted folder has the superuser's password."""
    variables: list[EnvVar] = [
        {"name": "DATA_SOURCE_URI", "value": "127.0.0.1:5432/postgres?sslmode=disable"},
        {"name": "DATA_SOURCE_USER", "value": "postgres"},
        {"name": "DATA_SOURCE_PASS_FILE", "value": file},
    ]
    return _exporting(image, 9187, variables=variables, folders=[folder])


def _exporting(
    image: str,
    number: int,
    *,
    args: Sequence[str] = (),
    variables: Sequence[EnvVar],
    folders: Sequence[VolumeMount] = (),
) -> Exporting:
    container: Container = {
        "name": "exporter",
        "image": image,
        "args": [*args, f"--web.listen-address=:{number}"],
        "env": [*variables],
        "ports": [{"name": "metrics", "containerPort": number}],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        "securityContext": {**CONTEXT, "readOnlyRootFilesystem": True},
    }
    if folders:
        container["volumeMounts"] = [*folders]
    return Exporting(container, number)
