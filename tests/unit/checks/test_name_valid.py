"""Names, labels and annotations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from platform_def.checks.rules.server.name_valid import NAME_VALID
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.platform import Platform
from platform_def.manifests import names
from platform_def.manifests.rendered import Manifest
from tests.unit.checks.samples import config_map, crd, deployment, found, rendered


def named(api_version: str, kind: str, name: str, **metadata: Any) -> Manifest:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **metadata}}


VALID = [
    ("v1", "ConfigMap", "a.b-c.1"),
    ("v1", "Namespace", "team-a"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", "system:Node_Reader"),
    ("v1", "Service", "web-1"),
    ("apps/v1", "StatefulSet", "db"),
    ("batch/v1", "CronJob", "c" * 52),
    ("storage.k8s.io/v1", "StorageClass", "fast.example.com"),
]
INVALID = [
    ("v1", "ConfigMap", "A"),
    ("v1", "ConfigMap", "a_b"),
    ("v1", "ConfigMap", "a."),
    ("v1", "ConfigMap", "a" * 254),
    ("v1", "Namespace", "team.a"),
    ("v1", "Namespace", "a" * 64),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", "a/b"),
    ("rbac.authorization.k8s.io/v1", "Role", ".."),
    ("v1", "Service", "web.a"),
    ("apps/v1", "StatefulSet", "db.a"),
    ("batch/v1", "CronJob", "c" * 53),
    ("batch/v1", "Job", "j" * 64),
]


@pytest.mark.parametrize(("api_version", "kind", "name"), VALID)
def test_a_name_that_the_kind_allows_is_fine(api_version: str, kind: str, name: str) -> None:
    assert found(NAME_VALID, rendered(named(api_version, kind, name))) == []


@pytest.mark.parametrize(("api_version", "kind", "name"), INVALID)
def test_a_name_that_the_kind_does_not_allow_is_an_error(api_version: str, kind: str, name: str) -> None:
    assert [finding.path for finding in found(NAME_VALID, rendered(named(api_version, kind, name)))] == [
        "metadata.name"
    ]


@pytest.mark.parametrize(
    ("kubernetes", "gates", "fine"),
    [("1.35", {}, False), ("1.36", {}, True), ("1.35", {"RelaxedServiceNameValidation": True}, True)],
)
def test_services_may_begin_with_a_digit_since_1_36(kubernetes: str, gates: dict[str, bool], fine: bool) -> None:
    stack = rendered(
        named("v1", "Service", "1st"), platform=Platform(kubernetes=Kubernetes(kubernetes), feature_gates=gates)
    )

    assert (found(NAME_VALID, stack) == []) is fine


def test_a_crd_is_named_by_plural_and_group() -> None:
    wrong = crd({"type": "object"})
    wrong["metadata"]["name"] = "thing.example.com"

    assert found(NAME_VALID, rendered(crd({"type": "object"}))) == []
    assert "'things.example.com'" in found(NAME_VALID, rendered(wrong))[0].text


@pytest.mark.parametrize(("key", "value"), [("app", ""), ("example.com/app", "A_b.1"), ("a" * 63, "a" * 63)])
def test_a_label_by_the_grammar_is_fine(key: str, value: str) -> None:
    manifest = config_map()
    manifest["metadata"]["labels"] = {key: value}

    assert found(NAME_VALID, rendered(manifest)) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [("a b", "x"), ("Example.com/app", "x"), ("/app", "x"), ("a" * 64, "x"), ("app", "-x"), ("app", "a" * 64)],
)
def test_a_label_against_the_grammar_is_an_error(key: str, value: str) -> None:
    manifest = config_map()
    manifest["metadata"]["labels"] = {key: value}

    assert len(found(NAME_VALID, rendered(manifest))) == 1


def test_labels_of_a_pod_template_are_looked_at_too() -> None:
    manifest = deployment()
    manifest["spec"]["template"]["metadata"]["labels"]["version"] = "1.0+build"

    assert [finding.path for finding in found(NAME_VALID, rendered(manifest))] == [
        "spec.template.metadata.labels.version"
    ]


def test_annotations_have_256_kib_together() -> None:
    fits, beyond = config_map(), config_map()
    fits["metadata"]["annotations"] = {"a": "x" * (256 * 1024 - 1)}
    beyond["metadata"]["annotations"] = {"a": "x" * (256 * 1024)}

    assert found(NAME_VALID, rendered(fits)) == []
    assert [finding.path for finding in found(NAME_VALID, rendered(beyond))] == ["metadata.annotations"]


def test_a_bare_pod_is_looked_at_once() -> None:
    pod = named("v1", "Pod", "it", namespace="default", labels={"a": "-"}) | {"spec": {"containers": []}}

    assert [finding.path for finding in found(NAME_VALID, rendered(pod))] == ["metadata.labels.a"]


@given(st.text(max_size=80))
def test_any_text_gets_an_answer(text: str) -> None:
    for problem in (names.subdomain_problem, names.service_problem, names.segment_problem, names.label_key_problem):
        assert isinstance(problem(text), str)


def test_a_bad_label_is_not_answered_with_another_name() -> None:
    manifest = config_map()
    manifest["metadata"]["labels"] = {"a b": "x", "version": "1+2"}

    hints = {finding.path: finding.hint for finding in found(NAME_VALID, rendered(manifest))}

    assert hints == {
        'metadata.labels["a b"]': "rename the label",
        "metadata.labels.version": "write another value, or keep this text in an annotation, which may hold anything",
    }
