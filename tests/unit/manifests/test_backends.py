"""Ports that objects ask of Services."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.backends import WantedPort, backends
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject


def asked(api: str, kind: str, **body: Any) -> list[tuple[str, str, str, int | str]]:
    manifest = {"apiVersion": api, "kind": kind, "metadata": {"name": "it", "namespace": "here"}, **body}
    found: list[WantedPort] = list(backends(RenderedObject(manifest, "app", "main", "here")))
    return [(dotted(each.path), each.namespace, each.name, each.port) for each in found]


def test_an_ingress_asks_by_name_or_number() -> None:
    spec = {
        "defaultBackend": {"service": {"name": "a", "port": {"number": 80}}},
        "rules": [{"http": {"paths": [{"backend": {"service": {"name": "b", "port": {"name": "web"}}}}]}}],
    }

    assert asked("networking.k8s.io/v1", "Ingress", spec=spec) == [
        ("spec.defaultBackend.service.port.number", "here", "a", 80),
        ("spec.rules[0].http.paths[0].backend.service.port.name", "here", "b", "web"),
    ]


@pytest.mark.parametrize("kind", ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"])
def test_a_route_asks_of_services_and_of_mirrors(kind: str) -> None:
    mirror = {"requestMirror": {"backendRef": {"name": "c", "port": 82}}}
    references = [{"name": "a", "port": 80}, {"name": "b", "namespace": "there", "port": 81}, {"name": "d"}]
    others = [{"kind": "InferencePool", "group": "inference.networking.k8s.io", "name": "e", "port": 83}]
    spec = {"rules": [{"backendRefs": references + others, "filters": [mirror]}]}

    assert asked("gateway.networking.k8s.io/v1", kind, spec=spec) == [
        ("spec.rules[0].backendRefs[0].port", "here", "a", 80),
        ("spec.rules[0].backendRefs[1].port", "there", "b", 81),
        ("spec.rules[0].filters[0].requestMirror.backendRef.port", "here", "c", 82),
    ]


def test_a_virtual_service_asks_by_host() -> None:
    route = [
        {"destination": {"host": "a.there.svc.cluster.local", "port": {"number": 80}}},
        {"destination": {"host": "b"}},
    ]
    spec = {"http": [{"route": route, "mirror": {"host": "c", "port": {"number": 81}}}]}

    assert asked("networking.istio.io/v1", "VirtualService", spec=spec) == [
        ("spec.http[0].route[0].destination.port.number", "there", "a", 80),
        ("spec.http[0].mirror.port.number", "here", "c", 81),
    ]


@pytest.mark.parametrize(
    ("address", "more", "port"),
    [
        ("web", {}, 80),
        ("web.there", {}, 80),
        ("web:8080", {}, 8080),
        ("http://web.there:8080", {}, 8080),
        ("https://web", {}, 443),
        ("web", {"tls": "client"}, 443),
    ],
)
def test_a_mapping_asks_for_80_or_443_unless_it_says_more(address: str, more: dict[str, str], port: int) -> None:
    home = "there" if "there" in address else "here"

    assert asked("getambassador.io/v3alpha1", "Mapping", spec={"service": address, **more}) == [
        ("spec.service", home, "web", port)
    ]


def test_a_mapping_by_a_resolver_of_its_own_asks_no_service() -> None:
    assert asked("getambassador.io/v3alpha1", "Mapping", spec={"service": "web", "resolver": "consul"}) == []


def test_the_api_server_asks_for_443() -> None:
    service = {"name": "hook", "namespace": "there"}
    hooks = [{"clientConfig": {"service": service}}, {"clientConfig": {"url": "https://hook.example.com"}}]
    conversion = {"webhook": {"clientConfig": {"service": {**service, "port": 8443}}}}

    assert asked("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", webhooks=hooks) == [
        ("webhooks[0].clientConfig.service.port", "there", "hook", 443)
    ]
    assert asked("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"conversion": conversion}) == [
        ("spec.conversion.webhook.clientConfig.service.port", "there", "hook", 8443)
    ]
    assert asked("apiregistration.k8s.io/v1", "APIService", spec={"service": service}) == [
        ("spec.service.port", "there", "hook", 443)
    ]
