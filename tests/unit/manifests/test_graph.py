"""Edges between the objects of a stack."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.graph import Graph
from platform_def.manifests.index import Index
from platform_def.manifests.links import Made
from platform_def.manifests.rendered import RenderedObject
from tests.unit.delivery.samples import body

NOT_VISION = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["vision"]}


def rendered(manifest: dict[str, Any], component: str = "app") -> RenderedObject:
    return RenderedObject(manifest, component, "main", "here")


def workload(namespace: str = "vision", **spec: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [], **spec}}
    return body("apps/v1", "Deployment", "web", namespace, spec={"template": template})


def webhook(**fields: Any) -> dict[str, Any]:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}
    hook = {"name": "hook.example.com", "rules": [rule], **fields}
    return body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hook", webhooks=[hook])


def reasons(item: dict[str, Any], *others: dict[str, Any], weak: bool = False) -> list[str]:
    asked = rendered(item)
    graph = Graph(Index([asked, *map(rendered, others)]))
    return [edge.why for edge in graph.edges(asked) if edge.weak == weak]


def test_an_object_needs_what_its_pods_mount() -> None:
    settings = body("v1", "ConfigMap", "settings", "vision")
    mounted = workload(volumes=[{"name": "v", "configMap": {"name": "settings"}}])

    assert reasons(mounted, settings) == [
        "names the ConfigMap settings in spec.template.spec.volumes[0].configMap.name"
    ]


def test_a_name_in_another_namespace_is_another_object() -> None:
    settings = body("v1", "ConfigMap", "settings", "speech")
    mounted = rendered(workload(volumes=[{"name": "v", "configMap": {"name": "settings"}}]))
    graph = Graph(Index([mounted, rendered(settings)]))

    assert list(graph.edges(mounted)) == []
    assert [name.name for name in graph.missing(mounted)] == ["settings"]


def test_a_secret_that_a_certificate_makes_leads_to_the_certificate() -> None:
    certificate = rendered(
        body("cert-manager.io/v1", "Certificate", "serving", "vision", spec={"secretName": "tls", "issuerRef": {}})
    )
    mounted = rendered(workload(volumes=[{"name": "v", "secret": {"secretName": "tls"}}]))
    graph = Graph(Index([mounted, certificate]))

    [edge] = graph.edges(mounted)

    assert edge.target is certificate
    assert list(graph.missing(mounted)) == []


def test_what_a_component_makes_at_run_time_is_not_missing() -> None:
    mounted = rendered(workload(runtimeClassName="nvidia"))
    made = (Made("node.k8s.io", "RuntimeClass", "", "nvidia"), mounted)

    assert list(Graph(Index([mounted]), [made]).missing(mounted)) == []


def test_kinds_of_the_cluster_are_found_whatever_the_namespace() -> None:
    urgent = body("scheduling.k8s.io/v1", "PriorityClass", "urgent")

    assert reasons(workload(priorityClassName="urgent"), urgent) == [
        "names the PriorityClass urgent in spec.template.spec.priorityClassName"
    ]


def test_people_are_no_objects() -> None:
    binding = rendered(
        body(
            "rbac.authorization.k8s.io/v1",
            "ClusterRoleBinding",
            "b",
            roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
            subjects=[{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "team"}],
        )
    )

    assert [name.kind for name in Graph(Index([binding])).missing(binding)] == ["ClusterRole"]


def test_an_object_that_is_judged_needs_its_controller() -> None:
    crd = body(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "certificates.cert-manager.io",
        spec={"group": "cert-manager.io", "names": {"kind": "Certificate", "plural": "certificates"}},
    )
    controller = rendered(body("apps/v1", "Deployment", "cert-manager", "cert-manager"), "cert-manager")
    certificate = rendered(body("cert-manager.io/v1", "Certificate", "web", "vision", spec={"issuerRef": {}}), "web")
    graph = Graph(Index([rendered(crd, "cert-manager"), controller, certificate]))

    assert [edge.target.name for edge in graph.edges(certificate)] == ["certificates.cert-manager.io", "cert-manager"]


def test_an_object_of_the_cluster_names_what_is_beside_its_controller() -> None:
    crd = body(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "clusterissuers.cert-manager.io",
        spec={"group": "cert-manager.io", "names": {"kind": "ClusterIssuer", "plural": "clusterissuers"}},
    )
    controller = rendered(body("apps/v1", "Deployment", "cert-manager", "cert-manager"), "cert-manager")
    issuer = rendered(body("cert-manager.io/v1", "ClusterIssuer", "ca", spec={"ca": {"secretName": "root"}}), "web")
    secret = rendered(body("v1", "Secret", "root", "cert-manager"))
    graph = Graph(Index([rendered(crd, "cert-manager"), controller, issuer, secret]))

    assert secret in [edge.target for edge in graph.edges(issuer)]


def test_a_workload_waits_for_the_webhook_that_admits_its_pods() -> None:
    assert reasons(workload(), webhook()) == ["must be admitted by the webhook hook.example.com"]


def test_a_webhook_that_may_be_away_is_not_waited_for() -> None:
    away = webhook(failurePolicy="Ignore")

    assert reasons(workload(), away) == []
    assert reasons(workload(), away, weak=True) == ["must be admitted by the webhook hook.example.com"]


@pytest.mark.parametrize(
    "fields",
    [
        {"objectSelector": {"matchLabels": {"app": "other"}}},
        {"namespaceSelector": {"matchLabels": {"team": "speech"}}},
        {"namespaceSelector": {"matchExpressions": [NOT_VISION]}},
        {"objectSelector": {"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}},
        {"rules": [{"apiGroups": [""], "resources": ["pods"], "operations": ["DELETE"]}]},
        {"rules": [{"apiGroups": ["batch"], "resources": ["jobs"], "operations": ["*"]}]},
        {"rules": "none"},
    ],
)
def test_selectors_and_rules_leave_objects_out(fields: dict[str, Any]) -> None:
    assert reasons(workload(), webhook(**fields)) == []


def test_labels_of_the_namespace_decide() -> None:
    home = body("v1", "Namespace", "vision")
    home["metadata"]["labels"] = {"team": "vision"}
    chosen = webhook(namespaceSelector={"matchExpressions": [{"key": "team", "operator": "In", "values": ["vision"]}]})

    assert "must be admitted by the webhook hook.example.com" in reasons(workload(), chosen, home)


def test_a_service_selects_the_pods_of_a_workload() -> None:
    service = body("v1", "Service", "web", "vision", spec={"selector": {"app": "web"}})

    assert reasons(service, workload(), weak=True) == ["selects the pods of Deployment vision/web"]
    assert reasons(service, workload("speech"), weak=True) == []


def test_a_service_without_selector_selects_nothing() -> None:
    assert reasons(body("v1", "Service", "web", "vision", spec={}), workload(), weak=True) == []


def test_a_disruption_budget_selects_by_expressions_too() -> None:
    selector = {"matchExpressions": [{"key": "app", "operator": "Exists"}]}
    budget = body("policy/v1", "PodDisruptionBudget", "web", "vision", spec={"selector": selector})

    assert reasons(budget, workload(), weak=True) == ["selects the pods of Deployment vision/web"]
