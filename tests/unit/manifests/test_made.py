"""What the cluster makes at run time for objects, and that names of it lead somewhere."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.graph import Graph
from platform_def.manifests.index import Index
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
    graph = Graph(Index(items))
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
