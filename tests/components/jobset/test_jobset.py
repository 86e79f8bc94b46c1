"""JobSet: who makes its certificates, what its webhooks look at, and what its configuration says."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from platform_def.capabilities import CertificateIssuer
from platform_def.components.training.jobset.component import Jobset
from tests.unit.built import Objects, built, grants, platform, setting

MANAGER, ROLE = "jobset-controller-manager", "jobset-manager-role"
WEBHOOKS = "admissionregistration.k8s.io"


def configuration(made: Objects) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(made.one("ConfigMap")["data"]["controller_manager_config.yaml"])
    return found


def test_it_makes_its_own_certificate_and_may_write_where_it_is_trusted() -> None:
    made = built(Jobset)

    assert configuration(made)["internalCertManagement"]["enable"] is True
    assert "update" in grants(made.rules("ClusterRole", ROLE), WEBHOOKS, "mutatingwebhookconfigurations")
    assert "update" in grants(made.rules("Role", "jobset-manager-secrets-role"), "", "secrets")
    drifts = {(each.kind, pointer) for each in made.build.drifts for pointer in each.pointers}
    assert drifts >= {
        ("Secret", "/data"),
        ("MutatingWebhookConfiguration", "/webhooks/1/clientConfig/caBundle"),
        ("ValidatingWebhookConfiguration", "/webhooks/1/clientConfig/caBundle"),
    }


def test_with_cert_manager_it_has_neither_the_work_nor_the_rights() -> None:
    made = built(Jobset, certificates="cert-manager")

    assert configuration(made)["internalCertManagement"] == {"enable": False}
    assert made.names("Secret") == []
    assert made.names("Role") == ["jobset-leader-election-role"]
    assert grants(made.rules("ClusterRole", ROLE), WEBHOOKS, "mutatingwebhookconfigurations") == set()
    assert [each.capability for each in Jobset.needs_of(setting(Jobset, {"certificates": "cert-manager"}))] == [
        CertificateIssuer
    ]


def test_the_certificates_are_for_the_names_that_are_called_and_mounted_where_it_reads() -> None:
    made = built(Jobset, certificates="cert-manager")
    serving = made.one("Certificate", "jobset-serving-cert")["spec"]
    mounts = {each["mountPath"] for each in made.container("Deployment")["volumeMounts"]}

    assert "jobset-webhook-service.jobset-system.svc" in serving["dnsNames"]
    assert serving["secretName"] == "jobset-webhook-server-cert"
    assert mounts >= {"/tmp/k8s-webhook-server/serving-certs", "/tmp/k8s-metrics-server/serving-certs"}
    note = made.one("MutatingWebhookConfiguration")["metadata"]["annotations"]
    assert note == {"cert-manager.io/inject-ca-from": "jobset-system/jobset-serving-cert"}


@pytest.mark.parametrize("kind", ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"])
def test_no_pod_waits_for_it_but_those_of_jobsets(kind: str) -> None:
    (pods,) = (each for each in built(Jobset).one(kind)["webhooks"] if each["rules"][0]["resources"] == ["pods"])

    assert pods["objectSelector"]["matchExpressions"][0]["key"] == "jobset.sigs.k8s.io/jobset-name"


def test_a_highly_available_stack_has_two_of_which_one_leads() -> None:
    made = built(Jobset, platform(availability="ha"))

    assert made.one("Deployment")["spec"]["replicas"] == 2
    assert configuration(made)["leaderElection"]["leaderElect"] is True
    leases = grants(made.rules("Role", "jobset-leader-election-role"), "coordination.k8s.io", "leases")
    assert leases == {"create", "get", "patch", "update"}


@pytest.mark.parametrize(
    ("knob", "gate"),
    [("inPlaceRestart", "InPlaceRestart"), ("restartJob", "RestartJob"), ("elastic", "ElasticJobSet")],
)
def test_what_is_still_alpha_is_asked_for(knob: str, gate: str) -> None:
    asked: dict[str, Any] = {knob: True}

    assert configuration(built(Jobset, **asked))["featureGates"] == {gate: True}
    assert "featureGates" not in configuration(built(Jobset))


def test_it_tells_of_jobs_by_the_newer_api_of_events() -> None:
    assert "create" in grants(built(Jobset).rules("ClusterRole", ROLE), "events.k8s.io", "events")


def test_a_change_of_its_file_restarts_it() -> None:
    template, other = (
        built(Jobset, inPlaceRestart=gate).one("Deployment")["spec"]["template"]["metadata"] for gate in (False, True)
    )

    assert template["annotations"] != other["annotations"]


def test_metrics_are_read_with_a_token() -> None:
    made = built(Jobset, platform(apis=frozenset({"ServiceMonitor.monitoring.coreos.com"})))
    (endpoint,) = made.one("ServiceMonitor")["spec"]["endpoints"]

    assert (endpoint["port"], endpoint["scheme"]) == ("https", "https")
    assert "bearerTokenFile" in endpoint
    assert grants(made.rules("ClusterRole", "jobset-proxy-role"), "authentication.k8s.io", "tokenreviews") == {"create"}


def test_only_the_webhook_is_open_to_everybody() -> None:
    (policy,) = built(Jobset, platform(network_policies=True)).of("NetworkPolicy")

    (everybody,) = (each for each in policy["spec"]["ingress"] if not each.get("from"))
    assert [each["port"] for each in everybody["ports"]] == [9443]
