"""What objects name, and what is made for them."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from platform_def.config.objects import Made
from platform_def.manifests.links import Links, Name, links


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


def keys(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name.name, name.key) for name in links(manifest).names]


def test_a_volume_asks_for_the_keys_that_it_projects_or_for_the_whole() -> None:
    volumes = [
        {"name": "a", "configMap": {"name": "some", "items": [{"key": "x", "path": "x"}, {"key": "y", "path": "y"}]}},
        {"name": "b", "configMap": {"name": "all"}},
    ]

    assert keys(pod(volumes=volumes)) == [("some", "x"), ("some", "y"), ("all", "")]


def test_a_name_may_be_optional_by_a_word_beside_it() -> None:
    volumes = [
        {"name": name, "configMap": {"name": name, **more}}
        for name, more in (("a", {"optional": True}), ("b", {"optional": False}), ("c", {}), ("d", {"optional": "yes"}))
    ]

    assert [name.optional for name in links(pod(volumes=volumes)).names] == [True, False, False, False]


def test_a_name_that_is_said_twice_in_one_place_counts_once_and_keeps_its_order() -> None:
    found = links(pod(volumes=[{"name": name, "configMap": {"name": name}} for name in ("b", "a")])).names

    assert [name.path for name in found] == [f"spec.template.spec.volumes[{place}].configMap.name" for place in (0, 1)]


@pytest.mark.parametrize("text", ["", "${trialParameters.account}", "$(ACCOUNT)", "{{account}}", "a{{b}}"])
def test_an_empty_or_templated_name_names_nothing(text: str) -> None:
    assert named(pod(serviceAccountName=text)) == set()


def test_a_dollar_alone_is_no_template() -> None:
    assert named(pod(serviceAccountName="a$b")) == {("ServiceAccount", "vision", "a$b")}


def attached(networks: str) -> set[tuple[str, str]]:
    manifest = body("v1", "Pod", spec={"containers": []})
    manifest["metadata"]["annotations"] = {"k8s.v1.cni.cncf.io/networks": networks}
    return {(namespace, name) for _, namespace, name in named(manifest)}


def test_a_list_of_names_has_commas_and_what_stands_behind_an_at_is_no_name() -> None:
    assert attached("a@eth1,b , , c/d@x@y") == {("vision", "a"), ("vision", "b"), ("c", "d")}
    assert attached('[{"name": "a"}]') == set()
    assert attached("a/b/c") == {("a", "b/c")}


def test_a_group_beside_a_name_is_a_group_and_an_api_version_without_a_slash_is_the_core_group() -> None:
    def scaled(version: str) -> list[str]:
        target = {"apiVersion": version, "kind": "Thing", "name": "db"}
        return [
            each.group
            for each in links(body("autoscaling/v2", "HorizontalPodAutoscaler", spec={"scaleTargetRef": target})).names
        ]

    assert (scaled("v1"), scaled("example.com/v1")) == ([""], ["example.com"])


def test_a_group_without_a_version_is_the_group() -> None:
    binding = body(
        "rbac.authorization.k8s.io/v1",
        "ClusterRoleBinding",
        roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
    )

    assert [name.group for name in links(binding).names] == ["rbac.authorization.k8s.io"]


def test_an_object_without_health_or_of_a_core_kind_is_not_judged() -> None:
    assert not links(pod()).judged
    assert not links(body("example.com/v1", "Thing")).judged
    assert not links(body("rbac.authorization.k8s.io/v1", "Role")).judged


@pytest.mark.parametrize(
    "address", ["ftp+tls://web.speech/x", "web.speech.svc.cluster.local:80/x", "a://web.speech.svc", "web.speech/a/b"]
)
def test_an_address_may_have_any_scheme_port_and_path(address: str) -> None:
    mapping = body("getambassador.io/v3alpha1", "Mapping", spec={"prefix": "/", "service": address})

    assert named(mapping) == {("Service", "speech", "web")}


@pytest.mark.parametrize("address", ["Web", "web.speech.svc.", "web:port", "1web", "http://", "web.speech.other"])
def test_what_is_no_address_of_a_service_leads_elsewhere(address: str) -> None:
    assert named(body("getambassador.io/v3alpha1", "Mapping", spec={"prefix": "/", "service": address})) == set()


def test_links_survive_as_plain_lists() -> None:
    found = links(body("cert-manager.io/v1", "Certificate", spec={"secretName": "tls", "issuerRef": {"name": "ca"}}))

    assert Links.from_json(orjson.loads(orjson.dumps(found.to_json()))) == found
    assert (Name("p", "", "K", "n", "x").weak, Name("p", "", "K", "n", "x").optional) == (False, False)


@pytest.mark.parametrize("fields", [{"apiVersion": 1, "kind": "Pod"}, {"apiVersion": "v1", "kind": []}])
def test_an_object_of_no_kind_names_nothing(fields: dict[str, Any]) -> None:
    assert links(pod(serviceAccountName="runner") | fields) == Links()


def test_a_kind_of_the_catalogue_is_judged_where_its_type_says_when_it_is_ready() -> None:
    assert links(body("cert-manager.io/v1", "Certificate")).judged
    assert not links(body("argoproj.io/v1alpha1", "AppProject")).judged
