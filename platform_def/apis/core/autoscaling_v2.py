"""Core types of api.autoscaling.v2, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.apis.core import meta_v1
from platform_def.crds.model import Api
from platform_def.crds.schema import Quantity
from platform_def.crds.typed_dict import TypedDict


class MetricTarget(TypedDict, total=False):
    averageUtilization: int
    averageValue: Quantity
    type: Required[str]
    value: Quantity


class ContainerResourceMetricSource(TypedDict, total=False):
    container: Required[str]
    name: Required[str]
    target: Required[MetricTarget]


class MetricIdentifier(TypedDict, total=False):
    name: Required[str]
    selector: meta_v1.LabelSelector


class ExternalMetricSource(TypedDict, total=False):
    metric: Required[MetricIdentifier]
    target: Required[MetricTarget]


class CrossVersionObjectReference(TypedDict, total=False):
    apiVersion: str
    kind: Required[str]
    name: Required[str]


class ObjectMetricSource(TypedDict, total=False):
    describedObject: Required[CrossVersionObjectReference]
    metric: Required[MetricIdentifier]
    target: Required[MetricTarget]


class PodsMetricSource(TypedDict, total=False):
    metric: Required[MetricIdentifier]
    target: Required[MetricTarget]


class ResourceMetricSource(TypedDict, total=False):
    name: Required[str]
    target: Required[MetricTarget]


class MetricSpec(TypedDict, total=False):
    containerResource: ContainerResourceMetricSource
    external: ExternalMetricSource
    object: ObjectMetricSource
    pods: PodsMetricSource
    resource: ResourceMetricSource
    type: Required[str]


class HPAScalingPolicy(TypedDict, total=False):
    periodSeconds: Required[int]
    type: Required[str]
    value: Required[int]


class HPAScalingRules(TypedDict, total=False):
    policies: list[HPAScalingPolicy]
    selectPolicy: str
    stabilizationWindowSeconds: int
    tolerance: Quantity


class HorizontalPodAutoscalerBehavior(TypedDict, total=False):
    scaleDown: HPAScalingRules
    scaleUp: HPAScalingRules


class HorizontalPodAutoscalerSpec(TypedDict, total=False):
    behavior: HorizontalPodAutoscalerBehavior
    maxReplicas: Required[int]
    metrics: list[MetricSpec]
    minReplicas: int
    scaleTargetRef: Required[CrossVersionObjectReference]


HORIZONTAL_POD_AUTOSCALER = Api(
    group="autoscaling",
    version="v2",
    kind="HorizontalPodAutoscaler",
    plural="horizontalpodautoscalers",
    spec=HorizontalPodAutoscalerSpec,
    builtin=True,
)
