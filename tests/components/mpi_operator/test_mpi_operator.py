"""The MPI operator: what its knobs add, and no more rights than its program uses."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import GangScheduler
from platform_def.components.training.mpi_operator.component import MpiOperator, MpiOperatorConfig
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.constructs import Setting
from tests.unit.built import Objects, built, grants

NAME = "mpi-operator"


def build(platform: Platform | None = None, **config: Any) -> Objects:
    return built(MpiOperator, platform, **config)


def arguments(made: Objects) -> list[str]:
    return made.arguments("Deployment", NAME)


def with_scheduler(given: GangScheduler) -> Platform:
    return Platform(provisions=(Provision.of(given, "external"),))


def test_it_serves_mpijobs_of_the_second_version_alone() -> None:
    crd = build().one("CustomResourceDefinition")

    assert crd["metadata"]["name"] == "mpijobs.kubeflow.org"
    assert [each["name"] for each in crd["spec"]["versions"]] == ["v2beta1"]


def test_one_pod_too_competes_for_the_lease_of_its_own_namespace() -> None:
    made = build(namespace="ml")

    assert "--lock-namespace=ml" in arguments(made)
    role = made.one("Role")
    assert role["metadata"]["namespace"] == "ml"
    assert grants(role["rules"], "coordination.k8s.io", "leases") == {"create", "get", "patch", "update"}
    assert grants(made.rules("ClusterRole", NAME), "coordination.k8s.io", "leases") == set()


def test_a_highly_available_stack_has_two_replicas_without_another_flag() -> None:
    made = build(Platform(availability="ha"))

    assert made.one("Deployment")["spec"]["replicas"] == 2
    assert arguments(made) == arguments(build())


def test_nothing_is_granted_that_the_program_never_does() -> None:
    rules = build().rules("ClusterRole", NAME)

    assert not [rule for rule in rules if "*" in rule["verbs"]]
    assert {resource for rule in rules for resource in rule["resources"]} == {
        *("configmaps", "secrets", "services", "pods", "events", "jobs", "jobs/status", "priorityclasses"),
        *("mpijobs", "mpijobs/status", "mpijobs/finalizers"),
    }


@pytest.mark.parametrize(
    ("scheduler", "group", "name"),
    [
        ("volcano", "scheduling.volcano.sh", "volcano"),
        ("scheduler-plugins", "scheduling.x-k8s.io", "scheduler-plugins-scheduler"),
    ],
)
def test_a_gang_scheduler_brings_its_flag_and_the_rights_on_its_groups(scheduler: Any, group: str, name: str) -> None:
    made = build(gang_scheduler=scheduler)

    assert f"--gang-scheduling={name}" in arguments(made)
    granted = grants(made.rules("ClusterRole", NAME), group, "podgroups")
    assert granted == {"create", "delete", "get", "list", "update", "watch"}
    assert {
        group for rule in made.rules("ClusterRole", NAME) for group in rule["apiGroups"] if "scheduling" in group
    } == {
        "scheduling.k8s.io",
        group,
    }


def test_a_gang_scheduler_is_called_as_the_stack_has_it() -> None:
    platform = with_scheduler(GangScheduler(implementation="scheduler-plugins", scheduler="gangs"))

    assert "--gang-scheduling=gangs" in arguments(build(platform, gang_scheduler="scheduler-plugins"))
    assert "--gang-scheduling=gangs" in arguments(build(platform))
    assert not [flag for flag in arguments(build(platform, gang_scheduler="none")) if "gang" in flag]


def test_a_volcano_of_another_name_is_refused() -> None:
    platform = with_scheduler(GangScheduler(implementation="volcano", scheduler="lava"))
    config = MpiOperatorConfig(gang_scheduler="volcano")

    (problem,) = MpiOperator.problems(Setting(NAME, config, platform))
    assert "gangScheduler" in problem.text
    assert "lava" in problem.text
    assert "`volcano`" in problem.hint


def test_flags_say_what_differs_from_upstreams_defaults() -> None:
    assert arguments(build())[1:] == ["--lock-namespace=mpi-operator", "--monitoring-port=9090"]
    assert arguments(build(threads=8, watch_namespace="ml"))[3:] == ["--threadiness=8", "--namespace=ml"]


def test_people_write_jobs_and_read_their_status() -> None:
    made = build()
    rules = made.one("ClusterRole", "kubeflow-mpijobs-edit")["rules"]

    assert {"create", "deletecollection"} <= grants(rules, "kubeflow.org", "mpijobs")
    assert grants(rules, "kubeflow.org", "mpijobs/status") == {"get"}
    assert made.one("ClusterRole", "kubeflow-mpijobs-admin")["rules"] == rules


def test_it_is_probed_and_scraped() -> None:
    container = build().container("Deployment")
    monitored = build(Platform(apis=frozenset({"ServiceMonitor.monitoring.coreos.com"})))

    assert container["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": 8080}
    assert container["securityContext"]["runAsUser"] == 65532
    assert monitored.one("ServiceMonitor")["spec"]["endpoints"][0]["port"] == "metrics"
