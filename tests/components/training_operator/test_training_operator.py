"""The training operator: what its knobs add and take away."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import DashboardReader, GangScheduler, Metrics
from platform_def.components.training.training_operator.component import TrainingOperator, TrainingOperatorConfig
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.constructs import Setting
from platform_def.errors import ConfigError
from platform_def.yaml import load
from tests.unit.built import Objects, built, grants

NAME = "training-operator"
HOOKS = "validator.training-operator.kubeflow.org"
TWO = {NAME: {"replicas": 2}}


def build(platform: Platform | None = None, **config: Any) -> Objects:
    return built(TrainingOperator, platform, **config)


def arguments(made: Objects) -> list[str]:
    return made.arguments("Deployment", NAME)


def helpers(**config: Any) -> tuple[str, ...]:
    return TrainingOperator.runtime_images(Setting(NAME, TrainingOperatorConfig(**config)))


def test_a_second_replica_turns_leader_election_on_and_lets_it_work() -> None:
    made = build(workloads=TWO)

    assert "--leader-elect" in arguments(made)
    rules = made.rules("Role", "training-operator-leader-election")
    assert grants(rules, "coordination.k8s.io", "leases") == {"create", "get", "patch", "update"}
    assert made.one("PodDisruptionBudget")["spec"]["maxUnavailable"] == 1


def test_one_replica_needs_none_of_that() -> None:
    made = build()

    assert "--leader-elect" not in arguments(made)
    assert made.names("Role") == []
    assert made.names("PodDisruptionBudget") == []


def test_a_highly_available_stack_has_two_replicas_that_elect_a_leader() -> None:
    made = build(Platform(availability="ha"))

    assert made.one("Deployment")["spec"]["replicas"] == 2
    assert "--leader-elect" in arguments(made)


def test_without_mpijob_its_crd_rights_and_scheme_are_gone() -> None:
    made = build(kinds=["PyTorchJob", "TFJob"])

    assert made.names("CustomResourceDefinition") == ["pytorchjobs.kubeflow.org", "tfjobs.kubeflow.org"]
    assert [flag for flag in arguments(made) if "scheme" in flag] == [
        "--enable-scheme=pytorchjob",
        "--enable-scheme=tfjob",
    ]
    assert "mpijobs" not in str(made.rules("ClusterRole", NAME))
    hooks = made.one("ValidatingWebhookConfiguration", HOOKS)["webhooks"]
    assert [hook["name"].split(".")[1] for hook in hooks] == ["pytorchjob", "tfjob"]


def test_a_kind_of_another_release_is_refused() -> None:
    with pytest.raises(ValidationError, match="does not serve MXJob"):
        TrainingOperatorConfig(kinds=["MXJob"])


def test_images_in_flags_come_through_the_mirror() -> None:
    flags = arguments(build(Platform(registry="registry.example.com/m")))

    assert "--pytorch-init-container-image=registry.example.com/m/docker.io/library/alpine:3.10" in flags


def test_release_1_7_has_neither_webhook_nor_certificate_nor_the_rights_for_them() -> None:
    made = build(release="1.7.0")

    assert made.names("ValidatingWebhookConfiguration") == []
    assert made.names("Secret") == []
    assert "mxjobs.kubeflow.org" in made.names("CustomResourceDefinition")
    assert grants(made.rules("ClusterRole", NAME), "", "secrets") == set()
    assert grants(build().rules("ClusterRole", NAME), "", "secrets") == {"get", "list", "update", "watch"}


def test_only_a_release_that_is_known_to_bear_it_runs_restricted() -> None:
    newest, older = (build(release=each).container("Deployment")["securityContext"] for each in ("1.9.4", "1.7.0"))

    assert newest["runAsUser"] == 1000
    assert newest["capabilities"] == {"drop": ["ALL"]}
    assert older == {"allowPrivilegeEscalation": False}


def test_without_a_kind_to_validate_the_operator_still_gets_its_certificate() -> None:
    made = build(kinds=["MPIJob"])

    assert made.names("ValidatingWebhookConfiguration") == []
    assert made.names("Secret") == ["training-operator-webhook-cert"]


def test_what_the_operator_fills_is_declared_as_not_drift() -> None:
    assert {(each.kind, each.name, each.pointers[0]) for each in build().build.drifts} == {
        ("Secret", "training-operator-webhook-cert", "/data"),
        ("ValidatingWebhookConfiguration", HOOKS, "/webhooks/0/clientConfig/caBundle"),
    }


def test_people_see_which_queues_there_are_where_the_sdk_asks() -> None:
    roles = ("kubeflow-training-edit", "kubeflow-training-view")
    newest, older = (
        [grants(build(release=each).rules("ClusterRole", role), "kueue.x-k8s.io", "localqueues") for role in roles]
        for each in ("1.9.4", "1.7.0")
    )

    assert newest == [{"get", "list"}, {"get", "list"}]
    assert older == [set(), set()]


def test_metrics_are_scraped_where_prometheus_is() -> None:
    made = build(Platform(apis=frozenset({"ServiceMonitor.monitoring.coreos.com"})))

    assert made.one("ServiceMonitor")["spec"]["endpoints"][0]["port"] == "monitoring-port"
    assert build().names("ServiceMonitor") == []


def test_another_namespace_moves_everything() -> None:
    made = build(namespace="ml")

    assert {each["metadata"].get("namespace") for each in made.all} - {None} == {"ml"}
    hook = made.one("ValidatingWebhookConfiguration", HOOKS)["webhooks"][0]
    assert hook["clientConfig"]["service"]["namespace"] == "ml"


def test_helpers_of_kinds_that_are_not_served_are_not_named() -> None:
    assert helpers(kinds=["PyTorchJob"]) == ("docker.io/library/alpine:3.10",)
    assert not [flag for flag in arguments(build(kinds=["PyTorchJob"])) if "mpi" in flag]


def test_the_helper_of_mpi_jobs_may_be_an_image_with_a_version() -> None:
    image = "registry.example.com/kubectl-delivery:1.0"

    assert f"--mpi-kubectl-delivery-image={image}" in arguments(build(mpi_delivery_image=image))
    assert image in helpers(mpi_delivery_image=image)


def test_a_gang_scheduler_is_called_as_the_stack_has_it() -> None:
    given = GangScheduler(implementation="scheduler-plugins", scheduler="gangs")
    platform = Platform(provisions=(Provision.of(given, "external"),))

    assert "--gang-scheduler-name=gangs" in arguments(build(platform, gang_scheduler="scheduler-plugins"))
    alone = arguments(build(gang_scheduler="scheduler-plugins"))
    assert "--gang-scheduler-name=scheduler-plugins-scheduler" in alone
    assert "--gang-scheduler-name=gangs" in arguments(build(platform))


def test_without_a_gang_scheduler_or_against_its_wish_pods_start_one_by_one() -> None:
    given = GangScheduler(implementation="volcano", scheduler="volcano")
    platform = Platform(provisions=(Provision.of(given, "volcano"),))

    for objects in (build(), build(platform, gang_scheduler="none")):
        assert not [flag for flag in arguments(objects) if "gang" in flag]


def test_a_gang_scheduler_whose_pod_groups_it_does_not_know_is_not_its_own() -> None:
    given = GangScheduler(implementation="kai", scheduler="kai-scheduler")

    assert not [flag for flag in arguments(build(Platform(provisions=(Provision.of(given, "kai"),)))) if "gang" in flag]


def test_a_gang_scheduler_of_another_kind_than_the_stacks_is_refused() -> None:
    given = GangScheduler(implementation="volcano", scheduler="volcano")

    with pytest.raises(ConfigError, match="its implementation is volcano, not scheduler-plugins"):
        build(Platform(provisions=(Provision.of(given, "volcano"),)), gang_scheduler="scheduler-plugins")


def test_workers_of_pytorch_jobs_wait_for_their_master_without_end() -> None:
    template: Any = load(build().one("ConfigMap", f"{NAME}-init-container")["data"]["initContainer.yaml"])
    (container,) = template

    assert container["command"][-1].startswith("until nslookup {{.MasterAddr}};")
    assert container["securityContext"]["runAsNonRoot"]
    assert not build(kinds=["TFJob"]).names("ConfigMap")


def test_the_job_metrics_have_alerts_and_a_dashboard() -> None:
    readers = (Provision.of(Metrics(), "elsewhere"), Provision.of(DashboardReader(), "elsewhere"))
    made = build(Platform(provisions=readers))
    (group,) = made.one("PrometheusRule", NAME)["spec"]["groups"]

    assert {"TrainingOperatorMetricsMissing", "TrainingJobsFail"} <= {each["alert"] for each in group["rules"]}
    assert "training-operator-dashboard-training-jobs" in made.names("ConfigMap")
    assert not build().names("PrometheusRule")
