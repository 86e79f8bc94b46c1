"""Edges between the objects of a stack."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.objects import Made
from platform_def.config.platform import Platform
from platform_def.manifests.graph import ASKED, PREPARED, Graph
from platform_def.manifests.index import ObjectIndex
from platform_def.manifests.rendered import RenderedComponent, RenderedObject, RenderedStack
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
    graph = Graph(ObjectIndex([asked, *map(rendered, others)]))
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
    graph = Graph(ObjectIndex([mounted, rendered(settings)]))

    assert list(graph.edges(mounted)) == []
    assert [name.name for name in graph.missing(mounted)] == ["settings"]


def test_a_secret_that_a_certificate_makes_leads_to_the_certificate() -> None:
    certificate = rendered(
        body("cert-manager.io/v1", "Certificate", "serving", "vision", spec={"secretName": "tls", "issuerRef": {}})
    )
    mounted = rendered(workload(volumes=[{"name": "v", "secret": {"secretName": "tls"}}]))
    graph = Graph(ObjectIndex([mounted, certificate]))

    [edge] = graph.edges(mounted)

    assert edge.target is certificate
    assert list(graph.missing(mounted)) == []


def test_what_a_component_makes_at_run_time_is_not_missing() -> None:
    mounted = rendered(workload(runtimeClassName="nvidia"))
    made = (Made("node.k8s.io", "RuntimeClass", "", "nvidia"), mounted)

    assert list(Graph(ObjectIndex([mounted]), [made]).missing(mounted)) == []


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

    assert [name.kind for name in Graph(ObjectIndex([binding])).missing(binding)] == ["ClusterRole"]


def test_an_object_that_is_judged_needs_its_controller() -> None:
    crd = body(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "certificates.cert-manager.io",
        spec={"group": "cert-manager.io", "names": {"kind": "Certificate", "plural": "certificates"}},
    )
    controller = rendered(body("apps/v1", "Deployment", "cert-manager", "cert-manager"), "cert-manager")
    certificate = rendered(body("cert-manager.io/v1", "Certificate", "web", "vision", spec={"issuerRef": {}}), "web")
    graph = Graph(ObjectIndex([rendered(crd, "cert-manager"), controller, certificate]))

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
    graph = Graph(ObjectIndex([rendered(crd, "cert-manager"), controller, issuer, secret]))

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


def edge_to(target: dict[str, Any], source: dict[str, Any], *others: dict[str, Any]) -> Any:
    """The one edge from an object to another."""
    first, second = rendered(source), rendered(target)
    graph = Graph(ObjectIndex([first, second, *map(rendered, others)]))
    [edge] = [each for each in graph.edges(first) if each.target is second]
    return edge


def settings(**more: Any) -> dict[str, Any]:
    return workload(volumes=[{"name": "v", "configMap": {"name": "settings", **more}}])


SETTINGS = body("v1", "ConfigMap", "settings", "vision")


def test_an_edge_names_the_field_and_ends_a_sentence_about_its_source() -> None:
    edge = edge_to(SETTINGS, settings())

    assert edge.path == "spec.template.spec.volumes[0].configMap.name"
    assert str(edge) == f"Deployment vision/web names the ConfigMap settings in {edge.path}"
    assert (edge.weak, edge.gives_way) == (False, False)


def test_what_is_optional_or_works_for_a_while_without_is_a_weak_edge() -> None:
    scaler = body(
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        "web",
        "vision",
        spec={"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
    )

    assert edge_to(SETTINGS, settings(optional=True)).weak
    assert edge_to(workload(), scaler).weak


def test_a_service_needs_its_pods_weakly_and_a_webhook_gives_way() -> None:
    service = body("v1", "Service", "web", "vision", spec={"selector": {"app": "web"}})
    asked, away = edge_to(webhook(), workload()), edge_to(webhook(failurePolicy="Ignore"), workload())

    selected = edge_to(workload(), service)

    assert (selected.weak, selected.gives_way, selected.path) == (True, False, "spec.selector")
    assert (asked.weak, asked.gives_way) == (False, True)
    assert (away.weak, away.gives_way) == (True, True)


def test_a_namespace_of_the_stack_is_needed_and_one_of_the_cluster_not() -> None:
    assert reasons(SETTINGS, body("v1", "Namespace", "vision")) == ["lives in the namespace vision"]
    assert reasons(SETTINGS, body("v1", "Namespace", "speech")) == []


PROFILE = body("kubeflow.org/v1", "Profile", "vision", spec={"owner": {"kind": "User", "name": "ada@example.com"}})
HOME = body("v1", "Namespace", "vision")


def test_contents_of_a_namespace_need_the_profile_that_takes_it_over_and_give_way_to_webhooks() -> None:
    edge = edge_to(PROFILE, SETTINGS, HOME)

    assert str(edge) == "ConfigMap vision/settings lives in the namespace vision, which Profile vision takes over"
    assert (edge.weak, edge.gives_way) == (False, PREPARED)
    assert PREPARED > ASKED
    assert reasons(body("v1", "ConfigMap", "settings", "speech"), PROFILE, HOME) == []
    assert reasons(HOME, PROFILE) == reasons(PROFILE, HOME) == []


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("v1", "ResourceQuota"),
        ("v1", "LimitRange"),
        ("v1", "ServiceAccount"),
        ("networking.k8s.io/v1", "NetworkPolicy"),
        ("rbac.authorization.k8s.io/v1", "Role"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding"),
        ("security.istio.io/v1", "AuthorizationPolicy"),
        ("security.istio.io/v1beta1", "PeerAuthentication"),
        ("security.istio.io/v1", "RequestAuthentication"),
    ],
)
def test_what_limits_a_namespace_needs_the_profile_only_where_that_makes_it(version: str, kind: str) -> None:
    limits = body(version, kind, "limits", "vision")

    assert reasons(limits, PROFILE, HOME) == ["lives in the namespace vision"]
    assert reasons(limits, PROFILE) == ["lives in the namespace vision, which Profile vision makes"]


def test_an_object_does_not_need_itself() -> None:
    account = body("v1", "Secret", "key", "vision")
    account["metadata"]["annotations"] = {"cert-manager.io/inject-ca-from-secret": "vision/key"}

    assert reasons(account) == reasons(account, weak=True) == []


def test_a_field_that_asks_for_several_keys_is_one_edge() -> None:
    items = [{"key": key, "path": key} for key in "ab"]

    assert len(reasons(settings(items=items), SETTINGS)) == 1


def test_who_needs_an_object_is_known_from_the_other_side() -> None:
    first, second = rendered(settings()), rendered(SETTINGS)
    graph = Graph(ObjectIndex([first, second]))

    assert [edge.source for edge in graph.needed_by(second)] == [first]
    assert list(graph.needed_by(first)) == []


def test_a_whole_stack_has_one_graph_with_what_its_components_make() -> None:
    user = RenderedObject(workload(runtimeClassName="nvidia"), "user", "main", "here")
    maker = RenderedObject(body("apps/v1", "DaemonSet", "driver", "gpu"), "maker", "main", "here")
    components = {
        "user": RenderedComponent("user", (user,)),
        "maker": RenderedComponent("maker", (maker,), makes=(Made("node.k8s.io", "RuntimeClass", "", "nvidia"),)),
    }

    graph = Graph.of(RenderedStack("a", Platform(), components))

    assert [edge.target for edge in graph.edges(user)] == [maker]
    assert list(graph.missing(user)) == []


def test_what_an_objects_own_type_makes_comes_before_what_components_say() -> None:
    certificate = rendered(
        body("cert-manager.io/v1", "Certificate", "web", "vision", spec={"secretName": "tls", "issuerRef": {}})
    )
    other = rendered(body("apps/v1", "Deployment", "other", "vision"))
    graph = Graph(ObjectIndex([certificate, other]), [(Made("", "Secret", "vision", "tls"), other)])

    assert graph.made["", "Secret", "vision", "tls"] is certificate


def test_a_rendered_object_comes_before_one_that_is_made() -> None:
    secret = rendered(body("v1", "Secret", "tls", "vision"))
    mounted = rendered(workload(volumes=[{"name": "v", "secret": {"secretName": "tls"}}]))
    graph = Graph(ObjectIndex([mounted, secret]), [(Made("", "Secret", "vision", "tls"), mounted)])

    assert [edge.target for edge in graph.edges(mounted)] == [secret]


CRD = body(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "things.example.com",
    spec={
        "group": "example.com",
        "names": {"kind": "Thing", "plural": "things"},
        "scope": "Cluster",
        "versions": [{"name": "v1", "served": True}],
    },
)


def test_scope_is_told_by_the_stacks_own_crds_then_by_the_catalogue_and_else_taken_for_namespaced() -> None:
    graph = Graph(ObjectIndex([rendered(CRD)]))

    assert graph.is_namespaced("example.com", "Thing") is False
    assert graph.is_namespaced("", "Namespace") is False
    assert graph.is_namespaced("", "Secret") is True
    assert graph.is_namespaced("cert-manager.io", "ClusterIssuer") is False
    assert graph.is_namespaced("nowhere.example.com", "Thing") is True


def test_only_what_an_engine_judges_waits_for_its_controller() -> None:
    controller = rendered(body("apps/v1", "Deployment", "things", "things"), "things")
    thing = rendered(body("example.com/v1", "Thing", "a"), "app")
    graph = Graph(ObjectIndex([rendered(CRD, "things"), controller, thing]))

    assert [edge.target.kind for edge in graph.edges(thing)] == ["CustomResourceDefinition"]


def issuer(component: str = "web") -> RenderedObject:
    return rendered(body("cert-manager.io/v1", "Certificate", "ca", "vision", spec={"issuerRef": {}}), component)


def certificates(*workloads: RenderedObject) -> list[RenderedObject]:
    spec = {"group": "cert-manager.io", "names": {"kind": "Certificate", "plural": "certificates"}}
    crd = body("apiextensions.k8s.io/v1", "CustomResourceDefinition", "certificates.cert-manager.io", spec=spec)
    return [rendered(crd, "cert-manager"), *workloads]


def test_the_controller_is_the_first_workload_of_the_component_that_brings_the_kind_and_no_job() -> None:
    job = RenderedObject(body("apps/v1", "Deployment", "job", "x"), "cert-manager", "main", "here", job="faces")
    first, second = (rendered(body("apps/v1", "Deployment", name, "x"), "cert-manager") for name in ("one", "two"))
    mine, own = issuer(), issuer("cert-manager")

    graph = Graph(ObjectIndex([*certificates(job, first, second), mine, own]))

    assert [edge.why for edge in graph.edges(mine)] == [
        "is served by the CRD certificates.cert-manager.io",
        "is made ready by Deployment x/one",
    ]
    assert len(list(graph.edges(own))) == 1


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ({"matchLabels": {"app": "web"}}, True),
        ({"matchLabels": {"app": "web", "tier": "x"}}, False),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}, True),
        ({"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, False),
        ({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["web"]}]}, True),
        ({"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}, True),
        ({"matchExpressions": [{"key": "tier", "operator": "Exists"}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "Like", "values": ["web"]}]}, False),
        ({}, False),
    ],
)
def test_a_budget_selects_as_label_selectors_do_but_an_empty_one_names_nobody(selector: Any, selected: bool) -> None:
    budget = body("policy/v1", "PodDisruptionBudget", "web", "vision", spec={"selector": selector})

    assert bool(reasons(budget, workload(), weak=True)) is selected


def test_only_services_and_budgets_of_kubernetes_select_pods_and_only_workloads_have_them() -> None:
    spec = {"selector": {"app": "web"}}
    job = workload() | {"apiVersion": "batch/v1", "kind": "Job"}

    assert reasons(body("serving.knative.dev/v1", "Service", "web", "vision", spec=spec), workload(), weak=True) == []
    assert reasons(body("v1", "ReplicationController", "web", "vision", spec=spec), workload(), weak=True) == []
    assert reasons(body("v1", "Service", "web", "vision", spec=spec), job, weak=True) == []


def asked(item: dict[str, Any], **fields: Any) -> bool:
    return bool(reasons(item, webhook(**fields)))


def rule(**fields: Any) -> dict[str, Any]:
    return {"rules": [{"apiGroups": [""], "resources": ["configmaps"], "operations": ["CREATE"], **fields}]}


@pytest.mark.parametrize(
    ("fields", "covered"),
    [
        (rule(), True),
        (rule(operations=["*"]), True),
        (rule(operations=["UPDATE"]), False),
        (rule(resources=["*"]), True),
        (rule(resources=["*/*"]), True),
        (rule(resources=["configmaps/status"]), False),
        (rule(apiGroups=["*"]), True),
        (rule(apiGroups=["apps"]), False),
        (rule(scope="Namespaced"), True),
        (rule(scope="*"), True),
        (rule(scope="Cluster"), False),
        ({"rules": [5]}, False),
        ({"rules": [rule(apiGroups=["apps"])["rules"][0], rule()["rules"][0]]}, True),
    ],
)
def test_a_webhook_is_asked_about_what_one_of_its_rules_covers(fields: dict[str, Any], covered: bool) -> None:
    assert asked(SETTINGS, **fields) is covered


@pytest.mark.parametrize(("scope", "covered"), [("Cluster", True), ("Namespaced", False), ("*", True)])
def test_an_object_of_the_cluster_is_covered_by_rules_of_that_scope(scope: str, covered: bool) -> None:
    namespace = body("v1", "Namespace", "vision")
    selector = {"matchLabels": {"any": "thing"}}

    assert asked(namespace, **rule(resources=["namespaces"], scope=scope), namespaceSelector=selector) is covered


def test_custom_kinds_are_asked_about_by_the_plural_of_their_crd() -> None:
    fields = {"rules": [{"apiGroups": ["example.com"], "resources": ["things"], "operations": ["CREATE"]}]}
    thing = body("example.com/v1", "Thing", "a")

    why = "must be admitted by the webhook hook.example.com"
    assert why in reasons(thing, webhook(**fields), CRD)
    assert reasons(thing, webhook(**fields)) == []


def test_webhooks_are_not_asked_about_each_other() -> None:
    everything = {"rules": [{"apiGroups": ["*"], "resources": ["*"], "operations": ["*"]}]}
    mutating = webhook(**everything) | {"kind": "MutatingWebhookConfiguration"}

    assert reasons(mutating, webhook(**everything)) == []
    assert asked(SETTINGS, **everything)
    assert reasons(SETTINGS, mutating) == ["must be admitted by the webhook hook.example.com"]


def test_a_webhook_with_two_rules_that_cover_an_object_is_one_edge() -> None:
    assert len(reasons(SETTINGS, webhook(rules=rule()["rules"] * 2))) == 1


def test_labels_of_the_object_decide_with_those_of_its_namespace() -> None:
    labelled = body("v1", "ConfigMap", "settings", "vision")
    labelled["metadata"]["labels"] = {"team": "eyes"}
    mine = {"objectSelector": {"matchLabels": {"team": "eyes"}}}
    home = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "vision"}}}

    assert asked(labelled, **rule(), **mine)
    assert not asked(SETTINGS, **rule(), **mine)
    assert asked(labelled, **rule(), **mine, **home)
    assert not asked(labelled, **rule(), **mine, namespaceSelector={"matchLabels": {"a": "b"}})


def test_labels_of_pods_are_those_of_their_template() -> None:
    web = workload()
    web["metadata"]["labels"] = {"app": "outside"}

    assert asked(web, objectSelector={"matchLabels": {"app": "web"}})
    assert not asked(web, objectSelector={"matchLabels": {"app": "outside"}})


def test_what_has_no_pods_is_not_asked_about_as_one() -> None:
    everything = webhook(objectSelector={})
    custom = body("example.com/v1", "Workers", "a", "vision", spec={"template": {"metadata": {}}})

    assert reasons(SETTINGS, everything) == []
    assert reasons(custom, everything) == []
    assert reasons(workload(), everything) != []


def test_the_label_with_a_namespaces_name_is_the_servers_whatever_the_manifest_says() -> None:
    home = body("v1", "Namespace", "vision")
    home["metadata"]["labels"] = {"kubernetes.io/metadata.name": "other"}
    chosen = webhook(namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "vision"}})

    assert "must be admitted by the webhook hook.example.com" in reasons(workload(), chosen, home)


def converted(version: str, **conversion: Any) -> list[str]:
    """Why an object of a version needs what converts it, where its CRD says so."""
    client = {"service": {"name": "converter", "namespace": "widgets"}}
    spec = {
        "group": "example.com",
        "names": {"kind": "Widget", "plural": "widgets"},
        "scope": "Namespaced",
        "versions": [{"name": "v1", "storage": True}, {"name": "v2", "storage": False}],
        "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": client}, **conversion},
    }
    crd = body("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.com", spec=spec)
    service = body("v1", "Service", "converter", "widgets", spec={"selector": {"app": "converter"}})
    asked = rendered(body(f"example.com/{version}", "Widget", "one", "here"))
    graph = Graph(ObjectIndex([asked, rendered(crd, "widgets"), rendered(service, "widgets")]))
    return [edge.why for edge in graph.edges(asked) if "converted" in edge.why and not edge.weak]


def test_an_object_that_is_stored_in_another_version_needs_who_converts_it() -> None:
    assert converted("v2") == ["is converted to the stored version by Service widgets/converter"]
    assert converted("v1") == []
    assert converted("v2", strategy="None") == []
    assert converted("v2", webhook={"clientConfig": {"url": "https://example.com"}}) == []
