"""Core types of api.scheduling.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from platform_def.crds.model import Api
from platform_def.crds.typed_dict import TypedDict


class PriorityClass(TypedDict, total=False):
    description: str
    globalDefault: bool
    preemptionPolicy: str
    value: int


PRIORITY_CLASS = Api(
    group="scheduling.k8s.io",
    version="v1",
    kind="PriorityClass",
    plural="priorityclasses",
    spec=PriorityClass,
    namespaced=False,
    top_level=True,
    builtin=True,
)
