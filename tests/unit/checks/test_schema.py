"""Kinds that somebody serves, and what the schema rule says of fields."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platform_def.checks.rules.server.schema import SCHEMA
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.platform import ComponentFact, Platform
from platform_def.manifests.rendered import Manifest
from tests.unit.checks.samples import config_map, crd, deployment, found, rendered, thing

OWN = {"app": ComponentFact(release="", namespace="app")}
FIELDS = {"type": "object", "properties": {"replicas": {"type": "integer"}, "image": {"type": "string"}}}


def test_a_valid_object_has_no_finding() -> None:
    assert found(SCHEMA, rendered(deployment(), config_map(data={"a": "b"}))) == []


def test_an_unknown_field_is_named_with_its_path_and_the_nearest_one() -> None:
    [finding] = found(SCHEMA, rendered(deployment(imagePolicy="Always")))

    assert finding.path == "spec.template.spec.containers[0].imagePolicy"
    assert (finding.text, finding.hint) == ("unknown field", "did you mean 'imagePullPolicy'?")
    assert (finding.severity, finding.component, finding.origin) == ("error", "app", "app/made")


def test_a_missing_field_and_a_wrong_type_are_both_found() -> None:
    manifest = deployment(ports=[{"name": "http"}], args=[1])
    findings = found(SCHEMA, rendered(manifest))

    assert [(finding.path, finding.text) for finding in findings] == [
        ("spec.template.spec.containers[0].args[0]", "must be a string, not 1"),
        ("spec.template.spec.containers[0].ports[0].containerPort", "is missing"),
    ]


def test_a_bad_quantity_is_shown_with_good_ones() -> None:
    [finding] = found(SCHEMA, rendered(deployment(resources={"limits": {"memory": "4gb"}})))

    assert finding.text == "'4gb' is not a valid quantity (2, 500m, 4Gi)"


def test_two_entries_of_one_name_are_found_because_server_side_apply_refuses_them() -> None:
    [finding] = found(SCHEMA, rendered(deployment(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}])))

    assert finding.path == "spec.template.spec.containers[0].env"
    assert finding.text == "[0] and [1] are the same entry (name A)"
    assert finding.hint == "take one of them out: server-side apply refuses the list"


def test_a_value_of_a_secret_is_never_shown() -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "it", "namespace": "default"},
        "data": {"key": "not base64: hunter2"},
        "stringData": {"pin": 4711},
    }
    findings = found(SCHEMA, rendered(secret))

    assert len(findings) == 2
    assert not any("hunter2" in str(finding) or "4711" in str(finding) for finding in findings)


def test_a_custom_resource_is_held_against_the_crd_of_the_stack() -> None:
    good, bad = thing({"replicas": 2}), thing({"replica": 2})

    assert found(SCHEMA, rendered(crd(FIELDS), good)) == []
    assert [(each.path, each.hint) for each in found(SCHEMA, rendered(crd(FIELDS), bad))] == [
        ("spec.replica", "did you mean 'replicas'?")
    ]


def test_metadata_of_a_custom_resource_is_checked_as_that_of_any_object() -> None:
    manifest = thing({})
    manifest["metadata"]["label"] = {"a": "b"}
    [finding] = found(SCHEMA, rendered(crd(FIELDS), manifest))

    assert (finding.path, finding.hint) == ("metadata.label", "did you mean 'labels'?")


def test_the_schemas_choice_is_listed_with_the_nearest() -> None:
    choice = {"type": "object", "properties": {"mode": {"type": "string", "enum": ["Active", "Passive"]}}}
    [finding] = found(SCHEMA, rendered(crd(choice), thing({"mode": "active"})))

    assert finding.text == "'active' is not one of 'Active', 'Passive'"
    assert finding.hint == "did you mean 'Active'?"


@pytest.mark.parametrize(("choices", "given"), [([False], True), (["a"], 1), ([1, 2], 3)])
def test_only_text_is_offered_as_the_nearest(choices: list[object], given: object) -> None:
    schema = {"type": "object", "properties": {"mode": {"enum": choices, "x-kubernetes-preserve-unknown-fields": True}}}
    [finding] = found(SCHEMA, rendered(crd(schema), thing({"mode": given})))

    assert finding.text.endswith(f"is not one of {', '.join(map(repr, choices)).lower()}")
    assert finding.hint == ""


@pytest.mark.parametrize(
    ("closed", "path"), [(False, "spec.a.b"), (True, "spec.a.b.c"), ({"type": "object"}, "spec.a.b.c")]
)
def test_a_field_in_a_map_that_takes_none_is_named_without_a_choice(closed: object, path: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "object", "additionalProperties": closed}}}
    [finding] = [
        each for each in found(SCHEMA, rendered(crd(schema), thing({"a": {"b": {"c": 1}}}))) if "a.b" in each.path
    ]

    assert (finding.path, finding.text) == (path, "unknown field")
    assert finding.hint == "nothing may be written in this map"


@pytest.mark.parametrize("schema", [{"properties": 5}, {"type": 5}, {"enum": False}, {"required": 5}, {"allOf": [1]}])
def test_a_schema_out_of_shape_is_a_finding_of_its_crd_alone(schema: Manifest) -> None:
    findings = found(SCHEMA, rendered(crd({"type": "object", **schema}), thing({"a": 1})))

    assert {each.object.split()[0] for each in findings} == {"CustomResourceDefinition"}


def test_alternatives_that_all_miss_a_field_name_the_fields() -> None:
    either: Manifest = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    either["oneOf"] = [{"required": ["a"]}, {"required": ["b"]}]
    [finding] = found(SCHEMA, rendered(crd(either), thing({})))

    assert (finding.path, finding.text) == ("spec", "needs one of a, b")


def test_a_pattern_that_only_go_reads_is_left_to_the_server() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": r"^\Qa.b\E$"}, "b": {"type": "string"}},
    }

    assert [each.path for each in found(SCHEMA, rendered(crd(schema), thing({"a": "x", "b": 1})))] == ["spec.b"]


def test_a_version_that_the_crd_does_not_serve_is_an_error_that_lists_those_it_does() -> None:
    [finding] = found(SCHEMA, rendered(crd(FIELDS, versions=("v1", "v1beta1")), thing({}, version="v2")))

    assert finding.text == "Thing is served as v1 and v1beta1, not as example.com/v2"


def test_a_kind_that_nobody_serves_is_an_error() -> None:
    [finding] = found(SCHEMA, rendered(thing({})))

    assert (finding.severity, finding.path) == ("error", "")
    assert finding.text == "nothing serves Thing of example.com/v1"


def test_a_kind_that_nobody_serves_is_a_warning_in_a_folder_of_the_users() -> None:
    [finding] = found(SCHEMA, rendered(thing({}), facts=OWN))

    assert finding.severity == "warning"


def test_a_misspelt_kind_is_answered_with_the_nearest_of_its_group() -> None:
    manifest = deployment() | {"kind": "Deploiment"}
    [finding] = found(SCHEMA, rendered(manifest))

    assert finding.hint == "did you mean 'Deployment'?"


@pytest.mark.parametrize(
    ("kubernetes", "text"),
    [("1.25", []), ("1.26", ["Kubernetes 1.26 has no autoscaling/v2beta2 HorizontalPodAutoscaler"])],
)
def test_a_version_that_kubernetes_has_dropped_is_an_error_from_then_on(kubernetes: str, text: list[str]) -> None:
    scaler = {
        "apiVersion": "autoscaling/v2beta2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "it", "namespace": "default"},
        "spec": {"maxReplicas": 2, "scaleTargetRef": {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}},
    }
    findings = found(SCHEMA, rendered(scaler, platform=Platform(kubernetes=Kubernetes(kubernetes))))

    assert [finding.text for finding in findings] == text
    assert all("autoscaling/v2" in finding.hint for finding in findings)


def test_a_crd_is_checked_down_to_the_schemas_inside_its_schema() -> None:
    broken = crd(
        {"type": "object", "properties": {"a": {"type": "object", "additionalProperties": {"tipe": "string"}}}}
    )
    [finding] = found(SCHEMA, rendered(broken))

    assert finding.path.endswith("properties.spec.properties.a.additionalProperties.tipe")


def test_a_crd_too_broken_to_serve_anything_is_reported_as_an_object() -> None:
    broken = crd(FIELDS)
    del broken["spec"]["names"]

    assert "spec.names" in [finding.path for finding in found(SCHEMA, rendered(broken))]


@pytest.mark.parametrize(
    ("api_version", "kind", "hint"),
    [
        ("policy/v1beta1", "PodDisruptionBudget", "it has policy/v1"),
        ("extensions/v1beta1", "Ingress", "it has networking.k8s.io/v1"),
        ("v1", "Deployment", "it has apps/v1"),
        ("apps/v1", "Deploymnt", "did you mean 'Deployment'?"),
        ("networking.k8s.io/v1", "Zone", "known: "),
        ("resource.k8s.io/v1beta1", "ResourceClaim", "write apiVersion: resource.k8s.io/v1"),
        ("coordination.k8s.io/v1beta1", "LeaseCandidate", "leave it out, or say under cluster.featureGates"),
    ],
)
def test_a_kind_of_kubernetes_own_that_no_server_serves_is_an_error(api_version: str, kind: str, hint: str) -> None:
    unserved = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "it"}}

    for foreign in (True, False):
        [finding] = found(SCHEMA, replace(rendered(unserved), foreign=foreign))

        assert finding.severity == "error"
        assert finding.hint.startswith(hint)


def test_a_beta_version_is_served_where_gates_are_spoken_of_or_it_is_older_than_the_rule() -> None:
    lease = {"apiVersion": "coordination.k8s.io/v1beta1", "kind": "LeaseCandidate", "metadata": {"name": "it"}}
    lease["spec"] = {"binaryVersion": "1", "leaseName": "it", "strategy": "OldestEmulationVersion"}
    flow = {"apiVersion": "flowcontrol.apiserver.k8s.io/v1beta3", "kind": "FlowSchema", "metadata": {"name": "it"}}

    assert found(SCHEMA, rendered(lease, platform=Platform(feature_gates={"CoordinatedLeaderElection": True}))) == []
    assert found(SCHEMA, rendered(flow, platform=Platform(kubernetes=Kubernetes("1.28")))) == []


@pytest.mark.parametrize(
    ("container", "hint"),
    [
        ({"stdin": "true"}, "write true, without quotes"),
        ({"ports": [{"containerPort": "80"}]}, "write 80, without quotes"),
        ({"env": [{"name": "A", "value": 1}]}, 'write "1", in quotes'),
        ({"env": {"name": "A"}}, "write a dash before its first field"),
        ({"args": [["a"]]}, "write its one item without the dash"),
    ],
)
def test_a_value_of_a_wrong_type_comes_with_what_to_write(container: dict[str, Any], hint: str) -> None:
    [finding] = found(SCHEMA, rendered(deployment(**container)))

    assert finding.hint == hint


def test_a_field_of_a_former_version_leads_to_its_successor() -> None:
    ingress = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": "it", "namespace": "default"},
        "spec": {"defaultBackend": {"serviceName": "web", "servicePort": 80}},
    }

    hints = {finding.path: finding.hint for finding in found(SCHEMA, rendered(ingress))}

    assert hints["spec.defaultBackend.servicePort"].startswith("write service.port.number")
