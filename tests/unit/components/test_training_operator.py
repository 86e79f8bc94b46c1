"""The training operator: what its knobs add and take away."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.components.training.training_operator import TrainingOperator, TrainingOperatorConfig
from platform_def.config.platform import Platform
from platform_def.constructs.render import Build, render


def build(platform: Platform | None = None, **config: Any) -> Build:
    chosen = TrainingOperatorConfig(**config)
    return render(lambda scope: TrainingOperator(scope, config=chosen, platform=platform or Platform()))


def one(made: Build, kind: str, name: str = "training-operator") -> dict[str, Any]:
    found = [
        item.manifest
        for item in made.objects
        if item.manifest["kind"] == kind and item.manifest["metadata"]["name"] == name
    ]
    assert len(found) == 1, f"{len(found)} {kind}/{name}"
    return found[0]


def names(made: Build, kind: str) -> list[str]:
    return sorted(item.manifest["metadata"]["name"] for item in made.objects if item.manifest["kind"] == kind)


def arguments(made: Build) -> list[str]:
    found: list[str] = one(made, "Deployment")["spec"]["template"]["spec"]["containers"][0]["args"]
    return found


def test_a_second_replica_turns_leader_election_on_and_lets_it_work() -> None:
    made = build(replicas=2)

    assert "--leader-elect" in arguments(made)
    assert one(made, "Role", "training-operator-leader-election")["rules"][0]["resources"] == ["leases"]
    assert one(made, "PodDisruptionBudget")["spec"]["maxUnavailable"] == 1


def test_one_replica_needs_none_of_that() -> None:
    made = build()

    assert "--leader-elect" not in arguments(made)
    assert names(made, "Role") == []
    assert names(made, "PodDisruptionBudget") == []


def test_a_highly_available_stack_has_two_replicas_that_elect_a_leader() -> None:
    made = build(Platform(availability="ha"))

    assert one(made, "Deployment")["spec"]["replicas"] == 2
    assert "--leader-elect" in arguments(made)


def test_without_mpijob_its_crd_rights_and_scheme_are_gone() -> None:
    made = build(kinds=["PyTorchJob", "TFJob"])

    assert names(made, "CustomResourceDefinition") == ["pytorchjobs.kubeflow.org", "tfjobs.kubeflow.org"]
    assert [flag for flag in arguments(made) if "scheme" in flag] == [
        "--enable-scheme=pytorchjob",
        "--enable-scheme=tfjob",
    ]
    assert "mpijobs" not in str(one(made, "ClusterRole")["rules"])
    hooks = one(made, "ValidatingWebhookConfiguration", "validator.training-operator.kubeflow.org")["webhooks"]
    assert [hook["name"].split(".")[1] for hook in hooks] == ["pytorchjob", "tfjob"]


def test_a_kind_of_another_release_is_refused() -> None:
    with pytest.raises(ValidationError, match="does not serve MXJob"):
        TrainingOperatorConfig(kinds=["MXJob"])


def test_images_in_flags_come_through_the_mirror() -> None:
    flags = arguments(build(Platform(registry="registry.example.com/m")))

    assert "--pytorch-init-container-image=registry.example.com/m/docker.io/library/alpine:3.10" in flags


def test_release_1_7_has_neither_webhook_nor_certificate() -> None:
    made = build(release="1.7.0")

    assert names(made, "ValidatingWebhookConfiguration") == []
    assert names(made, "Secret") == []
    assert "mxjobs.kubeflow.org" in names(made, "CustomResourceDefinition")


def test_what_the_operator_fills_is_declared_as_not_drift() -> None:
    made = build()

    assert {(each.kind, each.pointers[0]) for each in made.mutations} == {
        ("Secret", "/data"),
        ("ValidatingWebhookConfiguration", "/webhooks/0/clientConfig/caBundle"),
    }


def test_the_aggregated_role_leaves_its_rules_to_the_controller_manager() -> None:
    assert "rules" not in one(build(), "ClusterRole", "kubeflow-training-admin")


def test_metrics_are_scraped_where_prometheus_is() -> None:
    made = build(Platform(apis=frozenset({"ServiceMonitor.monitoring.coreos.com"})))

    assert one(made, "ServiceMonitor")["spec"]["endpoints"][0]["port"] == "monitoring-port"
    assert names(build(), "ServiceMonitor") == []


def test_another_namespace_moves_everything() -> None:
    made = build(namespace="ml")

    homes = {item.manifest["metadata"].get("namespace") for item in made.objects} - {None}

    assert homes == {"ml"}
    hook = one(made, "ValidatingWebhookConfiguration", "validator.training-operator.kubeflow.org")["webhooks"][0]
    assert hook["clientConfig"]["service"]["namespace"] == "ml"


def test_helpers_of_kinds_that_are_not_served_are_not_named() -> None:
    config = TrainingOperatorConfig(kinds=["PyTorchJob"])

    assert TrainingOperator.runtime_images(config) == ("docker.io/library/alpine:3.10",)
    assert not [flag for flag in arguments(build(kinds=["PyTorchJob"])) if "mpi" in flag]


def test_the_helper_of_mpi_jobs_may_be_an_image_with_a_version() -> None:
    image = "registry.example.com/kubectl-delivery:1.0"

    assert f"--mpi-kubectl-delivery-image={image}" in arguments(build(mpi_delivery_image=image))
    assert image in TrainingOperator.runtime_images(TrainingOperatorConfig(mpi_delivery_image=image))
