"""Workspaces: what the controller reads, whom the backend believes, and the kind that follows from the stack."""

from __future__ import annotations

from typing import Any

from platform_def.capabilities import Identity
from platform_def.components.notebooks.workspaces.component import Workspaces
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from tests.unit.built import Objects, built, grants
from tests.unit.meshed import EMISSARY, meshed, problems

GROUPS = Identity(issuer="https://id.example.com", groups_header="kubeflow-groups")
POOL = NodePool.from_file(
    {
        "name": "train",
        "selector": {"pool": "train"},
        "taints": ["gpu=present:NoSchedule"],
        "gpu": {"model": "a100-80gb", "perNode": 8},
    }
)


def stack(**facts: Any) -> Platform:
    found = meshed(**facts)
    others = tuple(each for each in found.provisions if each.kind != "identity")
    return found.with_facts(provisions=(*others, Provision.of(GROUPS, EXTERNAL)))


def workspaces(platform: Platform | None = None, **config: Any) -> Objects:
    return built(Workspaces, platform or stack(), **config)


def told(made: Objects, deployment: str) -> dict[str, Any]:
    return {each["name"]: each.get("value") for each in made.container("Deployment", deployment)["env"]}


def kind(made: Objects) -> dict[str, Any]:
    found: dict[str, Any] = made.one("WorkspaceKind", "jupyterlab")["spec"]
    return found


def test_the_hosts_of_its_routes_are_told_by_the_name_that_it_reads() -> None:
    found = told(workspaces(), "workspaces-controller")

    assert (found["USE_ISTIO"], found["ISTIO_GATEWAY"], found["ISTIO_HOSTS"]) == ("true", "front/ml", "*")
    assert "ISTIO_HOST" not in found


def test_the_backend_believes_the_headers_that_the_gateway_writes() -> None:
    found = told(workspaces(), "workspaces-backend")

    assert (found["USERID_HEADER"], found["GROUPS_HEADER"]) == ("kubeflow-userid", "kubeflow-groups")
    assert found["USERID_PREFIX"] == ""


def test_groups_that_anyone_could_claim_are_refused() -> None:
    assert problems(Workspaces, stack()) == []
    assert problems(Workspaces, meshed()) == [
        "components.workspaces: its backend believes a header with groups, and no gateway writes one here"
    ]


def test_another_gateway_is_refused_with_the_alternative() -> None:
    assert any(
        "writes the routes to workspaces itself" in each for each in problems(Workspaces, stack(gateway=EMISSARY))
    )


def test_the_gateway_asks_who_people_are_before_they_connect() -> None:
    policy = workspaces().one("AuthorizationPolicy", "kubeflow-workspaces-workspace-connections")

    assert policy["spec"]["rules"] == [{"to": [{"operation": {"paths": ["/workspace/connect/*"]}}]}]


def test_each_device_of_a_pool_is_a_size_that_runs_there() -> None:
    sizes = {
        each["id"]: each["spec"]
        for each in kind(workspaces(stack(node_pools=(POOL,))))["podTemplate"]["options"]["podConfig"]["values"]
    }

    assert {*sizes} == {"small", "medium", "train"}
    assert sizes["train"]["nodeSelector"] == {"pool": "train"}
    assert sizes["train"]["resources"]["limits"] == {"nvidia.com/gpu": "1"}
    assert sizes["train"]["tolerations"] == [
        {"key": "gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}
    ]


def test_idle_workspaces_are_paused_only_where_the_stack_says_when() -> None:
    assert "activityRules" not in kind(workspaces())

    (rule,) = kind(workspaces(idle_after="12h"))["activityRules"]

    assert rule["config"] == {"secondsSinceActive": 43200}
    assert rule["effect"] == {"pauseWorkspace": True}
    assert kind(workspaces(idle_after="12h"))["podTemplate"]["activityProbe"]["jupyter"]["lastActivity"] is True


def test_images_of_the_kind_pass_through_the_mirror() -> None:
    made = kind(workspaces(stack(registry="mirror.example.com"), images=["registry.example.com/lab:1"]))
    (image,) = made["podTemplate"]["options"]["imageConfig"]["values"]

    assert (image["id"], image["spec"]["image"]) == ("lab:1", "mirror.example.com/registry.example.com/lab:1")
    assert workspaces(jupyterlab=False).of("WorkspaceKind") == []


def test_people_write_workspaces_and_see_kinds() -> None:
    made = workspaces()
    edit = made.rules("ClusterRole", "kubeflow-workspaces-edit")
    view = made.rules("ClusterRole", "kubeflow-workspaces-view")

    assert "create" in grants(edit, "kubeflow.org", "workspaces")
    assert grants(view, "kubeflow.org", "workspacekinds") == {"get", "list", "watch"}
    assert grants(edit, "kubeflow.org", "workspacekinds") == set()
