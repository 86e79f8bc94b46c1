"""KEDA: each program with its own rights, one certificate for all, and what is left out where it is not asked for."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.components.queues.keda.component import Keda
from platform_def.components.queues.keda.config import KedaConfig
from tests.unit.built import Objects, built, grants, platform, setting, stack_of


def rules(objects: Objects, role: str = "keda-operator") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = objects.one("ClusterRole", role)["rules"]
    return found


def test_nothing_may_read_or_scale_everything() -> None:
    objects = built(Keda)
    everything = [rule for role in objects.of("ClusterRole") for rule in role["rules"] if "*" in rule["apiGroups"]]

    assert everything == []
    assert grants(rules(objects), "apps", "deployments/scale") >= {"get", "patch", "update"}
    assert grants(rules(objects), "ray.io", "rayservices/scale") == set()


def test_what_a_stack_scales_may_be_scaled() -> None:
    granted = rules(built(Keda, scales=["rayservices.ray.io"]))

    assert "update" in grants(granted, "ray.io", "rayservices/scale")
    assert grants(granted, "apps", "deployments/scale") == set()


@pytest.mark.parametrize("wrong", ["Deployment", "deployments", "*", "deployments.apps/v1"])
def test_what_is_scaled_is_a_plural_with_its_group(wrong: str) -> None:
    with pytest.raises(ValidationError):
        KedaConfig.model_validate({"scales": [wrong]})


def test_webhooks_and_the_server_of_measures_read_no_secret() -> None:
    objects = built(Keda)

    assert grants(rules(objects), "", "secrets") == {"get", "list", "watch"}
    assert grants(rules(objects, "keda-admission"), "", "secrets") == set()
    assert objects.pod("Deployment", "keda-metrics-apiserver")["serviceAccountName"] == "keda-metrics-apiserver"


def test_without_a_right_on_others_secrets_the_operator_is_told_so() -> None:
    objects = built(Keda, secrets="own")
    (own,) = (role for role in objects.of("Role") if role["metadata"]["name"] == "keda-operator")

    assert grants(rules(objects), "", "secrets") == set()
    assert grants(own["rules"], "", "secrets") >= {"get", "list", "watch"}
    assert {"name": "KEDA_RESTRICT_SECRET_ACCESS", "value": "true"} in objects.container("Deployment", "keda-operator")[
        "env"
    ]


def test_keda_makes_the_certificate_that_all_mount() -> None:
    objects = built(Keda)
    volumes = {
        each["metadata"]["name"]: each["spec"]["template"]["spec"]["volumes"][0]["secret"]
        for each in objects.of("Deployment")
    }

    assert {each["secretName"] for each in volumes.values()} == {"kedaorg-certs"}
    assert [name for name, each in volumes.items() if each.get("optional")] == ["keda-operator"]
    assert [(each.kind, each.name) for each in objects.build.makes] == [("Secret", "kedaorg-certs")]
    assert "--enable-cert-rotation=true" in objects.arguments("Deployment", "keda-operator")


def test_cert_manager_makes_it_where_the_stack_says_so() -> None:
    objects = built(Keda, stack_of({"cert-manager": {}}), certificates="cert-manager")
    certificate = objects.one("Certificate")["spec"]
    asked = {name.partition(".")[0] for name in certificate["dnsNames"]}

    assert certificate["secretName"] == "kedaorg-certs"
    assert asked == {"keda-operator", "keda-metrics-apiserver", "keda-admission-webhooks"}
    assert "--enable-cert-rotation=false" in objects.arguments("Deployment", "keda-operator")
    assert objects.build.makes == ()
    assert grants(rules(objects), "admissionregistration.k8s.io", "validatingwebhookconfigurations") == set()
    for kind in ("APIService", "ValidatingWebhookConfiguration"):
        assert objects.one(kind)["metadata"]["annotations"] == {"cert-manager.io/inject-ca-from": "keda/keda-serving"}
    (needed,) = Keda.needs_of(setting(Keda, {"certificates": "cert-manager"}))
    assert needed.kind == "certificateIssuer"


def test_the_api_of_measures_can_be_somebody_else_s() -> None:
    objects = built(Keda, externalMetrics=False)

    assert objects.of("APIService") == []
    assert objects.names("Deployment") == ["keda-admission", "keda-operator"]
    assert "--enable-apiservice-patching=false" in objects.arguments("Deployment", "keda-operator")
    assert grants(rules(objects), "apiregistration.k8s.io", "apiservices") == set()


def test_measures_are_asked_under_the_cluster_s_domain() -> None:
    flags = built(Keda, platform(dns_domain="lab.internal"), namespace="scaling")

    address = "--metrics-service-address=keda-operator.scaling.svc.lab.internal:9666"
    assert address in flags.arguments("Deployment", "keda-metrics-apiserver")
    assert "--k8s-cluster-domain=lab.internal" in flags.arguments("Deployment", "keda-operator")


def test_webhooks_see_its_own_kinds_alone_and_hold_nothing_up() -> None:
    hooks = built(Keda).one("ValidatingWebhookConfiguration")["webhooks"]

    assert {group for hook in hooks for rule in hook["rules"] for group in rule["apiGroups"]} == {
        "eventing.keda.sh",
        "keda.sh",
    }
    assert {hook["failurePolicy"] for hook in hooks} == {"Ignore"}
    assert hooks[1]["clientConfig"]["service"]["path"] == "/validate-keda-sh-v1alpha1-scaledjob"


def test_only_the_server_of_measures_asks_the_operator_where_policies_are() -> None:
    policy = built(Keda, platform(network_policies=True)).one("NetworkPolicy", "keda-operator")["spec"]
    (opening,) = (each for each in policy["ingress"] if each["ports"][0]["port"] == 9666)

    assert opening["from"][0]["podSelector"]["matchLabels"]["app.kubernetes.io/name"] == "keda-metrics-apiserver"
