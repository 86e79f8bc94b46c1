"""KubeRay: rights follow features, and the webhook's certificate is cert-manager's."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import GangScheduler
from platform_def.components.training.kuberay_operator.component import Gate, KuberayOperator, KuberayOperatorConfig
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.constructs import Setting
from tests.unit.built import Objects, built

NAME = "kuberay-operator"


def build(platform: Platform | None = None, **config: Any) -> Objects:
    return built(KuberayOperator, platform, **config)


def rights(made: Objects) -> set[tuple[str, str]]:
    rules = made.rules("ClusterRole", NAME)
    return {(group, resource) for rule in rules for group in rule["apiGroups"] for resource in rule["resources"]}


@pytest.mark.parametrize(
    ("gate", "right"),
    [
        ("RayClusterNetworkPolicy", ("networking.k8s.io", "networkpolicies")),
        ("GCSFaultToleranceEmbeddedStorage", ("", "persistentvolumeclaims")),
        ("RayClusterMTLS", ("cert-manager.io", "certificates")),
        ("RayServiceIncrementalUpgrade", ("gateway.networking.k8s.io", "httproutes")),
    ],
)
def test_a_feature_has_its_rights_while_it_is_on(gate: str, right: tuple[str, str]) -> None:
    assert right in rights(build(feature_gates={gate: True}))
    assert right not in rights(build(feature_gates={gate: False}))
    assert (right in rights(build())) == (gate == "RayServiceIncrementalUpgrade")


def test_flags_say_what_the_stack_says() -> None:
    made = build(
        gang_scheduler="yunikorn",
        feature_gates={"RayMultiHostIndexing": False, "RayCronJob": True},
        threads=4,
        watch_namespaces=["a", "b"],
    )

    assert made.arguments("Deployment", NAME) == [
        "--batch-scheduler=yunikorn",
        "--feature-gates=RayCronJob=true,RayMultiHostIndexing=false",
        "--reconcile-concurrency=4",
        "--watch-namespace=a,b",
    ]


def test_the_former_release_has_its_own_rights_gates_and_webhook() -> None:
    former = build(release="1.6.2")
    (secrets,) = (rule for rule in former.rules("ClusterRole", NAME) if "secrets" in rule["resources"])
    (hook,) = build(release="1.6.2", webhook=True).one("ValidatingWebhookConfiguration")["webhooks"]

    assert ("", "events") in rights(former) - rights(build())
    assert ("events.k8s.io", "events") in rights(build()) - rights(former)
    assert "delete" not in secrets["verbs"]
    assert ("gateway.networking.k8s.io", "gateways") not in rights(former)
    upgrading = build(release="1.6.2", feature_gates={"RayServiceIncrementalUpgrade": True})
    assert ("gateway.networking.k8s.io", "gateways") in rights(upgrading)
    assert hook["clientConfig"]["service"]["path"].endswith("-raycluster")


@pytest.mark.parametrize(("release", "gate"), [("1.6.2", "RayClusterMTLS"), ("1.7.0", "AsyncJobInfoQuery")])
def test_a_gate_that_the_release_does_not_have_is_refused(release: str, gate: Gate) -> None:
    with pytest.raises(ValidationError, match=f"release {release} has no gate {gate}"):
        KuberayOperatorConfig(release=release, feature_gates={gate: True})


def test_gangs_and_routes_have_their_rights_where_they_are() -> None:
    special = {"scheduling.volcano.sh", "route.openshift.io"}
    with_both = build(Platform(distribution="openshift"), gang_scheduler="volcano")

    assert special <= {group for group, _ in rights(with_both)}
    assert not special & {group for group, _ in rights(build())}


def test_the_webhook_is_turned_on_with_its_certificate() -> None:
    made = build(webhook=True)
    (container,) = made.one("Deployment")["spec"]["template"]["spec"]["containers"]

    assert {"name": "ENABLE_WEBHOOKS", "value": "true"} in container["env"]
    hooks = made.one("ValidatingWebhookConfiguration")["webhooks"]
    assert [hook["clientConfig"]["service"]["path"] for hook in hooks] == [
        "/validate-ray-io-v1-raycluster",
        "/validate-ray-io-v1-rayjob",
        "/validate-ray-io-v1-rayservice",
    ]
    assert made.names("Certificate")
    assert build().names("Certificate") == build().names("ValidatingWebhookConfiguration") == []


def test_a_cluster_domain_of_its_own_is_told() -> None:
    made = build(Platform(dns_domain="lab.internal")).one("Deployment")
    (container,) = made["spec"]["template"]["spec"]["containers"]

    assert container["env"] == [{"name": "CLUSTER_DOMAIN", "value": "lab.internal"}]


def flags(platform: Platform, **config: Any) -> list[str]:
    """Those that name a scheduler."""
    return [flag for flag in build(platform, **config).arguments("Deployment", NAME) if "batch-scheduler" in flag]


def with_gangs(implementation: Any, scheduler: str) -> Platform:
    """A platform with a gang scheduler."""
    given = GangScheduler(implementation=implementation, scheduler=scheduler)
    return Platform(provisions=(Provision.of(given, "gangs"),))


def test_pods_of_a_cluster_start_together_by_the_stacks_volcano() -> None:
    volcano = with_gangs("volcano", "volcano")

    assert flags(volcano) == ["--batch-scheduler=volcano"]
    assert flags(volcano, gang_scheduler="none") == []
    # The operator runs no RayJob with these, so nobody gets them unasked.
    assert flags(with_gangs("scheduler-plugins", "scheduler-plugins-scheduler")) == []
    assert flags(with_gangs("kai", "kai-scheduler"), gang_scheduler="kai-scheduler") == [
        "--batch-scheduler=kai-scheduler"
    ]


def test_a_scheduler_of_another_name_is_refused() -> None:
    config = KuberayOperatorConfig(gang_scheduler="scheduler-plugins")

    (problem,) = KuberayOperator.problems(Setting(NAME, config, with_gangs("scheduler-plugins", "gangs")))
    assert "scheduler-plugins-scheduler" in problem.text
    assert "gangs" in problem.text
