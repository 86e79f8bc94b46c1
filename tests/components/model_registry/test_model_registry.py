"""The model registry: one for each team under a path of its own, its database, the catalogue, and KServe."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from platform_def.capabilities import Identity, SqlDatabase
from platform_def.components.models.model_registry.component import ModelRegistry
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from tests.unit.built import Objects, built, grants, setting, told

TEAMS = (Team(name="vision"), Team(name="speech"))
KIND = "InferenceService.serving.kserve.io"


def database(engine: str = "postgresql", tls: str = "off", **shares: str) -> SqlDatabase:
    names = shares or {
        "model-registry": "",
        "model-registry-vision": "",
        "model-registry-speech": "",
        "model-catalog": "",
    }
    return SqlDatabase.model_validate(
        {
            "engine": engine,
            "host": "sql.example.com",
            "port": 5432,
            "tls": tls,
            "shares": {name: {"credentials": {"existing": f"{name}-secret"}} for name in names},
        }
    )


def made(server: SqlDatabase | None = None, facts: dict[str, Any] | None = None, **config: Any) -> Objects:
    given = (Provision.of(server or database(), EXTERNAL),)
    return built(ModelRegistry, Platform(provisions=given, **(facts or {})), **{"access": "administrators", **config})


def test_a_stack_without_teams_has_one_registry_with_upstreams_names() -> None:
    objects = made()

    assert objects.names("Deployment") == ["model-catalog-server", "model-registry-deployment", "model-registry-ui"]
    labels = objects.one("Service", "model-registry-service")["metadata"]["labels"]
    assert labels["component"] == "model-registry"  # by which the pages find it


def test_each_team_has_a_registry_with_a_database_of_its_own() -> None:
    objects = made(facts={"teams": TEAMS}, ui=False)

    arguments = {
        name: " ".join(objects.arguments("Deployment", f"model-registry-{name}-deployment"))
        for name in ("vision", "speech")
    }
    assert "dbname=model_registry_vision" in arguments["vision"]
    assert "dbname=model_registry_speech" in arguments["speech"]


def test_each_registry_has_a_path_of_its_own() -> None:
    beside: dict[str, dict[str, Any]] = {"emissary": {}}
    there = setting(ModelRegistry, {"registries": {"model-registry": {}, "vision": {}}}, beside=beside).platform
    facts = there.with_facts(gateway="emissary", provisions=(*there.provisions, Provision.of(database(), EXTERNAL)))

    objects = built(ModelRegistry, facts, access="everyone", ui=False, registries={"model-registry": {}, "vision": {}})

    assert {each["spec"]["prefix"]: each["spec"]["rewrite"] for each in objects.of("Mapping")} == {
        "/api/model_registry/": "",
        "/registries/vision/": "/",
    }


@pytest.mark.parametrize(
    ("engine", "tls", "address"),
    [
        ("mysql", "off", "$(DB_USER):$(DB_PASSWORD)@tcp(sql.example.com:5432)/model_registry?charset=utf8mb4"),
        ("mysql", "required", "?charset=utf8mb4&tls=skip-verify"),
        ("postgresql", "off", "password='$(DB_PASSWORD)' dbname=model_registry sslmode=disable"),
        ("postgresql", "required", "sslmode=require"),
    ],
)
def test_the_database_is_named_in_its_drivers_words_without_a_password(engine: str, tls: str, address: str) -> None:
    objects = made(database(engine, tls))

    (given,) = (each for each in objects.arguments("Deployment", "model-registry-deployment") if "-dsn=" in each)
    assert given.endswith(address)
    env = objects.container("Deployment", "model-registry-deployment")["env"]
    assert {each["valueFrom"]["secretKeyRef"]["name"] for each in env} == {"model-registry-secret"}


def test_the_catalogue_comes_with_a_postgresql_and_not_with_another_server() -> None:
    assert "model-catalog-server" in made().names("Deployment")
    assert "model-catalog-server" not in made(database("mysql")).names("Deployment")
    problems = told(ModelRegistry, {"catalog": {"enabled": True}}, provisions=())
    assert not any("PostgreSQL only" in each for each in problems)


def test_sources_of_the_catalogue_are_as_its_file_has_them() -> None:
    source = {"name": "HF", "id": "hf", "type": "hf", "included": ["granite/*"]}
    objects = made(catalog={"sources": [source], "files": {"house.yaml": "models: []\n"}})

    data = objects.one("ConfigMap", "model-catalog-sources")["data"]
    assert yaml.safe_load(data["sources.yaml"]) == {
        "catalogs": [{"name": "HF", "id": "hf", "type": "hf", "enabled": True, "includedModels": ["granite/*"]}]
    }
    assert data["house.yaml"] == "models: []\n"


def test_the_controller_is_there_where_the_stack_has_kserve() -> None:
    name = "controller-model-registry-manager-role"

    tied = made(facts={"apis": frozenset({KIND, "ClusterStorageContainer.serving.kserve.io"})})

    assert "patch" in grants(tied.rules("ClusterRole", name), "serving.kserve.io", "inferenceservices")
    container = tied.one("ClusterStorageContainer")["spec"]["container"]
    assert container["env"][0]["value"] == "model-registry-service.kubeflow.svc.cluster.local:8080"
    assert not made().of("ClusterStorageContainer")
    assert "controller-controller-manager" not in made().names("Deployment")


def test_no_image_of_the_release_is_called_latest() -> None:
    images = ModelRegistry.release_of(ModelRegistry.config_model()()).all_images()

    assert len(images) == 4
    assert all(image.endswith(":v0.3.9") for image in images)


def test_a_registry_of_a_team_is_closed_to_the_other_teams() -> None:
    objects = made(facts={"teams": TEAMS, "network_policies": True}, ui=False)

    policy = objects.one("NetworkPolicy", "model-registry-vision-deployment")

    peers = [peer for rule in policy["spec"]["ingress"] for peer in rule["from"]]
    homes = [peer["namespaceSelector"]["matchLabels"] for peer in peers if "namespaceSelector" in peer]
    assert homes == [{"kubernetes.io/metadata.name": "team-vision"}]


def test_people_need_someone_who_asks_and_pages_that_read_the_header() -> None:
    identity = Provision.of(
        Identity.model_validate({"issuer": "https://id.example.com", "user_header": "x-user"}), EXTERNAL
    )
    at = setting(ModelRegistry, beside={"emissary": {}}, gateway="emissary")
    facts = at.platform.with_facts(provisions=(*at.platform.provisions, identity))

    problems = [str(each) for each in ModelRegistry.problems(type(at)(at.name, at.config, facts))]

    assert any("lets everyone in" in each for each in problems)
    assert any("from the header kubeflow-userid" in each for each in problems)
