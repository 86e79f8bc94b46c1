"""llm-d's router 0.9 and 0.10 (llm-d.ai): which requests go first, and models under other names; its one owner."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import (
    Default,
    Int32,
    ListMap,
    Maximum,
    MaxItems,
    MaxLength,
    Minimum,
    MinItems,
    MinLength,
    Pattern,
    Ref,
)
from platform_def.crds.typed_dict import TypedDict


class PoolRef(TypedDict, total=False):
    """The pool whose requests it is about."""

    group: Annotated[
        str,
        Default("inference.networking.k8s.io"),
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
                group="inference.networking.k8s.io",
                kind_field="kind",
                group_field="group",
                weak=True,
            ),
        ]
    ]
    """Its name."""


class Model(TypedDict, total=False):
    """A model name in requests."""

    type: Annotated[Literal["Exact"], Default("Exact")]
    """How names are compared."""
    value: Required[Annotated[str, MinLength(1)]]
    """The name."""


class Match(TypedDict, total=False):
    """Requests that a rule is for."""

    model: Required[Model]
    """By the model that they name."""


class Target(TypedDict, total=False):
    """A model that gets requests."""

    modelRewrite: Required[str]
    """Its name, as the servers know it."""
    weight: Annotated[Int32, Maximum(1000000), Minimum(1)]
    """Its share of the requests."""


class Rule(TypedDict, total=False):
    """Where requests for a model go."""

    matches: list[Match]
    """Requests that it is for; all if left out."""
    targets: Annotated[list[Target], MinItems(1)]
    """Models that get them."""


class InferenceModelRewriteSpec(TypedDict, total=False):
    """Models under other names, such as a canary of an adapter."""

    poolRef: Required[PoolRef]
    """The pool whose requests it is about."""
    rules: Required[list[Rule]]
    """What becomes of which model; the first that fits counts."""


class InferenceModelRewriteStatus(TypedDict, total=False):
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


class InferenceObjectiveSpec(TypedDict, total=False):
    """How important requests are that name it in the header `x-gateway-inference-objective`."""

    poolRef: Required[PoolRef]
    """The pool whose requests it is about."""
    priority: Int32
    """Requests of a higher one go first; those below 0 are refused when there is too much to do."""


class InferenceObjectiveStatus(TypedDict, total=False):
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


INFERENCE_MODEL_REWRITE = Api(
    group="llm-d.ai",
    version="v1alpha2",
    kind="InferenceModelRewrite",
    plural="inferencemodelrewrites",
    spec=InferenceModelRewriteSpec,
    status=InferenceModelRewriteStatus,
    core="1.37",
    status_subresource=True,
    columns=(Column("Inference Pool", ".spec.poolRef.name"), AGE),
    doc="Models under other names, such as a canary of an adapter.",
)

INFERENCE_OBJECTIVE = Api(
    group="llm-d.ai",
    version="v1alpha2",
    kind="InferenceObjective",
    plural="inferenceobjectives",
    spec=InferenceObjectiveSpec,
    status=InferenceObjectiveStatus,
    core="1.37",
    status_subresource=True,
    columns=(Column("Inference Pool", ".spec.poolRef.name"), Column("Priority", ".spec.priority"), AGE),
    doc="How important requests of a kind are, when there are more than a pool can serve.",
)

CRDS = (
    Definition((INFERENCE_MODEL_REWRITE,), annotations={"llm-d.ai/bundle-version": "v0.9.0"}),
    Definition((INFERENCE_OBJECTIVE,), annotations={"llm-d.ai/bundle-version": "v0.9.0"}),
)
