"""Gateway API 1.7, standard channel (gateway.networking.k8s.io); this is its one owner."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import (
    Cel,
    Default,
    Doc,
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
from platform_def.crds.typed_dict import TypedDict

_GROUP = "gateway.networking.k8s.io"
BACKEND = Ref("Service", kind_field="kind", group_field="group", namespace="namespace", weak=True)
PARENT = Ref("Gateway", group=_GROUP, kind_field="kind", group_field="group", namespace="namespace", weak=True)
# A Certificate may be made for the Gateway itself: an order would be a circle.
CERTIFICATE = Ref("Secret", kind_field="kind", group_field="group", namespace="namespace", weak=True)

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
Name = Annotated[str, MaxLength(253), MinLength(1), BACKEND]
Name2 = Annotated[str, MaxLength(256), MinLength(1), Pattern(r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$")]
Type2 = Annotated[Literal["Exact", "RegularExpression"], Default("Exact")]


class TargetRef(TypedDict, total=False):
    """A Service of this namespace whose connections the policy is for."""

    group: Required[Group]
    """API group; empty for a Service."""
    kind: Required[Kind2]
    """Kind, such as Service."""
    name: Required[
        Annotated[str, MaxLength(253), MinLength(1), Ref("Service", kind_field="kind", group_field="group", weak=True)]
    ]
    """Its name."""
    sectionName: SectionName
    """Port of the Service by name; all if left out."""


class LocalObjectRef(TypedDict, total=False):
    """An object of the same namespace."""

    group: Required[Group]
    """API group; empty for core kinds."""
    kind: Required[Kind2]
    """Kind."""
    name: Required[
        Annotated[str, MaxLength(253), MinLength(1), Ref("ConfigMap", kind_field="kind", group_field="group")]
    ]
    """Its name."""


class SubjectAltName(TypedDict, total=False):
    """A name that the backend's certificate must carry."""

    hostname: Hostname
    """Host name, for the type Hostname."""
    type: Required[Literal["Hostname", "URI"]]
    """Hostname or URI."""
    uri: Annotated[
        str, MaxLength(253), MinLength(1), Pattern(r"^(([^:/?#]+):)(//([^/?#]*))([^?#]*)(\?([^#]*))?(#(.*))?")
    ]
    """URI, for the type URI."""


class Validation(TypedDict, total=False):
    """How the backend's certificate is checked."""

    caCertificateRefs: Annotated[list[LocalObjectRef], MaxItems(8), ListType("atomic")]
    """ConfigMaps with authorities, in the key `ca.crt`."""
    hostname: Required[SectionName]
    """Host name that is asked for (SNI), and checked where there are no subjectAltNames."""
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
    """Names of which the certificate must carry one."""
    wellKnownCACertificates: Annotated[
        str,
        MaxLength(253),
        MinLength(1),
        Pattern(
            r"^(System|([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]))$",
        ),
    ]
    """System: the authorities of the proxy's system."""


class BackendTLSPolicySpec(TypedDict, total=False):
    """TLS from the gateway to a backend."""

    options: Options
    """Settings of the implementation."""
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
    """Services whose connections it is for."""
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
    """How the backend's certificate is checked."""


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


class ObjectRef(TypedDict, total=False):
    """An object, also of another namespace."""

    group: Required[Group]
    """API group; empty for core kinds."""
    kind: Required[Kind2]
    """Kind."""
    name: Required[
        Annotated[
            str,
            MaxLength(253),
            MinLength(1),
            Ref("ConfigMap", kind_field="kind", group_field="group", namespace="namespace"),
        ]
    ]
    """Its name."""
    namespace: Namespace
    """Its namespace."""


class GatewayClassSpec(TypedDict, total=False):
    """A kind of gateway, and the controller behind it."""

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
    """The controller, as a domain with a path."""
    description: Annotated[str, MaxLength(64)]
    """What the class is for."""
    parametersRef: ObjectRef
    """Settings of the controller for this class."""


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
    """An address of the gateway."""

    type: Type
    """IPAddress, Hostname, or a name of the implementation's."""
    value: Annotated[str, MaxLength(253)]
    """The address; the controller picks one if left out."""


Namespaces = TypedDict(
    "Namespaces",
    {
        "from": 'Annotated[Literal["All", "Selector", "Same", "None"], Default("None"), Doc("All, Selector, Same or None (the default).")]',
        "selector": 'Annotated[meta_v1.LabelSelector, Doc("Namespaces by label, for Selector.")]',
    },
    total=False,
)


class AllowedListeners(TypedDict, total=False):
    """ListenerSets that may add listeners."""

    namespaces: Annotated[Namespaces, Default({"from": "None"})]
    """Namespaces that they may be in; none if left out."""


class Infrastructure(TypedDict, total=False):
    """What the controller makes for the gateway."""

    annotations: Annotated[
        dict[str, Annotated[str, MaxLength(4096), MinLength(0)]],
        MaxProperties(16),
        Cel(
            r'self.all(key, key.matches(r"""^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$"""))',
            "no valid key of an annotation",
        ),
        Cel('self.all(key, key.split("/")[0].size() < 253)', "the key's prefix is too long for a DNS name"),
    ]
    """Annotations of these objects."""
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
    """Labels of these objects."""
    parametersRef: LocalObjectRef
    """Settings of the controller for this gateway."""


class Kind(TypedDict, total=False):
    """A kind of route."""

    group: Group2
    """API group."""
    kind: Required[Kind2]
    """Kind."""


AllowedRoutesNamespaces = TypedDict(
    "AllowedRoutesNamespaces",
    {
        "from": 'Annotated[Literal["All", "Selector", "Same"], Default("Same"), Doc("All, Selector or Same (the default).")]',
        "selector": 'Annotated[meta_v1.LabelSelector, Doc("Namespaces by label, for Selector.")]',
    },
    total=False,
)


class AllowedRoutes(TypedDict, total=False):
    """Routes that may attach."""

    kinds: Annotated[list[Kind], MaxItems(8), ListType("atomic")]
    """Kinds of routes; those that fit the protocol if left out."""
    namespaces: Annotated[AllowedRoutesNamespaces, Default({"from": "Same"})]
    """Namespaces that they may be in; the gateway's own if left out."""


class CertificateRef(TypedDict, total=False):
    """A Secret with `tls.crt` and `tls.key`."""

    group: Group3
    """API group; empty for a Secret."""
    kind: Kind4
    """Secret."""
    name: Required[Annotated[str, MaxLength(253), MinLength(1), CERTIFICATE]]
    """Its name."""
    namespace: Namespace
    """Its namespace; another one needs a ReferenceGrant there."""


class Tls(TypedDict, total=False):
    """Certificates, and where TLS ends."""

    certificateRefs: Annotated[list[CertificateRef], MaxItems(64), ListType("atomic")]
    """Secrets with certificates."""
    mode: Mode
    """Terminate: here, with certificateRefs; Passthrough: at the backend."""
    options: Options
    """Settings of the implementation."""


class Listener(TypedDict, total=False):
    """A port, with the host name and protocol that it is for."""

    allowedRoutes: Annotated[AllowedRoutes, Default({"namespaces": {"from": "Same"}})]
    """Which routes may attach; those of the same namespace if left out."""
    hostname: Hostname
    """Host name that it answers to; any if left out."""
    name: Required[SectionName]
    """Name that routes attach to with sectionName."""
    port: Required[Annotated[Int32, Maximum(65535), Minimum(1)]]
    """Port number; several listeners may share one by host name."""
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
    """A Secret with `tls.crt` and `tls.key`."""

    group: Group3
    """API group; empty for a Secret."""
    kind: Kind4
    """Secret."""
    name: Required[Annotated[str, MaxLength(253), MinLength(1), CERTIFICATE]]
    """Its name."""
    namespace: Namespace
    """Its namespace; another one needs a ReferenceGrant there."""


class Backend(TypedDict, total=False):
    """TLS towards backends."""

    clientCertificateRef: ClientCertificateRef
    """Certificate that the gateway shows to backends."""


class DefaultValidation(TypedDict, total=False):
    """How clients' certificates are checked."""

    caCertificateRefs: Required[Annotated[list[ObjectRef], MaxItems(16), MinItems(1), ListType("atomic")]]
    """ConfigMaps with authorities, in the key `ca.crt`."""
    mode: Annotated[Literal["AllowValidOnly", "AllowInsecureFallback"], Default("AllowValidOnly")]
    """AllowValidOnly refuses clients without a valid certificate; AllowInsecureFallback passes them on."""


class FrontendDefault(TypedDict, total=False):
    """TLS towards clients."""

    validation: DefaultValidation
    """How clients' certificates are checked; not at all if left out."""


class PerPort(TypedDict, total=False):
    """TLS towards clients on one port."""

    port: Required[Annotated[Int32, Maximum(65535), Minimum(1)]]
    """The port."""
    tls: Required[FrontendDefault]
    """Settings instead of the default ones."""


class Frontend(TypedDict, total=False):
    """TLS towards clients, of all HTTPS listeners."""

    default: Required[FrontendDefault]
    """Settings of all ports."""
    perPort: Annotated[
        list[PerPort],
        MaxItems(64),
        ListMap("port"),
        Cel("self.all(t1, self.exists_one(t2, t1.port == t2.port))", "two entries share a port"),
    ]
    """Settings of single ports."""


class GatewayTls(TypedDict, total=False):
    """TLS of the whole gateway."""

    backend: Backend
    """TLS towards backends."""
    frontend: Frontend
    """TLS towards clients."""


class GatewaySpec(TypedDict, total=False):
    """A place where traffic enters: addresses, ports, host names, certificates."""

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
    """Addresses that it is asked to have; the controller picks some if left out."""
    allowedListeners: AllowedListeners
    """ListenerSets that may add listeners; none if left out."""
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
    """TLS of the whole gateway."""


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
    """A gateway, or a Service in a mesh, that a route attaches to."""

    group: Group2
    """API group; empty for a Service."""
    kind: Kind3
    """Gateway (the default), ListenerSet or Service."""
    name: Required[
        Annotated[
            str,
            MaxLength(253),
            MinLength(1),
            PARENT,
        ]
    ]
    """Its name."""
    namespace: Namespace
    """Its namespace; the route's own if left out."""
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    """Port of the parent; all if left out."""
    sectionName: SectionName
    """Listener by name; all that fit if left out."""


class Add(TypedDict, total=False):
    """A header and its value."""

    name: Required[Name2]
    """Name of the header."""
    value: Required[Annotated[str, MaxLength(4096), MinLength(1)]]
    """Its value."""


class RequestHeaderModifier(TypedDict, total=False):
    """Changes to headers."""

    add: Annotated[list[Add], MaxItems(16), ListMap("name")]
    """Headers added to what is there."""
    remove: Annotated[list[str], MaxItems(16), ListType("set")]
    """Headers removed."""
    set: Annotated[list[Add], MaxItems(16), ListMap("name")]
    """Headers set, whatever was there."""


class RequestMirrorBackendRef(TypedDict, total=False):
    """A Service that gets copies."""

    group: Group3
    """API group; empty for a Service."""
    kind: Kind5
    """Service (the default) or another kind."""
    name: Required[Annotated[str, MaxLength(253), MinLength(1), BACKEND]]
    """Its name."""
    namespace: Namespace
    """Its namespace; another one needs a ReferenceGrant there."""
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    """Its port."""


class Fraction(TypedDict, total=False):
    """A share as a fraction."""

    denominator: Annotated[Int32, Default(100), Minimum(1)]
    """Of how many."""
    numerator: Required[Annotated[Int32, Minimum(0)]]
    """So many."""


class RequestMirror(TypedDict, total=False):
    """Copies of requests, whose answers are dropped."""

    backendRef: Required[
        Annotated[
            RequestMirrorBackendRef,
            Cel(
                "(size(self.group) == 0 && self.kind == 'Service') ? has(self.port) : true",
                "a reference to a Service needs its port",
            ),
        ]
    ]
    """Service that gets them."""
    fraction: Annotated[Fraction, Cel("self.numerator <= self.denominator", "a fraction is at most 1")]
    """Share of the requests as a fraction; all if left out."""
    percent: Annotated[Int32, Maximum(100), Minimum(0)]
    """Share of the requests in percent; all if left out."""


class Filter(TypedDict, total=False):
    """A change on the way, of the sort that `type` says."""

    extensionRef: LocalObjectRef
    """A filter of the implementation's own."""
    requestHeaderModifier: RequestHeaderModifier
    """Changes to headers of the request."""
    requestMirror: Annotated[
        RequestMirror, Cel("!(has(self.percent) && has(self.fraction))", "percent and fraction exclude each other")
    ]
    """Copies of the request."""
    responseHeaderModifier: RequestHeaderModifier
    """Changes to headers of the answer."""
    type: Required[Literal["ResponseHeaderModifier", "RequestHeaderModifier", "RequestMirror", "ExtensionRef"]]
    """Which of them it is."""


class BackendRef(TypedDict, total=False):
    """A Service and its share of the requests."""

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
    """What is changed only on the way to it."""
    group: Group3
    """API group; empty for a Service."""
    kind: Kind5
    """Service (the default) or another kind."""
    name: Required[Name]
    """Its name."""
    namespace: Namespace
    """Its namespace; another one needs a ReferenceGrant there."""
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    """Its port; a Service needs one."""
    weight: Annotated[Int32, Default(1), Maximum(1000000), Minimum(0)]
    """Its share among the others, 1 if left out; 0 gets nothing."""


class Header(TypedDict, total=False):
    """A header that a request must carry."""

    name: Required[Name2]
    """Name of the header, in whatever case."""
    type: Type2
    """Exact (the default) or RegularExpression."""
    value: Required[Annotated[str, MaxLength(4096), MinLength(1)]]
    """Its value."""


class Method(TypedDict, total=False):
    """A method of gRPC."""

    method: Annotated[str, MaxLength(1024)]
    """Name of the method; any if left out."""
    service: Annotated[str, MaxLength(1024)]
    """Full name of the service; any if left out."""
    type: Type2
    """Exact (the default) or RegularExpression."""


class Match(TypedDict, total=False):
    """Requests that have all of this."""

    headers: Annotated[list[Header], MaxItems(16), ListMap("name")]
    """By headers, all of them."""
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
    """By method of gRPC; any if left out."""


class Rule(TypedDict, total=False):
    """What happens with some requests."""

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
    """Services that the requests go to, by weight."""
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
    """What is changed on the way."""
    matches: Annotated[list[Match], MaxItems(64), ListType("atomic")]
    """Requests that the rule is for, any of these; all if left out."""
    name: SectionName
    """Name of the rule."""


class GRPCRouteSpec(TypedDict, total=False):
    """How gRPC requests of some host names are led on."""

    hostnames: Hostnames
    """Host names that the route answers to; the listeners' if left out."""
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
        list[Rule],
        MaxItems(16),
        ListType("atomic"),
        Cel(
            "(self.size() > 0 ? (has(self[0].matches) ? self[0].matches.size() : 0) : 0) + (self.size() > 1 ? (has(self[1].matches) ? self[1].matches.size() : 0) : 0) + (self.size() > 2 ? (has(self[2].matches) ? self[2].matches.size() : 0) : 0) + (self.size() > 3 ? (has(self[3].matches) ? self[3].matches.size() : 0) : 0) + (self.size() > 4 ? (has(self[4].matches) ? self[4].matches.size() : 0) : 0) + (self.size() > 5 ? (has(self[5].matches) ? self[5].matches.size() : 0) : 0) + (self.size() > 6 ? (has(self[6].matches) ? self[6].matches.size() : 0) : 0) + (self.size() > 7 ? (has(self[7].matches) ? self[7].matches.size() : 0) : 0) + (self.size() > 8 ? (has(self[8].matches) ? self[8].matches.size() : 0) : 0) + (self.size() > 9 ? (has(self[9].matches) ? self[9].matches.size() : 0) : 0) + (self.size() > 10 ? (has(self[10].matches) ? self[10].matches.size() : 0) : 0) + (self.size() > 11 ? (has(self[11].matches) ? self[11].matches.size() : 0) : 0) + (self.size() > 12 ? (has(self[12].matches) ? self[12].matches.size() : 0) : 0) + (self.size() > 13 ? (has(self[13].matches) ? self[13].matches.size() : 0) : 0) + (self.size() > 14 ? (has(self[14].matches) ? self[14].matches.size() : 0) : 0) + (self.size() > 15 ? (has(self[15].matches) ? self[15].matches.size() : 0) : 0) <= 128",
            "the rules have more than 128 matches together",
        ),
        Cel(
            "self.all(l1, !has(l1.name) || self.exists_one(l2, has(l2.name) && l1.name == l2.name))",
            "two rules have one name",
        ),
    ]
    """What happens with requests; the most specific match counts."""


class Parent(TypedDict, total=False):
    conditions: Required[Conditions]
    controllerName: Required[ControllerName]
    parentRef: Required[AncestorRef]


class GRPCRouteStatus(TypedDict, total=False):
    parents: Required[Annotated[list[Parent], MaxItems(32), ListType("atomic")]]


class Cors(TypedDict, total=False):
    """Answers to cross-origin questions of browsers."""

    allowCredentials: bool
    """Whether cookies and logins may go along."""
    allowHeaders: Annotated[
        list[Annotated[str, MaxLength(256), MinLength(1), Pattern(r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$")]],
        MaxItems(64),
        ListType("set"),
        Cel("!('*' in self && self.size() > 1)", "'*' stands alone"),
    ]
    """Headers that a request may carry."""
    allowMethods: Annotated[
        list[Literal["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "*"]],
        MaxItems(9),
        ListType("set"),
        Cel("!('*' in self && self.size() > 1)", "'*' stands alone"),
    ]
    """Methods that a request may have."""
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
    """Pages that may ask, as `https://example.com`."""
    exposeHeaders: Annotated[
        list[Annotated[str, MaxLength(256), MinLength(1), Pattern(r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$")]],
        MaxItems(64),
        ListType("set"),
    ]
    """Headers of the answer that the page may read."""
    maxAge: Annotated[Int32, Default(5), Minimum(1)]
    """Seconds that a browser may keep the answer; 5 if left out."""


class RequestRedirectPath(TypedDict, total=False):
    """How the path changes."""

    replaceFullPath: Annotated[str, MaxLength(1024)]
    """The new path, for ReplaceFullPath."""
    replacePrefixMatch: Annotated[str, MaxLength(1024)]
    """What takes the place of the matched prefix, for ReplacePrefixMatch."""
    type: Required[Literal["ReplaceFullPath", "ReplacePrefixMatch"]]
    """ReplaceFullPath or ReplacePrefixMatch."""


class RequestRedirect(TypedDict, total=False):
    """Sends the client elsewhere; what is left out stays as in the request."""

    hostname: SectionName
    """Host name."""
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
    """Path."""
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    """Port; the scheme's own where the scheme is given."""
    scheme: Literal["http", "https"]
    """http or https."""
    statusCode: Annotated[Literal[301, 302, 303, 307, 308], Default(302)]
    """301, 302 (the default), 303, 307 or 308."""


class UrlRewrite(TypedDict, total=False):
    """What the backend gets to see of the address."""

    hostname: SectionName
    """Host name."""
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
    """Path."""


class BackendRefFilter(TypedDict, total=False):
    """A change on the way, of the sort that `type` says."""

    cors: Cors
    """Answers to cross-origin questions of browsers."""
    extensionRef: LocalObjectRef
    """A filter of the implementation's own."""
    requestHeaderModifier: RequestHeaderModifier
    """Changes to headers of the request."""
    requestMirror: Annotated[
        RequestMirror, Cel("!(has(self.percent) && has(self.fraction))", "percent and fraction exclude each other")
    ]
    """Copies of the request."""
    requestRedirect: RequestRedirect
    """Sends the client elsewhere."""
    responseHeaderModifier: RequestHeaderModifier
    """Changes to headers of the answer."""
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
    """Which of them it is."""
    urlRewrite: UrlRewrite
    """What the backend gets to see of the address."""


class RuleBackendRef(TypedDict, total=False):
    """A Service and its share of the requests."""

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
    """What is changed only on the way to it."""
    group: Group3
    """API group; empty for a Service."""
    kind: Kind5
    """Service (the default) or another kind."""
    name: Required[Name]
    """Its name."""
    namespace: Namespace
    """Its namespace; another one needs a ReferenceGrant there."""
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    """Its port; a Service needs one."""
    weight: Annotated[Int32, Default(1), Maximum(1000000), Minimum(0)]
    """Its share among the others, 1 if left out; 0 gets nothing."""


class MatchPath(TypedDict, total=False):
    """Paths of requests."""

    type: Annotated[Literal["Exact", "PathPrefix", "RegularExpression"], Default("PathPrefix")]
    """Exact, PathPrefix (the default) or RegularExpression."""
    value: Annotated[str, Default("/"), MaxLength(1024)]
    """The path; `/` if left out."""


class QueryParam(TypedDict, total=False):
    """A query parameter that a request must have."""

    name: Required[Name2]
    """Its name."""
    type: Type2
    """Exact (the default) or RegularExpression."""
    value: Required[Annotated[str, MaxLength(1024), MinLength(1)]]
    """Its value."""


class RuleMatch(TypedDict, total=False):
    """Requests that have all of this."""

    headers: Annotated[list[Header], MaxItems(16), ListMap("name")]
    """By headers, all of them."""
    method: Literal["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]
    """By method; any if left out."""
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
    """By path; all if left out."""
    queryParams: Annotated[list[QueryParam], MaxItems(16), ListMap("name")]
    """By query parameters, all of them."""


class Timeouts(TypedDict, total=False):
    """How long a request may take; 0s for no limit."""

    backendRequest: Annotated[str, Pattern("^([0-9]{1,5}(h|m|s|ms)){1,4}$")]
    """Each try at a backend (`5s`)."""
    request: Annotated[str, Pattern("^([0-9]{1,5}(h|m|s|ms)){1,4}$")]
    """The request as a whole (`10s`)."""


class Retry(TypedDict, total=False):
    """When a request that failed is tried again."""

    attempts: Annotated[int, Minimum(0), Default(1)]
    """Tries after the first; 0: none."""
    backoff: Annotated[str, Pattern("^([0-9]{1,5}(h|m|s|ms)){1,4}$")]
    """Time before the next try, from which the implementation computes the others."""
    codes: Annotated[list[Annotated[int, Maximum(599), Minimum(400)]], ListType("set")]
    """HTTP statuses that count as failed, beside connections that failed."""


class HTTPRouteRule(TypedDict, total=False):
    """What happens with some requests."""

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
    """Requests that the rule is for, any of these; all if left out."""
    name: SectionName
    """Name of the rule."""
    retry: Retry
    """When a request that failed is tried again; the implementation's own way if left out."""
    timeouts: Annotated[
        Timeouts,
        Cel(
            "!(has(self.request) && has(self.backendRequest) && duration(self.request) != duration('0s') && duration(self.backendRequest) > duration(self.request))",
            "backendRequest lasts no longer than request",
        ),
    ]
    """How long a request may take; the implementation's limit if left out."""


class HTTPRouteSpec(TypedDict, total=False):
    """How requests of some host names are led on."""

    hostnames: Hostnames
    """Host names that the route answers to; the listeners' if left out."""
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
            "self.all(l1, !has(l1.name) || self.exists_one(l2, has(l2.name) && l1.name == l2.name))",
            "two rules have one name",
        ),
        Cel(
            "(self.size() > 0 ? self[0].matches.size() : 0) + (self.size() > 1 ? self[1].matches.size() : 0) + (self.size() > 2 ? self[2].matches.size() : 0) + (self.size() > 3 ? self[3].matches.size() : 0) + (self.size() > 4 ? self[4].matches.size() : 0) + (self.size() > 5 ? self[5].matches.size() : 0) + (self.size() > 6 ? self[6].matches.size() : 0) + (self.size() > 7 ? self[7].matches.size() : 0) + (self.size() > 8 ? self[8].matches.size() : 0) + (self.size() > 9 ? self[9].matches.size() : 0) + (self.size() > 10 ? self[10].matches.size() : 0) + (self.size() > 11 ? self[11].matches.size() : 0) + (self.size() > 12 ? self[12].matches.size() : 0) + (self.size() > 13 ? self[13].matches.size() : 0) + (self.size() > 14 ? self[14].matches.size() : 0) + (self.size() > 15 ? self[15].matches.size() : 0) <= 128",
            "the rules have more than 128 matches together",
        ),
    ]
    """What happens with requests; the most specific match counts."""


class ListenerTls(TypedDict, total=False):
    """Certificates, and where TLS ends."""

    certificateRefs: Annotated[list[ClientCertificateRef], MaxItems(64), ListType("atomic")]
    """Secrets with certificates."""
    mode: Mode
    """Terminate: here, with certificateRefs; Passthrough: at the backend."""
    options: Options
    """Settings of the implementation."""


class ListenerSetListener(TypedDict, total=False):
    """A port, with the host name and protocol that it is for."""

    allowedRoutes: Annotated[AllowedRoutes, Default({"namespaces": {"from": "Same"}})]
    """Which routes may attach; those of the same namespace if left out."""
    hostname: Hostname
    """Host name that it answers to; any if left out."""
    name: Required[SectionName]
    """Name that routes attach to with sectionName."""
    port: Required[Annotated[Int32, Maximum(65535), Minimum(1)]]
    """Port number."""
    protocol: Required[Protocol]
    """HTTP, HTTPS, TLS, TCP or UDP."""
    tls: Annotated[
        ListenerTls,
        Cel(
            "self.mode == 'Terminate' ? size(self.certificateRefs) > 0 || size(self.options) > 0 : true",
            "the mode Terminate needs certificateRefs or options",
        ),
    ]
    """Certificates, and where TLS ends."""


class ListenerSetParentRef(TypedDict, total=False):
    """The gateway that gets the listeners."""

    group: Group2
    """API group."""
    kind: Kind3
    """Gateway."""
    name: Required[
        Annotated[
            str,
            MaxLength(253),
            MinLength(1),
            Ref("Gateway", group=_GROUP, kind_field="kind", group_field="group", namespace="namespace"),
        ]
    ]
    """Its name."""
    namespace: Namespace
    """Its namespace; this one if left out."""


class ListenerSetSpec(TypedDict, total=False):
    """Further listeners of a gateway, kept apart from it."""

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
    """The listeners."""
    parentRef: Required[ListenerSetParentRef]
    """The gateway that gets them."""


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
    """Who may refer."""

    group: Required[Group]
    """API group."""
    kind: Required[Kind2]
    """Kind, such as HTTPRoute."""
    namespace: Required[Namespace]
    """Namespace that they are in."""


class To(TypedDict, total=False):
    """What may be referred to."""

    group: Required[Group]
    """API group; empty for core kinds."""
    kind: Required[Kind2]
    """Kind, such as Service or Secret."""
    name: Annotated[
        str, MaxLength(253), MinLength(1), Ref("Service", kind_field="kind", group_field="group", weak=True)
    ]
    """Its name; all if left out."""


ReferenceGrantSpec = TypedDict(
    "ReferenceGrantSpec",
    {
        "from": 'Required[Annotated[list[From], MaxItems(16), MinItems(1), ListType("atomic"), Doc("Who may refer.")]]',
        "to": 'Required[Annotated[list[To], MaxItems(16), MinItems(1), ListType("atomic"), Doc("What of this namespace may be referred to.")]]',
    },
    total=False,
)


class TCPRouteRuleBackendRef(TypedDict, total=False):
    """A Service and its share of the connections."""

    group: Group3
    """API group; empty for a Service."""
    kind: Kind5
    """Service (the default) or another kind."""
    name: Required[Name]
    """Its name."""
    namespace: Namespace
    """Its namespace; another one needs a ReferenceGrant there."""
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    """Its port; a Service needs one."""
    weight: Annotated[Int32, Default(1), Maximum(1000000), Minimum(0)]
    """Its share among the others, 1 if left out; 0 gets nothing."""


class TCPRouteRule(TypedDict, total=False):
    """Where connections go."""

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
    """Services that the connections go to, by weight."""
    name: SectionName
    """Name of the rule."""


class TCPRouteSpec(TypedDict, total=False):
    """Where connections of a listener go."""

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
    rules: Required[Annotated[list[TCPRouteRule], MaxItems(1), MinItems(1), ListType("atomic")]]
    """Where connections go."""


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
    """Where TLS connections go, by the host name that they ask for."""

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
    """Host names (SNI) that the route is for."""
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
    rules: Required[Annotated[list[TCPRouteRule], MaxItems(1), MinItems(1), ListType("atomic")]]
    """Where connections go."""


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
    doc="TLS from the gateway to a backend.",
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
    health=HealthConditions(ready=("Accepted",)),
    doc="A kind of gateway, and the controller behind it.",
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
    health=HealthConditions(ready=("Accepted",)),
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
    health=HealthConditions(
        ready=(
            "Accepted",
            "Programmed",
        )
    ),
    doc="A place where traffic enters the cluster: addresses, ports, host names, certificates.",
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
    health=HealthConditions(
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
    doc="How gRPC requests of some host names are led on to Services.",
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
    doc="How HTTP requests of some host names are led on to Services.",
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
    doc="Further listeners of a Gateway, kept apart from it.",
)

REFERENCE_GRANT = Api(
    group="gateway.networking.k8s.io",
    version="v1beta1",
    kind="ReferenceGrant",
    plural="referencegrants",
    spec=ReferenceGrantSpec,
    required=("spec",),
    columns=(AGE,),
    doc="Lets objects of other namespaces refer to objects of this one.",
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

_BUNDLE = {
    "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/5371",
    "gateway.networking.k8s.io/bundle-version": "v1.7.0",
    "gateway.networking.k8s.io/channel": "standard",
}

CRDS = (
    Definition(
        (BACKEND_TLS_POLICY, BACKEND_TLS_POLICY_V1ALPHA3),
        short_names=("btlspolicy",),
        categories=("gateway-api",),
        annotations=_BUNDLE,
    ),
    Definition(
        (GATEWAY_CLASS, GATEWAY_CLASS_V1BETA1),
        short_names=("gc",),
        categories=("gateway-api",),
        annotations=_BUNDLE,
    ),
    Definition(
        (GATEWAY, GATEWAY_V1BETA1),
        short_names=("gtw",),
        categories=("gateway-api",),
        annotations=_BUNDLE,
    ),
    Definition(
        (GRPC_ROUTE,),
        categories=("gateway-api",),
        annotations=_BUNDLE,
    ),
    Definition(
        (HTTP_ROUTE, HTTP_ROUTE_V1BETA1),
        categories=("gateway-api",),
        annotations=_BUNDLE,
    ),
    Definition(
        (LISTENER_SET,),
        short_names=("lset",),
        categories=("gateway-api",),
        annotations=_BUNDLE,
    ),
    Definition(
        (REFERENCE_GRANT_V1, REFERENCE_GRANT),
        short_names=("refgrant",),
        categories=("gateway-api",),
        annotations=_BUNDLE,
    ),
    Definition(
        (TCP_ROUTE, TCP_ROUTE_V1ALPHA2),
        categories=("gateway-api",),
        annotations=_BUNDLE,
    ),
    Definition(
        (TLS_ROUTE, TLS_ROUTE_V1ALPHA2, TLS_ROUTE_V1ALPHA3),
        categories=("gateway-api",),
        annotations=_BUNDLE,
    ),
    Definition(
        (UDP_ROUTE, UDP_ROUTE_V1ALPHA2),
        categories=("gateway-api",),
        annotations=_BUNDLE,
    ),
)
