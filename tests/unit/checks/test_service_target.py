"""Services and what they lead to."""

from __future__ import annotations

from typing import Any

from platform_def.checks.rules.references.service_target import SERVICE_TARGET
from platform_def.manifests.rendered import Manifest
from tests.unit.checks.samples import deployment, found, rendered

WEB = deployment(ports=[{"name": "http", "containerPort": 80}])


def service(target: object = "http", **spec: Any) -> Manifest:
    spec = {"selector": {"app": "web"}, "ports": [{"name": "web", "port": 80, "targetPort": target}], **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"}, "spec": spec}


def ingress(port: Manifest) -> Manifest:
    backend = {"service": {"name": "web", "port": port}}
    metadata = {"name": "it", "namespace": "default"}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": metadata,
        "spec": {"defaultBackend": backend},
    }


def webhook(**of: Any) -> Manifest:
    hook = {"name": "a.b.c", "clientConfig": {"service": {"name": "web", "namespace": "default", **of}}}
    kind = "ValidatingWebhookConfiguration"
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": "it"},
        "webhooks": [hook],
    }


def test_a_service_that_selects_pods_and_names_their_port_is_fine() -> None:
    assert found(SERVICE_TARGET, rendered(WEB, service(), service(80), service(selector=None))) == []


def test_a_selector_that_no_pod_has_is_a_warning() -> None:
    [finding] = found(SERVICE_TARGET, rendered(WEB, service(selector={"app": "wbe"})))

    assert (finding.path, finding.severity) == ("spec.selector", "warning")


def test_a_label_of_somebody_s_own_may_come_at_run_time() -> None:
    leader = service(selector={"app": "web", "example.com/role": "leader"})

    assert found(SERVICE_TARGET, rendered(WEB, leader)) == []


def test_pods_that_answer_challenges_are_cert_manager_s() -> None:
    assert found(SERVICE_TARGET, rendered(WEB, service(selector={"acme.cert-manager.io/http01-solver": "true"}))) == []


def test_a_port_that_no_container_names_is_an_error_with_the_nearest() -> None:
    [finding] = found(SERVICE_TARGET, rendered(WEB, service("htp")))

    assert (finding.path, finding.severity) == ("spec.ports[0].targetPort", "error")
    assert finding.hint == "did you mean 'http'?"


def test_a_route_asks_for_a_port_that_the_service_has() -> None:
    assert found(SERVICE_TARGET, rendered(WEB, service(), ingress({"number": 80}))) == []
    assert found(SERVICE_TARGET, rendered(WEB, service(), ingress({"name": "web"}))) == []

    [finding] = found(SERVICE_TARGET, rendered(WEB, service(), ingress({"number": 8080})))

    assert finding.path == "spec.defaultBackend.service.port.number"
    assert finding.hint == "it has web, 80"


def test_a_webhook_asks_for_443_unless_it_says_another_port() -> None:
    assert found(SERVICE_TARGET, rendered(WEB, service(), webhook(port=80))) == []

    [finding] = found(SERVICE_TARGET, rendered(WEB, service(), webhook()))

    assert finding.text == "the Service web has no port 443"
