"""Core types of apimachinery.pkg.apis.meta.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.crds.schema import Time
from platform_def.crds.typed_dict import TypedDict


class Condition(TypedDict, total=False):
    lastTransitionTime: Required[Time]
    message: Required[str]
    observedGeneration: int
    reason: Required[str]
    status: Required[str]
    type: Required[str]


class LabelSelectorRequirement(TypedDict, total=False):
    key: Required[str]
    operator: Required[str]
    values: list[str]


class LabelSelector(TypedDict, total=False):
    matchExpressions: list[LabelSelectorRequirement]
    matchLabels: dict[str, str]


class OwnerReference(TypedDict, total=False):
    apiVersion: Required[str]
    blockOwnerDeletion: bool
    controller: bool
    kind: Required[str]
    name: Required[str]
    uid: Required[str]


class ObjectMeta(TypedDict, total=False):
    annotations: dict[str, str]
    finalizers: list[str]
    generateName: str
    labels: dict[str, str]
    name: str
    namespace: str
    ownerReferences: list[OwnerReference]
