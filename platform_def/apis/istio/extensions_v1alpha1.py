"""Istio 1.31 (extensions.istio.io)."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.model import AGE, Api, Definition
from platform_def.crds.schema import (
    Cel,
    Int32,
    IntOrString,
    ListMap,
    Maximum,
    MaxItems,
    MaxLength,
    MaxProperties,
    Minimum,
    MinLength,
    Nullable,
    OneOf,
    OpenObject,
    Pattern,
    Preserve,
    Ref,
    Time,
)
from platform_def.crds.typed_dict import TypedDict


class Port(TypedDict, total=False):
    number: Required[Annotated[int, Maximum(65535), Minimum(1)]]


class Match(TypedDict, total=False):
    mode: Literal["UNDEFINED", "CLIENT", "SERVER", "CLIENT_AND_SERVER"]
    ports: Annotated[list[Port], ListMap("number")]


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


class Env(TypedDict, total=False):
    name: Required[Annotated[str, MaxLength(256), MinLength(1)]]
    value: Annotated[str, MaxLength(2048)]
    valueFrom: Literal["INLINE", "HOST"]


class VmConfig(TypedDict, total=False):
    env: Annotated[
        list[
            Annotated[
                Env,
                Cel(
                    '(has(self.valueFrom) ? self.valueFrom : "") != "HOST" || !has(self.value)',
                    "value goes with valueFrom INLINE",
                ),
            ]
        ],
        MaxItems(256),
        ListMap("name"),
    ]


class Lua(TypedDict, total=False):
    """A filter in Lua."""

    inlineCode: Required[Annotated[str, MaxLength(65536), MinLength(1)]]
    """Its code, with `envoy_on_request` or `envoy_on_response`."""


class Wasm(TypedDict, total=False):
    """A filter as a WebAssembly module."""

    failStrategy: Literal["FAIL_CLOSE", "FAIL_OPEN", "FAIL_RELOAD"]
    """What becomes of requests where it cannot run: FAIL_CLOSE (the default) refuses them."""
    imagePullPolicy: Literal["UNSPECIFIED_POLICY", "IfNotPresent", "Always"]
    """When the module is fetched again."""
    imagePullSecret: Annotated[str, MaxLength(253), MinLength(1), Ref("Secret")]
    """Secret with the registry's login."""
    pluginConfig: OpenObject
    """What the module is told."""
    pluginName: Annotated[str, MaxLength(256), MinLength(1)]
    """Its name in Envoy's configuration."""
    sha256: Annotated[str, Pattern("(^$|^[a-f0-9]{64}$)")]
    """Checksum of the module or image."""
    type: Literal["UNSPECIFIED_PLUGIN_TYPE", "HTTP", "NETWORK"]
    """A filter of requests (HTTP, the default) or of connections."""
    url: Required[
        Annotated[
            str,
            MinLength(1),
            Cel(
                'isURL(self) ? (url(self).getScheme() in ["", "http", "https", "file", "oci"]) : (isURL("http://" + self) &&\nurl("http://" + self).getScheme() in ["", "http", "https", "file", "oci"])',
                "the URL's scheme is http, https, file or oci",
            ),
        ]
    ]
    """Where the module is: an image (`oci://`) or a file."""
    verificationKey: str
    """Public key that the image must be signed with."""
    vmConfig: VmConfig
    """Environment of the module."""


class TrafficExtensionSpec(TypedDict, total=False):
    """A filter in the proxies, as WebAssembly or in Lua."""

    lua: Lua
    """The filter in Lua."""
    match: list[Match]
    """Traffic that it sees; all if left out."""
    phase: Literal["UNSPECIFIED", "AUTHN", "AUTHZ", "STATS"]
    """Before which of the proxy's own filters it is put; before routing if left out."""
    priority: Nullable[Int32]
    """Order within the phase; higher goes first."""
    selector: Selector
    """Pods whose proxies get it; all of the namespace if left out."""
    targetRefs: Annotated[list[TargetRef], MaxItems(16)]
    """Gateways or services whose proxies get it."""
    wasm: Wasm
    """The filter as WebAssembly."""


class WasmPluginSpec(TypedDict, total=False):
    """A filter of one's own in the proxies."""

    failStrategy: Literal["FAIL_CLOSE", "FAIL_OPEN", "FAIL_RELOAD"]
    imagePullPolicy: Literal["UNSPECIFIED_POLICY", "IfNotPresent", "Always"]
    imagePullSecret: Annotated[str, MaxLength(253), MinLength(1), Ref("Secret")]
    match: list[Match]
    phase: Literal["UNSPECIFIED_PHASE", "AUTHN", "AUTHZ", "STATS"]
    pluginConfig: OpenObject
    pluginName: Annotated[str, MaxLength(256), MinLength(1)]
    priority: Nullable[Int32]
    selector: Selector
    sha256: Annotated[str, Pattern("(^$|^[a-f0-9]{64}$)")]
    targetRef: TargetRef
    targetRefs: Annotated[list[TargetRef], MaxItems(16)]
    type: Literal["UNSPECIFIED_PLUGIN_TYPE", "HTTP", "NETWORK"]
    url: Required[
        Annotated[
            str,
            MinLength(1),
            Cel(
                'isURL(self) ? (url(self).getScheme() in ["", "http", "https", "oci", "file"]) : (isURL("http://" + self) &&\nurl("http://" + self).getScheme() in ["", "http", "https", "oci", "file"])',
                "the URL's scheme is http, https, oci or file",
            ),
        ]
    ]
    verificationKey: str
    vmConfig: VmConfig


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


class WasmPluginStatus(TypedDict, total=False):
    conditions: list[Condition]
    observedGeneration: IntOrString
    validationMessages: list[ValidationMessage]


class WasmPlugin(TypedDict, total=False):
    spec: Required[
        Annotated[
            WasmPluginSpec,
            Cel(
                "(has(self.selector) ? 1 : 0) + (has(self.targetRef) ? 1 : 0) + (has(self.targetRefs) ? 1 : 0) <= 1",
                "selector, targetRef and targetRefs exclude each other",
            ),
        ]
    ]
    status: Annotated[WasmPluginStatus, Preserve()]


class TrafficExtension(TypedDict, total=False):
    spec: Required[
        Annotated[
            TrafficExtensionSpec,
            OneOf(
                {"not": {"anyOf": [{"required": ["wasm"]}, {"required": ["lua"]}]}},
                {"required": ["wasm"]},
                {"required": ["lua"]},
            ),
            Cel(
                "(has(self.selector) ? 1 : 0) + (has(self.targetRefs) ? 1 : 0) <= 1",
                "selector and targetRefs exclude each other",
            ),
            Cel("has(self.wasm) != has(self.lua)", "either wasm or lua"),
        ]
    ]
    status: Annotated[WasmPluginStatus, Preserve()]


TRAFFIC_EXTENSION = Api(
    group="extensions.istio.io",
    version="v1alpha1",
    kind="TrafficExtension",
    plural="trafficextensions",
    spec=TrafficExtensionSpec,
    top=TrafficExtension,
    status_subresource=True,
    columns=(AGE,),
    doc="A filter in the proxies, as WebAssembly or in Lua; takes the place of WasmPlugin.",
)

WASM_PLUGIN = Api(
    group="extensions.istio.io",
    version="v1alpha1",
    kind="WasmPlugin",
    plural="wasmplugins",
    spec=WasmPluginSpec,
    top=WasmPlugin,
    status_subresource=True,
    columns=(AGE,),
)

_CATEGORIES = ("istio-io", "extensions-istio-io")

CRDS = (
    Definition((TRAFFIC_EXTENSION,), categories=_CATEGORIES),
    Definition((WASM_PLUGIN,), categories=_CATEGORIES),
)
