"""What the cluster makes at run time for objects, and that names of it lead somewhere."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.graph import Graph
from platform_def.manifests.index import ObjectIndex
from platform_def.manifests.links import links
from platform_def.manifests.rendered import RenderedObject

CLAIM = ("", "PersistentVolumeClaim", "vision")
SECRET = ("", "Secret", "vision", "tls")


def body(api_version: str, kind: str, name: str = "it", *, spec: object, **annotations: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "vision", "annotations": annotations}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def pod(volume: dict[str, Any]) -> dict[str, Any]:
    return body("v1", "Pod", "reader", spec={"containers": [], "volumes": [{"name": "data", **volume}]})


def missing(*manifests: dict[str, Any]) -> list[str]:
    items = [RenderedObject(each, "app", "main", "here") for each in manifests]
    graph = Graph(ObjectIndex(items))
    return [name.name for item in items for name in graph.missing(item)]


DATABASE = body("apps/v1", "StatefulSet", "db", spec={"volumeClaimTemplates": [{"metadata": {"name": "data"}}]})


@pytest.mark.parametrize(("claim", "expected"), [("data-db-0", []), ("data-db-12", []), ("data-bd-0", ["data-bd-0"])])
def test_claims_of_a_stateful_set_are_there_whatever_their_number(claim: str, expected: list[str]) -> None:
    assert missing(DATABASE, pod({"persistentVolumeClaim": {"claimName": claim}})) == expected


def test_a_pod_makes_the_claims_of_its_ephemeral_volumes() -> None:
    assert links(pod({"ephemeral": {"volumeClaimTemplate": {"spec": {}}}})).makes == ((*CLAIM, "reader-data"),)


def test_claims_and_volumes_that_are_made_by_hand_meet_by_a_class_that_nobody_renders() -> None:
    volume = body("v1", "PersistentVolume", spec={"storageClassName": "manual"})
    claim = body("v1", "PersistentVolumeClaim", spec={"storageClassName": "manual"})

    assert missing(volume, claim) == []


@pytest.mark.parametrize("annotation", ["cert-manager.io/cluster-issuer", "kubernetes.io/tls-acme"])
def test_an_ingress_that_asks_for_a_certificate_gets_its_secret(annotation: str) -> None:
    ingress = body("networking.k8s.io/v1", "Ingress", spec={"tls": [{"secretName": "tls"}]}, **{annotation: "true"})

    assert SECRET in links(ingress).makes


def test_an_ingress_that_asks_for_none_gets_none() -> None:
    assert links(body("networking.k8s.io/v1", "Ingress", spec={"tls": [{"secretName": "tls"}]})).makes == ()


def test_a_gateway_that_asks_for_a_certificate_gets_its_secret() -> None:
    spec = {"listeners": [{"name": "https", "tls": {"certificateRefs": [{"name": "tls"}]}}]}
    gateway = body("gateway.networking.k8s.io/v1", "Gateway", spec=spec, **{"cert-manager.io/issuer": "ca"})

    assert SECRET in links(gateway).makes


def test_a_served_model_has_services_of_its_parts() -> None:
    model = body("serving.kserve.io/v1beta1", "InferenceService", "iris", spec={"predictor": {}})

    assert ("", "Service", "vision", "iris-predictor") in links(model).makes


def test_each_canary_of_a_served_model_has_a_service() -> None:
    canaries = [{"predictor": {"name": "next"}}, {"predictor": {}}, {"predictor": {"name": "later"}}]
    model = body("serving.kserve.io/v1beta1", "InferenceService", "iris", spec={"predictor": {}, "canary": canaries})
    services = [made.name for made in links(model).makes if made.name.count("-") == 2]

    assert services == ["iris-next-predictor", "iris-later-predictor"]


def test_hosts_that_a_mesh_is_told_of_are_services() -> None:
    entry = body("networking.istio.io/v1", "ServiceEntry", spec={"hosts": ["legacy", "api.example.com"]})

    assert [made.name for made in links(entry).makes] == ["legacy", "api.example.com"]


@pytest.mark.parametrize(
    "manifest",
    [
        body("apps/v1", "StatefulSet", spec={"volumeClaimTemplates": {"a": 1}}),
        body("v1", "Pod", spec={"volumes": ["x", {"ephemeral": 5}]}),
        body("v1", "PersistentVolume", spec=[]),
        body("networking.k8s.io/v1", "Ingress", spec={"tls": [5]}, **{"cert-manager.io/issuer": "x"}),
        body("networking.istio.io/v1", "ServiceEntry", spec={"hosts": [{}]}),
    ],
)
def test_nothing_is_made_for_objects_of_the_wrong_shape(manifest: dict[str, Any]) -> None:
    assert links(manifest).makes == ()


def made(manifest: dict[str, Any]) -> set[tuple[str, ...]]:
    return {tuple(each) for each in links(manifest).makes}


def test_a_set_makes_a_claim_of_each_template_numbered_behind_its_name() -> None:
    templates = [{"metadata": {"name": name}} for name in ("data", "logs")]

    assert made(body("apps/v1", "StatefulSet", "db", spec={"volumeClaimTemplates": templates})) == {
        (*CLAIM, "data-db-*"),
        (*CLAIM, "logs-db-*"),
    }


def test_only_ephemeral_volumes_are_made() -> None:
    assert made(pod({"emptyDir": {}})) == set()
    assert made(pod({"persistentVolumeClaim": {"claimName": "x"}})) == set()


def test_a_volume_without_a_class_stands_for_none() -> None:
    assert made(body("v1", "PersistentVolume", spec={"capacity": {}})) == set()
    assert made(body("v1", "PersistentVolume", spec={"storageClassName": "manual"})) == {
        ("storage.k8s.io", "StorageClass", "", "manual")
    }


@pytest.mark.parametrize(
    "annotation", ["cert-manager.io/issuer", "cert-manager.io/cluster-issuer", "kubernetes.io/tls-acme"]
)
def test_a_certificate_is_made_with_its_secret_where_one_is_asked_for(annotation: str) -> None:
    tls = [{"secretName": "tls"}, {"hosts": ["a"]}]

    assert made(body("networking.k8s.io/v1", "Ingress", spec={"tls": tls}, **{annotation: "x"})) == {
        ("cert-manager.io", "Certificate", "vision", "tls"),
        ("", "Secret", "vision", "tls"),
    }
    assert made(body("networking.k8s.io/v1", "Ingress", spec={"tls": tls}, **{annotation: ""})) == set()


def test_certificates_of_a_gateway_live_where_it_says() -> None:
    references = [{"name": "here"}, {"name": "there", "namespace": "other"}]
    spec = {"listeners": [{"name": "https", "tls": {"certificateRefs": references}}, {"name": "http"}]}
    gateway = body("gateway.networking.k8s.io/v1", "Gateway", spec=spec, **{"cert-manager.io/issuer": "ca"})

    assert {each for each in made(gateway) if each[1] == "Certificate"} == {
        ("cert-manager.io", "Certificate", "vision", "here"),
        ("cert-manager.io", "Certificate", "other", "there"),
    }
    assert made(body("gateway.networking.k8s.io/v1", "Gateway", spec=spec)) == set()


def test_what_is_made_has_its_own_name_a_fixed_one_or_that_of_a_field() -> None:
    secret = body("external-secrets.io/v1", "ExternalSecret", "es", spec={})
    named = body("external-secrets.io/v1", "ExternalSecret", "es", spec={"target": {"name": "other"}})
    prometheus = body("monitoring.coreos.com/v1", "Prometheus", "main", spec={})

    assert ("", "Secret", "vision", "es") in made(secret)
    assert ("", "Secret", "vision", "other") in made(named)
    assert ("", "Service", "vision", "prometheus-operated") in made(prometheus)


def test_a_profile_makes_accounts_in_the_namespace_that_has_its_name() -> None:
    profile = body("kubeflow.org/v1", "Profile", "ada", spec={})
    del profile["metadata"]["namespace"]

    assert ("", "ServiceAccount", "ada", "default-editor") in made(profile)
    assert ("", "Namespace", "", "ada") in made(profile)
