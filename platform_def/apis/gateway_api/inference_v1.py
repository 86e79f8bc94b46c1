"""The inference extension of Gateway API 1.6 (inference.networking.k8s.io): pools of model servers; its one owner."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import (
    Cel,
    Default,
    Int32,
    ListMap,
    ListType,
    Maximum,
    MaxItems,
    MaxLength,
    MaxProperties,
    Minimum,
    MinItems,
    MinLength,
    MinProperties,
    Pattern,
    Ref,
)
from platform_def.crds.typed_dict import TypedDict


class Port(TypedDict, total=False):
    """A port."""

    number: Required[Annotated[Int32, Maximum(65535), Minimum(1)]]
    """Its number."""


class EndpointPickerRef(TypedDict, total=False):
    """The program that picks a pod for each request."""

    failureMode: Annotated[Literal["FailOpen", "FailClose"], Default("FailClose")]
    """FailClose: requests are refused without it; FailOpen: any pod is taken."""
    group: Annotated[
        str,
        Default(""),
        MaxLength(253),
        MinLength(0),
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
    port: Port
    """Its port, of gRPC."""


class Selector(TypedDict, total=False):
    """Labels of the pods."""

    matchLabels: Required[
        Annotated[
            dict[
                str,
                Annotated[str, MaxLength(63), MinLength(0), Pattern("^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")],
            ],
            MaxProperties(64),
            MinProperties(1),
        ]
    ]
    """Labels that all of them have."""


class InferencePoolSpec(TypedDict, total=False):
    """Pods that serve the same models, and the program that picks one for each request."""

    appProtocol: Annotated[Literal["http", "kubernetes.io/h2c"], Default("http")]
    """What the pods speak."""
    endpointPickerRef: Annotated[
        EndpointPickerRef,
        Cel(
            "self.kind != 'Service' || has(self.port)",
            "a reference to a Service needs its port",
        ),
    ]
    """The program that picks; without it requests are shared out evenly."""
    selector: Required[Selector]
    """Labels of the pods."""
    targetPorts: Required[
        Annotated[
            list[Port],
            MaxItems(8),
            MinItems(1),
            ListType("atomic"),
            Cel("self.all(p1, self.exists_one(p2, p1.number==p2.number))", "each port is there once"),
        ]
    ]
    """Ports of the pods; several are several servers in one pod."""


class ParentRef(TypedDict, total=False):
    group: Annotated[
        str,
        Default("gateway.networking.k8s.io"),
        MaxLength(253),
        MinLength(0),
        Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    ]
    kind: Annotated[
        str, Default("Gateway"), MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")
    ]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    namespace: Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]


class Parent(TypedDict, total=False):
    conditions: Annotated[list[meta_v1.Condition], MaxItems(8), ListMap("type")]
    controllerName: Annotated[
        str,
        MaxLength(253),
        MinLength(1),
        Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+$"),
    ]
    parentRef: Required[ParentRef]


class InferencePoolStatus(TypedDict, total=False):
    parents: Annotated[list[Parent], MaxItems(32), ListType("atomic")]


INFERENCE_POOL = Api(
    group="inference.networking.k8s.io",
    version="v1",
    kind="InferencePool",
    plural="inferencepools",
    spec=InferencePoolSpec,
    status=InferencePoolStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    doc="Pods that serve the same models, and the program that picks one for each request.",
)

Conditions = Annotated[list[meta_v1.Condition], MaxItems(8), ListMap("type")]
Name = Annotated[
    str,
    MaxLength(253),
    MinLength(1),
    Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+$"),
]


class ExportingCluster(TypedDict, total=False):
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]


class ImportParentRef(TypedDict, total=False):
    group: Annotated[
        str,
        Default("gateway.networking.k8s.io"),
        MaxLength(253),
        MinLength(0),
        Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    ]
    kind: Annotated[
        str, Default("Gateway"), MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")
    ]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    namespace: Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]


class ImportParent(TypedDict, total=False):
    conditions: Conditions
    controllerName: Name
    parentRef: Required[ImportParentRef]


class Controller(TypedDict, total=False):
    conditions: Conditions
    exportingClusters: list[ExportingCluster]
    name: Required[Name]
    parents: Annotated[list[ImportParent], ListType("atomic")]


class InferencePoolImportStatus(TypedDict, total=False):
    controllers: Required[Annotated[list[Controller], MaxItems(8), ListMap("name")]]


class InferencePoolImport(TypedDict, total=False):
    status: InferencePoolImportStatus


INFERENCE_POOL_IMPORT = Api(
    group="inference.networking.x-k8s.io",
    version="v1alpha1",
    kind="InferencePoolImport",
    plural="inferencepoolimports",
    spec=InferencePoolImport,
    top_level=True,
    core="1.37",
    status_subresource=True,
)

CRDS = (
    Definition(
        (INFERENCE_POOL,),
        short_names=("infpool",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api-inference-extension/pull/1173",
            "inference.networking.k8s.io/bundle-version": "v1.6.0",
        },
    ),
    Definition(
        (INFERENCE_POOL_IMPORT,),
        short_names=("infpimp",),
        annotations={"inference.networking.k8s.io/bundle-version": "v1.6.0"},
    ),
)
