"""Rules that need more than one object: duplicates, namespaces, scope."""

from __future__ import annotations

from dataclasses import replace

from platform_def.checks.rules.server.duplicate_object import DUPLICATE_OBJECT
from platform_def.checks.rules.server.namespace_exists import NAMESPACE_EXISTS
from platform_def.checks.rules.server.scope import SCOPE
from platform_def.config.platform import ComponentFact, ExistingObject, Platform
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack
from tests.unit.checks.samples import config_map, crd, found, rendered, thing


def namespace(name: str) -> Manifest:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def test_the_same_name_in_two_namespaces_is_two_objects() -> None:
    assert found(DUPLICATE_OBJECT, rendered(config_map(), config_map(namespace="kube-system"))) == []


def test_an_object_of_two_components_names_both() -> None:
    components = {
        name: RenderedComponent(name, (RenderedObject(config_map(), name, "main", f"{name}/made"),))
        for name in ("one", "two")
    }
    [finding] = found(DUPLICATE_OBJECT, RenderedStack("test", Platform(), components))

    assert finding.component == "two"
    assert finding.text == "component one renders it as well (one/made)"


def test_two_versions_of_one_object_are_one_object() -> None:
    manifests = [
        {"apiVersion": f"autoscaling/{version}", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "it"}}
        for version in ("v1", "v2")
    ]

    assert len(found(DUPLICATE_OBJECT, rendered(*manifests))) == 1


def test_a_namespace_of_an_applications_own_has_a_remedy_of_its_own() -> None:
    item = {name: RenderedObject(namespace("mesh"), name, "main", "here") for name in ("namespaces", "web")}
    parts = {name: RenderedComponent(name, (each,)) for name, each in item.items()}

    [finding] = found(DUPLICATE_OBJECT, RenderedStack("test", Platform(), parts))

    assert finding.hint.startswith("delete it from web, or leave out `namespace:`")


def test_objects_may_live_in_rendered_namespaces_and_in_those_of_every_cluster() -> None:
    stack = rendered(namespace("app"), config_map(namespace="app"), config_map(namespace="kube-system"))

    assert found(NAMESPACE_EXISTS, stack) == []


def test_a_namespace_that_nobody_renders_is_an_error() -> None:
    [finding] = found(NAMESPACE_EXISTS, rendered(namespace("vision"), config_map(namespace="visoin")))

    assert finding.path == "metadata.namespace"
    assert (finding.text, finding.hint) == ("the namespace 'visoin' does not exist", "did you mean 'vision'?")


def test_the_namespace_of_a_provided_component_is_there() -> None:
    facts = {"cert-manager": ComponentFact("1.19", "cert-manager", provided=True)}

    assert found(NAMESPACE_EXISTS, rendered(config_map(namespace="cert-manager"), facts=facts)) == []


def test_a_namespace_that_the_stack_says_exists_is_there() -> None:
    platform = Platform(existing=(ExistingObject.parse("Namespace flux-system"),))

    assert found(NAMESPACE_EXISTS, rendered(config_map(namespace="flux-system"), platform=platform)) == []


def test_the_namespace_of_a_profile_is_there() -> None:
    profile = {"apiVersion": "kubeflow.org/v1", "kind": "Profile", "metadata": {"name": "ada"}}

    assert found(NAMESPACE_EXISTS, rendered(profile, config_map(namespace="ada"))) == []


def test_the_namespace_of_the_delivery_objects_is_there() -> None:
    application = config_map("settings", namespace="argocd")
    stack = replace(rendered(), delivery=(RenderedObject(application, "_delivery", "main", "delivery"),))

    assert found(NAMESPACE_EXISTS, stack) == []


def test_scope_is_kept_by_core_and_custom_objects() -> None:
    assert found(SCOPE, rendered(config_map(), namespace("a"), crd({"type": "object"}), thing())) == []


def test_a_namespaced_object_without_namespace_is_an_error() -> None:
    findings = found(SCOPE, rendered(config_map(namespace=None), crd({"type": "object"}), thing(namespace=None)))

    assert [finding.text for finding in findings] == [
        "ConfigMap lives in a namespace, and names none",
        "Thing lives in a namespace, and names none",
    ]


def test_a_cluster_scoped_object_with_a_namespace_is_an_error() -> None:
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "it", "namespace": "a"},
    }
    findings = found(SCOPE, rendered(role, crd({"type": "object"}, scope="Cluster"), thing()))

    assert [(finding.object, finding.hint) for finding in findings] == [
        ("Thing default/it", "remove the namespace"),
        ("ClusterRole a/it", "remove the namespace"),
    ]


def test_scope_of_a_kind_that_nobody_serves_is_not_guessed() -> None:
    assert found(SCOPE, rendered(thing(namespace=None))) == []
