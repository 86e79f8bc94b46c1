"""Names in objects lead to objects."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.references.reference_exists import REFERENCE_EXISTS
from platform_def.config.platform import ExistingObject, Platform
from platform_def.manifests.rendered import Manifest
from tests.unit.checks.samples import config_map, deployment, found, rendered

HOME: Manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}


def mounting(source: Manifest) -> Manifest:
    return deployment(pod={"volumes": [{"name": "v", **source}]})


def test_a_config_map_that_is_rendered_is_found() -> None:
    assert found(REFERENCE_EXISTS, rendered(HOME, config_map(), mounting({"configMap": {"name": "settings"}}))) == []


def test_a_config_map_that_nobody_makes_is_an_error_with_the_nearest_name() -> None:
    [finding] = found(REFERENCE_EXISTS, rendered(HOME, config_map(), mounting({"configMap": {"name": "setings"}})))

    assert finding.severity == "error"
    assert finding.path == "spec.template.spec.volumes[0].configMap.name"
    assert finding.text == "names the ConfigMap 'setings', which does not exist in its namespace"
    assert finding.hint == "did you mean 'settings'?"


def test_an_optional_one_may_be_missing() -> None:
    assert found(REFERENCE_EXISTS, rendered(HOME, mounting({"configMap": {"name": "x", "optional": True}}))) == []


def test_a_secret_that_nobody_makes_is_a_warning_because_people_make_secrets() -> None:
    [finding] = found(REFERENCE_EXISTS, rendered(HOME, mounting({"secret": {"secretName": "key"}})))

    assert finding.severity == "warning"
    assert "cluster.existing" in finding.hint


@pytest.mark.parametrize(
    "existing",
    [
        ExistingObject("Secret", "key", "default"),
        ExistingObject("Secret", "key"),
        ExistingObject.parse("Secret default/key"),
    ],
)
def test_what_the_stack_says_exists_is_there(existing: ExistingObject) -> None:
    platform = Platform(existing=(existing,))

    assert found(REFERENCE_EXISTS, rendered(HOME, mounting({"secret": {"secretName": "key"}}), platform=platform)) == []


def test_the_same_name_in_another_namespace_does_not_count() -> None:
    platform = Platform(existing=(ExistingObject("Secret", "key", "other"),))
    stack = rendered(HOME, mounting({"secret": {"secretName": "key"}}), platform=platform)

    assert len(found(REFERENCE_EXISTS, stack)) == 1


def test_what_is_in_a_namespace_that_the_stack_does_not_own_is_not_judged() -> None:
    assert found(REFERENCE_EXISTS, rendered(mounting({"configMap": {"name": "theirs"}}))) == []


@pytest.mark.parametrize("pod", [{"serviceAccountName": "default"}, {"priorityClassName": "system-node-critical"}])
def test_what_every_cluster_has_is_there(pod: Manifest) -> None:
    assert found(REFERENCE_EXISTS, rendered(HOME, deployment(pod=pod))) == []


@pytest.mark.parametrize(("distribution", "missing"), [("kubeadm", 1), ("k3s", 0)])
def test_a_runtime_class_that_the_distribution_brings_is_there(distribution: str, missing: int) -> None:
    platform = Platform(distribution=distribution)  # type: ignore[arg-type]
    stack = rendered(HOME, deployment(pod={"runtimeClassName": "nvidia"}), platform=platform)

    assert len(found(REFERENCE_EXISTS, stack)) == missing


def test_a_key_that_the_config_map_lacks_is_an_error() -> None:
    reference = {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "leve"}}}
    stack = rendered(HOME, config_map(data={"level": "1"}), deployment(env=[reference]))

    [finding] = found(REFERENCE_EXISTS, stack)

    assert (finding.text, finding.hint) == ("the ConfigMap settings has no key 'leve'", "did you mean 'level'?")


@pytest.mark.parametrize("keys", [["level"], ["level", "leve"]])
def test_a_key_that_a_volume_shows_as_a_file_is_asked_for_too(keys: list[str]) -> None:
    shown = {"configMap": {"name": "settings", "items": [{"key": key, "path": key} for key in keys]}}
    stack = rendered(HOME, config_map(data={"level": "1"}), mounting(shown))

    findings = found(REFERENCE_EXISTS, stack)

    assert [finding.text for finding in findings] == [
        f"the ConfigMap settings has no key '{key}'" for key in keys if key != "level"
    ]


def test_an_empty_config_map_is_one_that_something_in_the_cluster_fills() -> None:
    shown = {"configMap": {"name": "settings", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}

    assert found(REFERENCE_EXISTS, rendered(HOME, config_map(), mounting(shown))) == []


def test_a_config_map_that_is_missing_is_told_once_of_however_many_keys() -> None:
    shown = {"configMap": {"name": "settings", "items": [{"key": "a", "path": "a"}, {"key": "b", "path": "b"}]}}

    assert len(found(REFERENCE_EXISTS, rendered(HOME, mounting(shown)))) == 1


def test_a_gateway_of_a_mesh_is_asked_for_and_the_mesh_itself_is_there() -> None:
    route: Manifest = {
        "apiVersion": "networking.istio.io/v1",
        "kind": "VirtualService",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"hosts": ["*"], "gateways": ["mesh", "elsewhere/public", "publik"]},
    }

    [finding] = found(REFERENCE_EXISTS, rendered(HOME, route))

    assert (finding.severity, finding.path) == ("warning", "spec.gateways[2]")


def _of(api: str, kind: str, namespace: str | None, **spec: object) -> Manifest:
    metadata = {"name": "it"} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}


@pytest.mark.parametrize(
    ("kind", "place", "named", "hint"),
    [
        ("ClusterIssuer", None, "Issuer", "write kind: ClusterIssuer, of which there is one of that name"),
        ("Issuer", "default", "ClusterIssuer", "write kind: Issuer, of which there is one of that name"),
        ("Issuer", "certs", "Issuer", "there is one in namespace certs"),
        ("Issuer", "certs", "ClusterIssuer", None),
    ],
)
def test_what_is_there_with_another_scope_or_place_is_said(
    kind: str, place: str | None, named: str, hint: str | None
) -> None:
    issuer = _of("cert-manager.io/v1", kind, place, selfSigned={})
    reference = {"name": "it", "kind": named}
    certificate = _of("cert-manager.io/v1", "Certificate", "default", secretName="c", issuerRef=reference)
    [finding] = found(REFERENCE_EXISTS, rendered(HOME, issuer, certificate))

    assert finding.path == "spec.issuerRef.name"
    assert finding.hint == (hint or REFERENCE_EXISTS.fix)
