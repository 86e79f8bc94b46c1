"""Kubeflow Pipelines 2.17 with pipelines kept as Kubernetes objects (pipelines.kubeflow.org)."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import AnyValue, MaxLength, Pattern, Ref
from platform_def.crds.typed_dict import TypedDict


class PipelineSpec(TypedDict, total=False):
    """A pipeline; its versions hold what runs."""

    description: str
    """What it is for."""
    displayName: str
    """Name that people see; the object's if left out."""
    tags: dict[str, str]
    """Words to find it by."""


class PipelineVersionSpec(TypedDict, total=False):
    """One version of a pipeline: what the compiler wrote."""

    codeSourceURL: str
    """Where its source is."""
    description: str
    """What is new."""
    displayName: str
    """Name that people see; the object's if left out."""
    pipelineName: Annotated[str, Ref("Pipeline", group="pipelines.kubeflow.org")]
    """Pipeline that this is a version of."""
    pipelineSpec: Required[AnyValue]
    """The compiled pipeline, the first document of what the compiler wrote; it stays as it was created."""
    pipelineSpecURI: str
    """Address of the compiled pipeline, where it is kept elsewhere."""
    platformSpec: AnyValue
    """The second document of what the compiler wrote, if there is one: volumes, secrets and the like."""
    tags: dict[str, str]
    """Words to find it by."""
    versionName: Annotated[str, MaxLength(253), Pattern(r"^[a-z0-9]([a-z0-9\.\-]*[a-z0-9])?$")]
    """Name of the version among those of its pipeline, where the object's is another."""


class Condition(TypedDict, total=False):
    """A fact that the API server found."""

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
    """What the API server reports."""

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
