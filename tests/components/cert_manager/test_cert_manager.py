"""What cert-manager's component renders."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.components.gateways.cert_manager.component import CertManager, CertManagerConfig
from platform_def.config.platform import Platform
from platform_def.constructs import Setting
from tests.unit.built import Objects, built, grants

Manifest = dict[str, Any]


def build(platform: Platform | None = None, **knobs: Any) -> Objects:
    return built(CertManager, platform, **knobs)


def found(made: Objects, kind: str) -> list[Manifest]:
    return made.of(kind)


def one(made: Objects, kind: str, name: str) -> Manifest:
    return made.one(kind, name)


def container(made: Objects, name: str) -> Manifest:
    return made.container("Deployment", name)


def test_leases_are_in_its_own_namespace_by_flag_and_by_role() -> None:
    made = build()

    for name in ("cert-manager", "cert-manager-cainjector"):
        assert "--leader-election-namespace=$(POD_NAMESPACE)" in container(made, name)["args"]
    assert {role["metadata"]["namespace"] for role in found(made, "Role")} == {"cert-manager"}


def test_another_namespace_leaves_no_trace_of_upstreams() -> None:
    made = build(namespace="certificates")
    homes = {each["metadata"].get("namespace", "certificates") for each in made.all}
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

    flag = "--acme-http01-solver-image=registry.example.com/mirror/quay.io/jetstack/cert-manager-acmesolver:v1.21.2"
    assert flag in container(made, "cert-manager")["args"]


def test_the_solver_is_known_to_whoever_fills_the_mirror() -> None:
    at = Setting("cert-manager", CertManagerConfig())

    assert CertManager.runtime_images(at) == ("quay.io/jetstack/cert-manager-acmesolver:v1.21.2",)


def test_no_issuer_is_made_unless_it_is_named() -> None:
    assert not found(build(), "ClusterIssuer")


def test_the_self_signed_issuer_waits_for_the_programs() -> None:
    made = build(self_signed_issuer="kubeflow-self-signing-issuer")
    issuers = [item for item in made.build.objects if item.manifest["kind"] == "ClusterIssuer"]

    assert [(item.part, item.manifest["spec"]) for item in issuers] == [("after", {"selfSigned": {}})]


def test_crds_are_delivered_first_and_cover_both_groups() -> None:
    crds = [item for item in build().build.objects if item.part == "crds"]

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
    namespaces = CertManager.offered(Setting("cert-manager", CertManagerConfig())).namespaces
    assert [need.pod_security for need in namespaces] == ["restricted"]


def test_one_replica_and_no_budget_by_default() -> None:
    assert {item["spec"]["replicas"] for item in found(build(), "Deployment")} == {1}
    assert not found(build(), "PodDisruptionBudget")


def test_high_availability_adds_replicas_and_budgets() -> None:
    made = build(Platform(availability="ha"))
    replicas = {item["metadata"]["name"]: item["spec"]["replicas"] for item in found(made, "Deployment")}

    assert replicas == {"cert-manager": 2, "cert-manager-cainjector": 2, "cert-manager-webhook": 3}
    assert {item["metadata"]["name"] for item in found(made, "PodDisruptionBudget")} == set(replicas)


def test_injected_authorities_are_declared_as_written_by_the_cluster() -> None:
    declared = {(mutation.kind, mutation.pointers) for mutation in build().build.drifts}
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

    assert {"from": [{"namespaceSelector": {}}], "ports": [{"port": 9402, "protocol": "TCP"}]} in rules
    assert len(found(made, "ServiceMonitor")) == 3


def test_network_policies_can_be_left_out() -> None:
    assert not found(build(network_policies=False), "NetworkPolicy")


@pytest.mark.parametrize("kind", ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"])
def test_webhooks_are_called_through_the_service_of_the_webhook(kind: str) -> None:
    made = build()
    service = one(made, kind, "cert-manager-webhook")["webhooks"][0]["clientConfig"]["service"]
    ports = one(made, "Service", service["name"])["spec"]["ports"]

    assert service["port"] in [item["port"] for item in ports]


@pytest.mark.parametrize("release", [each.version for each in CertManagerConfig.releases])
def test_who_edits_a_namespace_cannot_use_the_credentials_of_a_cluster_issuer(release: str) -> None:
    """GHSA-8rvj-mm4h-c258: whoever makes a Challenge or an Order has it solved with the issuer's credentials."""
    rules = build(release=release).rules("ClusterRole", "cert-manager-edit")

    assert grants(rules, "acme.cert-manager.io", "challenges") == {"delete", "deletecollection", "patch", "update"}
    assert grants(rules, "acme.cert-manager.io", "orders") == {"delete", "deletecollection"}
    assert "create" in grants(rules, "cert-manager.io", "certificates")


def test_each_release_has_its_own_rights() -> None:
    newer, older = (build(release=each) for each in ("1.21.2", "1.19.6"))
    shim, orders = "cert-manager-controller-ingress-shim", "cert-manager-controller-orders"
    gateways = "gateway.networking.k8s.io"

    assert "cert-manager-tokenrequest" in older.names("Role")
    assert "cert-manager-tokenrequest" not in newer.names("Role")
    assert grants(newer.rules("ClusterRole", shim), gateways, "listenersets") == {"get", "list", "watch"}
    assert grants(older.rules("ClusterRole", shim), gateways, "listenersets") == set()
    assert grants(newer.rules("ClusterRole", orders), "cert-manager.io", "issuers/finalizers") == {"update"}
    assert grants(older.rules("ClusterRole", orders), "cert-manager.io", "issuers/finalizers") == set()


@pytest.mark.parametrize(("release", "name"), [("1.21.2", "http-metrics"), ("1.19.6", "tcp-prometheus-servicemonitor")])
def test_the_monitor_names_the_port_that_the_release_has(release: str, name: str) -> None:
    made = build(Platform(apis=frozenset({"ServiceMonitor.monitoring.coreos.com"})), release=release)

    assert made.one("Service", "cert-manager")["spec"]["ports"][0]["name"] == name
    assert made.one("ServiceMonitor", "cert-manager")["spec"]["endpoints"][0]["port"] == name


def test_an_older_release_serves_what_it_served() -> None:
    def spec(release: str) -> Manifest:
        crd = build(release=release).one("CustomResourceDefinition", "certificates.cert-manager.io")
        version: Manifest = crd["spec"]["versions"][0]
        return version

    newer, older = spec("1.21.2"), spec("1.19.6")
    fields = [each["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] for each in (newer, older)]
    assert ["renewal" in each for each in fields] == [True, False]
    assert ["selectableFields" in each for each in (newer, older)] == [True, False]


def test_an_upgrade_changes_what_differs_between_the_releases_and_no_other_object() -> None:
    older, newer = (built(CertManager, release=each).all for each in ("1.19.6", "1.21.2"))
    changed = sorted(f"{each['kind']} {each['metadata']['name']}" for each in newer if each not in older)

    assert [each for each in changed if not each.startswith("CustomResourceDefinition")] == [
        "ClusterRole cert-manager-controller-ingress-shim",
        "ClusterRole cert-manager-controller-orders",
        "Deployment cert-manager",
        "Deployment cert-manager-cainjector",
        "Deployment cert-manager-webhook",
        "Service cert-manager",
    ]
