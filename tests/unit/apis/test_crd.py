from __future__ import annotations

from typing import Annotated, Any, Required, TypedDict

import pytest

from platform_def.crds.crd import crd
from platform_def.crds.model import AGE, Api, Column, Definition, Scale, WebhookConversion
from platform_def.crds.schema import Cel, Default, Int32


class Spec(TypedDict, total=False):
    replicas: Required[Int32]


class Status(TypedDict, total=False):
    replicas: Int32


class Top(TypedDict, total=False):
    spec: Required[Annotated[Spec, Default({"replicas": 1})]]
    data: dict[str, str]


def api(**changes: Any) -> Api[Any]:
    return Api(**{"group": "example.com", "version": "v1", "kind": "Toy", "plural": "toys", "spec": Spec, **changes})


def version(definition: Definition, index: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = crd(definition)["spec"]["versions"][index]
    return found


def schema(definition: Definition) -> dict[str, Any]:
    found: dict[str, Any] = version(definition)["schema"]["openAPIV3Schema"]
    return found


def test_smallest_definition_has_nothing_that_the_server_would_change() -> None:
    assert crd(Definition((api(),))) == {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "toys.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Toy", "listKind": "ToyList", "plural": "toys", "singular": "toy"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {
                                "apiVersion": {"type": "string"},
                                "kind": {"type": "string"},
                                "metadata": {"type": "object"},
                                "spec": {
                                    "type": "object",
                                    "properties": {"replicas": {"type": "integer", "format": "int32"}},
                                    "required": ["replicas"],
                                },
                            },
                        }
                    },
                }
            ],
        },
    }


def test_every_facet_finds_its_place() -> None:
    full = api(
        status=Status,
        required=("spec",),
        rules=(Cel("self.metadata.name.size() < 9"),),
        metadata={"type": "object", "properties": {"name": {"type": "string", "maxLength": 63}}},
        doc="A toy.",
        status_subresource=True,
        scale=Scale(".spec.replicas", ".status.replicas", ".status.selector"),
        columns=(Column("Size", ".spec.replicas", "integer", priority=1, doc="How many."), AGE),
        selectable=(".spec.replicas",),
        deprecated=True,
        deprecation_warning="use v2",
    )
    found = version(Definition((full,)))
    root = found.pop("schema")["openAPIV3Schema"]

    assert found == {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.replicas",
                "statusReplicasPath": ".status.replicas",
                "labelSelectorPath": ".status.selector",
            },
        },
        "additionalPrinterColumns": [
            {
                "name": "Size",
                "type": "integer",
                "jsonPath": ".spec.replicas",
                "priority": 1,
                "description": "How many.",
            },
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        ],
        "selectableFields": [{"jsonPath": ".spec.replicas"}],
        "deprecated": True,
        "deprecationWarning": "use v2",
    }
    assert root["required"] == ["spec"]
    assert root["description"] == "A toy."
    assert root["x-kubernetes-validations"] == [{"rule": "self.metadata.name.size() < 9"}]
    assert root["properties"]["metadata"]["properties"]["name"]["maxLength"] == 63
    assert [*root["properties"]] == ["apiVersion", "kind", "metadata", "spec", "status"]


def test_versions_stand_in_their_order_with_one_stored() -> None:
    definition = Definition((api(), api(version="v1beta1", storage=False, served=False)), short_names=("t",))
    found = crd(definition)["spec"]

    assert [(v["name"], v["served"], v["storage"]) for v in found["versions"]] == [
        ("v1", True, True),
        ("v1beta1", False, False),
    ]
    assert found["names"]["shortNames"] == ["t"]


def test_two_stored_versions_are_refused() -> None:
    with pytest.raises(ValueError, match="one of them is stored"):
        Definition((api(), api(version="v2")))


def test_versions_of_two_kinds_are_refused() -> None:
    with pytest.raises(ValueError, match="share their names"):
        Definition((api(), api(version="v2", storage=False, kind="Other")))


def test_conversion_names_the_webhook() -> None:
    webhook = WebhookConversion(service="hook", namespace="toys", path="/convert", port=9443)
    found = crd(Definition((api(),), conversion=webhook, annotations={"a/b": "c"}))

    assert found["metadata"]["annotations"] == {"a/b": "c"}
    assert found["spec"]["conversion"] == {
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {"service": {"name": "hook", "namespace": "toys", "path": "/convert", "port": 9443}},
            "conversionReviewVersions": ["v1"],
        },
    }


def test_top_says_what_spec_alone_can_not() -> None:
    root = schema(Definition((api(top=Top),)))

    assert root["properties"]["spec"]["default"] == {"replicas": 1}
    assert root["properties"]["data"]["additionalProperties"] == {"type": "string"}
    assert root["required"] == ["spec"]


def test_kind_without_spec_has_its_fields_at_the_top() -> None:
    root = schema(Definition((api(spec=Status, top_level=True, namespaced=False),)))

    assert [*root["properties"]] == ["apiVersion", "kind", "metadata", "replicas"]


def test_each_call_gives_a_fresh_copy() -> None:
    definition = Definition((api(),))
    crd(definition)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"].clear()

    assert "spec" in schema(definition)["properties"]


def test_api_version_of_the_core_group_has_no_slash() -> None:
    assert api(group="").api_version == "v1"
    assert api().api_version == "example.com/v1"
