"""Istio 1.31 (telemetry.istio.io)."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.model import AGE, Api, Definition
from platform_def.crds.schema import (
    Cel,
    Double,
    IntOrString,
    Maximum,
    MaxItems,
    MaxLength,
    MaxProperties,
    Minimum,
    MinLength,
    Nullable,
    OneOf,
    Pattern,
    Preserve,
    Ref,
    Time,
)
from platform_def.crds.typed_dict import TypedDict


class Filter(TypedDict, total=False):
    expression: str


class Match(TypedDict, total=False):
    mode: Literal["CLIENT_AND_SERVER", "CLIENT", "SERVER"]


class Provider(TypedDict, total=False):
    name: Required[Annotated[str, MinLength(1)]]


class AccessLogging(TypedDict, total=False):
    disabled: Nullable[bool]
    filter: Filter
    match: Match
    providers: list[Provider]


class OverrideMatch(TypedDict, total=False):
    customMetric: Annotated[str, MinLength(1)]
    metric: Literal[
        "ALL_METRICS",
        "REQUEST_COUNT",
        "REQUEST_DURATION",
        "REQUEST_SIZE",
        "RESPONSE_SIZE",
        "TCP_OPENED_CONNECTIONS",
        "TCP_CLOSED_CONNECTIONS",
        "TCP_SENT_BYTES",
        "TCP_RECEIVED_BYTES",
        "GRPC_REQUEST_MESSAGES",
        "GRPC_RESPONSE_MESSAGES",
    ]
    mode: Literal["CLIENT_AND_SERVER", "CLIENT", "SERVER"]


class TagOverride(TypedDict, total=False):
    operation: Literal["UPSERT", "REMOVE"]
    value: str


class Override(TypedDict, total=False):
    disabled: Nullable[bool]
    match: Annotated[
        OverrideMatch,
        OneOf(
            {"not": {"anyOf": [{"required": ["metric"]}, {"required": ["customMetric"]}]}},
            {"required": ["metric"]},
            {"required": ["customMetric"]},
        ),
    ]
    tagOverrides: dict[
        str,
        Annotated[
            TagOverride,
            Cel(
                '((has(self.operation) ? self.operation : "") == "UPSERT") ? (self.value != "") : true',
                "UPSERT needs a value",
            ),
            Cel(
                '((has(self.operation) ? self.operation : "") == "REMOVE") ? !has(self.value) : true',
                "REMOVE takes no value",
            ),
        ],
    ]


class Metric(TypedDict, total=False):
    overrides: list[Override]
    providers: list[Provider]
    reportingInterval: Annotated[str, Cel("duration(self) >= duration('1ms')", "at least one millisecond")]


class Selector(TypedDict, total=False):
    matchLabels: Annotated[
        dict[str, Annotated[str, MaxLength(63), Cel('!self.contains("*")', "a label's value has no wildcard")]],
        MaxProperties(4096),
        Cel('self.all(key, !key.contains("*"))', "a label's key has no wildcard"),
        Cel("self.all(key, key.size() != 0)", "a key is empty"),
    ]


class TargetRef(TypedDict, total=False):
    """A gateway or service that it is for."""

    group: Annotated[
        str, MaxLength(253), Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
    ]
    kind: Required[Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]]
    name: Required[
        Annotated[
            str,
            MaxLength(253),
            MinLength(1),
            Ref("Gateway", group="gateway.networking.k8s.io", kind_field="kind", group_field="group", weak=True),
        ]
    ]
    namespace: Annotated[str, Cel("self.size() == 0", "refers to its own namespace only")]


class Environment(TypedDict, total=False):
    defaultValue: str
    name: Required[Annotated[str, MinLength(1)]]


class Formatter(TypedDict, total=False):
    value: Required[Annotated[str, MinLength(1)]]


class CustomTag(TypedDict, total=False):
    environment: Environment
    formatter: Formatter
    header: Environment
    literal: Formatter


class Tracing(TypedDict, total=False):
    customTags: dict[
        str,
        Annotated[
            CustomTag,
            OneOf(
                {
                    "not": {
                        "anyOf": [
                            {"required": ["literal"]},
                            {"required": ["environment"]},
                            {"required": ["header"]},
                            {"required": ["formatter"]},
                        ],
                    },
                },
                {"required": ["literal"]},
                {"required": ["environment"]},
                {"required": ["header"]},
                {"required": ["formatter"]},
            ),
        ],
    ]
    disableContextPropagation: Nullable[bool]
    disableSpanReporting: Nullable[bool]
    enableIstioTags: Nullable[bool]
    match: Match
    providers: list[Provider]
    randomSamplingPercentage: Annotated[Nullable[Double], Maximum(100), Minimum(0)]
    useRequestIdForTraceSampling: Nullable[bool]


class TelemetrySpec(TypedDict, total=False):
    """Which logs, metrics and traces the proxies write."""

    accessLogging: list[AccessLogging]
    metrics: list[Metric]
    selector: Selector
    targetRef: TargetRef
    targetRefs: Annotated[list[TargetRef], MaxItems(16)]
    tracing: list[Tracing]


class Condition(TypedDict, total=False):
    lastProbeTime: Time
    lastTransitionTime: Time
    message: str
    observedGeneration: IntOrString
    reason: str
    status: str
    type: str


class Type(TypedDict, total=False):
    code: str
    name: str


class ValidationMessage(TypedDict, total=False):
    documentationUrl: str
    level: Literal["UNKNOWN", "ERROR", "WARNING", "INFO"]
    type: Type


class TelemetryStatus(TypedDict, total=False):
    conditions: list[Condition]
    observedGeneration: IntOrString
    validationMessages: list[ValidationMessage]


class Telemetry(TypedDict, total=False):
    spec: Annotated[
        TelemetrySpec,
        Cel(
            "(has(self.selector) ? 1 : 0) + (has(self.targetRef) ? 1 : 0) + (has(self.targetRefs) ? 1 : 0) <= 1",
            "selector, targetRef and targetRefs exclude each other",
        ),
    ]
    status: Annotated[TelemetryStatus, Preserve()]


class TelemetryV1(TypedDict, total=False):
    spec: Annotated[
        TelemetrySpec,
        Cel(
            "(has(self.selector) ? 1 : 0) + (has(self.targetRef) ? 1 : 0) + (has(self.targetRefs) ? 1 : 0) <= 1",
            "selector, targetRef and targetRefs exclude each other",
        ),
    ]
    status: Annotated[TelemetryStatus, Preserve()]


TELEMETRY = Api(
    group="telemetry.istio.io",
    version="v1alpha1",
    kind="Telemetry",
    plural="telemetries",
    spec=TelemetrySpec,
    top=Telemetry,
    status_subresource=True,
    columns=(AGE,),
)

TELEMETRY_V1 = Api(
    group="telemetry.istio.io",
    version="v1",
    kind="Telemetry",
    plural="telemetries",
    spec=TelemetrySpec,
    top=TelemetryV1,
    status_subresource=True,
    columns=(AGE,),
    storage=False,
)

CRDS = (
    Definition((TELEMETRY_V1, TELEMETRY), short_names=("telemetry",), categories=("istio-io", "telemetry-istio-io")),
)
