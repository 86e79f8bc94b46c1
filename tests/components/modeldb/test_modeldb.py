"""ModelDB: its configuration without a password in Git, its database, and images that a stack names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from platform_def.capabilities import SqlDatabase
from platform_def.components.models.modeldb import configure
from platform_def.components.models.modeldb.component import Modeldb
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.errors import ConfigError
from tests.unit.built import Objects, built


def database(engine: str = "postgresql") -> Provision:
    content = {"engine": engine, "host": "sql.example.com", "port": 5432}
    shares = {"modeldb": {"credentials": {"existing": "records"}}}
    return Provision.of(SqlDatabase.model_validate({**content, "shares": shares}), EXTERNAL)


def made(**config: Any) -> Objects:
    return built(Modeldb, Platform(provisions=(database(),)), **config)


def test_the_file_in_git_holds_neither_user_nor_password() -> None:
    template = json.loads(made().one("ConfigMap")["data"]["template.json"])

    assert template["database"]["RdbConfiguration"] == {
        "RdbDatabaseName": "modeldb",
        "RdbDialect": "org.hibernate.dialect.PostgreSQLDialect",
        "RdbDriver": "org.postgresql.Driver",
        "RdbUrl": "jdbc:postgresql://sql.example.com:5432",
    }


def test_both_are_filled_in_before_the_backend_starts(tmp_path: Path) -> None:
    objects = made()
    (tmp_path / "template.json").write_text(objects.one("ConfigMap")["data"]["template.json"])
    file = tmp_path / "config.yaml"

    command = [sys.executable, str(Path(configure.__file__)), str(tmp_path / "template.json"), str(file)]
    subprocess.run(command, env={"DB_USER": "records", "DB_PASSWORD": 'quo"te'}, check=True)

    found = json.loads(file.read_text())["database"]["RdbConfiguration"]
    assert (found["RdbUsername"], found["RdbPassword"]) == ("records", 'quo"te')
    pod = objects.pod("StatefulSet", "modeldb-backend")
    assert [
        each["secretKeyRef"]["name"] for each in (item["valueFrom"] for item in pod["initContainers"][0]["env"])
    ] == [
        "records",
        "records",
    ]
    config = next(volume for volume in pod["volumes"] if volume["name"] == "config")
    assert config["emptyDir"] == {"medium": "Memory"}


def test_a_server_without_a_driver_is_refused() -> None:
    with pytest.raises(ConfigError, match="other features"):
        built(Modeldb, Platform(provisions=(database("mysql"),)))


def test_an_image_that_is_gone_is_named_by_the_stack() -> None:
    own = "registry.example.com/copies/modeldb-frontend:2.0.8.1"

    objects = made(images={"webapp": own})

    assert objects.container("Deployment", "modeldb-webapp")["image"] == own
    assert objects.container("Deployment", "modeldb-graphql")["image"].endswith("modeldb-graphql:2.0.8.1")


def test_pods_of_teams_reach_the_backend_and_only_its_own_reach_the_rest() -> None:
    facts = Platform(provisions=(database(),), network_policies=True, teams=(Team(name="vision"),))

    objects = built(Modeldb, facts)

    rules = objects.one("NetworkPolicy", "modeldb-backend")["spec"]["ingress"]
    homes = [peer.get("namespaceSelector") for rule in rules for peer in rule["from"]]
    assert homes == [None, {"matchLabels": {"kubernetes.io/metadata.name": "team-vision"}}]
    (page,) = objects.one("NetworkPolicy", "modeldb-webapp")["spec"]["ingress"]
    assert page["from"] == [{"podSelector": {}}]
