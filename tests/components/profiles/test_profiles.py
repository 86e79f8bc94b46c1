"""Profiles: teams that become one, who may ask access management, and what the controller is told."""

from __future__ import annotations

from typing import Any

import yaml

from platform_def.capabilities import Gateway, Identity, Mesh, MeshCaller, TeamRoles
from platform_def.components.people.profiles.component import Profiles
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.constructs import Setting
from platform_def.constructs.protection import protection
from tests.unit.built import Objects, built, grants

GATEWAY = Gateway(api="istio", name="ml", namespace="istio-ingress", account="ingress")
MESH = Mesh(
    api="istio",
    trust_domain="ml.example.com",
    root_namespace="istio-system",
    namespaces=("team-vision", "team-vision-li"),
)
TEAM = Team.from_file(
    {
        "name": "vision",
        "members": [
            {"name": "ada@example.com", "role": "admin"},
            {"name": "li@example.com", "quota": {"cpu": "8"}},
            {"name": "guest@example.com", "role": "view"},
        ],
    }
)
CALLERS = (
    MeshCaller(purpose="dashboard", namespace="kubeflow", account="dashboard"),
    MeshCaller(purpose="notebook-activity", namespace="notebooks", account="notebook-controller-service-account"),
)
OWNED: dict[str, Any] = {"owners": {"vision": "ada@example.com"}}


def stack(mesh: Mesh = MESH, gateway: Gateway = GATEWAY, *callers: MeshCaller, **facts: Any) -> Platform:
    given = (mesh, Identity(issuer="https://id.example.com"), TeamRoles(), *callers)
    provisions = (*(Provision.of(each, EXTERNAL) for each in given), Provision.of(gateway, "front"))
    return Platform(gateway="front", provisions=provisions, **{"teams": (TEAM,), **facts})


def profiles(platform: Platform | None = None, **config: Any) -> Objects:
    return built(Profiles, platform or stack(MESH, GATEWAY, *CALLERS), **config)


def problems(platform: Platform, **config: Any) -> list[str]:
    chosen = Profiles.config_model()(**config)
    return [each.text for each in Profiles.problems(Setting("profiles", chosen, platform))]


def policy(made: Objects) -> dict[str, Any]:
    found: dict[str, Any] = made.one("AuthorizationPolicy", "profiles-kfam")["spec"]
    return found


def operations(made: Objects) -> set[tuple[str, str]]:
    (rule,) = policy(made)["rules"]
    return {
        (method, path)
        for each in rule["to"]
        for method in each["operation"]["methods"]
        for path in each["operation"]["paths"]
    }


def variables(made: Objects, container: str = "manager") -> dict[str, Any]:
    return {each["name"]: each["value"] for each in made.container("Deployment", container=container)["env"]}


def test_a_team_becomes_a_profile_only_where_the_stack_names_its_owner() -> None:
    assert profiles().of("Profile") == []

    made = profiles(**OWNED)

    assert made.names("Profile") == ["team-vision", "team-vision-li"]
    assert made.one("Profile", "team-vision")["spec"]["owner"]["name"] == "ada@example.com"
    assert made.one("Profile", "team-vision-li")["spec"]["owner"]["name"] == "li@example.com"
    assert made.part("Profile", "team-vision") == "after"


def test_the_namespace_bears_the_owner_whom_the_controller_compares() -> None:
    chosen = Profiles.config_model()(**OWNED)
    needs = Profiles.offers(Setting("profiles", chosen, stack())).namespaces

    assert {each.name: dict(each.annotations) for each in needs} == {
        "team-vision": {"owner": "ada@example.com"},
        "team-vision-li": {"owner": "li@example.com"},
    }


def test_no_engine_deletes_a_profile() -> None:
    assert protection("Profile", "argocd") == protection("Namespace", "argocd") != {}
    assert protection("Profile", "flux") == protection("Namespace", "flux") != {}


def test_members_are_bound_as_access_management_reads_them() -> None:
    made = profiles(**OWNED)
    binding = made.one("RoleBinding", "user-guest-example-com-clusterrole-view")

    assert binding["metadata"]["annotations"] == {"user": "guest@example.com", "role": "view"}
    assert [each["name"] for each in binding["subjects"]] == ["guest@example.com"]
    assert not [each for each in made.names("RoleBinding") if "ada" in each]


def test_access_management_answers_the_dashboard_alone() -> None:
    (rule,) = policy(profiles())["rules"]

    assert rule["from"] == [{"source": {"principals": ["ml.example.com/ns/kubeflow/sa/dashboard"]}}]
    assert "rules" not in policy(profiles(stack()))


def test_registration_is_closed_by_policy_unless_asked_for() -> None:
    closed, opened = operations(profiles()), operations(profiles(self_registration=True))

    assert opened - closed == {("POST", "/kfam/v1/profiles"), ("DELETE", "/kfam/v1/profiles/*")}
    assert grants(profiles().rules("ClusterRole"), "kubeflow.org", "profiles") == {"get", "list", "watch", "update"}


def test_policies_name_accounts_of_the_stacks_trust_domain() -> None:
    found = variables(profiles())

    assert found["ISTIO_INGRESS_GATEWAY_PRINCIPAL"] == "ml.example.com/ns/istio-ingress/sa/ingress"
    assert found["NOTEBOOK_CONTROLLER_PRINCIPAL"].startswith("ml.example.com/ns/notebooks/sa/")
    assert found["KFP_UI_PRINCIPAL"] == "ml.example.com/ns/kubeflow/sa/ml-pipeline-ui"
    assert variables(profiles(), "access-management").items() <= found.items()


def test_labels_of_namespaces_follow_what_the_stack_serves_and_its_revision() -> None:
    served = stack(MESH.model_copy(update={"revision": "next"}), apis=frozenset({"Experiment.kubeflow.org"}))
    text = profiles(served, namespace_labels={"a": "b"}).one("ConfigMap", "profiles-namespace-labels-data")["data"]
    found = yaml.safe_load(text["namespace-labels.yaml"])

    assert found["katib.kubeflow.org/metrics-collector-injection"] == "enabled"
    assert "serving.kubeflow.org/inferenceservice" not in found
    assert (found["istio-injection"], found["istio.io/rev"], found["a"]) == ("", "next", "b")


def test_namespaces_are_those_of_pipelines_where_these_run_whether_or_not_they_are_objects() -> None:
    served = stack(MESH, apis=frozenset({"ScheduledWorkflow.kubeflow.org"}))
    text = profiles(served).one("ConfigMap", "profiles-namespace-labels-data")["data"]["namespace-labels.yaml"]

    assert yaml.safe_load(text)["pipelines.kubeflow.org/enabled"] == "true"


def test_it_may_grant_the_three_roles_and_no_other() -> None:
    rules = profiles().rules("ClusterRole", "profiles-controller-role")
    (bind,) = (each for each in rules if "bind" in each["verbs"])

    assert bind["resourceNames"] == ["kubeflow-admin", "kubeflow-edit", "kubeflow-view"]
    assert not [each for each in rules if "*" in each["verbs"] or "*" in each["resources"]]


def test_a_team_that_is_not_there_or_not_in_the_mesh_is_refused() -> None:
    outside = stack(MESH.model_copy(update={"namespaces": ()}))

    assert problems(stack(), owners={"visoin": "ada@example.com"}) == [
        "components.profiles.owners.visoin: there is no team of that name"
    ]
    assert len(problems(outside, **OWNED)) == 2
    assert problems(stack(), **OWNED) == []


def test_another_gateway_than_istios_is_refused() -> None:
    emissary = Gateway(api="emissary", name="emissary", namespace="emissary")

    assert problems(stack(MESH, emissary)) == [
        "components.profiles: its policies let in people by the account of a gateway of Istio, and the stack has front"
    ]
