"""Flyte: its files without credentials, plugins with their rights, and how people and programs reach it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from platform_def.capabilities import ObjectStore, SqlDatabase
from platform_def.components.pipelines.flyte import configure
from platform_def.components.pipelines.flyte.component import Flyte
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import ComponentFact, Platform
from platform_def.errors import ConfigError
from tests.unit.built import Objects, built, grants, told

RBAC = "rbac.authorization.k8s.io"
SPARK, TORCH = "SparkApplication.sparkoperator.k8s.io", "PyTorchJob.kubeflow.org"


def database(engine: str = "postgresql", tls: str = "off") -> SqlDatabase:
    shares = {"flyte": {"credentials": {"existing": "workflows"}}}
    content = {"engine": engine, "host": "sql.example.com", "port": 5432, "tls": tls, "shares": shares}
    return SqlDatabase.model_validate(content)


def store(**more: Any) -> ObjectStore:
    return ObjectStore.model_validate({"host": "s3.example.com", **more})


KEYS = {"credentials": {"existing": "keys"}}


def made(*given: Any, facts: dict[str, Any] | None = None, **config: Any) -> Objects:
    values = given or (database(), store(**KEYS))
    platform = Platform(provisions=tuple(Provision.of(each, EXTERNAL) for each in values), **(facts or {}))
    return built(Flyte, platform, **{"access": "administrators", **config})


def file(objects: Objects, name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(objects.one("ConfigMap", "flyte-binary-config")["data"][name])
    return found


def test_the_files_in_git_hold_no_credentials() -> None:
    objects = made()

    assert file(objects, "002-database.yaml")["database"]["postgres"].keys() == {"host", "port", "dbname", "options"}
    assert file(objects, "003-storage.yaml")["storage"]["stow"]["config"]["auth_type"] == "accesskey"
    assert "secret" not in str(file(objects, "003-storage.yaml")).lower()


def test_they_come_together_in_the_pods_memory(tmp_path: Path) -> None:
    settings, folder = tmp_path / "settings", tmp_path / "config.d"
    settings.mkdir()
    folder.mkdir()
    (settings / "000-core.yaml").write_text("admin: {}\n")
    (settings / "configure.py").write_text("")
    variables = {"DB_USER": "u", "DB_PASSWORD": 'p"', "STORE_ACCESS_KEY": "a", "STORE_SECRET_KEY": "s"}

    command = [sys.executable, str(Path(configure.__file__)), str(settings), str(folder)]
    subprocess.run(command, env=variables, check=True)

    assert sorted(each.name for each in folder.iterdir()) == ["000-core.yaml", "900-credentials.yaml"]
    assert json.loads((folder / "900-credentials.yaml").read_text()) == {
        "database": {"postgres": {"username": "u", "password": 'p"'}},
        "storage": {"stow": {"config": {"access_key_id": "a", "secret_key": "s"}}},
    }
    volumes = made().pod("Deployment")["volumes"]
    assert next(each for each in volumes if each["name"] == "config")["emptyDir"] == {"medium": "Memory"}


def test_an_account_of_the_cloud_needs_no_keys() -> None:
    objects = made(database(), store())

    assert file(objects, "003-storage.yaml")["storage"]["stow"]["config"]["auth_type"] == "iam"
    (init,) = objects.pod("Deployment")["initContainers"]
    assert {each["name"] for each in init["env"]} == {"DB_USER", "DB_PASSWORD"}


@pytest.mark.parametrize(("tls", "mode"), [("off", "disable"), ("optional", "require"), ("required", "require")])
def test_connections_are_encrypted_as_the_server_asks(tls: str, mode: str) -> None:
    objects = made(database(tls=tls), store())

    assert file(objects, "002-database.yaml")["database"]["postgres"]["options"] == f"sslmode={mode}"


def test_plugins_are_those_whose_jobs_the_stack_runs_with_their_rights() -> None:
    objects = made(facts={"apis": frozenset({SPARK, TORCH})})

    tasks = file(objects, "001-plugins.yaml")["tasks"]["task-plugins"]
    assert {"pytorch", "spark"} <= {*tasks["enabled-plugins"]}
    assert tasks["default-for-task-types"]["spark"] == "spark"
    assert "ray" not in tasks["enabled-plugins"]
    rules = objects.rules("ClusterRole", "flyte-binary-cluster-role")
    assert "create" in grants(rules, "kubeflow.org", "pytorchjobs")
    assert grants(rules, "ray.io", "rayjobs") == set()


def test_drivers_of_spark_have_their_account_and_its_role_in_each_namespace_that_flyte_makes() -> None:
    objects, without = made(facts={"apis": frozenset({SPARK})}), made()

    def templates(found: Objects) -> list[dict[str, Any]]:
        (data,) = (each["data"] for each in found.of("ConfigMap") if "namespace.yaml" in each["data"])
        return [yaml.safe_load(data[name]) for name in sorted(data)]

    namespace, account, binding = templates(objects)
    assert [each["kind"] for each in (namespace, account, binding)] == ["Namespace", "ServiceAccount", "RoleBinding"]
    assert account["metadata"] == {"name": "spark", "namespace": namespace["metadata"]["name"]}
    assert binding["subjects"] == [{"kind": "ServiceAccount", **account["metadata"]}]
    role = binding["roleRef"]["name"]
    assert {"create", "deletecollection"} <= grants(objects.rules("ClusterRole", role), "", "pods")
    bind = [each for each in objects.rules("ClusterRole", "flyte-binary-cluster-role") if each["verbs"] == ["bind"]]
    assert [(each["resources"], each["resourceNames"]) for each in bind] == [(["clusterroles"], [role])]
    assert len(templates(without)) == 1
    assert grants(without.rules("ClusterRole", "flyte-binary-cluster-role"), RBAC, "rolebindings") == set()


def test_mpi_jobs_are_made_where_the_training_operator_runs_them() -> None:
    served = frozenset({"MPIJob.kubeflow.org"})
    newer = {"mpi-operator": ComponentFact("0.8.2", "mpi-operator", component="mpi-operator")}

    def enabled(**facts: Any) -> list[str]:
        found = file(made(facts={"apis": served, **facts}), "001-plugins.yaml")
        return [*found["tasks"]["task-plugins"]["enabled-plugins"]]

    assert "mpi" in enabled()
    # Its MPIJobs are of a version that Flyte does not make.
    assert "mpi" not in enabled(components=newer)


def test_signed_addresses_name_the_store_as_browsers_know_it() -> None:
    signed = file(made(publicStore="https://store.example.com/"), "003-storage.yaml")["storage"]["signedUrl"]

    assert signed["stowConfigOverride"]["endpoint"] == "https://store.example.com"
    assert "signedUrl" not in file(made(), "003-storage.yaml")["storage"]


def test_calls_of_grpc_have_a_service_that_speaks_http_2() -> None:
    (port,) = made().one("Service", "flyte-binary-grpc")["spec"]["ports"]

    assert (port["appProtocol"], port["targetPort"]) == ("grpc", 8089)


def test_the_helper_image_of_tasks_comes_through_the_mirror() -> None:
    plugins = file(made(facts={"registry": "mirror.example.com"}), "001-plugins.yaml")["plugins"]

    assert plugins["k8s"]["co-pilot"]["image"].startswith("mirror.example.com/")


def test_another_server_than_postgresql_is_refused() -> None:
    with pytest.raises(ConfigError, match="other features"):
        made(database("mysql"), store())


def test_people_need_someone_who_asks_who_they_are() -> None:
    problems = told(Flyte, {}, beside={"emissary": {}}, gateway="emissary")

    assert any("would let everyone in" in each for each in problems)
    assert not told(Flyte, {"access": "administrators"}, beside={"emissary": {}}, gateway="emissary")
