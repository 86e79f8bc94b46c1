"""Secrets that a Job makes in the cluster: what is rendered for one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from platform_def.config.model import Name
from platform_def.config.objects import Made
from platform_def.config.platform import Platform
from platform_def.constructs import Component, ComponentConfig, config_map
from platform_def.constructs.render import Build, render
from platform_def.constructs.secrets import GeneratedSecret


class KeeperConfig(ComponentConfig):
    """No knobs of its own."""

    namespace: Name = "vault"


class Keeper(Component[KeeperConfig]):
    """One Secret in two namespaces, and a ConfigMap in the part behind it."""

    slug = "keeper"
    length = 32

    def build(self) -> None:
        """The Secret."""
        namespaces = ("vault", "users")
        GeneratedSecret(self, "key", passwords=["password"], values={"user": "me"}, length=24, namespaces=namespaces)
        config_map(self, "later", {"a": "b"}).part = "after"


def build(platform: Platform | None = None, **knobs: Any) -> Build:
    config = KeeperConfig.from_file(knobs)
    return render(lambda scope: Keeper(scope, config=config, platform=platform or Platform()))


def found(made: Build, kind: str) -> list[dict[str, Any]]:
    return [item.manifest for item in made.objects if item.manifest["kind"] == kind]


def test_no_secret_is_rendered_and_all_copies_are_declared() -> None:
    made = build()

    assert found(made, "Secret") == []
    assert made.makes == (Made("", "Secret", "vault", "key"), Made("", "Secret", "users", "key"))


def test_its_plan_has_the_namespace_that_decides_first() -> None:
    (files,) = (item["data"] for item in found(build(), "ConfigMap") if "plan.json" in item["data"])
    plan = json.loads(files["plan.json"])

    assert plan["namespaces"] == ["vault", "users"]
    assert (plan["passwords"], plan["values"]) == ({"password": 24}, {"user": "me"})


def test_no_engine_takes_it_for_its_own() -> None:
    (files,) = (item["data"] for item in found(build(), "ConfigMap") if "plan.json" in item["data"])

    assert "app.kubernetes.io/instance" not in json.loads(files["plan.json"])["metadata"]["labels"]


def test_its_account_may_read_that_one_secret() -> None:
    roles = found(build(), "Role")

    assert {role["metadata"]["namespace"] for role in roles} == {"vault", "users"}
    for role in roles:
        assert role["rules"] == [
            {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
            {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"], "resourceNames": ["key"]},
        ]


def test_its_pod_is_out_of_the_mesh_and_restricted() -> None:
    (job,) = found(build(), "Job")
    template = job["spec"]["template"]
    (container,) = template["spec"]["containers"]

    assert template["metadata"]["annotations"]["sidecar.istio.io/inject"] == "false"
    assert template["spec"]["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["securityContext"]["readOnlyRootFilesystem"] is True


@pytest.mark.parametrize(
    ("platform", "knobs"),
    [
        (Platform(registry="mirror.example.com"), {}),
        (Platform(system_priority="system-cluster-critical"), {}),
        (Platform(), {"placement": {"nodeSelector": {"role": "system"}}}),
        (Platform(), {"workloads": {"key-generator": {"containers": {"generator": {"env": {"A": "b"}}}}}}),
    ],
)
def test_whatever_changes_its_pod_is_a_job_of_its_own(platform: Platform, knobs: dict[str, Any]) -> None:
    (before,), (after,) = found(build(), "Job"), found(build(platform, **knobs), "Job")

    assert before["metadata"]["name"] != after["metadata"]["name"]
    assert before["metadata"]["name"].startswith("key-generator-")
    assert before["spec"]["template"]["metadata"] == after["spec"]["template"]["metadata"]


def test_what_is_not_its_pod_leaves_the_job_alone() -> None:
    (before,), (after,) = found(build(), "Job"), found(build(labels={"team": "a"}), "Job")

    assert before["metadata"]["name"] == after["metadata"]["name"]
