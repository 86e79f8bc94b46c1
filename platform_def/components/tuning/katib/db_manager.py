"""The DB manager: keeps what collectors report of trials in a SQL database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec
from platform_def.capabilities import SqlDatabase
from platform_def.components.tuning.katib.controller import FACTS, INJECTION
from platform_def.constructs import (
    OUT_OF_MESH,
    Database,
    Deployment,
    NetworkPolicy,
    Opening,
    Problem,
    Service,
    Setting,
    env,
    port,
    secured,
)
from platform_def.constructs.probes import grpc_probe

if TYPE_CHECKING:
    from platform_def.components.tuning.katib.config import AnyKatib

NAME = "katib-db-manager"
PORT = 6789
PATIENCE = 600
"""Seconds that it waits for the database when it starts; after upstream's 60 it exits, and the kubelet backs off."""


def db_manager(component: AnyKatib) -> None:
    """The program and its Service, to which collectors in all namespaces talk in the clear."""
    container: Container = {
        "name": NAME,
        "image": component.release.db_manager,
        "command": ["./katib-db-manager"],
        "args": [f"--connect-timeout={PATIENCE}s"],
        "env": variables(component),
        "ports": [{"name": "api", "containerPort": PORT, "protocol": "TCP"}],
        # It listens once the database answers and its table is there; its health asks the database.
        "startupProbe": grpc_probe(PORT, period=5, failures=PATIENCE // 5 + 12),
        "readinessProbe": grpc_probe(PORT, period=10, failures=3),
        "livenessProbe": grpc_probe(PORT, period=60, failures=5),
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": secured(FACTS),
    }
    pod: PodSpec = {"automountServiceAccountToken": False, "enableServiceLinks": False, "containers": [container]}
    Deployment(component, NAME, pod=pod, ha_replicas=2, pod_annotations=OUT_OF_MESH)
    Service(component, NAME, ports=[port("api", PORT)])
    if component.platform.network_policies:
        trials: Any = {"namespaceSelector": {"matchLabels": {INJECTION: "enabled"}}}
        NetworkPolicy(component, NAME, openings=[Opening((PORT,), ({"podSelector": {}}, trials))])


def variables(component: AnyKatib) -> list[EnvVar]:
    """Where its database is, in the variables of the server's kind."""
    database = Database(component, "katib")
    if database.engine == "mysql":
        return [
            *env({"DB_NAME": "mysql"}),
            *database.env(
                DB_USER="username",
                DB_PASSWORD="password",  # noqa: S106 - the name of a key
                KATIB_MYSQL_DB_HOST="host",
                KATIB_MYSQL_DB_PORT="port",
                KATIB_MYSQL_DB_DATABASE="database",
            ),
        ]
    trusted = "verify-full" if component.config.ca_bundle else "require"
    return [
        *env({"DB_NAME": "postgres", "KATIB_POSTGRESQL_SSL_MODE": "disable" if database.tls == "off" else trusted}),
        *database.env(
            DB_USER="username",
            DB_PASSWORD="password",  # noqa: S106 - the name of a key
            KATIB_POSTGRESQL_DB_HOST="host",
            KATIB_POSTGRESQL_DB_PORT="port",
            KATIB_POSTGRESQL_DB_DATABASE="database",
        ),
    ]


def problems(at: Setting[Any]) -> Iterator[Problem]:
    """A database that Katib cannot talk to."""
    given = at.maybe(SqlDatabase)
    if given and given.value.engine == "mysql" and given.value.tls == "required":
        text = f"components.{at.name}: {given.by} takes encrypted connections alone, and Katib's to MySQL are plain"
        yield Problem(text, hint="use a PostgreSQL, or a server on which encryption is optional")
