"""The inference extension of Gateway API (inference.networking.x-k8s.io) as KServe 0.16 has it; its one owner."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import (
    Cel,
    Default,
    Int32,
    ListMap,
    Maximum,
    MaxItems,
    MaxLength,
    Minimum,
    MinLength,
    Pattern,
    Ref,
)
from platform_def.crds.typed_dict import TypedDict


class PoolRef(TypedDict, total=False):
    """Pool that serves the model."""

    group: Annotated[
        str,
        Default("inference.networking.x-k8s.io"),
        MaxLength(253),
        Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    ]
    """API group of the pool."""
    kind: Annotated[
        str, Default("InferencePool"), MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")
    ]
    """Kind of the pool."""
    name: Required[
        Annotated[
            str,
            MaxLength(253),
            MinLength(1),
            Ref(
                "InferencePool",
                group="inference.networking.x-k8s.io",
                kind_field="kind",
                group_field="group",
                weak=True,
            ),
        ]
    ]
    """Its name."""


class TargetModel(TypedDict, total=False):
    """A model, or an adapter of it, that the servers know."""

    name: Required[Annotated[str, MaxLength(253)]]
    """Its name."""
    weight: Annotated[Int32, Maximum(1000000), Minimum(1)]
    """Its share of the requests."""


class InferenceModelSpec(TypedDict, total=False):
    """A model name that clients use, and what stands behind it."""

    criticality: Literal["Critical", "Standard", "Sheddable"]
    """What happens when there is too much to do: Critical comes first, Sheddable is refused."""
    modelName: Required[Annotated[str, MaxLength(256), Cel("self == oldSelf", "stays as it was created")]]
    """Name that requests carry."""
    poolRef: Required[PoolRef]
    """Pool that serves it."""
    targetModels: Annotated[
        list[TargetModel],
        MaxItems(10),
        Cel(
            "self.all(model, has(model.weight)) || self.all(model, !has(model.weight))",
            "a weight for every target or for none",
        ),
    ]
    """Models that get the requests; modelName itself if left out."""


class InferenceModelStatus(TypedDict, total=False):
    conditions: Annotated[
        list[meta_v1.Condition],
        Default(
            [
                {
                    "lastTransitionTime": "1970-01-01T00:00:00Z",
                    "message": "Waiting for controller",
                    "reason": "Pending",
                    "status": "Unknown",
                    "type": "Ready",
                },
            ],
        ),
        MaxItems(8),
        ListMap("type"),
    ]


class ExtensionRef(TypedDict, total=False):
    """Service that picks a pod for each request."""

    failureMode: Annotated[Literal["FailOpen", "FailClose"], Default("FailClose")]
    """FailClose: requests are refused without it; FailOpen: any pod is taken."""
    group: Annotated[
        str,
        Default(""),
        MaxLength(253),
        Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    ]
    """API group; empty for a Service."""
    kind: Annotated[
        str, Default("Service"), MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")
    ]
    """Service."""
    name: Required[
        Annotated[str, MaxLength(253), MinLength(1), Ref("Service", kind_field="kind", group_field="group", weak=True)]
    ]
    """Its name."""
    portNumber: Annotated[Int32, Maximum(65535), Minimum(1)]
    """Its port; 9002 if left out."""


class InferencePoolSpec(TypedDict, total=False):
    """Pods that serve the same models, and who picks among them."""

    extensionRef: Required[ExtensionRef]
    """Service that picks a pod for each request."""
    selector: Required[
        dict[str, Annotated[str, MaxLength(63), MinLength(0), Pattern("^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")]]
    ]
    """Labels of the pods."""
    targetPortNumber: Required[Annotated[Int32, Maximum(65535), Minimum(1)]]
    """Port of the pods."""


class ParentRef(TypedDict, total=False):
    group: Annotated[
        str,
        Default("gateway.networking.k8s.io"),
        MaxLength(253),
        Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    ]
    kind: Annotated[
        str, Default("Gateway"), MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")
    ]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    namespace: Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]


class Parent(TypedDict, total=False):
    conditions: Annotated[
        list[meta_v1.Condition],
        Default(
            [
                {
                    "lastTransitionTime": "1970-01-01T00:00:00Z",
                    "message": "Waiting for controller",
                    "reason": "Pending",
                    "status": "Unknown",
                    "type": "Accepted",
                },
            ],
        ),
        MaxItems(8),
        ListMap("type"),
    ]
    parentRef: Required[ParentRef]


class InferencePoolStatus(TypedDict, total=False):
    parent: Annotated[list[Parent], MaxItems(32)]


class InferencePool(TypedDict, total=False):
    spec: InferencePoolSpec
    status: Annotated[
        InferencePoolStatus,
        Default(
            {
                "parent": [
                    {
                        "conditions": [
                            {
                                "lastTransitionTime": "1970-01-01T00:00:00Z",
                                "message": "Waiting for controller",
                                "reason": "Pending",
                                "status": "Unknown",
                                "type": "Accepted",
                            },
                        ],
                        "parentRef": {"kind": "Status", "name": "default"},
                    },
                ],
            },
        ),
    ]


INFERENCE_MODEL = Api(
    group="inference.networking.x-k8s.io",
    version="v1alpha2",
    kind="InferenceModel",
    plural="inferencemodels",
    spec=InferenceModelSpec,
    status=InferenceModelStatus,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Model Name", ".spec.modelName"),
        Column("Inference Pool", ".spec.poolRef.name"),
        Column("Criticality", ".spec.criticality"),
        AGE,
    ),
    doc="A model name that clients use, and what stands behind it.",
)

INFERENCE_POOL = Api(
    group="inference.networking.x-k8s.io",
    version="v1alpha2",
    kind="InferencePool",
    plural="inferencepools",
    spec=InferencePoolSpec,
    top=InferencePool,
    core="1.37",
    status_subresource=True,
    doc="Pods that serve the same models, and who picks among them.",
)

CRDS = (Definition((INFERENCE_MODEL,)), Definition((INFERENCE_POOL,)))
