"""MLflow: where it keeps what it records, which hosts it answers to, and who must say who they are."""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

from platform_def.capabilities import (
    AuthorizationService,
    DashboardReader,
    Metrics,
    ObjectStore,
    RegisteredModels,
    SqlDatabase,
)
from platform_def.components.models.mlflow import start
from platform_def.components.models.mlflow.component import Mlflow
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.cluster import Ingress
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.constructs.component import Setting
from tests.unit.built import Objects, built, told

FLAGS = {
    f"--{name}"
    for name in ("allowed-hosts", "app-name", "artifacts-destination", "cors-allowed-origins", "expose-prometheus")
} | {f"--{name}" for name in ("host", "port", "serve-artifacts", "static-prefix", "workers")}
"""Of `mlflow server` 3.18.0 (mlflow/cli/__init__.py), those that may be here."""
DATABASE = SqlDatabase.model_validate(
    {
        "engine": "postgresql",
        "host": "sql.example.com",
        "port": 5432,
        "tls": "required",
        "shares": {"mlflow": {"credentials": {"existing": "runs"}}},
    }
)
STORE = ObjectStore.model_validate({"host": "s3.example.com", "credentials": {"existing": "bucket"}})
ASKS = AuthorizationService(name="who", host="who.auth.svc.cluster.local", port=80)
VARIABLES = {
    "DB_ENGINE": "postgresql",
    "DB_TLS": "off",
    "DB_HOST": "sql.example.com",
    "DB_PORT": "5432",
    "DB_NAME": "runs",
    "DB_USER": "run@er",
    "DB_PASSWORD": "a/b:c@d%e",
}


def made(*further: Any, facts: dict[str, Any] | None = None, **config: Any) -> Objects:
    given = tuple(Provision.of(each, EXTERNAL) for each in (DATABASE, STORE, *further))
    return built(Mlflow, Platform(provisions=given, **(facts or {})), **{"access": "administrators", **config})


def arguments(objects: Objects) -> dict[str, str]:
    given = (each.partition("=") for each in objects.arguments("Deployment", "mlflow"))
    return {flag: value for flag, _, value in given}


def variables(objects: Objects) -> dict[str, Any]:
    return {each["name"]: each.get("value", each.get("valueFrom")) for each in objects.container("Deployment")["env"]}


@pytest.mark.parametrize("config", [{}, {"signIn": "accounts"}], ids=["gateway", "accounts"])
def test_all_flags_are_those_of_the_release(config: dict[str, Any]) -> None:
    assert arguments(made(**config)).keys() <= FLAGS


def test_files_go_to_its_bucket_through_the_server() -> None:
    objects = made()

    assert arguments(objects)["--artifacts-destination"] == "s3://mlflow"
    assert "--serve-artifacts" in arguments(objects)
    assert variables(objects)["MLFLOW_S3_ENDPOINT_URL"] == "https://s3.example.com:443"
    assert variables(objects)["AWS_SECRET_ACCESS_KEY"]["secretKeyRef"] == {"name": "bucket", "key": "secretKey"}


def test_the_certificate_of_a_private_store_is_mounted() -> None:
    private = ObjectStore.model_validate({"host": "s3.example.com", "ca": {"config_map": "store-ca"}})
    given = tuple(Provision.of(each, EXTERNAL) for each in (DATABASE, private))

    objects = built(Mlflow, Platform(provisions=given), access="administrators")

    assert variables(objects)["AWS_CA_BUNDLE"] == "/etc/mlflow/store/ca.crt"


def test_it_answers_to_its_own_names_and_the_stacks_host_only() -> None:
    facts = {"ingress": Ingress(kind="cloud", host="ml.example.com"), "gateway": "none"}

    inside = arguments(made(facts=facts))["--allowed-hosts"].split(",")
    outside = arguments(made(facts=facts, access="everyone", allowedHosts=["runs.example.com"]))["--allowed-hosts"]

    assert {"mlflow.mlflow.svc.cluster.local", "localhost:*", "$(POD_IP):5000"} <= {*inside}
    assert "ml.example.com" not in inside
    assert "*" not in inside
    assert {"ml.example.com", "runs.example.com"} <= {*outside.split(",")}


def test_no_password_is_in_arguments_or_in_git() -> None:
    objects = made(signIn="accounts")

    assert variables(objects)["DB_PASSWORD"] == {"secretKeyRef": {"name": "runs", "key": "password"}}
    assert variables(objects)["MLFLOW_AUTH_ADMIN_PASSWORD"]["secretKeyRef"]["name"] == "mlflow-admin"
    assert not objects.of("Secret")


def test_accounts_are_asked_for_by_the_program_itself() -> None:
    assert arguments(made(signIn="accounts"))["--app-name"] == "basic-auth"
    assert "--app-name" not in arguments(made())


def test_people_need_someone_who_asks_who_they_are() -> None:
    problems = told(Mlflow, {"access": "people"}, beside={"emissary": {}}, gateway="emissary")

    assert any("would let everyone in" in problem for problem in problems)
    assert not told(Mlflow, {"access": "administrators"}, beside={"emissary": {}}, gateway="emissary")


def test_pods_of_teams_may_connect_and_others_may_not() -> None:
    facts = {"network_policies": True, "teams": (Team(name="vision"),)}

    (policy,) = made(facts=facts).of("NetworkPolicy")

    (rule,) = policy["spec"]["ingress"]
    (peer,) = rule["from"]
    assert peer["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "team-vision"}


IN_CLUSTER = ObjectStore.model_validate(
    {
        "host": "seaweedfs.seaweedfs.svc.cluster.local",
        "namespace": "seaweedfs",
        "buckets": {"mlflow": {"bucket": "runs"}},
        "administrator": {"secret": "seaweedfs-administrator"},
    }
)


def test_only_teams_that_serve_models_get_a_key_and_it_reads_alone() -> None:
    given = tuple(Provision.of(each, EXTERNAL) for each in (DATABASE, IN_CLUSTER))
    platform = Platform(provisions=given, teams=(Team(name="vision"), Team(name="speech")))
    objects = built(Mlflow, platform, access="administrators", servingTeams=["vision"])
    plan = json.loads(objects.one("ConfigMap", "mlflow-bucket")["data"]["plan.json"])
    (account,) = (each for each in objects.of("ServiceAccount") if each["metadata"]["name"] == "mlflow-models")

    assert plan["bucket"] == "runs"
    assert plan["users"] == [
        {"name": "mlflow", "prefix": ""},
        {"name": "mlflow-team-vision", "prefix": "", "writes": False},
    ]
    assert account["metadata"]["namespace"] == "team-vision"
    assert account["secrets"] == [{"name": "mlflow-team-vision-bucket"}]


def test_where_its_models_lie_is_said_to_what_serves_them() -> None:
    given = tuple(Provision.of(each, EXTERNAL) for each in (DATABASE, IN_CLUSTER))
    config = Mlflow.config_model().from_file({"access": "administrators", "servingTeams": ["vision"]})
    (models,) = Mlflow.offers(Setting("mlflow", config, Platform(provisions=given))).capabilities

    assert models == RegisteredModels(bucket="runs", account="mlflow-models", teams=["vision"])


def test_a_team_that_there_is_not_gets_no_key() -> None:
    problems = told(Mlflow, {"access": "administrators", "servingTeams": ["vison"]}, teams=(Team(name="vision"),))

    assert any("components.mlflow.servingTeams: there is no team 'vison'" in problem for problem in problems)


def test_odd_characters_of_a_password_survive_the_address() -> None:
    address = urlparse(start.uri(VARIABLES))

    assert (address.scheme, address.hostname, address.port, address.path) == (
        "postgresql+psycopg2",
        "sql.example.com",
        5432,
        "/runs",
    )
    assert unquote(address.username or "") == "run@er"
    assert unquote(address.password or "") == "a/b:c@d%e"
    assert address.query == "sslmode=disable"


@pytest.mark.parametrize(
    ("engine", "mode", "ca", "options"),
    [
        ("postgresql", "required", "", "sslmode=require"),
        ("postgresql", "optional", "", "sslmode=require"),
        ("postgresql", "required", "/ca.crt", "sslmode=verify-full&sslrootcert=%2Fca.crt"),
        ("mysql", "off", "", ""),
        ("mysql", "required", "", "ssl_check_hostname=false"),
        ("mysql", "required", "/ca.crt", "ssl_ca=%2Fca.crt"),
    ],
)
def test_connections_are_encrypted_as_the_server_asks(engine: str, mode: str, ca: str, options: str) -> None:
    address = start.uri({**VARIABLES, "DB_ENGINE": engine, "DB_TLS": mode, "DB_CA": ca})

    assert urlparse(address).query == options


def test_the_start_becomes_the_server_with_database_and_accounts(tmp_path: Path) -> None:
    program = tmp_path / "mlflow"
    program.write_text(
        f'#!{sys.executable}\nimport os, sys\nprint(os.environ["MLFLOW_BACKEND_STORE_URI"], *sys.argv[1:])\n'
    )
    program.chmod(0o755)
    accounts = tmp_path / "basic_auth.ini"
    environment = {
        **VARIABLES,
        "PATH": f"{tmp_path}{os.pathsep}{os.defpath}",
        "AUTH_PERMISSION": "READ",
        "MLFLOW_AUTH_CONFIG_PATH": str(accounts),
    }

    command = [sys.executable, str(Path(start.__file__)), "server", "--port=5000"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)

    address, *rest = ran.stdout.split()
    assert address == start.uri(VARIABLES)
    assert rest == ["server", "--port=5000"]
    parsed = configparser.ConfigParser()
    parsed.read(accounts)
    assert parsed["mlflow"]["database_uri"] == address
    assert "admin_password" not in parsed["mlflow"]


@pytest.mark.parametrize("sign_in", ["gateway", "accounts"])
def test_with_accounts_prometheus_which_has_none_does_not_read_it(sign_in: str) -> None:
    server = Metrics(namespace="monitoring", pods={"app.kubernetes.io/name": "prometheus"})
    objects = made(server, DashboardReader(), facts={"network_policies": True}, signIn=sign_in)
    boards = [each for each in objects.names("ConfigMap") if "dashboard" in each]
    seen = [objects.names("ServiceMonitor"), objects.names("PrometheusRule"), boards]

    assert [bool(each) for each in seen] == [sign_in == "gateway"] * 3
    assert ("monitoring" in json.dumps(objects.one("NetworkPolicy", "mlflow"))) == (sign_in == "gateway")
