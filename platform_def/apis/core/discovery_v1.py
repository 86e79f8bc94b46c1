"""Core types of api.discovery.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.apis.core import core_v1
from platform_def.crds.model import Api
from platform_def.crds.typed_dict import TypedDict


class EndpointConditions(TypedDict, total=False):
    ready: bool
    serving: bool
    terminating: bool


class ForNode(TypedDict, total=False):
    name: Required[str]


class ForZone(TypedDict, total=False):
    name: Required[str]


class EndpointHints(TypedDict, total=False):
    forNodes: list[ForNode]
    forZones: list[ForZone]


class Endpoint(TypedDict, total=False):
    addresses: Required[list[str]]
    conditions: EndpointConditions
    deprecatedTopology: dict[str, str]
    hints: EndpointHints
    hostname: str
    nodeName: str
    targetRef: core_v1.ObjectReference
    zone: str


class EndpointPort(TypedDict, total=False):
    appProtocol: str
    name: str
    port: int
    protocol: str


class EndpointSlice(TypedDict, total=False):
    addressType: Required[str]
    endpoints: list[Endpoint]
    ports: list[EndpointPort]


ENDPOINT_SLICE = Api(
    group="discovery.k8s.io",
    version="v1",
    kind="EndpointSlice",
    plural="endpointslices",
    spec=EndpointSlice,
    top_level=True,
    builtin=True,
)
