"""Kubeflow Pipelines 2.16 with pipelines kept as Kubernetes objects (pipelines.kubeflow.org)."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import AnyValue, MaxLength, Pattern, Ref


class PipelineSpec(TypedDict, total=False):
    description: str
    """What it is for."""
    displayName: str
    """Name that people see."""


class PipelineVersionSpec(TypedDict, total=False):
    codeSourceURL: str
    """Where its source is."""
    description: str
    """What is new."""
    displayName: str
    """Name that people see."""
    pipelineName: Annotated[str, Ref("Pipeline", group="pipelines.kubeflow.org")]
    """Pipeline that this is a version of."""
    pipelineSpec: Required[AnyValue]
    """The compiled pipeline."""
    pipelineSpecURI: str
    """Where the compiled pipeline is kept instead."""
    platformSpec: AnyValue
    """What the compiler wrote for Kubernetes."""


class Condition(TypedDict, total=False):
    message: Required[Annotated[str, MaxLength(32768)]]
    reason: Required[str]
    status: Required[Literal["True", "False", "Unknown"]]
    type: Required[
        Annotated[
            str,
            MaxLength(316),
            Pattern(
                r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
            ),
        ]
    ]


class PipelineVersionStatus(TypedDict, total=False):
    conditions: list[Condition]


PIPELINE = Api(
    group="pipelines.kubeflow.org", version="v2beta1", kind="Pipeline", plural="pipelines", spec=PipelineSpec
)

PIPELINE_VERSION = Api(
    group="pipelines.kubeflow.org",
    version="v2beta1",
    kind="PipelineVersion",
    plural="pipelineversions",
    spec=PipelineVersionSpec,
    status=PipelineVersionStatus,
    status_subresource=True,
)

CRDS = (Definition((PIPELINE,)), Definition((PIPELINE_VERSION,)))
