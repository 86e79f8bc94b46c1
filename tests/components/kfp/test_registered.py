"""Namespaces that people register: the hook answers what teams have, is asked by one program, and makes their keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from platform_def.capabilities import AccessManagement, HookControllers, Mesh, ObjectStore, PipelineServer
from platform_def.components.pipelines.kfp import namespace_hook
from platform_def.components.pipelines.kfp.component import Kfp
from platform_def.components.pipelines.kfp.parts import PLACEHOLDER
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.constructs import Setting
from tests.components.kfp.test_kfp import config_map, made, stack
from tests.unit.built import Objects, grants

INSIDE = ObjectStore.from_file(
    {"host": "s3", "port": 8333, "tls": False, "namespace": "objects", "administrator": {"secret": "boss"}}
)
ASKS = HookControllers(namespace="hooks", account="asker", labels={"app": "asker"})
MESH = Mesh(api="istio", root_namespace="istio-system", redirected=True)
OPEN = AccessManagement(host="kfam.kubeflow.svc.cluster.local", registration=True)
INSTANCE = "app.kubernetes.io/instance"


def platform(*given: Any, **facts: Any) -> Platform:
    return stack(ASKS, OPEN, *(given or (INSIDE, MESH)), **facts)


def registered(where: Platform | None = None, **config: Any) -> Objects:
    return made(where or platform(), registeredNamespaces=True, **config)


def files(objects: Objects, namespace: str = "objects") -> dict[str, str]:
    return config_map(objects, "kfp-namespaces", namespace)


def answered(objects: Objects, name: str, namespace: str = "objects") -> list[dict[str, Any]]:
    """What the hook's own program answers for a namespace, without keys."""
    told = files(objects, namespace)
    request = {"object": {"metadata": {"name": name, "uid": "1"}}, "attachments": {"ConfigMap.v1": {}}}
    found = namespace_hook.answer(request, told["template.json"], json.loads(told["plan.json"]), None)
    attachments: list[dict[str, Any]] = found["attachments"]
    return attachments


def by_name(objects: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(each["kind"], each["metadata"]["name"]): each for each in objects}


@pytest.mark.parametrize("account", ["pipeline-runner", "default-editor"])
@pytest.mark.parametrize(
    "store", [INSIDE, ObjectStore.from_file({"host": "s3.eu-west-1.amazonaws.com"})], ids=lambda each: each.host
)
def test_a_registered_namespace_has_what_a_team_has_and_nothing_else(account: str, store: ObjectStore) -> None:
    name = "team-vision"
    where = platform(store, MESH)
    team = [each for each in registered(where, account=account).all if each["metadata"].get("namespace") == name]
    other = registered(platform(store, MESH, teams=(Team(name="language"),)), account=account)
    home = "objects" if store is INSIDE else "kubeflow"
    for each in team:
        del each["metadata"]["labels"][INSTANCE]

    shown = [
        each for each in team if "generator" not in each["metadata"]["name"]
    ]  # makes Secrets of stores: the hook does
    assert by_name(answered(other, name, home)) == by_name(shown)


def test_the_placeholder_is_nowhere_but_in_the_template() -> None:
    objects = registered()

    assert not [each for each in objects.all if PLACEHOLDER in json.dumps(each) and each["kind"] != "ConfigMap"]
    assert not [each for each in objects.all if each["metadata"].get("namespace") == PLACEHOLDER]


def test_a_team_of_the_stack_is_left_to_the_stack() -> None:
    objects = registered()
    (chosen,) = objects.one("DecoratorController")["spec"]["resources"]
    there = {"ConfigMap.v1": {"kfp-launcher": {"kind": "ConfigMap"}}}
    told = files(objects)
    request = {"object": {"metadata": {"name": "team-vision", "uid": "1"}}, "attachments": there}

    assert chosen["labelSelector"]["matchExpressions"][0]["values"] == ["team-vision", "team-language"]
    found = namespace_hook.answer(request, told["template.json"], json.loads(told["plan.json"]), None)
    assert found == {"attachments": [{"kind": "ConfigMap"}]}


def test_who_asks_may_do_what_the_hook_answers_and_reads_no_secret() -> None:
    objects = registered()
    rules = objects.rules("ClusterRole", "kfp-namespaces-metacontroller")
    kinds = {each["resource"] for each in objects.one("DecoratorController")["spec"]["attachments"]}

    assert kinds == {"configmaps", "serviceaccounts", "rolebindings"}
    assert all(
        "create" in {verb for rule in rules if kind in rule["resources"] for verb in rule["verbs"]} for kind in kinds
    )
    assert grants(rules, "", "secrets") == set()
    assert [rule["resourceNames"] for rule in rules if "bind" in rule["verbs"]] == [
        ["kfp-pipeline-runner", "kubeflow-pipelines-edit"]
    ]
    assert objects.one("ClusterRoleBinding", "kfp-namespaces-metacontroller")["subjects"] == [
        {"kind": "ServiceAccount", "name": "asker", "namespace": "hooks"}
    ]


def test_the_program_that_makes_keys_is_with_the_store_and_may_only_create_secrets() -> None:
    objects = registered()

    assert objects.one("Deployment", "kfp-namespaces")["metadata"]["namespace"] == "objects"
    assert objects.rules("ClusterRole", "kfp-namespaces") == [
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]}
    ]
    volumes = {each["name"]: each for each in objects.pod("Deployment", "kfp-namespaces")["volumes"]}
    assert volumes["administrator"]["secret"]["secretName"] == "boss"


@pytest.mark.parametrize(
    ("store", "unmade"),
    [
        ({"host": "s3.example.com", "credentials": {"existing": "artifacts"}}, "kfp-<namespace>-bucket"),
        ({"host": "s3.example.com"}, ""),
    ],
    ids=["keys by hand", "an identity of the cloud's"],
)
def test_outside_no_key_is_handed_out(store: dict[str, Any], unmade: str) -> None:
    where = platform(ObjectStore.from_file(store), MESH)
    objects = registered(where)
    config = Kfp.config_model().from_file({"registeredNamespaces": True})
    (server,) = (
        each for each in Kfp.offers(Setting("kfp", config, where)).capabilities if isinstance(each, PipelineServer)
    )
    pod = objects.pod("Deployment", "kfp-namespaces")

    assert server.unmade == unmade
    assert [each["name"] for each in pod["volumes"]] == ["hook"]
    assert pod["automountServiceAccountToken"] is False
    assert "artifacts" not in {each.get("secretName") for each in pod["volumes"]}
    assert ("kfp-ada-bucket" in json.dumps(answered(objects, "ada", "kubeflow"))) is bool(unmade)


def test_one_program_may_ask_it() -> None:
    objects = registered(platform(INSIDE, MESH, network_policies=True))
    (rule,) = objects.one("AuthorizationPolicy", "kfp-namespaces")["spec"]["rules"]
    opened, proxy = objects.one("NetworkPolicy", "kfp-namespaces-hook")["spec"]["ingress"]

    assert rule["from"] == [{"source": {"principals": ["cluster.local/ns/hooks/sa/asker"]}}]
    assert rule["to"] == [{"operation": {"methods": ["POST"], "paths": ["/sync"]}}]
    (peer,) = opened["from"]
    assert peer["podSelector"] == {"matchLabels": {"app": "asker"}}
    assert proxy == {"from": [{"namespaceSelector": {}}], "ports": [{"port": 15090, "protocol": "TCP"}]}


def test_servers_let_in_namespaces_that_are_registered() -> None:
    objects = registered(platform(INSIDE, MESH, network_policies=True))
    peers = [
        peer for rule in objects.one("NetworkPolicy", "ml-pipeline")["spec"]["ingress"] for peer in rule.get("from", [])
    ]

    assert {"namespaceSelector": {"matchLabels": {"pipelines.kubeflow.org/enabled": "true"}}} in peers


@pytest.mark.parametrize(
    ("given", "config", "said"),
    [
        ((INSIDE, MESH, AccessManagement(host="a.b")), {}, "does not let people register"),
        ((INSIDE, MESH, OPEN), {"serves": "one"}, "no other namespace has any"),
        (
            (INSIDE, Mesh(api="istio", root_namespace="istio-system", redirected=False), OPEN),
            {},
            "anyone in the cluster could ask",
        ),
    ],
    ids=["nobody registers", "one team", "no border"],
)
def test_where_it_could_serve_no_one_it_is_refused(given: tuple[Any, ...], config: dict[str, Any], said: str) -> None:
    where = stack(ASKS, *given)
    chosen = Kfp.config_model().from_file({"registeredNamespaces": True, **config})
    told = [str(each) for each in Kfp.problems(Setting("kfp", chosen, where))]

    assert [each for each in told if said in each and "registeredNamespaces" in each]


def test_without_metacontroller_a_need_is_not_met() -> None:
    chosen = Kfp.config_model().from_file({"registeredNamespaces": True})

    assert HookControllers in [each.capability for each in Kfp.needs_of(Setting("kfp", chosen, platform()))]


def test_a_key_is_the_same_each_time_and_another_in_each_namespace() -> None:
    first, again = (namespace_hook.derived("seed", "secretKey", "ada") for _ in range(2))
    others = {
        namespace_hook.derived(seed, what, name)
        for seed, what, name in [("seed", "secretKey", "li"), ("other", "secretKey", "ada")]
    }

    assert first == again
    assert first not in others
    assert len(namespace_hook.derived("seed", "accessKey", "ada")) == 20


@pytest.mark.parametrize("name", ["../x", "A", "", 'a"b', "a" * 64])
def test_what_is_no_name_is_put_into_no_template(name: str) -> None:
    with pytest.raises(ValueError, match="no name"):
        answered(registered(), name)


def test_its_program_is_one_file_of_pythons_own_library() -> None:
    text = Path(namespace_hook.__file__).read_text()

    assert files(registered())["hook.py"] == text
    assert "platform_def" not in text
