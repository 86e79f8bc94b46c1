"""A registry: its server, its database, its Service with the label by which the pages find it, and its path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.components.models.model_registry.config import SERVER, Registry
from platform_def.constructs import (
    OUT_OF_MESH,
    Database,
    Deployment,
    NetworkPolicy,
    Opening,
    Route,
    Service,
    from_namespace,
    from_pods,
    http_probe,
    port,
    secured,
)
from platform_def.constructs.route import gateway_of
from platform_def.constructs.workloads.pod_template import CA_MOUNT

if TYPE_CHECKING:
    from platform_def.components.models.model_registry.config import AnyModelRegistry

ONLY, PORT = "model-registry", 8080
API = "/api/model_registry/"
"""What the paths of its API begin with."""


def stem_of(name: str) -> str:
    """What the objects of a registry are called after: upstream's names where it is the only one."""
    return ONLY if name == ONLY else f"{ONLY}-{name}"


def path_of(name: str) -> str:
    """Where the gateway serves it: upstream's path, or one below which the API's own begins."""
    return API if name == ONLY else f"/registries/{name}/"


def registry(component: AnyModelRegistry, name: str, chosen: Registry) -> None:
    """Everything of one registry."""
    stem = stem_of(name)
    workload, service = f"{stem}-deployment", f"{stem}-service"
    database = Database(component, stem)
    pod: PodSpec = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "containers": [container(component, database)],
    }
    Deployment(component, workload, pod=pod, ha_replicas=2, pod_annotations=OUT_OF_MESH)
    Service(
        component,
        service,
        workload=workload,
        ports=[port("http-api", PORT)],
        labels={"component": ONLY},
        annotations={"displayName": chosen.title or name, "description": chosen.description},
    )
    if component.config.access != "administrators":
        rewrite = None if name == ONLY else "/"
        Route(component, service, path=path_of(name), service=service, port=PORT, rewrite=rewrite)
    if component.platform.network_policies:
        NetworkPolicy(component, workload, openings=[*openings(component, name, chosen)])


def container(component: AnyModelRegistry, database: Database) -> Container:
    """The server. It migrates its database when it starts; the first time takes a minute."""
    dirty, health = "/readyz/isDirty", "/readyz/health"
    return {
        "name": "rest-container",
        "image": component.release.image,
        "command": ["/model-registry", "proxy"],
        "args": [
            "--hostname=0.0.0.0",
            f"--port={PORT}",
            "--datastore-type=embedmd",
            f"--embedmd-database-type={'postgres' if database.engine == 'postgresql' else 'mysql'}",
            f"--embedmd-database-dsn={address(database)}",
            *(tls(component, database)),
        ],
        "env": database.env(DB_USER="username", DB_PASSWORD="password"),  # noqa: S106 - which key each holds
        "ports": [{"name": "http-api", "containerPort": PORT, "protocol": "TCP"}],
        "startupProbe": http_probe(dirty, "http-api", delay=5, period=5, timeout=5, failures=60),
        "livenessProbe": http_probe(dirty, "http-api", period=10, timeout=5, failures=6),
        "readinessProbe": http_probe(health, "http-api", period=10, timeout=5),
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": secured(SERVER),
    }


def address(database: Database) -> str:
    """The database, in the words of its driver; the kubelet puts user and password in. MySQL's driver takes any
    character of a password as it is, PostgreSQL's all but a quote and a backslash between quotes."""
    if database.engine == "mysql":
        secure = "&tls=skip-verify" if database.tls == "required" else ""
        where = f"tcp({database.host}:{database.port})/{database.database}"
        return f"$(DB_USER):$(DB_PASSWORD)@{where}?charset=utf8mb4{secure}"
    mode = "disable" if database.tls == "off" else "require"
    parts = {
        "host": database.host,
        "port": str(database.port),
        "user": "$(DB_USER)",
        "password": "'$(DB_PASSWORD)'",
        "dbname": database.database,
        "sslmode": mode,
    }
    return " ".join(f"{key}={value}" for key, value in parts.items())


def tls(component: AnyModelRegistry, database: Database) -> Iterator[str]:
    """Whom it believes to be the database, where the stack names private authorities."""
    if component.config.ca_bundle and database.tls != "off":
        yield f"--embedmd-database-ssl-root-cert={CA_MOUNT}/ca.crt"
        yield "--embedmd-database-ssl-verify-server-cert=true"


def openings(component: AnyModelRegistry, name: str, chosen: Registry) -> Iterator[Opening]:
    """The gateway, the programs beside it, and pods of the team that it is for."""
    gateway = gateway_of(component.platform) if component.config.access != "administrators" else None
    if gateway and gateway.pods:
        yield from_pods(gateway.pods, PORT, namespace=gateway.namespace)
    elif gateway:
        yield from_namespace(PORT, name=gateway.namespace)
    yield from_pods({"app.kubernetes.io/instance": component.name}, PORT)
    teams = component.platform.teams
    homes = [team.home for team in teams if team.name == name] or [team.home for team in teams]
    for each in homes if chosen.clients is None else chosen.clients:
        yield from_namespace(PORT, name=each)
