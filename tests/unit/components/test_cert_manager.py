"""What cert-manager's component renders."""

from __future__ import annotations

import pytest

from platform_def.components.gateways.cert_manager import CertManager, CertManagerConfig
from platform_def.config.platform import Platform
from platform_def.constructs.render import Build, render
from platform_def.constructs.resource import Manifest


def build(platform: Platform | None = None, **knobs: object) -> Build:
    config = CertManagerConfig(**knobs)  # type: ignore[arg-type]
    return render(lambda scope: CertManager(scope, config=config, platform=platform))


def found(made: Build, kind: str, name: str = "") -> list[Manifest]:
    bodies = (item.manifest for item in made.objects)
    return [body for body in bodies if body["kind"] == kind and name in ("", body["metadata"]["name"])]


def one(made: Build, kind: str, name: str) -> Manifest:
    (body,) = found(made, kind, name)
    return body


def container(made: Build, name: str) -> Manifest:
    spec: Manifest = one(made, "Deployment", name)["spec"]["template"]["spec"]["containers"][0]
    return spec


def test_leases_are_in_its_own_namespace_by_flag_and_by_role() -> None:
    made = build()

    for name in ("cert-manager", "cert-manager-cainjector"):
        assert "--leader-election-namespace=$(POD_NAMESPACE)" in container(made, name)["args"]
    assert {role["metadata"]["namespace"] for role in found(made, "Role")} == {"cert-manager"}


def test_another_namespace_leaves_no_trace_of_upstreams() -> None:
    made = build(namespace="certificates")
    homes = {item.manifest["metadata"].get("namespace", "certificates") for item in made.objects}
    bindings = found(made, "RoleBinding") + found(made, "ClusterRoleBinding")
    subjects = {subject["namespace"] for binding in bindings for subject in binding["subjects"]}

    assert homes == subjects == {"certificates"}
    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        (body,) = found(made, kind)
        assert body["webhooks"][0]["clientConfig"]["service"]["namespace"] == "certificates"
        note = body["metadata"]["annotations"]["cert-manager.io/inject-ca-from-secret"]
        assert note == "certificates/cert-manager-webhook-ca"


def test_the_solver_that_the_controller_starts_comes_from_the_mirror() -> None:
    made = build(Platform(registry="registry.example.com/mirror"))

    flag = "--acme-http01-solver-image=registry.example.com/mirror/quay.io/jetstack/cert-manager-acmesolver:v1.19.4"
    assert flag in container(made, "cert-manager")["args"]


def test_the_solver_is_known_to_whoever_fills_the_mirror() -> None:
    assert CertManager.runtime_images(CertManagerConfig()) == ("quay.io/jetstack/cert-manager-acmesolver:v1.19.4",)


def test_no_issuer_is_made_unless_it_is_named() -> None:
    assert not found(build(), "ClusterIssuer")


def test_the_self_signed_issuer_waits_for_the_programs() -> None:
    made = build(self_signed_issuer="kubeflow-self-signing-issuer")
    issuers = [item for item in made.objects if item.manifest["kind"] == "ClusterIssuer"]

    assert [(item.part, item.manifest["spec"]) for item in issuers] == [("after", {"selfSigned": {}})]


def test_crds_are_delivered_first_and_cover_both_groups() -> None:
    crds = [item for item in build().objects if item.part == "crds"]

    assert {item.manifest["spec"]["group"] for item in crds} == {"cert-manager.io", "acme.cert-manager.io"}
    assert len(crds) == 6


def test_every_container_keeps_to_the_restricted_level() -> None:
    made = build()

    for deployment in found(made, "Deployment"):
        for item in deployment["spec"]["template"]["spec"]["containers"]:
            context = item["securityContext"]
            assert context["runAsNonRoot"] is True
            assert context["allowPrivilegeEscalation"] is False
            assert context["capabilities"] == {"drop": ["ALL"]}
            assert context["seccompProfile"] == {"type": "RuntimeDefault"}
    assert [need.pod_security for need in CertManager.offers(CertManagerConfig()).namespaces] == ["restricted"]


def test_one_replica_and_no_budget_by_default() -> None:
    assert {item["spec"]["replicas"] for item in found(build(), "Deployment")} == {1}
    assert not found(build(), "PodDisruptionBudget")


def test_high_availability_adds_replicas_and_budgets() -> None:
    made = build(Platform(availability="ha"))
    replicas = {item["metadata"]["name"]: item["spec"]["replicas"] for item in found(made, "Deployment")}

    assert replicas == {"cert-manager": 2, "cert-manager-cainjector": 2, "cert-manager-webhook": 3}
    assert {item["metadata"]["name"] for item in found(made, "PodDisruptionBudget")} == set(replicas)


def test_injected_authorities_are_declared_as_written_by_the_cluster() -> None:
    declared = {(mutation.kind, mutation.pointers) for mutation in build().mutations}
    pointers = ("/webhooks/0/clientConfig/caBundle",)

    assert declared == {("MutatingWebhookConfiguration", pointers), ("ValidatingWebhookConfiguration", pointers)}


def test_from_outside_the_namespace_only_the_webhook_is_reached() -> None:
    made = build()
    inside = one(made, "NetworkPolicy", "default-allow-same-namespace-cert-manager")
    webhook = one(made, "NetworkPolicy", "cert-manager-webhook")
    labels = one(made, "Deployment", "cert-manager-webhook")["spec"]["template"]["metadata"]["labels"]

    assert inside["spec"]["ingress"] == [{"from": [{"podSelector": {}}]}]
    assert inside["spec"]["podSelector"] == {"matchLabels": {"app.kubernetes.io/instance": "cert-manager"}}
    assert webhook["spec"]["ingress"] == [{"ports": [{"port": 10250, "protocol": "TCP"}]}]
    assert webhook["spec"]["podSelector"]["matchLabels"].items() <= labels.items()


def test_prometheus_is_let_in_where_the_stack_has_it() -> None:
    made = build(Platform(apis=frozenset({"ServiceMonitor.monitoring.coreos.com"})))
    rules = one(made, "NetworkPolicy", "default-allow-same-namespace-cert-manager")["spec"]["ingress"]

    assert {"ports": [{"port": 9402, "protocol": "TCP"}]} in rules
    assert len(found(made, "ServiceMonitor")) == 3


def test_network_policies_can_be_left_out() -> None:
    assert not found(build(network_policies=False), "NetworkPolicy")


@pytest.mark.parametrize("kind", ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"])
def test_webhooks_are_called_through_the_service_of_the_webhook(kind: str) -> None:
    made = build()
    service = one(made, kind, "cert-manager-webhook")["webhooks"][0]["clientConfig"]["service"]
    ports = one(made, "Service", service["name"])["spec"]["ports"]

    assert service["port"] in [item["port"] for item in ports]
