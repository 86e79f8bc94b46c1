"""Rules that need more than one object: duplicates, namespaces, scope."""

from __future__ import annotations

from dataclasses import replace

import pytest

from platform_def.checks.catalogue import rules
from platform_def.checks.context import Context, Memo
from platform_def.checks.rule import StackRule
from platform_def.checks.rules.server.duplicate_object import DUPLICATE_OBJECT
from platform_def.checks.rules.server.namespace_exists import NAMESPACE_EXISTS
from platform_def.checks.rules.server.scope import SCOPE
from platform_def.config.platform import ComponentFact, ExistingObject, Platform
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack
from tests.unit.checks.samples import config_map, crd, found, rendered, thing
from tests.unit.checks.seeded.seed import Seed, seeded
from tests.unit.checks.seeded.stacks import stacks
from tests.unit.checks.test_seeded_defects import SEEDS


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


SPARED = [rule for rule in rules() if isinstance(rule, StackRule) and rule.about]
"""Rules that are asked once for all stacks with the same objects."""
SHARED = Memo()


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: str(seed.id))
def test_what_decides_a_rule_that_is_asked_once_are_the_objects_that_it_names(seed: Seed) -> None:
    whole = seeded(stacks()[seed.stack], seed)
    context = Context(whole, SHARED)

    assert SPARED
    for rule in SPARED:
        assert rule.about
        chosen = {id(item) for item in rule.about(context)}
        kept = {
            name: replace(each, objects=tuple(item for item in each.objects if id(item) in chosen))
            for name, each in whole.components.items()
        }
        jobs = {name: tuple(item for item in each if id(item) in chosen) for name, each in whole.jobs.items()}
        delivery = tuple(item for item in whole.delivery if id(item) in chosen)
        part = Context(replace(whole, components=kept, jobs=jobs, delivery=delivery), Memo())

        assert {*rule.found(context)} == {*rule.check(context)} == {*rule.check(part)}
