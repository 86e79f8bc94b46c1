"""What a stack may choose about MLflow, its release, and what it exports."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from platform_def.config.model import Name
from platform_def.config.secrets import GENERATED
from platform_def.constructs import (
    APACHE,
    Access,
    Alert,
    ComponentConfig,
    Dashboard,
    MetricTable,
    Release,
    SecretSource,
    Support,
    Upkeep,
    counter,
    graph,
    histogram,
    releases,
    stat,
    target_missing,
)

NAME = "mlflow"
METRICS = MetricTable(
    "mlflow/server/prometheus_exporter.py of mlflow 3.18.0, and what prometheus-flask-exporter makes of it",
    histogram("mlflow_http_request_duration_seconds", "method status mlflow_version"),
    counter("mlflow_http_request_total", "method status"),
    counter("mlflow_http_request_exceptions_total", "method status"),
)
RELEASES = releases(
    Release(
        "3.18.0",
        kubernetes="1.25-1.37",  # it calls no API of Kubernetes
        # The image with drivers of databases, S3 and the accounts; the plain one has none of them.
        image="ghcr.io/mlflow/mlflow:v3.18.0-full",
        upkeep=Upkeep(Support.CURRENT),  # SECURITY.md: the newest release is mended, which this is
        exports=(METRICS,),
    ),
    license=APACHE,
)

_FAILED = 'sum(rate(mlflow_http_request_total{status=~"5.."}[10m]))'
RULES = (
    target_missing(NAME),
    Alert(
        "MlflowRequestsFail",
        f"{_FAILED} / sum(rate(mlflow_http_request_total[10m])) > 0.1",
        summary="MLflow fails at more than a tenth of the requests",
        action="Read its log: the database or the object store does not answer.",
        lasting="10m",
    ),
)
BOARD = Dashboard(
    "MLflow",
    [
        stat("Requests a second", "sum(rate(mlflow_http_request_total[$__rate_interval]))", unit="reqps"),
        graph(
            "Requests by status",
            "sum by (status) (rate(mlflow_http_request_total[$__rate_interval]))",
            unit="reqps",
        ),
        graph(
            "Time to answer 95 of 100 requests",
            "histogram_quantile(0.95, sum by (method, le) "
            "(rate(mlflow_http_request_duration_seconds_bucket[$__rate_interval])))",
            unit="s",
        ),
    ],
)

HostPattern = Annotated[str, Field(pattern=r"^[A-Za-z0-9.*:\[\]_-]+$", max_length=300)]


class MlflowConfig(ComponentConfig):
    """What a stack may choose about MLflow."""

    releases = RELEASES

    namespace: Name = "mlflow"
    """Namespace of the server."""
    access: Access = "people"
    """Who reaches its pages: `people` who signed in at the gateway; `everyone` who reaches the gateway;
    `administrators` by port-forward."""
    sign_in: Literal["gateway", "accounts"] = "gateway"
    """`gateway`: MLflow asks no one who they are, and anyone who passes may do everything; `accounts`: it asks for a
    name and a password of its own accounts, pages and programs alike, with permissions for each."""
    admin: SecretSource = GENERATED
    """With `accounts`, the Secret with the `password` of the account `admin`; read when the database is empty only."""
    default_permission: Literal["NO_PERMISSIONS", "READ", "EDIT", "MANAGE"] = "READ"
    """With `accounts`, what an account may do with experiments and models that name no permission for it."""
    clients: list[Name] | None = None
    """Namespaces whose pods may connect, where the stack asks for network policies; by default those of all teams."""
    serving_teams: list[Name] = Field(default_factory=list)
    """Teams that may serve models from here: each gets a key that reads the whole bucket, and writes nothing, whatever
    `accounts` let its people read."""
    allowed_hosts: list[HostPattern] = Field(default_factory=list)
    """Further hosts, with `*` for any text, under which it is called; it refuses all but the stack's own."""
    workers: Annotated[int, Field(ge=1, le=32)] = 2
    """Processes of each pod that answer."""
