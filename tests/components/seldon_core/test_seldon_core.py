"""Seldon Core: routes for the stack's gateway, images of servers, who is asked first, and whose metrics are read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from platform_def.capabilities import Gateway
from platform_def.components.serving.seldon_core.component import SeldonCore
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.teams import Team
from platform_def.constructs.component import Setting
from tests.unit.built import Objects, built, grants, platform, setting, told

NAME = "seldon-controller-manager"
EMISSARY: dict[str, dict[str, Any]] = {"emissary": {}}
ISTIO: dict[str, dict[str, Any]] = {"istio": {}, "istio-ingress-gateway": {}}


def in_stack(beside: dict[str, dict[str, Any]], gateway: str, teams: int = 1, **config: Any) -> Objects:
    people = tuple(Team(name=f"team{number}") for number in range(teams))
    there = setting(SeldonCore, beside=beside).platform
    return built(SeldonCore, there.with_facts(gateway=gateway, teams=people), **config)


def variables(made: Objects) -> dict[str, str]:
    return {each["name"]: each.get("value", "") for each in made.container("Deployment", NAME)["env"]}


def configuration(made: Objects, key: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(made.one("ConfigMap")["data"][key])
    return found


def test_behind_emissary_it_annotates_services_because_emissary_4_serves_no_mappings_of_v2() -> None:
    told_of = variables(in_stack(EMISSARY, "emissary"))

    assert (told_of["AMBASSADOR_ENABLED"], told_of["AMBASSADOR_VERSION"]) == ("true", "v1")
    assert told_of["ISTIO_ENABLED"] == "false"
    assert "ISTIO_GATEWAY" not in told_of


def test_behind_istio_it_is_told_the_gateway_and_has_the_rights_for_its_routes() -> None:
    made = in_stack(ISTIO, "istio-ingress-gateway")
    told_of = variables(made)

    assert told_of["AMBASSADOR_ENABLED"] == "false"
    assert told_of["ISTIO_GATEWAY"].count("/") == 1
    assert "create" in grants(made.rules("ClusterRole", NAME), "networking.istio.io", "virtualservices")


def test_without_a_gateway_of_istio_it_has_no_rights_on_its_routes() -> None:
    assert grants(built(SeldonCore).rules("ClusterRole", NAME), "networking.istio.io", "virtualservices") == set()


@pytest.mark.parametrize(
    ("teams", "chosen", "short"), [(1, None, "true"), (2, None, "false"), (2, True, "true"), (1, False, "false")]
)
def test_paths_without_a_namespace_are_for_one_team_unless_the_stack_asks(
    teams: int, chosen: bool | None, short: str
) -> None:
    made = in_stack(EMISSARY, "emissary", teams, shortPaths=chosen)

    assert variables(made)["AMBASSADOR_SINGLE_NAMESPACE"] == short


def test_a_server_of_the_stacks_own_takes_the_place_of_the_releases() -> None:
    own = "registry.example.com/serving@sha256:" + "0" * 64

    servers = configuration(built(SeldonCore, servers={"TENSORFLOW_SERVER": {"tensorflow": own}}), "predictor_servers")

    assert servers["TENSORFLOW_SERVER"]["protocols"]["tensorflow"] == {"image": own, "defaultImageVersion": ""}
    assert servers["SKLEARN_SERVER"]["protocols"]["seldon"]["image"] == "docker.io/seldonio/sklearnserver:1.17.1"


def test_servers_and_executor_come_through_the_mirror_and_are_listed() -> None:
    made = built(SeldonCore, Platform(registry="mirror.example.com"))

    servers = configuration(made, "predictor_servers")
    assert servers["SKLEARN_SERVER"]["protocols"]["v2"]["image"].startswith("mirror.example.com/")
    assert variables(made)["EXECUTOR_CONTAINER_IMAGE_AND_VERSION"].startswith("mirror.example.com/")
    assert "docker.io/seldonio/seldon-core-executor:1.17.1" in SeldonCore.runtime_images(setting(SeldonCore))


def test_resources_of_the_executor_are_changed_as_those_of_any_workload() -> None:
    wanted = {"executor": {"containers": {"executor": {"resources": {"limits": {"memory": "2Gi"}}}}}}

    told_of = variables(built(SeldonCore, workloads=wanted))

    assert told_of["EXECUTOR_DEFAULT_MEMORY_LIMIT"] == "2Gi"
    assert told_of["EXECUTOR_DEFAULT_MEMORY_REQUEST"] == "512Mi"


def test_keda_is_used_where_the_stack_has_it() -> None:
    made = in_stack({"keda": {}}, "none")

    assert variables(made)["KEDA_ENABLED"] == "true"
    assert "create" in grants(made.rules("ClusterRole", NAME), "keda.sh", "scaledobjects")


def test_the_webhook_leaves_deployments_of_another_controller_alone() -> None:
    (hook,) = built(SeldonCore).one("ValidatingWebhookConfiguration")["webhooks"]

    (expression,) = hook["objectSelector"]["matchExpressions"]
    assert expression == {"key": "seldon.io/controller-id", "operator": "DoesNotExist"}


def test_a_gateway_api_is_refused_because_no_route_to_a_model_would_be_served() -> None:
    beside = {"istio": {}, "gateway-api": {}, "istio-ingress-gateway": {"api": "gateway-api"}}

    problems = told(SeldonCore, beside=beside, gateway="istio-ingress-gateway")

    assert any("routes: false" in problem for problem in problems)


def test_short_paths_on_istio_are_refused() -> None:
    problems = told(SeldonCore, {"shortPaths": True}, beside=ISTIO, gateway="istio-ingress-gateway")

    assert any("always name the namespace" in problem for problem in problems)


POOL = NodePool.from_file(
    {"name": "serve", "nodes": 1, "selector": {"pool": "serve"}, "gpu": {"model": "l4", "perNode": 2}}
)
MNIST = {"server": "SKLEARN_SERVER", "uri": "s3://models/mnist/1"}
VISION = Team(name="vision")


def served(*variants: dict[str, Any], **model: Any) -> dict[str, Any]:
    models = {"mnist": {"team": "vision", "variants": [*variants], **model}}
    facts = Platform(teams=(VISION,), node_pools=(POOL,), registry="mirror.example.com")
    found: dict[str, Any] = built(SeldonCore, facts, modelSecret="store", models=models).one("SeldonDeployment")
    return found


def test_a_model_runs_in_its_teams_namespace_under_its_name_after_the_operator() -> None:
    made = served(MNIST, timeoutSeconds=30)

    assert (made["metadata"]["name"], made["metadata"]["namespace"]) == ("mnist", "team-vision")
    assert made["spec"]["annotations"]["seldon.io/rest-timeout"] == "30000"
    (predictor,) = made["spec"]["predictors"]
    assert predictor["graph"]["modelUri"] == "s3://models/mnist/1"
    assert predictor["graph"]["envSecretRefName"] == "store"
    assert "traffic" not in predictor


def test_variants_share_the_requests_and_a_shadow_gets_all() -> None:
    own = {"name": "own", "image": "registry.example.com/mnist:2", "shadow": True}

    first, second, shadow = served({**MNIST, "percent": 90}, {**MNIST, "name": "next", "percent": 10}, own)["spec"][
        "predictors"
    ]

    assert (first["traffic"], second["traffic"]) == (90, 10)
    assert (shadow["shadow"], "traffic" in shadow) == (True, False)
    (container,) = shadow["componentSpecs"][0]["spec"]["containers"]
    assert container["image"].startswith("mirror.example.com/")


def test_a_variant_with_gpus_runs_on_their_pool() -> None:
    (predictor,) = served({**MNIST, "pool": "serve", "gpus": 1})["spec"]["predictors"]

    pod = predictor["componentSpecs"][0]["spec"]
    assert pod["nodeSelector"]["pool"] == "serve"
    assert pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert pod["containers"][0]["name"] == predictor["graph"]["name"]


@pytest.mark.parametrize(
    ("variants", "words"),
    [
        ([{"server": "SKLEARN_SERVER"}], "name a `server` with the `uri`"),
        ([{**MNIST, "image": "registry.example.com/a:1"}], "or an `image`"),
        ([MNIST, MNIST], "listed twice"),
        ([{**MNIST, "percent": 50}, {**MNIST, "name": "next", "percent": 40}], "100 together"),
        ([{**MNIST, "shadow": True}], "must answer"),
    ],
)
def test_what_seldon_would_refuse_is_refused(variants: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        SeldonCore.config_model().from_file({"models": {"mnist": {"team": "vision", "variants": variants}}})


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ({"team": "speech", "variants": [MNIST]}, "no team 'speech'"),
        ({"team": "vision", "variants": [{**MNIST, "pool": "none"}]}, "no pool 'none'"),
        ({"team": "vision", "variants": [{**MNIST, "pool": "serve", "gpus": 4}]}, "variants.default.gpus"),
        (
            {"team": "vision", "variants": [{"server": "TRITON_SERVER", "uri": "s3://models/faces/1"}]},
            "does not speak seldon",
        ),
    ],
)
def test_a_model_that_the_stack_cannot_run_is_refused(model: dict[str, Any], words: str) -> None:
    problems = told(SeldonCore, {"models": {"mnist": model}}, teams=(VISION,), node_pools=(POOL,))

    assert any(words in each for each in problems)


@pytest.mark.parametrize(("name", "problems"), [("default", 0), ("inside", 1)])
def test_routes_that_name_no_emissary_are_those_of_the_default_one(name: str, problems: int) -> None:
    gateway = Gateway(api="emissary", name=name, namespace="emissary", identified=True)
    there = platform(provisions=(Provision.of(gateway, "edge"),), gateway="edge")
    at = Setting("seldon-core", SeldonCore.config_model().from_file({}), there)

    assert sum("seldon.io/ambassador-id" in str(each) for each in SeldonCore.problems(at)) == problems
