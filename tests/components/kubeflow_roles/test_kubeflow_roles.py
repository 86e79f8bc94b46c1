"""Kubeflow's roles: who gathers whose rights, and what viewers do not see."""

from __future__ import annotations

import pytest

from platform_def.capabilities import Gateway, Identity, Mesh, MeshCaller
from platform_def.components.people.kubeflow_roles.component import KubeflowRoles
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from tests.unit.built import built, grants

PREFIX = "rbac.authorization.kubeflow.org/aggregate-to-kubeflow-"


@pytest.mark.parametrize(("role", "into"), [("admin", set()), ("edit", {"admin"}), ("view", {"edit"})])
def test_each_role_is_gathered_by_the_one_above_it(role: str, into: set[str]) -> None:
    made = built(KubeflowRoles).one("ClusterRole", f"kubeflow-{role}")
    labels = made["metadata"]["labels"]

    assert made["aggregationRule"] == {"clusterRoleSelectors": [{"matchLabels": {f"{PREFIX}{role}": "true"}}]}
    assert {each.removeprefix(PREFIX) for each in labels if each.startswith(PREFIX)} == into
    assert "rules" not in made


def test_viewers_see_no_secret_and_enter_no_pod() -> None:
    rules = built(KubeflowRoles).rules("ClusterRole", "kubeflow-kubernetes-view")

    assert grants(rules, "", "pods") == {"get", "list", "watch"}
    assert grants(rules, "", "secrets") == grants(rules, "", "pods/exec") == set()


def test_editors_change_no_roles() -> None:
    made = built(KubeflowRoles)

    assert grants(made.rules("ClusterRole", "kubeflow-kubernetes-edit"), "rbac.authorization.k8s.io", "roles") == set()
    assert "create" in grants(
        made.rules("ClusterRole", "kubeflow-kubernetes-admin"), "rbac.authorization.k8s.io", "roles"
    )


def test_who_stops_idle_notebooks_may_ask_them_which_kernels_run() -> None:
    mesh = Mesh(api="istio", trust_domain="ml.example.com", root_namespace="istio-system", namespaces=("team-vision",))
    caller = MeshCaller(purpose="notebook-activity", namespace="kubeflow", account="notebook-controller")
    others = MeshCaller(purpose="dashboard", namespace="kubeflow", account="dashboard")
    gateway = Gateway(api="istio", name="ml", namespace="front", account="front")
    given = (mesh, Identity(issuer="https://id.example.com"), caller, others)
    provisions = (*(Provision.of(each, EXTERNAL) for each in given), Provision.of(gateway, "front"))
    team = Team.from_file({"name": "vision", "members": [{"name": "li@example.com"}]})
    made = built(KubeflowRoles, Platform(gateway="front", provisions=provisions, teams=(team,)))
    rules = made.one("AuthorizationPolicy", "members")["spec"]["rules"]

    assert {
        "from": [{"source": {"principals": ["ml.example.com/ns/kubeflow/sa/notebook-controller"]}}],
        "to": [{"operation": {"methods": ["GET"], "paths": ["*/api/kernels"]}}],
    } in rules
    assert "sa/dashboard" not in str(rules)
