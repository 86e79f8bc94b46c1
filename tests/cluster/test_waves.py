from __future__ import annotations

from tests.cluster.client import Applied, Manifest
from tests.cluster.samples import config_map, crd, custom, namespace
from tests.cluster.waves import changed, in_waves, kinds_of, refusals


def _kinds(*objects: tuple[str, str]) -> list[list[str]]:
    manifests = [{"apiVersion": version, "kind": kind, "metadata": {"name": "a"}} for version, kind in objects]
    return [[manifest["kind"] for manifest in wave] for wave in in_waves(manifests)]


def test_definitions_come_before_built_in_kinds_and_these_before_custom_ones() -> None:
    waves = in_waves([custom("Widget", "a", {}), config_map("a"), crd("Widget"), namespace("team")])

    assert [[item["kind"] for item in wave] for wave in waves] == [
        ["Namespace"], ["CustomResourceDefinition"], ["ConfigMap"], ["Widget"],
    ]  # fmt: skip


def test_what_admission_looks_up_comes_before_pods() -> None:
    waves = _kinds(
        ("v1", "Pod"), ("apps/v1", "Deployment"), ("scheduling.k8s.io/v1", "PriorityClass"), ("v1", "ServiceAccount")
    )

    assert waves == [["PriorityClass", "ServiceAccount"], ["Deployment"], ["Pod"]]


def test_what_can_refuse_other_objects_comes_last() -> None:
    waves = _kinds(
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
        ("apiregistration.k8s.io/v1", "APIService"),
        ("kubeflow.org/v1", "PyTorchJob"),
    )

    assert waves == [["PyTorchJob"], ["ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy", "APIService"]]


def test_groups_of_other_projects_under_k8s_io_are_custom() -> None:
    waves = _kinds(
        ("kueue.x-k8s.io/v1beta1", "ClusterQueue"),
        ("gateway.networking.k8s.io/v1", "Gateway"),
        ("rbac.authorization.k8s.io/v1", "Role"),
    )

    assert waves == [["Role"], ["ClusterQueue", "Gateway"]]


def test_only_served_versions_of_a_definition_are_awaited() -> None:
    definition = crd("Widget")
    definition["spec"]["versions"].append({"name": "v0", "served": False, "storage": False})

    assert kinds_of(definition) == [("test.example.com/v1", "Widget")]


def test_refusals_name_the_object_and_the_reason() -> None:
    assert refusals([Applied(config_map("a"), {}), Applied(config_map("b"), None, "422 no")]) == [
        "ConfigMap.v1 default/b: 422 no"
    ]


def test_only_an_object_with_another_content_has_changed() -> None:
    before = [_stored("a", "1", x=1), _stored("b", "2", x=1)]
    after = [_stored("a", "1", x=1), _stored("b", "3", x=2)]

    assert [key.name for key in changed(before, after, apply=_not_called)] == ["b"]


def test_a_version_that_moves_once_without_a_change_is_forgiven() -> None:
    before, after = [_stored("a", "1")], [_stored("a", "2")]

    assert changed(before, after, apply=lambda _: _stored("a", "2")) == []
    assert changed(before, after, apply=lambda _: _stored("a", "3")) != []


def _stored(name: str, version: str, **data: int) -> Applied:
    return Applied(config_map(name), {"metadata": {"resourceVersion": version}, "data": data})


def _not_called(_: Manifest) -> Applied:
    raise AssertionError("nothing has to be applied again")
