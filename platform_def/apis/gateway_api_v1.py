"""Gateway API 1.6, standard channel (gateway.networking.k8s.io); this is its one owner."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import meta_v1
from platform_def.apis.health import Health
from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import (
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
    OneOf,
    Pattern,
    Ref,
)

Options = Annotated[dict[str, Annotated[str, MaxLength(4096), MinLength(0)]], MaxProperties(16)]
Group = Annotated[str, MaxLength(253), Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
Kind2 = Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
SectionName = Annotated[
    str, MaxLength(253), MinLength(1), Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
]
Hostname = Annotated[
    str,
    MaxLength(253),
    MinLength(1),
    Pattern(r"^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
]
Conditions = Annotated[list[meta_v1.Condition], MaxItems(8), MinItems(1), ListMap("type")]
ControllerName = Annotated[
    str,
    MaxLength(253),
    MinLength(1),
    Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+$"),
]
Group2 = Annotated[
    str,
    Default("gateway.networking.k8s.io"),
    MaxLength(253),
    Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
]
Kind3 = Annotated[
    str, Default("Gateway"), MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")
]
Namespace = Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
Type = Annotated[
    str,
    Default("IPAddress"),
    MaxLength(253),
    MinLength(1),
    Pattern(
        r"^Hostname|IPAddress|NamedAddress|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+$",
    ),
]
Protocol = Annotated[
    str,
    MaxLength(255),
    MinLength(1),
    Pattern(
        r"^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9]+$",
    ),
]
Mode = Annotated[Literal["Terminate", "Passthrough"], Default("Terminate")]
Group3 = Annotated[
    str, Default(""), MaxLength(253), Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
]
Kind4 = Annotated[str, Default("Secret"), MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
Conditions2 = Annotated[
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
            {
                "lastTransitionTime": "1970-01-01T00:00:00Z",
                "message": "Waiting for controller",
                "reason": "Pending",
                "status": "Unknown",
                "type": "Programmed",
            },
        ],
    ),
    MaxItems(8),
    ListMap("type"),
]
Hostnames = Annotated[
    list[
        Annotated[
            str,
            MaxLength(253),
            MinLength(1),
            Pattern(r"^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        ]
    ],
    MaxItems(16),
    ListType("atomic"),
]
Kind5 = Annotated[
    str, Default("Service"), MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")
]
Name = Annotated[str, MaxLength(253), MinLength(1), Ref("Service", namespace="namespace")]
Name2 = Annotated[str, MaxLength(256), MinLength(1), Pattern(r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$")]
Type2 = Annotated[Literal["Exact", "RegularExpression"], Default("Exact")]


class TargetRef(TypedDict, total=False):
    group: Required[Group]
    kind: Required[Kind2]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    sectionName: SectionName


class CaCertificateRef(TypedDict, total=False):
    group: Required[Group]
    kind: Required[Kind2]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]


class SubjectAltName(TypedDict, total=False):
    hostname: Hostname
    type: Required[Literal["Hostname", "URI"]]
    uri: Annotated[
        str, MaxLength(253), MinLength(1), Pattern(r"^(([^:/?#]+):)(//([^/?#]*))([^?#]*)(\?([^#]*))?(#(.*))?")
    ]


class Validation(TypedDict, total=False):
    caCertificateRefs: Annotated[list[CaCertificateRef], MaxItems(8), ListType("atomic")]
    hostname: Required[SectionName]
    subjectAltNames: Annotated[
        list[
            Annotated[
                SubjectAltName,
                Cel(
                    '!(self.type == "Hostname" && (!has(self.hostname) || self.hostname == ""))',
                    "the type Hostname needs a hostname",
                ),
                Cel(
                    '!(self.type != "Hostname" && has(self.hostname) && self.hostname != "")',
                    "hostname goes with the type Hostname",
                ),
                Cel('!(self.type == "URI" && (!has(self.uri) || self.uri == ""))', "the type URI needs a uri"),
                Cel('!(self.type != "URI" && has(self.uri) && self.uri != "")', "uri goes with the type URI"),
            ]
        ],
        MaxItems(5),
        ListType("atomic"),
    ]
    wellKnownCACertificates: Annotated[
        str,
        MaxLength(253),
        MinLength(1),
        Pattern(
            r"^(System|([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]))$",
        ),
    ]


class BackendTLSPolicySpec(TypedDict, total=False):
    options: Options
    targetRefs: Required[
        Annotated[
            list[TargetRef],
            MaxItems(16),
            MinItems(1),
            ListType("atomic"),
            Cel(
                "self.all(p1, self.all(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name ? ((!has(p1.sectionName) || p1.sectionName == '') == (!has(p2.sectionName) || p2.sectionName == '')) : true))",
                "of several targetRefs to one target each needs a sectionName",
            ),
            Cel(
                "self.all(p1, self.exists_one(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.sectionName) || p1.sectionName == '') && (!has(p2.sectionName) || p2.sectionName == '')) || (has(p1.sectionName) && has(p2.sectionName) && p1.sectionName == p2.sectionName))))",
                "two targetRefs are the same",
            ),
        ]
    ]
    validation: Required[
        Annotated[
            Validation,
            Cel(
                '!(has(self.caCertificateRefs) && size(self.caCertificateRefs) > 0 && has(self.wellKnownCACertificates) && self.wellKnownCACertificates != "")',
                "caCertificateRefs and wellKnownCACertificates exclude each other",
            ),
            Cel(
                '(has(self.caCertificateRefs) && size(self.caCertificateRefs) > 0 || has(self.wellKnownCACertificates) && self.wellKnownCACertificates != "")',
                "needs caCertificateRefs or wellKnownCACertificates",
            ),
        ]
    ]


class AncestorRef(TypedDict, total=False):
    group: Group2
    kind: Kind3
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    namespace: Namespace
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    sectionName: SectionName


class Ancestor(TypedDict, total=False):
    ancestorRef: Required[AncestorRef]
    conditions: Required[Conditions]
    controllerName: Required[ControllerName]


class BackendTLSPolicyStatus(TypedDict, total=False):
    ancestors: Required[Annotated[list[Ancestor], MaxItems(16), ListType("atomic")]]


class ParametersRef(TypedDict, total=False):
    group: Required[Group]
    kind: Required[Kind2]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    namespace: Namespace


class GatewayClassSpec(TypedDict, total=False):
    controllerName: Required[
        Annotated[
            str,
            MaxLength(253),
            MinLength(1),
            Pattern(
                r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+$"
            ),
            Cel("self == oldSelf", "stays as it was created"),
        ]
    ]
    description: Annotated[str, MaxLength(64)]
    parametersRef: ParametersRef


class SupportedFeature(TypedDict, total=False):
    name: Required[str]


class GatewayClassStatus(TypedDict, total=False):
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
    supportedFeatures: Annotated[list[SupportedFeature], MaxItems(64), ListMap("name")]


class GatewayClass(TypedDict, total=False):
    spec: Required[GatewayClassSpec]
    status: Annotated[
        GatewayClassStatus,
        Default(
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
            },
        ),
    ]


class GatewayClassV1beta1(TypedDict, total=False):
    spec: Required[GatewayClassSpec]
    status: Annotated[
        GatewayClassStatus,
        Default(
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
            },
        ),
    ]


class Address(TypedDict, total=False):
    type: Type
    value: Annotated[str, MaxLength(253)]


Namespaces = TypedDict(
    "Namespaces",
    {
        "from": 'Annotated[Literal["All", "Selector", "Same", "None"], Default("None")]',
        "selector": "meta_v1.LabelSelector",
    },
    total=False,
)


class AllowedListeners(TypedDict, total=False):
    namespaces: Annotated[Namespaces, Default({"from": "None"})]


class Infrastructure(TypedDict, total=False):
    annotations: Annotated[
        dict[str, Annotated[str, MaxLength(4096), MinLength(0)]],
        MaxProperties(16),
        Cel(
            r'self.all(key, key.matches(r"""^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$"""))',
            "no valid key of an annotation",
        ),
        Cel('self.all(key, key.split("/")[0].size() < 253)', "the key's prefix is too long for a DNS name"),
    ]
    labels: Annotated[
        dict[
            str, Annotated[str, MaxLength(63), MinLength(0), Pattern("^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")]
        ],
        MaxProperties(8),
        Cel(
            r'self.all(key, key.matches(r"""^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$"""))',
            "no valid key of an annotation",
        ),
        Cel('self.all(key, key.split("/")[0].size() < 253)', "the key's prefix is too long for a DNS name"),
    ]
    parametersRef: CaCertificateRef


class Kind(TypedDict, total=False):
    group: Group2
    kind: Required[Kind2]


AllowedRoutesNamespaces = TypedDict(
    "AllowedRoutesNamespaces",
    {
        "from": 'Annotated[Literal["All", "Selector", "Same"], Default("Same")]',
        "selector": "meta_v1.LabelSelector",
    },
    total=False,
)


class AllowedRoutes(TypedDict, total=False):
    kinds: Annotated[list[Kind], MaxItems(8), ListType("atomic")]
    namespaces: Annotated[AllowedRoutesNamespaces, Default({"from": "Same"})]


class CertificateRef(TypedDict, total=False):
    group: Group3
    kind: Kind4
    name: Required[Annotated[str, MaxLength(253), MinLength(1), Ref("Secret", namespace="namespace")]]
    namespace: Namespace


class Tls(TypedDict, total=False):
    certificateRefs: Annotated[list[CertificateRef], MaxItems(64), ListType("atomic")]
    mode: Mode
    options: Options


class Listener(TypedDict, total=False):
    allowedRoutes: Annotated[AllowedRoutes, Default({"namespaces": {"from": "Same"}})]
    """Which routes may attach."""
    hostname: Hostname
    """Host name that it answers to; any if left out."""
    name: Required[SectionName]
    """Name that routes attach to with sectionName."""
    port: Required[Annotated[Int32, Maximum(65535), Minimum(1)]]
    """The port."""
    protocol: Required[Protocol]
    """HTTP, HTTPS, TLS, TCP or UDP."""
    tls: Annotated[
        Tls,
        Cel(
            "self.mode == 'Terminate' ? size(self.certificateRefs) > 0 || size(self.options) > 0 : true",
            "the mode Terminate needs certificateRefs or options",
        ),
    ]
    """Certificates, and where TLS ends."""


class ClientCertificateRef(TypedDict, total=False):
    group: Group3
    kind: Kind4
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    namespace: Namespace


class Backend(TypedDict, total=False):
    clientCertificateRef: ClientCertificateRef


class DefaultValidation(TypedDict, total=False):
    caCertificateRefs: Required[Annotated[list[ParametersRef], MaxItems(16), MinItems(1), ListType("atomic")]]
    mode: Annotated[Literal["AllowValidOnly", "AllowInsecureFallback"], Default("AllowValidOnly")]


class FrontendDefault(TypedDict, total=False):
    validation: DefaultValidation


class PerPort(TypedDict, total=False):
    port: Required[Annotated[Int32, Maximum(65535), Minimum(1)]]
    tls: Required[FrontendDefault]


class Frontend(TypedDict, total=False):
    default: Required[FrontendDefault]
    perPort: Annotated[
        list[PerPort],
        MaxItems(64),
        ListMap("port"),
        Cel("self.all(t1, self.exists_one(t2, t1.port == t2.port))", "two entries share a port"),
    ]


class GatewayTls(TypedDict, total=False):
    backend: Backend
    frontend: Frontend


class GatewaySpec(TypedDict, total=False):
    addresses: Annotated[
        list[
            Annotated[
                Address,
                OneOf(
                    {
                        "properties": {
                            "type": {"enum": ["IPAddress"]},
                            "value": {"anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]},
                        },
                    },
                    {"properties": {"type": {"not": {"enum": ["IPAddress"]}}}},
                ),
                Cel(
                    'self.type == \'Hostname\' ? (!has(self.value) || self.value.matches(r"""^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$""")): true',
                    "no valid host name",
                ),
            ]
        ],
        MaxItems(16),
        ListType("atomic"),
        Cel(
            "self.all(a1, a1.type == 'IPAddress' && has(a1.value) ? self.exists_one(a2, a2.type == a1.type && has(a2.value) && a2.value == a1.value) : true )",
            "two addresses are the same IPAddress",
        ),
        Cel(
            "self.all(a1, a1.type == 'Hostname'  && has(a1.value) ? self.exists_one(a2, a2.type == a1.type && has(a2.value) && a2.value == a1.value) : true )",
            "two addresses are the same Hostname",
        ),
    ]
    """Addresses that it is asked to have."""
    allowedListeners: AllowedListeners
    gatewayClassName: Required[
        Annotated[str, MaxLength(253), MinLength(1), Ref("GatewayClass", group="gateway.networking.k8s.io")]
    ]
    """Class, and with it the controller, of the gateway."""
    infrastructure: Infrastructure
    """Labels and settings of what the controller makes for it."""
    listeners: Required[
        Annotated[
            list[Listener],
            MaxItems(64),
            MinItems(1),
            ListMap("name"),
            Cel(
                "self.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)",
                "tls is not for HTTP, TCP and UDP",
            ),
            Cel(
                "self.all(l, (l.protocol == 'HTTPS' && has(l.tls)) ? (l.tls.mode == '' || l.tls.mode == 'Terminate') : true)",
                "HTTPS listeners have the TLS mode Terminate",
            ),
            Cel(
                "self.all(l, (l.protocol == 'TLS' ? has(l.tls) && has(l.tls.mode) && l.tls.mode != '' : true))",
                "TLS listeners need a TLS mode",
            ),
            Cel(
                "self.all(l, l.protocol in ['TCP', 'UDP']  ? (!has(l.hostname) || l.hostname == '') : true)",
                "hostname is not for TCP and UDP",
            ),
            Cel("self.all(l1, self.exists_one(l2, l1.name == l2.name))", "two listeners share a name"),
            Cel(
                "self.all(l1, self.exists_one(l2, l1.port == l2.port && l1.protocol == l2.protocol && (has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))",
                "two listeners share port, protocol and hostname",
            ),
        ]
    ]
    """Ports that it listens on."""
    tls: GatewayTls


class GatewayStatusAddress(TypedDict, total=False):
    type: Type
    value: Required[Annotated[str, MaxLength(253), MinLength(1)]]


class GatewayStatusListener(TypedDict, total=False):
    attachedRoutes: Required[Int32]
    conditions: Required[Annotated[list[meta_v1.Condition], MaxItems(8), ListMap("type")]]
    name: Required[SectionName]
    supportedKinds: Annotated[list[Kind], MaxItems(8), ListType("atomic")]


class GatewayStatus(TypedDict, total=False):
    addresses: Annotated[
        list[
            Annotated[
                GatewayStatusAddress,
                OneOf(
                    {
                        "properties": {
                            "type": {"enum": ["IPAddress"]},
                            "value": {"anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]},
                        },
                    },
                    {"properties": {"type": {"not": {"enum": ["IPAddress"]}}}},
                ),
                Cel(
                    'self.type == \'Hostname\' ? self.value.matches(r"""^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"""): true',
                    "no valid host name",
                ),
            ]
        ],
        MaxItems(16),
        ListType("atomic"),
    ]
    attachedListenerSets: Int32
    conditions: Conditions2
    listeners: Annotated[list[GatewayStatusListener], MaxItems(64), ListMap("name")]


class Gateway(TypedDict, total=False):
    spec: Required[GatewaySpec]
    status: Annotated[
        GatewayStatus,
        Default(
            {
                "conditions": [
                    {
                        "lastTransitionTime": "1970-01-01T00:00:00Z",
                        "message": "Waiting for controller",
                        "reason": "Pending",
                        "status": "Unknown",
                        "type": "Accepted",
                    },
                    {
                        "lastTransitionTime": "1970-01-01T00:00:00Z",
                        "message": "Waiting for controller",
                        "reason": "Pending",
                        "status": "Unknown",
                        "type": "Programmed",
                    },
                ],
            },
        ),
    ]


class GatewayV1beta1(TypedDict, total=False):
    spec: Required[GatewaySpec]
    status: Annotated[
        GatewayStatus,
        Default(
            {
                "conditions": [
                    {
                        "lastTransitionTime": "1970-01-01T00:00:00Z",
                        "message": "Waiting for controller",
                        "reason": "Pending",
                        "status": "Unknown",
                        "type": "Accepted",
                    },
                    {
                        "lastTransitionTime": "1970-01-01T00:00:00Z",
                        "message": "Waiting for controller",
                        "reason": "Pending",
                        "status": "Unknown",
                        "type": "Programmed",
                    },
                ],
            },
        ),
    ]


class ParentRef(TypedDict, total=False):
    group: Group2
    kind: Kind3
    name: Required[
        Annotated[
            str, MaxLength(253), MinLength(1), Ref("Gateway", group="gateway.networking.k8s.io", namespace="namespace")
        ]
    ]
    namespace: Namespace
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    sectionName: SectionName


class Add(TypedDict, total=False):
    name: Required[Name2]
    value: Required[Annotated[str, MaxLength(4096), MinLength(1)]]


class RequestHeaderModifier(TypedDict, total=False):
    add: Annotated[list[Add], MaxItems(16), ListMap("name")]
    remove: Annotated[list[str], MaxItems(16), ListType("set")]
    set: Annotated[list[Add], MaxItems(16), ListMap("name")]


class RequestMirrorBackendRef(TypedDict, total=False):
    group: Group3
    kind: Kind5
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    namespace: Namespace
    port: Annotated[Int32, Maximum(65535), Minimum(1)]


class Fraction(TypedDict, total=False):
    denominator: Annotated[Int32, Default(100), Minimum(1)]
    numerator: Required[Annotated[Int32, Minimum(0)]]


class RequestMirror(TypedDict, total=False):
    backendRef: Required[
        Annotated[
            RequestMirrorBackendRef,
            Cel(
                "(size(self.group) == 0 && self.kind == 'Service') ? has(self.port) : true",
                "a reference to a Service needs its port",
            ),
        ]
    ]
    fraction: Annotated[Fraction, Cel("self.numerator <= self.denominator", "a fraction is at most 1")]
    percent: Annotated[Int32, Maximum(100), Minimum(0)]


class Filter(TypedDict, total=False):
    extensionRef: CaCertificateRef
    requestHeaderModifier: RequestHeaderModifier
    requestMirror: Annotated[
        RequestMirror, Cel("!(has(self.percent) && has(self.fraction))", "percent and fraction exclude each other")
    ]
    responseHeaderModifier: RequestHeaderModifier
    type: Required[Literal["ResponseHeaderModifier", "RequestHeaderModifier", "RequestMirror", "ExtensionRef"]]


class BackendRef(TypedDict, total=False):
    filters: Annotated[
        list[
            Annotated[
                Filter,
                Cel(
                    "!(has(self.requestHeaderModifier) && self.type != 'RequestHeaderModifier')",
                    "requestHeaderModifier goes with the type RequestHeaderModifier",
                ),
                Cel(
                    "!(!has(self.requestHeaderModifier) && self.type == 'RequestHeaderModifier')",
                    "the type RequestHeaderModifier needs requestHeaderModifier",
                ),
                Cel(
                    "!(has(self.responseHeaderModifier) && self.type != 'ResponseHeaderModifier')",
                    "responseHeaderModifier goes with the type ResponseHeaderModifier",
                ),
                Cel(
                    "!(!has(self.responseHeaderModifier) && self.type == 'ResponseHeaderModifier')",
                    "the type ResponseHeaderModifier needs responseHeaderModifier",
                ),
                Cel(
                    "!(has(self.requestMirror) && self.type != 'RequestMirror')",
                    "requestMirror goes with the type RequestMirror",
                ),
                Cel(
                    "!(!has(self.requestMirror) && self.type == 'RequestMirror')",
                    "the type RequestMirror needs requestMirror",
                ),
                Cel(
                    "!(has(self.extensionRef) && self.type != 'ExtensionRef')",
                    "extensionRef goes with the type ExtensionRef",
                ),
                Cel(
                    "!(!has(self.extensionRef) && self.type == 'ExtensionRef')",
                    "the type ExtensionRef needs extensionRef",
                ),
            ]
        ],
        MaxItems(16),
        ListType("atomic"),
        Cel("self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1", "one RequestHeaderModifier at most"),
        Cel("self.filter(f, f.type == 'ResponseHeaderModifier').size() <= 1", "one ResponseHeaderModifier at most"),
    ]
    group: Group3
    kind: Kind5
    name: Required[Name]
    namespace: Namespace
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    weight: Annotated[Int32, Default(1), Maximum(1000000), Minimum(0)]


class Header(TypedDict, total=False):
    name: Required[Name2]
    type: Type2
    value: Required[Annotated[str, MaxLength(4096), MinLength(1)]]


class Method(TypedDict, total=False):
    method: Annotated[str, MaxLength(1024)]
    service: Annotated[str, MaxLength(1024)]
    type: Type2


class Match(TypedDict, total=False):
    headers: Annotated[list[Header], MaxItems(16), ListMap("name")]
    method: Annotated[
        Method,
        Cel("has(self.type) ? has(self.service) || has(self.method) : true", "say a service, a method or both"),
        Cel(
            '(!has(self.type) || self.type == \'Exact\') && has(self.service) ? self.service.matches(r"""^(?i)\\.?[a-z_][a-z_0-9]*(\\.[a-z_][a-z_0-9]*)*$"""): true',
            "no valid name of a gRPC service",
        ),
        Cel(
            '(!has(self.type) || self.type == \'Exact\') && has(self.method) ? self.method.matches(r"""^[A-Za-z_][A-Za-z_0-9]*$"""): true',
            "no valid name of a gRPC method",
        ),
    ]


class Rule(TypedDict, total=False):
    backendRefs: Annotated[
        list[
            Annotated[
                BackendRef,
                Cel(
                    "(size(self.group) == 0 && self.kind == 'Service') ? has(self.port) : true",
                    "a reference to a Service needs its port",
                ),
            ]
        ],
        MaxItems(16),
        ListType("atomic"),
    ]
    filters: Annotated[
        list[
            Annotated[
                Filter,
                Cel(
                    "!(has(self.requestHeaderModifier) && self.type != 'RequestHeaderModifier')",
                    "requestHeaderModifier goes with the type RequestHeaderModifier",
                ),
                Cel(
                    "!(!has(self.requestHeaderModifier) && self.type == 'RequestHeaderModifier')",
                    "the type RequestHeaderModifier needs requestHeaderModifier",
                ),
                Cel(
                    "!(has(self.responseHeaderModifier) && self.type != 'ResponseHeaderModifier')",
                    "responseHeaderModifier goes with the type ResponseHeaderModifier",
                ),
                Cel(
                    "!(!has(self.responseHeaderModifier) && self.type == 'ResponseHeaderModifier')",
                    "the type ResponseHeaderModifier needs responseHeaderModifier",
                ),
                Cel(
                    "!(has(self.requestMirror) && self.type != 'RequestMirror')",
                    "requestMirror goes with the type RequestMirror",
                ),
                Cel(
                    "!(!has(self.requestMirror) && self.type == 'RequestMirror')",
                    "the type RequestMirror needs requestMirror",
                ),
                Cel(
                    "!(has(self.extensionRef) && self.type != 'ExtensionRef')",
                    "extensionRef goes with the type ExtensionRef",
                ),
                Cel(
                    "!(!has(self.extensionRef) && self.type == 'ExtensionRef')",
                    "the type ExtensionRef needs extensionRef",
                ),
            ]
        ],
        MaxItems(16),
        ListType("atomic"),
        Cel("self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1", "one RequestHeaderModifier at most"),
        Cel("self.filter(f, f.type == 'ResponseHeaderModifier').size() <= 1", "one ResponseHeaderModifier at most"),
    ]
    matches: Annotated[list[Match], MaxItems(64), ListType("atomic")]
    name: SectionName


class GRPCRouteSpec(TypedDict, total=False):
    hostnames: Hostnames
    parentRefs: Annotated[
        list[ParentRef],
        MaxItems(32),
        ListType("atomic"),
        Cel(
            "self.all(p1, self.all(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) ? ((!has(p1.sectionName) || p1.sectionName == '') == (!has(p2.sectionName) || p2.sectionName == '')) : true))",
            "of several parentRefs to one parent each needs a sectionName",
        ),
        Cel(
            "self.all(p1, self.exists_one(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) && (((!has(p1.sectionName) || p1.sectionName == '') && (!has(p2.sectionName) || p2.sectionName == '')) || (has(p1.sectionName) && has(p2.sectionName) && p1.sectionName == p2.sectionName))))",
            "two parentRefs are the same",
        ),
    ]
    rules: Annotated[
        list[Rule],
        MaxItems(16),
        ListType("atomic"),
        Cel(
            "(self.size() > 0 ? (has(self[0].matches) ? self[0].matches.size() : 0) : 0) + (self.size() > 1 ? (has(self[1].matches) ? self[1].matches.size() : 0) : 0) + (self.size() > 2 ? (has(self[2].matches) ? self[2].matches.size() : 0) : 0) + (self.size() > 3 ? (has(self[3].matches) ? self[3].matches.size() : 0) : 0) + (self.size() > 4 ? (has(self[4].matches) ? self[4].matches.size() : 0) : 0) + (self.size() > 5 ? (has(self[5].matches) ? self[5].matches.size() : 0) : 0) + (self.size() > 6 ? (has(self[6].matches) ? self[6].matches.size() : 0) : 0) + (self.size() > 7 ? (has(self[7].matches) ? self[7].matches.size() : 0) : 0) + (self.size() > 8 ? (has(self[8].matches) ? self[8].matches.size() : 0) : 0) + (self.size() > 9 ? (has(self[9].matches) ? self[9].matches.size() : 0) : 0) + (self.size() > 10 ? (has(self[10].matches) ? self[10].matches.size() : 0) : 0) + (self.size() > 11 ? (has(self[11].matches) ? self[11].matches.size() : 0) : 0) + (self.size() > 12 ? (has(self[12].matches) ? self[12].matches.size() : 0) : 0) + (self.size() > 13 ? (has(self[13].matches) ? self[13].matches.size() : 0) : 0) + (self.size() > 14 ? (has(self[14].matches) ? self[14].matches.size() : 0) : 0) + (self.size() > 15 ? (has(self[15].matches) ? self[15].matches.size() : 0) : 0) <= 128",
            "the rules have more than 128 matches together",
        ),
    ]


class Parent(TypedDict, total=False):
    conditions: Required[Conditions]
    controllerName: Required[ControllerName]
    parentRef: Required[AncestorRef]


class GRPCRouteStatus(TypedDict, total=False):
    parents: Required[Annotated[list[Parent], MaxItems(32), ListType("atomic")]]


class Cors(TypedDict, total=False):
    allowCredentials: bool
    allowHeaders: Annotated[
        list[Annotated[str, MaxLength(256), MinLength(1), Pattern(r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$")]],
        MaxItems(64),
        ListType("set"),
        Cel("!('*' in self && self.size() > 1)", "'*' stands alone"),
    ]
    allowMethods: Annotated[
        list[Literal["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "*"]],
        MaxItems(9),
        ListType("set"),
        Cel("!('*' in self && self.size() > 1)", "'*' stands alone"),
    ]
    allowOrigins: Annotated[
        list[
            Annotated[
                str,
                MaxLength(253),
                MinLength(1),
                Pattern(r"(^\*$)|(^(http(s)?):\/\/(((\*\.)?([a-zA-Z0-9\-]+\.)*[a-zA-Z0-9-]+|\*)(:([0-9]{1,5}))?)$)"),
            ]
        ],
        MaxItems(64),
        ListType("set"),
        Cel("!('*' in self && self.size() > 1)", "'*' stands alone"),
    ]
    exposeHeaders: Annotated[
        list[Annotated[str, MaxLength(256), MinLength(1), Pattern(r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$")]],
        MaxItems(64),
        ListType("set"),
    ]
    maxAge: Annotated[Int32, Default(5), Minimum(1)]


class RequestRedirectPath(TypedDict, total=False):
    replaceFullPath: Annotated[str, MaxLength(1024)]
    replacePrefixMatch: Annotated[str, MaxLength(1024)]
    type: Required[Literal["ReplaceFullPath", "ReplacePrefixMatch"]]


class RequestRedirect(TypedDict, total=False):
    hostname: SectionName
    path: Annotated[
        RequestRedirectPath,
        Cel(
            "self.type == 'ReplaceFullPath' ? has(self.replaceFullPath) : true",
            "the type ReplaceFullPath needs replaceFullPath",
        ),
        Cel(
            "has(self.replaceFullPath) ? self.type == 'ReplaceFullPath' : true",
            "replaceFullPath goes with the type ReplaceFullPath",
        ),
        Cel(
            "self.type == 'ReplacePrefixMatch' ? has(self.replacePrefixMatch) : true",
            "the type ReplacePrefixMatch needs replacePrefixMatch",
        ),
        Cel(
            "has(self.replacePrefixMatch) ? self.type == 'ReplacePrefixMatch' : true",
            "replacePrefixMatch goes with the type ReplacePrefixMatch",
        ),
    ]
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    scheme: Literal["http", "https"]
    statusCode: Annotated[Literal[301, 302, 303, 307, 308], Default(302)]


class UrlRewrite(TypedDict, total=False):
    hostname: SectionName
    path: Annotated[
        RequestRedirectPath,
        Cel(
            "self.type == 'ReplaceFullPath' ? has(self.replaceFullPath) : true",
            "the type ReplaceFullPath needs replaceFullPath",
        ),
        Cel(
            "has(self.replaceFullPath) ? self.type == 'ReplaceFullPath' : true",
            "replaceFullPath goes with the type ReplaceFullPath",
        ),
        Cel(
            "self.type == 'ReplacePrefixMatch' ? has(self.replacePrefixMatch) : true",
            "the type ReplacePrefixMatch needs replacePrefixMatch",
        ),
        Cel(
            "has(self.replacePrefixMatch) ? self.type == 'ReplacePrefixMatch' : true",
            "replacePrefixMatch goes with the type ReplacePrefixMatch",
        ),
    ]


class BackendRefFilter(TypedDict, total=False):
    cors: Cors
    extensionRef: CaCertificateRef
    requestHeaderModifier: RequestHeaderModifier
    requestMirror: Annotated[
        RequestMirror, Cel("!(has(self.percent) && has(self.fraction))", "percent and fraction exclude each other")
    ]
    requestRedirect: RequestRedirect
    responseHeaderModifier: RequestHeaderModifier
    type: Required[
        Literal[
            "RequestHeaderModifier",
            "ResponseHeaderModifier",
            "RequestMirror",
            "RequestRedirect",
            "URLRewrite",
            "ExtensionRef",
            "CORS",
        ]
    ]
    urlRewrite: UrlRewrite


class RuleBackendRef(TypedDict, total=False):
    filters: Annotated[
        list[
            Annotated[
                BackendRefFilter,
                Cel("!(has(self.cors) && self.type != 'CORS')", "cors goes with the type CORS"),
                Cel("!(!has(self.cors) && self.type == 'CORS')", "the type CORS needs cors"),
                Cel(
                    "!(has(self.requestHeaderModifier) && self.type != 'RequestHeaderModifier')",
                    "requestHeaderModifier goes with the type RequestHeaderModifier",
                ),
                Cel(
                    "!(!has(self.requestHeaderModifier) && self.type == 'RequestHeaderModifier')",
                    "the type RequestHeaderModifier needs requestHeaderModifier",
                ),
                Cel(
                    "!(has(self.responseHeaderModifier) && self.type != 'ResponseHeaderModifier')",
                    "responseHeaderModifier goes with the type ResponseHeaderModifier",
                ),
                Cel(
                    "!(!has(self.responseHeaderModifier) && self.type == 'ResponseHeaderModifier')",
                    "the type ResponseHeaderModifier needs responseHeaderModifier",
                ),
                Cel(
                    "!(has(self.requestMirror) && self.type != 'RequestMirror')",
                    "requestMirror goes with the type RequestMirror",
                ),
                Cel(
                    "!(!has(self.requestMirror) && self.type == 'RequestMirror')",
                    "the type RequestMirror needs requestMirror",
                ),
                Cel(
                    "!(has(self.requestRedirect) && self.type != 'RequestRedirect')",
                    "requestRedirect goes with the type RequestRedirect",
                ),
                Cel(
                    "!(!has(self.requestRedirect) && self.type == 'RequestRedirect')",
                    "the type RequestRedirect needs requestRedirect",
                ),
                Cel("!(has(self.urlRewrite) && self.type != 'URLRewrite')", "urlRewrite goes with the type URLRewrite"),
                Cel("!(!has(self.urlRewrite) && self.type == 'URLRewrite')", "the type URLRewrite needs urlRewrite"),
                Cel(
                    "!(has(self.extensionRef) && self.type != 'ExtensionRef')",
                    "extensionRef goes with the type ExtensionRef",
                ),
                Cel(
                    "!(!has(self.extensionRef) && self.type == 'ExtensionRef')",
                    "the type ExtensionRef needs extensionRef",
                ),
            ]
        ],
        MaxItems(16),
        ListType("atomic"),
        Cel(
            "!(self.exists(f, f.type == 'RequestRedirect') && self.exists(f, f.type == 'URLRewrite'))",
            "RequestRedirect and URLRewrite exclude each other",
        ),
        Cel("self.filter(f, f.type == 'CORS').size() <= 1", "one CORS at most"),
        Cel("self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1", "one RequestHeaderModifier at most"),
        Cel("self.filter(f, f.type == 'ResponseHeaderModifier').size() <= 1", "one ResponseHeaderModifier at most"),
        Cel("self.filter(f, f.type == 'RequestRedirect').size() <= 1", "one RequestRedirect at most"),
        Cel("self.filter(f, f.type == 'URLRewrite').size() <= 1", "one URLRewrite at most"),
    ]
    group: Group3
    kind: Kind5
    name: Required[Name]
    """Name of the Service."""
    namespace: Namespace
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    """Its port."""
    weight: Annotated[Int32, Default(1), Maximum(1000000), Minimum(0)]
    """Its share among the others."""


class MatchPath(TypedDict, total=False):
    type: Annotated[Literal["Exact", "PathPrefix", "RegularExpression"], Default("PathPrefix")]
    value: Annotated[str, Default("/"), MaxLength(1024)]


class QueryParam(TypedDict, total=False):
    name: Required[Name2]
    type: Type2
    value: Required[Annotated[str, MaxLength(1024), MinLength(1)]]


class RuleMatch(TypedDict, total=False):
    headers: Annotated[list[Header], MaxItems(16), ListMap("name")]
    """By headers, all of them."""
    method: Literal["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]
    path: Annotated[
        MatchPath,
        Default({"type": "PathPrefix", "value": "/"}),
        Cel("(self.type in ['Exact','PathPrefix']) ? self.value.startsWith('/') : true", "a path begins with '/'"),
        Cel("(self.type in ['Exact','PathPrefix']) ? !self.value.contains('//') : true", "no '//' in a path"),
        Cel("(self.type in ['Exact','PathPrefix']) ? !self.value.contains('/./') : true", "no '/./' in a path"),
        Cel("(self.type in ['Exact','PathPrefix']) ? !self.value.contains('/../') : true", "no '/../' in a path"),
        Cel("(self.type in ['Exact','PathPrefix']) ? !self.value.contains('%2f') : true", "no '%2f' in a path"),
        Cel("(self.type in ['Exact','PathPrefix']) ? !self.value.contains('%2F') : true", "no '%2F' in a path"),
        Cel("(self.type in ['Exact','PathPrefix']) ? !self.value.contains('#') : true", "no '#' in a path"),
        Cel(
            "(self.type in ['Exact','PathPrefix']) ? !self.value.endsWith('/..') : true",
            "no '/..' at the end of a path",
        ),
        Cel(
            "(self.type in ['Exact','PathPrefix']) ? !self.value.endsWith('/.') : true", "no '/.' at the end of a path"
        ),
        Cel(
            "self.type in ['Exact','PathPrefix'] || self.type == 'RegularExpression'",
            "Exact, PathPrefix or RegularExpression",
        ),
        Cel(
            '(self.type in [\'Exact\',\'PathPrefix\']) ? self.value.matches(r"""^(?:[-A-Za-z0-9/._~!$&\'()*+,;=:@]|[%][0-9a-fA-F]{2})+$""") : true',
            "a path holds only characters that a URL path may hold",
        ),
    ]
    """By path."""
    queryParams: Annotated[list[QueryParam], MaxItems(16), ListMap("name")]


class Timeouts(TypedDict, total=False):
    backendRequest: Annotated[str, Pattern("^([0-9]{1,5}(h|m|s|ms)){1,4}$")]
    request: Annotated[str, Pattern("^([0-9]{1,5}(h|m|s|ms)){1,4}$")]


class HTTPRouteRule(TypedDict, total=False):
    backendRefs: Annotated[
        list[
            Annotated[
                RuleBackendRef,
                Cel(
                    "(size(self.group) == 0 && self.kind == 'Service') ? has(self.port) : true",
                    "a reference to a Service needs its port",
                ),
            ]
        ],
        MaxItems(16),
        ListType("atomic"),
    ]
    """Services that the requests go to, by weight."""
    filters: Annotated[
        list[
            Annotated[
                BackendRefFilter,
                Cel("!(has(self.cors) && self.type != 'CORS')", "cors goes with the type CORS"),
                Cel("!(!has(self.cors) && self.type == 'CORS')", "the type CORS needs cors"),
                Cel(
                    "!(has(self.requestHeaderModifier) && self.type != 'RequestHeaderModifier')",
                    "requestHeaderModifier goes with the type RequestHeaderModifier",
                ),
                Cel(
                    "!(!has(self.requestHeaderModifier) && self.type == 'RequestHeaderModifier')",
                    "the type RequestHeaderModifier needs requestHeaderModifier",
                ),
                Cel(
                    "!(has(self.responseHeaderModifier) && self.type != 'ResponseHeaderModifier')",
                    "responseHeaderModifier goes with the type ResponseHeaderModifier",
                ),
                Cel(
                    "!(!has(self.responseHeaderModifier) && self.type == 'ResponseHeaderModifier')",
                    "the type ResponseHeaderModifier needs responseHeaderModifier",
                ),
                Cel(
                    "!(has(self.requestMirror) && self.type != 'RequestMirror')",
                    "requestMirror goes with the type RequestMirror",
                ),
                Cel(
                    "!(!has(self.requestMirror) && self.type == 'RequestMirror')",
                    "the type RequestMirror needs requestMirror",
                ),
                Cel(
                    "!(has(self.requestRedirect) && self.type != 'RequestRedirect')",
                    "requestRedirect goes with the type RequestRedirect",
                ),
                Cel(
                    "!(!has(self.requestRedirect) && self.type == 'RequestRedirect')",
                    "the type RequestRedirect needs requestRedirect",
                ),
                Cel("!(has(self.urlRewrite) && self.type != 'URLRewrite')", "urlRewrite goes with the type URLRewrite"),
                Cel("!(!has(self.urlRewrite) && self.type == 'URLRewrite')", "the type URLRewrite needs urlRewrite"),
                Cel(
                    "!(has(self.extensionRef) && self.type != 'ExtensionRef')",
                    "extensionRef goes with the type ExtensionRef",
                ),
                Cel(
                    "!(!has(self.extensionRef) && self.type == 'ExtensionRef')",
                    "the type ExtensionRef needs extensionRef",
                ),
            ]
        ],
        MaxItems(16),
        ListType("atomic"),
        Cel(
            "!(self.exists(f, f.type == 'RequestRedirect') && self.exists(f, f.type == 'URLRewrite'))",
            "RequestRedirect and URLRewrite exclude each other",
        ),
        Cel("self.filter(f, f.type == 'CORS').size() <= 1", "one CORS at most"),
        Cel("self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1", "one RequestHeaderModifier at most"),
        Cel("self.filter(f, f.type == 'ResponseHeaderModifier').size() <= 1", "one ResponseHeaderModifier at most"),
        Cel("self.filter(f, f.type == 'RequestRedirect').size() <= 1", "one RequestRedirect at most"),
        Cel("self.filter(f, f.type == 'URLRewrite').size() <= 1", "one URLRewrite at most"),
    ]
    """What is changed on the way."""
    matches: Annotated[
        list[RuleMatch], Default([{"path": {"type": "PathPrefix", "value": "/"}}]), MaxItems(64), ListType("atomic")
    ]
    """Requests that the rule is for; all if left out."""
    name: SectionName
    timeouts: Annotated[
        Timeouts,
        Cel(
            "!(has(self.request) && has(self.backendRequest) && duration(self.request) != duration('0s') && duration(self.backendRequest) > duration(self.request))",
            "backendRequest lasts no longer than request",
        ),
    ]
    """How long a request may take."""


class HTTPRouteSpec(TypedDict, total=False):
    hostnames: Hostnames
    """Host names that the route answers to."""
    parentRefs: Annotated[
        list[ParentRef],
        MaxItems(32),
        ListType("atomic"),
        Cel(
            "self.all(p1, self.all(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) ? ((!has(p1.sectionName) || p1.sectionName == '') == (!has(p2.sectionName) || p2.sectionName == '')) : true))",
            "of several parentRefs to one parent each needs a sectionName",
        ),
        Cel(
            "self.all(p1, self.exists_one(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) && (((!has(p1.sectionName) || p1.sectionName == '') && (!has(p2.sectionName) || p2.sectionName == '')) || (has(p1.sectionName) && has(p2.sectionName) && p1.sectionName == p2.sectionName))))",
            "two parentRefs are the same",
        ),
    ]
    """Gateways that the route attaches to."""
    rules: Annotated[
        list[
            Annotated[
                HTTPRouteRule,
                Cel(
                    "(has(self.backendRefs) && size(self.backendRefs) > 0) ? (!has(self.filters) || self.filters.all(f, !has(f.requestRedirect))): true",
                    "a redirect has no backendRefs",
                ),
                Cel(
                    "(has(self.filters) && self.filters.exists_one(f, has(f.requestRedirect) && has(f.requestRedirect.path) && f.requestRedirect.path.type == 'ReplacePrefixMatch' && has(f.requestRedirect.path.replacePrefixMatch))) ? ((size(self.matches) != 1 || !has(self.matches[0].path) || self.matches[0].path.type != 'PathPrefix') ? false : true) : true",
                    "a redirect that replaces the prefix needs exactly one match of PathPrefix",
                ),
                Cel(
                    "(has(self.filters) && self.filters.exists_one(f, has(f.urlRewrite) && has(f.urlRewrite.path) && f.urlRewrite.path.type == 'ReplacePrefixMatch' && has(f.urlRewrite.path.replacePrefixMatch))) ? ((size(self.matches) != 1 || !has(self.matches[0].path) || self.matches[0].path.type != 'PathPrefix') ? false : true) : true",
                    "a rewrite that replaces the prefix needs exactly one match of PathPrefix",
                ),
                Cel(
                    "(has(self.backendRefs) && self.backendRefs.exists_one(b, (has(b.filters) && b.filters.exists_one(f, has(f.requestRedirect) && has(f.requestRedirect.path) && f.requestRedirect.path.type == 'ReplacePrefixMatch' && has(f.requestRedirect.path.replacePrefixMatch))) )) ? ((size(self.matches) != 1 || !has(self.matches[0].path) || self.matches[0].path.type != 'PathPrefix') ? false : true) : true",
                    "a redirect in backendRefs that replaces the prefix needs exactly one match of PathPrefix",
                ),
                Cel(
                    "(has(self.backendRefs) && self.backendRefs.exists_one(b, (has(b.filters) && b.filters.exists_one(f, has(f.urlRewrite) && has(f.urlRewrite.path) && f.urlRewrite.path.type == 'ReplacePrefixMatch' && has(f.urlRewrite.path.replacePrefixMatch))) )) ? ((size(self.matches) != 1 || !has(self.matches[0].path) || self.matches[0].path.type != 'PathPrefix') ? false : true) : true",
                    "a rewrite in backendRefs that replaces the prefix needs exactly one match of PathPrefix",
                ),
            ]
        ],
        Default([{"matches": [{"path": {"type": "PathPrefix", "value": "/"}}]}]),
        MaxItems(16),
        MinItems(1),
        ListType("atomic"),
        Cel(
            "(self.size() > 0 ? self[0].matches.size() : 0) + (self.size() > 1 ? self[1].matches.size() : 0) + (self.size() > 2 ? self[2].matches.size() : 0) + (self.size() > 3 ? self[3].matches.size() : 0) + (self.size() > 4 ? self[4].matches.size() : 0) + (self.size() > 5 ? self[5].matches.size() : 0) + (self.size() > 6 ? self[6].matches.size() : 0) + (self.size() > 7 ? self[7].matches.size() : 0) + (self.size() > 8 ? self[8].matches.size() : 0) + (self.size() > 9 ? self[9].matches.size() : 0) + (self.size() > 10 ? self[10].matches.size() : 0) + (self.size() > 11 ? self[11].matches.size() : 0) + (self.size() > 12 ? self[12].matches.size() : 0) + (self.size() > 13 ? self[13].matches.size() : 0) + (self.size() > 14 ? self[14].matches.size() : 0) + (self.size() > 15 ? self[15].matches.size() : 0) <= 128",
            "the rules have more than 128 matches together",
        ),
    ]
    """What happens with requests; the most specific match counts."""


class ListenerTls(TypedDict, total=False):
    certificateRefs: Annotated[list[ClientCertificateRef], MaxItems(64), ListType("atomic")]
    mode: Mode
    options: Options


class ListenerSetListener(TypedDict, total=False):
    allowedRoutes: Annotated[AllowedRoutes, Default({"namespaces": {"from": "Same"}})]
    hostname: Hostname
    name: Required[SectionName]
    port: Required[Annotated[Int32, Maximum(65535), Minimum(1)]]
    protocol: Required[Protocol]
    tls: Annotated[
        ListenerTls,
        Cel(
            "self.mode == 'Terminate' ? size(self.certificateRefs) > 0 || size(self.options) > 0 : true",
            "the mode Terminate needs certificateRefs or options",
        ),
    ]


class ListenerSetParentRef(TypedDict, total=False):
    group: Group2
    kind: Kind3
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    namespace: Namespace


class ListenerSetSpec(TypedDict, total=False):
    listeners: Required[
        Annotated[
            list[ListenerSetListener],
            MaxItems(64),
            MinItems(1),
            ListMap("name"),
            Cel(
                "self.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)",
                "tls is not for HTTP, TCP and UDP",
            ),
            Cel(
                "self.all(l, (l.protocol == 'HTTPS' && has(l.tls)) ? (l.tls.mode == '' || l.tls.mode == 'Terminate') : true)",
                "HTTPS listeners have the TLS mode Terminate",
            ),
            Cel(
                "self.all(l, (l.protocol == 'TLS' ? has(l.tls) && has(l.tls.mode) && l.tls.mode != '' : true))",
                "TLS listeners need a TLS mode",
            ),
            Cel(
                "self.all(l, l.protocol in ['TCP', 'UDP']  ? (!has(l.hostname) || l.hostname == '') : true)",
                "hostname is not for TCP and UDP",
            ),
            Cel("self.all(l1, self.exists_one(l2, l1.name == l2.name))", "two listeners share a name"),
            Cel(
                "self.all(l1, !has(l1.port) || self.exists_one(l2, has(l2.port) && l1.port == l2.port && l1.protocol == l2.protocol && (has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))",
                "two listeners share port, protocol and hostname",
            ),
        ]
    ]
    parentRef: Required[ListenerSetParentRef]


class ListenerSetStatus(TypedDict, total=False):
    conditions: Conditions2
    listeners: Annotated[list[GatewayStatusListener], MaxItems(64), ListMap("name")]


class ListenerSet(TypedDict, total=False):
    spec: Required[ListenerSetSpec]
    status: Annotated[
        ListenerSetStatus,
        Default(
            {
                "conditions": [
                    {
                        "lastTransitionTime": "1970-01-01T00:00:00Z",
                        "message": "Waiting for controller",
                        "reason": "Pending",
                        "status": "Unknown",
                        "type": "Accepted",
                    },
                    {
                        "lastTransitionTime": "1970-01-01T00:00:00Z",
                        "message": "Waiting for controller",
                        "reason": "Pending",
                        "status": "Unknown",
                        "type": "Programmed",
                    },
                ],
            },
        ),
    ]


class From(TypedDict, total=False):
    group: Required[Group]
    kind: Required[Kind2]
    namespace: Required[Namespace]


class To(TypedDict, total=False):
    group: Required[Group]
    kind: Required[Kind2]
    name: Annotated[str, MaxLength(253), MinLength(1)]


ReferenceGrantSpec = TypedDict(
    "ReferenceGrantSpec",
    {
        "from": 'Required[Annotated[list[From], MaxItems(16), MinItems(1), ListType("atomic")]]',
        "to": 'Required[Annotated[list[To], MaxItems(16), MinItems(1), ListType("atomic")]]',
    },
    total=False,
)


class TCPRouteRuleBackendRef(TypedDict, total=False):
    group: Group3
    kind: Kind5
    name: Required[Name]
    namespace: Namespace
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    weight: Annotated[Int32, Default(1), Maximum(1000000), Minimum(0)]


class TCPRouteRule(TypedDict, total=False):
    backendRefs: Required[
        Annotated[
            list[
                Annotated[
                    TCPRouteRuleBackendRef,
                    Cel(
                        "(size(self.group) == 0 && self.kind == 'Service') ? has(self.port) : true",
                        "a reference to a Service needs its port",
                    ),
                ]
            ],
            MaxItems(16),
            MinItems(1),
            ListType("atomic"),
        ]
    ]
    name: SectionName


class TCPRouteSpec(TypedDict, total=False):
    parentRefs: Annotated[
        list[ParentRef],
        MaxItems(32),
        ListType("atomic"),
        Cel(
            "self.all(p1, self.all(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) ? ((!has(p1.sectionName) || p1.sectionName == '') == (!has(p2.sectionName) || p2.sectionName == '')) : true))",
            "of several parentRefs to one parent each needs a sectionName",
        ),
        Cel(
            "self.all(p1, self.exists_one(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) && (((!has(p1.sectionName) || p1.sectionName == '') && (!has(p2.sectionName) || p2.sectionName == '')) || (has(p1.sectionName) && has(p2.sectionName) && p1.sectionName == p2.sectionName))))",
            "two parentRefs are the same",
        ),
    ]
    rules: Required[Annotated[list[TCPRouteRule], MaxItems(1), MinItems(1), ListType("atomic")]]


class TCPRouteV1alpha2Spec(TypedDict, total=False):
    parentRefs: Annotated[
        list[ParentRef],
        MaxItems(32),
        ListType("atomic"),
        Cel(
            "self.all(p1, self.all(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) ? ((!has(p1.sectionName) || p1.sectionName == '') == (!has(p2.sectionName) || p2.sectionName == '')) : true))",
            "of several parentRefs to one parent each needs a sectionName",
        ),
        Cel(
            "self.all(p1, self.exists_one(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) && (((!has(p1.sectionName) || p1.sectionName == '') && (!has(p2.sectionName) || p2.sectionName == '')) || (has(p1.sectionName) && has(p2.sectionName) && p1.sectionName == p2.sectionName))))",
            "two parentRefs are the same",
        ),
    ]
    rules: Required[Annotated[list[TCPRouteRule], MaxItems(16), MinItems(1), ListType("atomic")]]


class TLSRouteSpec(TypedDict, total=False):
    hostnames: Required[
        Annotated[
            list[
                Annotated[
                    str,
                    MaxLength(253),
                    MinLength(1),
                    Pattern(r"^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
                ]
            ],
            MaxItems(1024),
            MinItems(1),
            ListType("atomic"),
            Cel("self.all(h, !isIP(h))", "an IP address is no host name"),
            Cel(
                r"self.all(h, !h.contains('*') ? h.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$') : true)",
                "no valid host name",
            ),
            Cel(
                r"self.all(h, h.contains('*') ? (h.startsWith('*.') && h.substring(2).matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$')) : true)",
                "'*' stands for the first label alone",
            ),
        ]
    ]
    parentRefs: Annotated[
        list[ParentRef],
        MaxItems(32),
        ListType("atomic"),
        Cel(
            "self.all(p1, self.all(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) ? ((!has(p1.sectionName) || p1.sectionName == '') == (!has(p2.sectionName) || p2.sectionName == '')) : true))",
            "of several parentRefs to one parent each needs a sectionName",
        ),
        Cel(
            "self.all(p1, self.exists_one(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) && (((!has(p1.sectionName) || p1.sectionName == '') && (!has(p2.sectionName) || p2.sectionName == '')) || (has(p1.sectionName) && has(p2.sectionName) && p1.sectionName == p2.sectionName))))",
            "two parentRefs are the same",
        ),
    ]
    rules: Required[Annotated[list[TCPRouteRule], MaxItems(1), MinItems(1), ListType("atomic")]]


class TLSRouteV1alpha2Spec(TypedDict, total=False):
    hostnames: Annotated[
        list[
            Annotated[
                str,
                MaxLength(253),
                MinLength(1),
                Pattern(r"^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
            ]
        ],
        MaxItems(1024),
        ListType("atomic"),
    ]
    parentRefs: Annotated[
        list[ParentRef],
        MaxItems(32),
        ListType("atomic"),
        Cel(
            "self.all(p1, self.all(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) ? ((!has(p1.sectionName) || p1.sectionName == '') == (!has(p2.sectionName) || p2.sectionName == '')) : true))",
            "of several parentRefs to one parent each needs a sectionName",
        ),
        Cel(
            "self.all(p1, self.exists_one(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) && (((!has(p1.sectionName) || p1.sectionName == '') && (!has(p2.sectionName) || p2.sectionName == '')) || (has(p1.sectionName) && has(p2.sectionName) && p1.sectionName == p2.sectionName))))",
            "two parentRefs are the same",
        ),
    ]
    rules: Required[Annotated[list[TCPRouteRule], MaxItems(16), MinItems(1), ListType("atomic")]]


BACKEND_TLS_POLICY = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="BackendTLSPolicy",
    plural="backendtlspolicies",
    spec=BackendTLSPolicySpec,
    status=BackendTLSPolicyStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
)

BACKEND_TLS_POLICY_V1ALPHA3 = Api(
    group="gateway.networking.k8s.io",
    version="v1alpha3",
    kind="BackendTLSPolicy",
    plural="backendtlspolicies",
    spec=BackendTLSPolicySpec,
    status=BackendTLSPolicyStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    served=False,
    storage=False,
    deprecated=True,
    deprecation_warning="gateway.networking.k8s.io/v1alpha3 BackendTLSPolicy is on its way out: write v1",
)

GATEWAY_CLASS = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="GatewayClass",
    plural="gatewayclasses",
    namespaced=False,
    spec=GatewayClassSpec,
    top=GatewayClass,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Controller", ".spec.controllerName"),
        Column("Accepted", '.status.conditions[?(@.type=="Accepted")].status'),
        AGE,
        Column("Description", ".spec.description", priority=1),
    ),
    health=Health(ready=("Accepted",)),
)

GATEWAY_CLASS_V1BETA1 = Api(
    group="gateway.networking.k8s.io",
    version="v1beta1",
    kind="GatewayClass",
    plural="gatewayclasses",
    namespaced=False,
    spec=GatewayClassSpec,
    top=GatewayClassV1beta1,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Controller", ".spec.controllerName"),
        Column("Accepted", '.status.conditions[?(@.type=="Accepted")].status'),
        AGE,
        Column("Description", ".spec.description", priority=1),
    ),
    storage=False,
    health=Health(ready=("Accepted",)),
)

GATEWAY = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="Gateway",
    plural="gateways",
    spec=GatewaySpec,
    top=Gateway,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Class", ".spec.gatewayClassName"),
        Column("Address", ".status.addresses[*].value"),
        Column("Programmed", '.status.conditions[?(@.type=="Programmed")].status'),
        AGE,
    ),
    health=Health(
        ready=(
            "Accepted",
            "Programmed",
        )
    ),
)

GATEWAY_V1BETA1 = Api(
    group="gateway.networking.k8s.io",
    version="v1beta1",
    kind="Gateway",
    plural="gateways",
    spec=GatewaySpec,
    top=GatewayV1beta1,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Class", ".spec.gatewayClassName"),
        Column("Address", ".status.addresses[*].value"),
        Column("Programmed", '.status.conditions[?(@.type=="Programmed")].status'),
        AGE,
    ),
    storage=False,
    health=Health(
        ready=(
            "Accepted",
            "Programmed",
        )
    ),
)

GRPC_ROUTE = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="GRPCRoute",
    plural="grpcroutes",
    spec=GRPCRouteSpec,
    status=GRPCRouteStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    columns=(Column("Hostnames", ".spec.hostnames"), AGE),
)

HTTP_ROUTE = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="HTTPRoute",
    plural="httproutes",
    spec=HTTPRouteSpec,
    status=GRPCRouteStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    columns=(Column("Hostnames", ".spec.hostnames"), AGE),
)

HTTP_ROUTE_V1BETA1 = Api(
    group="gateway.networking.k8s.io",
    version="v1beta1",
    kind="HTTPRoute",
    plural="httproutes",
    spec=HTTPRouteSpec,
    status=GRPCRouteStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    columns=(Column("Hostnames", ".spec.hostnames"), AGE),
    storage=False,
)

LISTENER_SET = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="ListenerSet",
    plural="listenersets",
    spec=ListenerSetSpec,
    top=ListenerSet,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Accepted", '.status.conditions[?(@.type=="Accepted")].status'),
        Column("Programmed", '.status.conditions[?(@.type=="Programmed")].status'),
        AGE,
    ),
)

REFERENCE_GRANT = Api(
    group="gateway.networking.k8s.io",
    version="v1beta1",
    kind="ReferenceGrant",
    plural="referencegrants",
    spec=ReferenceGrantSpec,
    required=("spec",),
    columns=(AGE,),
)

REFERENCE_GRANT_V1 = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="ReferenceGrant",
    plural="referencegrants",
    spec=ReferenceGrantSpec,
    required=("spec",),
    columns=(AGE,),
    storage=False,
)

TCP_ROUTE = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="TCPRoute",
    plural="tcproutes",
    spec=TCPRouteSpec,
    status=GRPCRouteStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
)

TCP_ROUTE_V1ALPHA2 = Api(
    group="gateway.networking.k8s.io",
    version="v1alpha2",
    kind="TCPRoute",
    plural="tcproutes",
    spec=TCPRouteV1alpha2Spec,
    status=GRPCRouteStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
    served=False,
    storage=False,
    deprecated=True,
    deprecation_warning="gateway.networking.k8s.io/v1alpha2 TCPRoute is on its way out: write v1",
)

TLS_ROUTE = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="TLSRoute",
    plural="tlsroutes",
    spec=TLSRouteSpec,
    status=GRPCRouteStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
)

TLS_ROUTE_V1ALPHA2 = Api(
    group="gateway.networking.k8s.io",
    version="v1alpha2",
    kind="TLSRoute",
    plural="tlsroutes",
    spec=TLSRouteV1alpha2Spec,
    status=GRPCRouteStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
    served=False,
    storage=False,
    deprecated=True,
    deprecation_warning="gateway.networking.k8s.io/v1alpha2 TLSRoute is on its way out: write v1",
)

TLS_ROUTE_V1ALPHA3 = Api(
    group="gateway.networking.k8s.io",
    version="v1alpha3",
    kind="TLSRoute",
    plural="tlsroutes",
    spec=TLSRouteSpec,
    status=GRPCRouteStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
    served=False,
    storage=False,
    deprecated=True,
    deprecation_warning="gateway.networking.k8s.io/v1alpha3 TLSRoute is on its way out: write v1",
)

UDP_ROUTE = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="UDPRoute",
    plural="udproutes",
    spec=TCPRouteSpec,
    status=GRPCRouteStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
)

UDP_ROUTE_V1ALPHA2 = Api(
    group="gateway.networking.k8s.io",
    version="v1alpha2",
    kind="UDPRoute",
    plural="udproutes",
    spec=TCPRouteV1alpha2Spec,
    status=GRPCRouteStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
    served=False,
    storage=False,
    deprecated=True,
    deprecation_warning="gateway.networking.k8s.io/v1alpha2 UDPRoute is on its way out: write v1",
)

CRDS = (
    Definition(
        (BACKEND_TLS_POLICY, BACKEND_TLS_POLICY_V1ALPHA3),
        short_names=("btlspolicy",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "standard",
        },
    ),
    Definition(
        (GATEWAY_CLASS, GATEWAY_CLASS_V1BETA1),
        short_names=("gc",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "standard",
        },
    ),
    Definition(
        (GATEWAY, GATEWAY_V1BETA1),
        short_names=("gtw",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "standard",
        },
    ),
    Definition(
        (GRPC_ROUTE,),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "standard",
        },
    ),
    Definition(
        (HTTP_ROUTE, HTTP_ROUTE_V1BETA1),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "standard",
        },
    ),
    Definition(
        (LISTENER_SET,),
        short_names=("lset",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "standard",
        },
    ),
    Definition(
        (REFERENCE_GRANT_V1, REFERENCE_GRANT),
        short_names=("refgrant",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "standard",
        },
    ),
    Definition(
        (TCP_ROUTE, TCP_ROUTE_V1ALPHA2),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "standard",
        },
    ),
    Definition(
        (TLS_ROUTE, TLS_ROUTE_V1ALPHA2, TLS_ROUTE_V1ALPHA3),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "standard",
        },
    ),
    Definition(
        (UDP_ROUTE, UDP_ROUTE_V1ALPHA2),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "standard",
        },
    ),
)
