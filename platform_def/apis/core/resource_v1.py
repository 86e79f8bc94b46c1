"""Core types of api.resource.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.apis.core import meta_v1
from platform_def.crds.model import Api
from platform_def.crds.schema import OpenObject, Quantity
from platform_def.crds.typed_dict import TypedDict


class OpaqueDeviceConfiguration(TypedDict, total=False):
    driver: Required[str]
    parameters: Required[OpenObject]


class DeviceClaimConfiguration(TypedDict, total=False):
    opaque: OpaqueDeviceConfiguration
    requests: list[str]


class DeviceConstraint(TypedDict, total=False):
    distinctAttribute: str
    matchAttribute: str
    requests: list[str]


class CapacityRequirements(TypedDict, total=False):
    requests: dict[str, Quantity]


class DeviceDerivedAttribute(TypedDict, total=False):
    expression: Required[str]
    name: Required[str]


class CELDeviceSelector(TypedDict, total=False):
    expression: Required[str]


class DeviceSelector(TypedDict, total=False):
    cel: CELDeviceSelector


class DeviceToleration(TypedDict, total=False):
    effect: str
    key: str
    operator: str
    tolerationSeconds: int
    value: str


class ExactDeviceRequest(TypedDict, total=False):
    adminAccess: bool
    allocationMode: str
    capacity: CapacityRequirements
    count: int
    derivedAttributes: list[DeviceDerivedAttribute]
    deviceClassName: Required[str]
    selectors: list[DeviceSelector]
    tolerations: list[DeviceToleration]


class DeviceSubRequest(TypedDict, total=False):
    allocationMode: str
    capacity: CapacityRequirements
    count: int
    derivedAttributes: list[DeviceDerivedAttribute]
    deviceClassName: Required[str]
    name: Required[str]
    selectors: list[DeviceSelector]
    tolerations: list[DeviceToleration]


class DeviceRequest(TypedDict, total=False):
    exactly: ExactDeviceRequest
    firstAvailable: list[DeviceSubRequest]
    name: Required[str]


class DeviceClaim(TypedDict, total=False):
    config: list[DeviceClaimConfiguration]
    constraints: list[DeviceConstraint]
    requests: list[DeviceRequest]


class ResourceClaimSpec(TypedDict, total=False):
    devices: DeviceClaim


class ResourceClaimTemplateSpec(TypedDict, total=False):
    metadata: meta_v1.ObjectMeta
    spec: ResourceClaimSpec


class DeviceClassConfiguration(TypedDict, total=False):
    opaque: OpaqueDeviceConfiguration


class DeviceClassSpec(TypedDict, total=False):
    config: list[DeviceClassConfiguration]
    extendedResourceName: str
    selectors: list[DeviceSelector]


RESOURCE_CLAIM = Api(
    group="resource.k8s.io",
    version="v1",
    kind="ResourceClaim",
    plural="resourceclaims",
    spec=ResourceClaimSpec,
    builtin=True,
)

RESOURCE_CLAIM_TEMPLATE = Api(
    group="resource.k8s.io",
    version="v1",
    kind="ResourceClaimTemplate",
    plural="resourceclaimtemplates",
    spec=ResourceClaimTemplateSpec,
    builtin=True,
)

DEVICE_CLASS = Api(
    group="resource.k8s.io",
    version="v1",
    kind="DeviceClass",
    plural="deviceclasses",
    spec=DeviceClassSpec,
    namespaced=False,
    builtin=True,
)
