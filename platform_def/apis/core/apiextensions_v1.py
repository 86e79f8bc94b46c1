"""Core types of apiextensions-apiserver.pkg.apis.apiextensions.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.crds.model import Api
from platform_def.crds.schema import Bytes, OpenObject
from platform_def.crds.typed_dict import TypedDict


class ServiceReference(TypedDict, total=False):
    name: Required[str]
    namespace: Required[str]
    path: str
    port: int


class WebhookClientConfig(TypedDict, total=False):
    caBundle: Bytes
    service: ServiceReference
    url: str


class WebhookConversion(TypedDict, total=False):
    clientConfig: WebhookClientConfig
    conversionReviewVersions: Required[list[str]]


class CustomResourceConversion(TypedDict, total=False):
    strategy: Required[str]
    webhook: WebhookConversion


class CustomResourceDefinitionNames(TypedDict, total=False):
    categories: list[str]
    kind: Required[str]
    listKind: str
    plural: Required[str]
    shortNames: list[str]
    singular: str


class CustomResourceColumnDefinition(TypedDict, total=False):
    description: str
    format: str
    jsonPath: Required[str]
    name: Required[str]
    priority: int
    type: Required[str]


class ExternalDocumentation(TypedDict, total=False):
    description: str
    url: str


class ValidationRule(TypedDict, total=False):
    fieldPath: str
    message: str
    messageExpression: str
    optionalOldSelf: bool
    reason: str
    rule: Required[str]


JSONSchemaProps = TypedDict(
    "JSONSchemaProps",
    {
        "$ref": str,
        "$schema": str,
        "additionalItems": object,
        "additionalProperties": object,
        "allOf": list["JSONSchemaProps"],
        "anyOf": list["JSONSchemaProps"],
        "default": object,
        "definitions": dict[str, "JSONSchemaProps"],
        "dependencies": dict[str, object],
        "description": str,
        "enum": list[object],
        "example": object,
        "exclusiveMaximum": bool,
        "exclusiveMinimum": bool,
        "externalDocs": ExternalDocumentation,
        "format": str,
        "id": str,
        "items": object,
        "maxItems": int,
        "maxLength": int,
        "maxProperties": int,
        "maximum": float,
        "minItems": int,
        "minLength": int,
        "minProperties": int,
        "minimum": float,
        "multipleOf": float,
        "not": "JSONSchemaProps",
        "nullable": bool,
        "oneOf": list["JSONSchemaProps"],
        "pattern": str,
        "patternProperties": dict[str, "JSONSchemaProps"],
        "properties": dict[str, "JSONSchemaProps"],
        "required": list[str],
        "title": str,
        "type": str,
        "uniqueItems": bool,
        "x-kubernetes-embedded-resource": bool,
        "x-kubernetes-int-or-string": bool,
        "x-kubernetes-list-map-keys": list[str],
        "x-kubernetes-list-type": str,
        "x-kubernetes-map-type": str,
        "x-kubernetes-preserve-unknown-fields": bool,
        "x-kubernetes-validations": list[ValidationRule],
    },
    total=False,
)


class CustomResourceValidation(TypedDict, total=False):
    openAPIV3Schema: JSONSchemaProps


class SelectableField(TypedDict, total=False):
    jsonPath: Required[str]


class CustomResourceSubresourceScale(TypedDict, total=False):
    labelSelectorPath: str
    specReplicasPath: Required[str]
    statusReplicasPath: Required[str]


class CustomResourceSubresources(TypedDict, total=False):
    scale: CustomResourceSubresourceScale
    status: OpenObject


class CustomResourceDefinitionVersion(TypedDict, total=False):
    additionalPrinterColumns: list[CustomResourceColumnDefinition]
    deprecated: bool
    deprecationWarning: str
    name: Required[str]
    schema: CustomResourceValidation
    selectableFields: list[SelectableField]
    served: Required[bool]
    storage: Required[bool]
    subresources: CustomResourceSubresources


class CustomResourceDefinitionSpec(TypedDict, total=False):
    conversion: CustomResourceConversion
    group: Required[str]
    names: Required[CustomResourceDefinitionNames]
    preserveUnknownFields: bool
    scope: Required[str]
    versions: Required[list[CustomResourceDefinitionVersion]]


CUSTOM_RESOURCE_DEFINITION = Api(
    group="apiextensions.k8s.io",
    version="v1",
    kind="CustomResourceDefinition",
    plural="customresourcedefinitions",
    spec=CustomResourceDefinitionSpec,
    namespaced=False,
    builtin=True,
)
