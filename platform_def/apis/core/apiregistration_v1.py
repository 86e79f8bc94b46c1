"""Core types of kube-aggregator.pkg.apis.apiregistration.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.crds.model import Api
from platform_def.crds.schema import Bytes
from platform_def.crds.typed_dict import TypedDict


class ServiceReference(TypedDict, total=False):
    name: str
    namespace: str
    port: int


class APIServiceSpec(TypedDict, total=False):
    caBundle: Bytes
    group: str
    groupPriorityMinimum: Required[int]
    insecureSkipTLSVerify: bool
    service: ServiceReference
    version: str
    versionPriority: Required[int]


API_SERVICE = Api(
    group="apiregistration.k8s.io",
    version="v1",
    kind="APIService",
    plural="apiservices",
    spec=APIServiceSpec,
    namespaced=False,
    builtin=True,
)
