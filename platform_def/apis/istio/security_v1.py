"""Istio 1.31 (security.istio.io): who may call what, and how callers prove who they are."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import (
    Cel,
    Doc,
    IntOrString,
    MaxItems,
    MaxLength,
    MaxProperties,
    MinLength,
    MinProperties,
    OneOf,
    Pattern,
    Preserve,
    Ref,
    Time,
)
from platform_def.crds.typed_dict import TypedDict

NotServiceAccounts = Annotated[list[Annotated[str, MaxLength(320)]], MaxItems(16)]
JwksUri = Annotated[
    str,
    MaxLength(2048),
    MinLength(1),
    Cel('url(self).getScheme() in ["http", "https"]', "the URL's scheme is http or https"),
]


_ACCOUNT = Ref("ServiceAccount", qualified=True, weak=True)


class Provider(TypedDict, total=False):
    """Who decides, for the action CUSTOM."""

    name: str
    """Its name in the mesh's settings (extensionProviders)."""


class Source(TypedDict, total=False):
    """Where a request comes from; all fields that are set must fit."""

    ipBlocks: list[str]
    """Addresses of the connection, in CIDR form."""
    namespaces: list[str]
    """Namespaces of the pod that asks."""
    notIpBlocks: list[str]
    """None of these addresses."""
    notNamespaces: list[str]
    """None of these namespaces."""
    notPrincipals: list[str]
    """None of these identities."""
    notRemoteIpBlocks: list[str]
    """None of these addresses."""
    notRequestPrincipals: list[str]
    """None of these identities of tokens."""
    notServiceAccounts: Annotated[NotServiceAccounts, _ACCOUNT]
    """None of these ServiceAccounts."""
    notTrustDomains: list[str]
    """None of these trust domains."""
    principals: list[str]
    """Identities in the mesh: `cluster.local/ns/namespace/sa/account`; '*' at an end stands for anything."""
    remoteIpBlocks: list[str]
    """Addresses of the client, also behind trusted proxies."""
    requestPrincipals: list[str]
    """Identities of tokens: `issuer/subject`; '*' for any valid token."""
    serviceAccounts: Annotated[NotServiceAccounts, _ACCOUNT]
    """ServiceAccounts, as `account` or `namespace/account`."""
    trustDomains: list[str]
    """Trust domains of identities in the mesh; '*' at an end stands for anything."""


class From(TypedDict, total=False):
    """Where a request comes from."""

    source: Annotated[
        Source,
        Cel(
            "(has(self.serviceAccounts) || has(self.notServiceAccounts)) ? (!has(self.principals) &&\n!has(self.notPrincipals) && !has(self.namespaces) && !has(self.notNamespaces)) : true",
            "serviceAccounts exclude principals and namespaces",
        ),
    ]
    """What must fit."""


class Operation(TypedDict, total=False):
    """What a request asks for; all fields that are set must fit."""

    hosts: list[str]
    """Hosts; '*' at an end stands for anything."""
    methods: list[str]
    """Methods of HTTP."""
    notHosts: list[str]
    """None of these hosts."""
    notMethods: list[str]
    """None of these methods."""
    notPaths: list[str]
    """None of these paths."""
    notPorts: list[str]
    """None of these ports."""
    paths: list[str]
    """Paths; '*' at an end stands for anything."""
    ports: list[str]
    """Ports, as text."""


class To(TypedDict, total=False):
    """What a request asks for."""

    operation: Operation
    """What must fit."""


class When(TypedDict, total=False):
    """A further condition."""

    key: Required[str]
    """Attribute of the request, such as `request.headers[x-team]` or `request.auth.claims[groups]`."""
    notValues: list[str]
    """None of these values."""
    values: list[str]
    """One of these values."""


Rule = TypedDict(
    "Rule",
    {
        "from": 'Annotated[list[From], MaxItems(512), Doc("Where requests come from, any of these; anywhere if left out.")]',
        "to": 'Annotated[list[To], Doc("What they ask for, any of these; anything if left out.")]',
        "when": 'Annotated[list[When], Doc("Further conditions, all of them.")]',
    },
    total=False,
)


class Selector(TypedDict, total=False):
    """Pods by label."""

    matchLabels: Annotated[
        dict[str, Annotated[str, MaxLength(63), Cel('!self.contains("*")', "a label's value has no wildcard")]],
        MaxProperties(4096),
        Cel('self.all(key, !key.contains("*"))', "a label's key has no wildcard"),
        Cel("self.all(key, key.size() != 0)", "a key is empty"),
    ]
    """Their labels."""


class TargetRef(TypedDict, total=False):
    """A gateway or service that the policy is for."""

    group: Annotated[
        str, MaxLength(253), Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
    ]
    """API group; empty for a Service."""
    kind: Required[Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]]
    """Gateway, GatewayClass, Service or ServiceEntry."""
    name: Required[
        Annotated[
            str,
            MaxLength(253),
            MinLength(1),
            Ref("Gateway", group="gateway.networking.k8s.io", kind_field="kind", group_field="group", weak=True),
        ]
    ]
    """Its name."""
    namespace: Annotated[str, Cel("self.size() == 0", "refers to its own namespace only")]
    """Always this one."""


class AuthorizationPolicySpec(TypedDict, total=False):
    """Which requests pods take."""

    action: Literal["ALLOW", "DENY", "AUDIT", "CUSTOM"]
    """ALLOW (the default), DENY (goes before), AUDIT, or CUSTOM (the provider decides)."""
    provider: Provider
    """Who decides, for CUSTOM."""
    rules: Annotated[list[Rule], MaxItems(512)]
    """Requests that it is for, any of these; ALLOW without rules allows nothing."""
    selector: Selector
    """Pods that it is for; all of the namespace if left out."""
    targetRef: TargetRef
    """Older form of targetRefs."""
    targetRefs: Annotated[list[TargetRef], MaxItems(16)]
    """Gateways or services that it is for, instead of a selector."""


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


class AuthorizationPolicyStatus(TypedDict, total=False):
    conditions: list[Condition]
    observedGeneration: IntOrString
    validationMessages: list[ValidationMessage]


class AuthorizationPolicy(TypedDict, total=False):
    spec: Annotated[
        AuthorizationPolicySpec,
        OneOf({"not": {"anyOf": [{"required": ["provider"]}]}}, {"required": ["provider"]}),
        Cel(
            "(has(self.selector) ? 1 : 0) + (has(self.targetRef) ? 1 : 0) + (has(self.targetRefs) ? 1 : 0) <= 1",
            "selector, targetRef and targetRefs exclude each other",
        ),
    ]
    status: Annotated[AuthorizationPolicyStatus, Preserve()]


class AuthorizationPolicyV1beta1(TypedDict, total=False):
    spec: Annotated[
        AuthorizationPolicySpec,
        OneOf({"not": {"anyOf": [{"required": ["provider"]}]}}, {"required": ["provider"]}),
        Cel(
            "(has(self.selector) ? 1 : 0) + (has(self.targetRef) ? 1 : 0) + (has(self.targetRefs) ? 1 : 0) <= 1",
            "selector, targetRef and targetRefs exclude each other",
        ),
    ]
    status: Annotated[AuthorizationPolicyStatus, Preserve()]


class Mtls(TypedDict, total=False):
    """Whether connections are encrypted and both sides known."""

    mode: Literal["UNSET", "DISABLE", "PERMISSIVE", "STRICT"]
    """STRICT: always; PERMISSIVE: where the other side can; DISABLE: never; UNSET: as above it."""


class PeerAuthenticationSpec(TypedDict, total=False):
    """Whether pods take connections from outside the mesh."""

    mtls: Mtls
    """The rule for all ports."""
    portLevelMtls: Annotated[
        dict[str, Mtls], MinProperties(1), Cel("self.all(key, 0 < int(key) && int(key) <= 65535)", "no valid port")
    ]
    """Rules for single ports, by number; they need a selector."""
    selector: Selector
    """Pods that it is for; all of the namespace, or the mesh from its root namespace, if left out."""


class PeerAuthentication(TypedDict, total=False):
    spec: Annotated[
        PeerAuthenticationSpec,
        Cel(
            "has(self.portLevelMtls) ? (((has(self.selector) && has(self.selector.matchLabels)) ? self.selector.matchLabels : {}).size() > 0) : true",
            "portLevelMtls needs a selector",
        ),
    ]
    status: Annotated[AuthorizationPolicyStatus, Preserve()]


class PeerAuthenticationV1beta1(TypedDict, total=False):
    spec: Annotated[
        PeerAuthenticationSpec,
        Cel(
            "has(self.portLevelMtls) ? (((has(self.selector) && has(self.selector.matchLabels)) ? self.selector.matchLabels : {}).size() > 0) : true",
            "portLevelMtls needs a selector",
        ),
    ]
    status: Annotated[AuthorizationPolicyStatus, Preserve()]


class FromHeader(TypedDict, total=False):
    """A header that holds the token."""

    name: Required[Annotated[str, MinLength(1)]]
    """Name of the header."""
    prefix: str
    """What stands before the token, such as `Bearer `."""


class OutputClaimToHeader(TypedDict, total=False):
    """A claim that goes on as a header."""

    claim: Required[Annotated[str, MinLength(1)]]
    """Name of the claim."""
    header: Required[Annotated[str, MinLength(1), Pattern("^[-_A-Za-z0-9]+$")]]
    """Name of the header."""


class JwtRule(TypedDict, total=False):
    """Tokens of one issuer."""

    audiences: list[Annotated[str, MinLength(1)]]
    """Audiences of which a token must have one; the service's own if left out."""
    forwardOriginalToken: bool
    """The service gets the token too."""
    fromCookies: list[Annotated[str, MinLength(1)]]
    """Cookies that may hold the token."""
    fromHeaders: list[FromHeader]
    """Headers that may hold it; Authorization if left out."""
    fromParams: list[Annotated[str, MinLength(1)]]
    """Query parameters that may hold it."""
    issuer: Annotated[str, MinLength(1)]
    """Who issued the token; it must be equal."""
    jwks: str
    """The issuer's keys themselves."""
    jwks_uri: JwksUri
    """Older form of jwksUri."""
    jwksUri: JwksUri
    """Address of the issuer's keys; found by the issuer if left out."""
    outputClaimToHeaders: list[OutputClaimToHeader]
    """Claims that go on as headers."""
    outputPayloadToHeader: str
    """Header that the whole content goes on in, as base64."""
    spaceDelimitedClaims: Annotated[list[Annotated[str, MinLength(1)]], MaxItems(64)]
    """Claims that hold lists with spaces between."""
    timeout: Annotated[str, Cel("duration(self) >= duration('1ms')", "at least one millisecond")]
    """How long fetching the keys may take; 5s if left out."""


class RequestAuthenticationSpec(TypedDict, total=False):
    """Tokens that pods know; a wrong one is refused, none at all is not."""

    jwtRules: Annotated[
        list[
            Annotated[
                JwtRule,
                Cel(
                    "(has(self.jwksUri) ? 1 : 0) + (has(self.jwks_uri) ? 1 : 0) + (has(self.jwks) ? 1 : 0) <= 1",
                    "jwksUri, jwks_uri and jwks exclude each other",
                ),
            ]
        ],
        MaxItems(4096),
    ]
    """Tokens, by issuer."""
    selector: Selector
    """Pods that it is for; all of the namespace if left out."""
    targetRef: TargetRef
    """Older form of targetRefs."""
    targetRefs: Annotated[list[TargetRef], MaxItems(16)]
    """Gateways or services that it is for, instead of a selector."""


class RequestAuthentication(TypedDict, total=False):
    spec: Annotated[
        RequestAuthenticationSpec,
        Cel(
            "(has(self.selector) ? 1 : 0) + (has(self.targetRef) ? 1 : 0) + (has(self.targetRefs) ? 1 : 0) <= 1",
            "selector, targetRef and targetRefs exclude each other",
        ),
    ]
    status: Annotated[AuthorizationPolicyStatus, Preserve()]


class RequestAuthenticationV1beta1(TypedDict, total=False):
    spec: Annotated[
        RequestAuthenticationSpec,
        Cel(
            "(has(self.selector) ? 1 : 0) + (has(self.targetRef) ? 1 : 0) + (has(self.targetRefs) ? 1 : 0) <= 1",
            "selector, targetRef and targetRefs exclude each other",
        ),
    ]
    status: Annotated[AuthorizationPolicyStatus, Preserve()]


AUTHORIZATION_POLICY = Api(
    group="security.istio.io",
    version="v1",
    kind="AuthorizationPolicy",
    plural="authorizationpolicies",
    spec=AuthorizationPolicySpec,
    top=AuthorizationPolicy,
    status_subresource=True,
    guards=True,
    columns=(Column("Action", ".spec.action"), AGE),
    doc="Which requests pods take.",
)

AUTHORIZATION_POLICY_V1BETA1 = Api(
    group="security.istio.io",
    version="v1beta1",
    kind="AuthorizationPolicy",
    plural="authorizationpolicies",
    spec=AuthorizationPolicySpec,
    top=AuthorizationPolicyV1beta1,
    status_subresource=True,
    guards=True,
    columns=(Column("Action", ".spec.action"), AGE),
    storage=False,
)

PEER_AUTHENTICATION = Api(
    group="security.istio.io",
    version="v1",
    kind="PeerAuthentication",
    plural="peerauthentications",
    spec=PeerAuthenticationSpec,
    top=PeerAuthentication,
    status_subresource=True,
    guards=True,
    columns=(Column("Mode", ".spec.mtls.mode"), AGE),
    doc="Whether pods take connections from outside the mesh.",
)

PEER_AUTHENTICATION_V1BETA1 = Api(
    group="security.istio.io",
    version="v1beta1",
    kind="PeerAuthentication",
    plural="peerauthentications",
    spec=PeerAuthenticationSpec,
    top=PeerAuthenticationV1beta1,
    status_subresource=True,
    guards=True,
    columns=(Column("Mode", ".spec.mtls.mode"), AGE),
    storage=False,
)

REQUEST_AUTHENTICATION = Api(
    group="security.istio.io",
    version="v1",
    kind="RequestAuthentication",
    plural="requestauthentications",
    spec=RequestAuthenticationSpec,
    top=RequestAuthentication,
    status_subresource=True,
    guards=True,
    doc="Tokens that pods know; a wrong one is refused, none at all is not.",
)

REQUEST_AUTHENTICATION_V1BETA1 = Api(
    group="security.istio.io",
    version="v1beta1",
    kind="RequestAuthentication",
    plural="requestauthentications",
    spec=RequestAuthenticationSpec,
    top=RequestAuthenticationV1beta1,
    status_subresource=True,
    guards=True,
    storage=False,
)

CRDS = (
    Definition(
        (AUTHORIZATION_POLICY, AUTHORIZATION_POLICY_V1BETA1),
        short_names=("ap",),
        categories=("istio-io", "security-istio-io"),
    ),
    Definition(
        (PEER_AUTHENTICATION, PEER_AUTHENTICATION_V1BETA1),
        short_names=("pa",),
        categories=("istio-io", "security-istio-io"),
    ),
    Definition(
        (REQUEST_AUTHENTICATION, REQUEST_AUTHENTICATION_V1BETA1),
        short_names=("ra",),
        categories=("istio-io", "security-istio-io"),
    ),
)
