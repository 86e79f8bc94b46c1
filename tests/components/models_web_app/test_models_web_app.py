"""KServe's models web app: who may use it, where it is, and what it reads of Knative."""

from __future__ import annotations

from platform_def.capabilities import Identity
from platform_def.components.serving.models_web_app.component import ModelsWebApp
from platform_def.config.platform import Platform
from platform_def.reference.sample import platform_for
from tests.unit.built import built, grants

ROLE = "kserve-models-web-application"


def stack() -> Platform:
    return platform_for("models-web-app")


def test_it_knows_people_by_the_header_of_the_gateway() -> None:
    made = built(ModelsWebApp, stack())
    variables = {each["name"]: each["value"] for each in made.container("Deployment")["env"]}

    assert variables["APP_DISABLE_AUTH"] == "false"
    assert variables["USERID_HEADER"] == Identity(issuer="https://id.example.com").user_header
    assert variables["APP_PREFIX"] == "/kserve-endpoints"


def test_its_route_takes_its_path_away_and_keeps_streams_open() -> None:
    spec = built(ModelsWebApp, stack()).one("Mapping")["spec"]

    assert (spec["prefix"], spec["rewrite"], spec["timeout_ms"]) == ("/kserve-endpoints/", "/", 0)


def test_administrators_reach_it_by_port_forward_alone() -> None:
    made = built(ModelsWebApp, Platform(), access="administrators")

    assert made.names("Mapping") == []
    assert made.one("NetworkPolicy")["spec"].get("ingress") is None


def test_it_reads_knatives_kinds_where_the_stack_has_them() -> None:
    there = stack().with_facts(apis=frozenset({"Service.serving.knative.dev"}))
    alone = built(ModelsWebApp, stack()).rules("ClusterRole", ROLE)
    beside = built(ModelsWebApp, there).rules("ClusterRole", ROLE)

    assert grants(alone, "serving.knative.dev", "services") == set()
    assert grants(beside, "serving.knative.dev", "services") == {"get", "list"}
