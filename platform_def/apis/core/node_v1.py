"""Core types of api.node.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.apis.core import core_v1
from platform_def.crds.model import Api
from platform_def.crds.schema import Quantity
from platform_def.crds.typed_dict import TypedDict


class Overhead(TypedDict, total=False):
    podFixed: dict[str, Quantity]


class Scheduling(TypedDict, total=False):
    nodeSelector: dict[str, str]
    tolerations: list[core_v1.Toleration]


class RuntimeClass(TypedDict, total=False):
    handler: Required[str]
    overhead: Overhead
    scheduling: Scheduling


RUNTIME_CLASS = Api(
    group="node.k8s.io",
    version="v1",
    kind="RuntimeClass",
    plural="runtimeclasses",
    spec=RuntimeClass,
    namespaced=False,
    top_level=True,
    builtin=True,
)
