"""What objects name, and what is made for them."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from platform_def.manifests.links import Links, Made, Name, links


def body(api_version: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "it", "namespace": "vision"}, **fields}


def pod(**spec: Any) -> dict[str, Any]:
    return body("apps/v1", "Deployment", spec={"template": {"spec": spec}})


def named(manifest: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {(name.kind, name.namespace, name.name) for name in links(manifest).names}


def test_a_pod_names_its_account_volumes_and_environment() -> None:
    found = named(
        pod(
            serviceAccountName="runner",
            volumes=[{"name": "a", "configMap": {"name": "settings"}}, {"name": "b", "secret": {"secretName": "key"}}],
            containers=[{"name": "main", "envFrom": [{"configMapRef": {"name": "more"}}]}],
        )
    )

    assert found == {
        ("ServiceAccount", "vision", "runner"),
        ("ConfigMap", "vision", "settings"),
        ("Secret", "vision", "key"),
        ("ConfigMap", "vision", "more"),
    }


def test_a_name_says_where_it_stands_and_which_key_it_wants() -> None:
    variable = {"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": True}}}

    [name] = links(pod(containers=[{"name": "main", "env": [variable]}])).names

    assert name.path == "spec.template.spec.containers[0].env[0].valueFrom.secretKeyRef.name"
    assert (name.key, name.optional) == ("k", True)


def test_the_sibling_says_kind_and_namespace() -> None:
    binding = body(
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
        subjects=[{"kind": "ServiceAccount", "name": "bot", "namespace": "ci"}],
    )

    assert named(binding) == {("Role", "vision", "reader"), ("ServiceAccount", "ci", "bot")}


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ({"name": "ca"}, ("cert-manager.io", "Issuer")),
        ({"name": "ca", "kind": "ClusterIssuer"}, ("cert-manager.io", "ClusterIssuer")),
        ({"name": "ca", "kind": "PrivateIssuer", "group": "example.com"}, ("example.com", "PrivateIssuer")),
    ],
)
def test_an_issuer_is_of_the_kind_and_group_that_stand_beside_its_name(
    reference: dict[str, str], expected: tuple[str, str]
) -> None:
    certificate = body("cert-manager.io/v1", "Certificate", spec={"secretName": "tls", "issuerRef": reference})

    assert [(name.group, name.kind) for name in links(certificate).names] == [expected]


def test_the_group_of_an_api_version_is_what_stands_before_the_slash() -> None:
    target = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db"}
    scaler = body("autoscaling/v2", "HorizontalPodAutoscaler", spec={"scaleTargetRef": target})

    [name] = links(scaler).names

    assert (name.group, name.kind, name.weak) == ("apps", "StatefulSet", True)


def test_a_certificate_makes_the_secret_that_it_names() -> None:
    certificate = body("cert-manager.io/v1", "Certificate", spec={"secretName": "tls", "issuerRef": {"name": "ca"}})

    found = links(certificate)

    assert found.makes == (Made("", "Secret", "vision", "tls"),)
    assert found.judged


def test_an_annotation_may_name_an_object_of_another_namespace() -> None:
    hook = body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
    hook["metadata"]["annotations"] = {"cert-manager.io/inject-ca-from": "web/serving"}

    assert named(hook) == {("Certificate", "web", "serving")}


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("web", {("Service", "vision", "web")}),
        ("web:8080", {("Service", "vision", "web")}),
        ("https://web.speech:443/path", {("Service", "speech", "web")}),
        ("web.speech.svc.cluster.local", {("Service", "speech", "web")}),
        ("web.speech.svc:80", {("Service", "speech", "web")}),
        ("api.eu.example.com", set()),
        ("localhost:9000", set()),
        ("127.0.0.1:8877", set()),
    ],
)
def test_an_address_names_a_service_of_the_cluster(address: str, expected: set[tuple[str, str, str]]) -> None:
    assert named(body("getambassador.io/v3alpha1", "Mapping", spec={"prefix": "/", "service": address})) == expected


def test_a_name_that_is_filled_in_at_run_time_is_none() -> None:
    assert named(pod(serviceAccountName="{{workflow.parameters.account}}")) == set()


@pytest.mark.parametrize("alone", [True, False])
def test_a_pod_names_the_networks_that_it_is_attached_to(alone: bool) -> None:
    manifest = body("v1", "Pod", spec={"containers": []}) if alone else pod(containers=[])
    metadata = manifest["metadata"] if alone else manifest["spec"]["template"].setdefault("metadata", {})
    metadata["annotations"] = {"k8s.v1.cni.cncf.io/networks": "fabric/train-roce@net1, other"}

    assert named(manifest) == {
        ("NetworkAttachmentDefinition", "fabric", "train-roce"),
        ("NetworkAttachmentDefinition", "vision", "other"),
    }


@pytest.mark.parametrize(
    "manifest",
    [
        {},
        {"apiVersion": 1, "kind": []},
        body("apps/v1", "Deployment", spec=[]),
        pod(volumes={"a": 1}, serviceAccountName=["x"]),
        {"apiVersion": "v1", "kind": "Pod", "metadata": 5, "spec": {"serviceAccountName": ""}},
        body("cert-manager.io/v1", "Certificate", spec="none"),
    ],
)
def test_objects_of_the_wrong_shape_name_nothing(manifest: dict[str, Any]) -> None:
    assert links(manifest).names == ()


def test_links_survive_json() -> None:
    found = Links(
        (Name("a.b", "", "Secret", "ns", "n", "k", True, False),), (Made("", "Secret", "ns", "n"),), judged=True
    )

    assert Links.from_json(orjson.loads(orjson.dumps(found.to_json()))) == found
