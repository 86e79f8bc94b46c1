"""Web applications: who reaches them, and whom they believe."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platform_def.capabilities import Gateway, Identity, Mesh, WebLink
from platform_def.config.capability import EXTERNAL, Capability, Provision
from platform_def.config.component import ComponentConfig
from platform_def.config.platform import Platform
from platform_def.constructs import (
    Access,
    ConfigError,
    ImageFacts,
    Setting,
    WebApp,
    access_problems,
    allow,
    env,
    user_env,
    web_links,
)
from tests.unit.constructs.samples import Made, container, objects

EMISSARY = Gateway(api="emissary", name="emissary", namespace="edge", pods={"app": "envoy"}, account="edge")
ISTIO = Gateway(api="istio", name="public", namespace="istio-system", account="ingress")
PEOPLE = Identity(issuer="https://id.example.com", user_header="x-user", user_prefix="accounts:")
MESH = Mesh(api="istio", root_namespace="istio-system", trust_domain="lab.internal")


def stack(gateway: Gateway | None = EMISSARY, *given: Capability) -> Platform:
    provisions = [Provision.of(each, EXTERNAL) for each in given]
    if gateway:
        provisions.append(Provision.of(gateway, "edge"))
    return Platform(gateway="edge" if gateway else "none", provisions=tuple(provisions))


def app(platform: Platform | None = None, access: Access = "people", **options: Any) -> Made:
    def build(scope: Any) -> None:
        made: Any = container(scope, env=env(user_env(scope, access)))
        WebApp(scope, "board", container=made, access=access, path="/board/", target=8080, **options)

    return objects(build, platform=platform if platform is not None else stack(EMISSARY, PEOPLE))


def variables(made: Made) -> dict[str, str]:
    (one,) = made["Deployment", "board"]["spec"]["template"]["spec"]["containers"]
    return {each["name"]: each["value"] for each in one["env"]}


def problems(platform: Platform, access: Access = "people") -> list[str]:
    at = Setting("board", ComponentConfig(), platform)
    return [each.text for each in access_problems(at, access, "ui.access")]


def test_its_objects_may_bear_names_that_others_know() -> None:
    names: dict[str, Any] = {"account": "board-account", "role": "board-role", "service": "board-service"}
    made = app(rules=[allow("", "pods", verbs="get")], **names)
    pod = made["Deployment", "board"]["spec"]["template"]["spec"]

    assert pod["serviceAccountName"] == "board-account"
    assert made["ClusterRoleBinding", "board-role"]["subjects"][0]["name"] == "board-account"
    assert made["Service", "board-service"]["spec"]["selector"]["app.kubernetes.io/name"] == "board"
    assert made["Mapping", "board"]["spec"]["service"].startswith("board-service.")


def test_people_are_known_by_the_header_that_the_gateway_writes() -> None:
    found = variables(app())

    assert found == {"APP_DISABLE_AUTH": "false", "USERID_HEADER": "x-user", "USERID_PREFIX": "accounts:"}
    assert variables(app(access="everyone")) == {"APP_DISABLE_AUTH": "true"}


def test_only_the_gateways_pods_reach_who_believes_a_header() -> None:
    policy = app()["NetworkPolicy", "board"]["spec"]

    assert policy["podSelector"] == app()["Deployment", "board"]["spec"]["selector"]
    assert policy["ingress"] == [
        {
            "from": [
                {
                    "podSelector": {"matchLabels": {"app": "envoy"}},
                    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "edge"}},
                }
            ],
            "ports": [{"port": 8080, "protocol": "TCP"}],
        }
    ]


def test_a_gateway_whose_pods_nobody_knows_is_let_in_by_its_namespace() -> None:
    gateway = EMISSARY.model_copy(update={"pods": {}})
    (rule,) = app(stack(gateway, PEOPLE))["NetworkPolicy", "board"]["spec"]["ingress"]

    assert rule["from"] == [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "edge"}}}]


def test_in_a_mesh_the_gateway_proves_who_it_is() -> None:
    made = app(stack(ISTIO, PEOPLE, MESH))
    policy = made["AuthorizationPolicy", "board"]["spec"]
    pod = made["Deployment", "board"]["spec"]["template"]["metadata"]

    assert policy["action"] == "ALLOW"
    assert policy["rules"] == [{"from": [{"source": {"principals": ["lab.internal/ns/istio-system/sa/ingress"]}}]}]
    assert policy["selector"]["matchLabels"].items() <= pod["labels"].items()
    assert pod["labels"]["sidecar.istio.io/inject"] == "true"
    assert ("NetworkPolicy", "board") not in made


def test_a_gateway_outside_the_mesh_proves_nothing() -> None:
    made = app(stack(EMISSARY, PEOPLE, MESH))

    assert ("AuthorizationPolicy", "board") not in made
    assert (
        made["Deployment", "board"]["spec"]["template"]["metadata"]["annotations"]["sidecar.istio.io/inject"] == "false"
    )
    assert ("NetworkPolicy", "board") in made


def test_administrators_come_by_port_forward_alone() -> None:
    made = app(access="administrators")

    assert ("Mapping", "board") not in made
    assert made["NetworkPolicy", "board"]["spec"].get("ingress", []) == []
    assert variables(made) == {"APP_DISABLE_AUTH": "true"}


def test_everyone_may_come_from_everywhere() -> None:
    made = app(access="everyone")

    assert ("Mapping", "board") in made
    assert ("NetworkPolicy", "board") not in made


def test_without_an_identity_provider_no_header_is_believed() -> None:
    with pytest.raises(ConfigError, match="needs an identity provider"):
        app(stack())


def test_a_stack_is_told_why_people_could_not_come() -> None:
    assert problems(stack(EMISSARY, PEOPLE)) == []
    assert "nothing in the stack says who a request is from" in problems(stack())[0]
    assert "the stack has no gateway" in problems(stack(None, PEOPLE))[0]
    assert "the stack has no gateway" in problems(stack(None), "everyone")[0]
    assert problems(stack(), "everyone") == problems(stack(None), "administrators") == []


def test_a_gateway_on_the_nodes_network_cannot_be_told_from_others() -> None:
    on_nodes = EMISSARY.model_copy(update={"on_nodes": True})

    assert "on the nodes' network" in problems(stack(on_nodes, PEOPLE))[0]
    assert problems(stack(ISTIO.model_copy(update={"on_nodes": True}), PEOPLE, MESH)) == []


def test_a_link_is_shown_where_there_is_a_route() -> None:
    link = WebLink(text="Board", path="/board/")
    at = Setting("board", ComponentConfig(), stack())
    bare = replace(at, platform=stack(None))

    assert web_links(at, "people", link) == (link,)
    assert web_links(at, "administrators", link) == web_links(bare, "people", link) == ()


def test_the_program_gets_its_account_service_and_no_more_rights_than_its_image_bears() -> None:
    made = app(rules=[allow("", "pods", verbs="list")], facts=ImageFacts(source="its Dockerfile", user=1000))
    pod = made["Deployment", "board"]["spec"]["template"]["spec"]

    assert made["ClusterRole", "board"]["rules"][0]["resources"] == ["pods"]
    assert pod["serviceAccountName"] == "board"
    assert pod["containers"][0]["securityContext"]["runAsNonRoot"] is True
    assert made["Service", "board"]["spec"]["ports"][0] == {
        "name": "http",
        "port": 80,
        "protocol": "TCP",
        "targetPort": 8080,
    }


def test_an_application_that_keeps_something_in_memory_stays_alone() -> None:
    ha = stack(EMISSARY, PEOPLE).with_facts(availability="ha")

    assert app(ha)["Deployment", "board"]["spec"]["replicas"] == 2
    assert app(ha, ha_replicas=0)["Deployment", "board"]["spec"]["replicas"] == 1


def test_the_application_is_asked_for_the_path_that_it_knows() -> None:
    whole = app(rewrite="/")["Mapping", "board"]["spec"]
    kept = app()["Mapping", "board"]["spec"]

    assert (whole["prefix"], whole["rewrite"]) == ("/board/", "/")
    assert kept["rewrite"] == ""
