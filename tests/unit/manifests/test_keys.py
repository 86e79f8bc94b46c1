"""Keys that a ConfigMap or a Secret will have."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.keys import keys_of
from platform_def.manifests.rendered import RenderedObject

TLS = {"tls.crt", "tls.key", "ca.crt"}


def maker(api: str, kind: str, **body: Any) -> RenderedObject:
    return RenderedObject({"apiVersion": api, "kind": kind, "metadata": {"name": "it"}, **body}, "app", "main", "here")


def keys(item: RenderedObject, kind: str) -> set[str] | None:
    found = keys_of(item, kind)
    return None if found is None else set(found)


def test_a_rendered_object_has_the_keys_of_all_its_maps() -> None:
    assert keys(maker("v1", "ConfigMap", data={"a": ""}, binaryData={"b": ""}), "ConfigMap") == {"a", "b"}
    assert keys(maker("v1", "Secret", data={"a": ""}, stringData={"b": ""}), "Secret") == {"a", "b"}


@pytest.mark.parametrize(
    ("spec", "more"),
    [
        ({}, set()),
        ({"keystores": {"jks": {"create": True}}}, {"keystore.jks", "truststore.jks"}),
        ({"keystores": {"pkcs12": {"create": True}}}, {"keystore.p12", "truststore.p12"}),
        ({"additionalOutputFormats": [{"type": "CombinedPEM"}, {"type": "DER"}]}, {"tls-combined.pem", "key.der"}),
    ],
)
def test_a_certificate_fills_a_secret_with_key_and_chain(spec: dict[str, Any], more: set[str]) -> None:
    found = keys(maker("cert-manager.io/v1", "Certificate", spec=spec), "Secret")

    assert found == TLS | more


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({"data": [{"secretKey": "user"}]}, {"user"}),
        ({"data": [{"secretKey": "user"}], "target": {"template": {"data": {"url": ""}}}}, {"url"}),
        (
            {"data": [{"secretKey": "user"}], "target": {"template": {"mergePolicy": "Merge", "data": {"url": ""}}}},
            {"url", "user"},
        ),
        ({"dataFrom": [{"extract": {"key": "all"}}]}, None),
        ({"target": {"template": {"templateFrom": [{}]}}}, None),
    ],
)
def test_an_external_secret_has_what_it_fetches_or_writes(spec: dict[str, Any], wanted: set[str] | None) -> None:
    assert keys(maker("external-secrets.io/v1", "ExternalSecret", spec=spec), "Secret") == wanted


def test_a_sealed_secret_has_what_is_sealed_and_what_its_template_adds() -> None:
    spec = {"encryptedData": {"a": "…"}, "template": {"data": {"b": ""}}}

    assert keys(maker("bitnami.com/v1alpha1", "SealedSecret", spec=spec), "Secret") == {"a", "b"}


def test_of_what_nobody_knows_nothing_is_said() -> None:
    assert keys(maker("example.com/v1", "Thing"), "Secret") is None
    assert keys(maker("cert-manager.io/v1", "Certificate"), "ConfigMap") is None
