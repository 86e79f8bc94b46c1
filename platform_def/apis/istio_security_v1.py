"""Istio 1.29 (security.istio.io): who may call what, and how callers prove who they are."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import (
    Cel,
    IntOrString,
    MaxItems,
    MaxLength,
    MaxProperties,
    MinLength,
    MinProperties,
    OneOf,
    Pattern,
    Preserve,
    Time,
)

NotServiceAccounts = Annotated[list[Annotated[str, MaxLength(320)]], MaxItems(16)]
JwksUri = Annotated[
    str,
    MaxLength(2048),
    MinLength(1),
    Cel('url(self).getScheme() in ["http", "https"]', "the URL's scheme is http or https"),
]


class Provider(TypedDict, total=False):
    name: str


class Source(TypedDict, total=False):
    ipBlocks: list[str]
    namespaces: list[str]
    notIpBlocks: list[str]
    notNamespaces: list[str]
    notPrincipals: list[str]
    notRemoteIpBlocks: list[str]
    notRequestPrincipals: list[str]
    notServiceAccounts: NotServiceAccounts
    principals: list[str]
    remoteIpBlocks: list[str]
    requestPrincipals: list[str]
    serviceAccounts: NotServiceAccounts


class From(TypedDict, total=False):
    source: Annotated[
        Source,
        Cel(
            "(has(self.serviceAccounts) || has(self.notServiceAccounts)) ? (!has(self.principals) &&\n!has(self.notPrincipals) && !has(self.namespaces) && !has(self.notNamespaces)) : true",
            "serviceAccounts exclude principals and namespaces",
        ),
    ]


class Operation(TypedDict, total=False):
    hosts: list[str]
    methods: list[str]
    notHosts: list[str]
    notMethods: list[str]
    notPaths: list[str]
    notPorts: list[str]
    paths: list[str]
    ports: list[str]


class To(TypedDict, total=False):
    operation: Operation


class When(TypedDict, total=False):
    key: Required[str]
    notValues: list[str]
    values: list[str]


Rule = TypedDict(
    "Rule",
    {
        "from": "Annotated[list[From], MaxItems(512)]",
        "to": "list[To]",
        "when": "list[When]",
    },
    total=False,
)


class Selector(TypedDict, total=False):
    matchLabels: Annotated[
        dict[str, Annotated[str, MaxLength(63), Cel('!self.contains("*")', "a label's value has no wildcard")]],
        MaxProperties(4096),
        Cel('self.all(key, !key.contains("*"))', "a label's key has no wildcard"),
        Cel("self.all(key, key.size() != 0)", "a key is empty"),
    ]


class TargetRef(TypedDict, total=False):
    group: Annotated[
        str, MaxLength(253), Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
    ]
    kind: Required[Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    namespace: Annotated[str, Cel("self.size() == 0", "refers to its own namespace only")]


class AuthorizationPolicySpec(TypedDict, total=False):
    action: Literal["ALLOW", "DENY", "AUDIT", "CUSTOM"]
    provider: Provider
    rules: Annotated[list[Rule], MaxItems(512)]
    selector: Selector
    targetRef: TargetRef
    targetRefs: Annotated[list[TargetRef], MaxItems(16)]


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
    mode: Literal["UNSET", "DISABLE", "PERMISSIVE", "STRICT"]


class PeerAuthenticationSpec(TypedDict, total=False):
    mtls: Mtls
    portLevelMtls: Annotated[
        dict[str, Mtls], MinProperties(1), Cel("self.all(key, 0 < int(key) && int(key) <= 65535)", "no valid port")
    ]
    selector: Selector


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
    name: Required[Annotated[str, MinLength(1)]]
    prefix: str


class OutputClaimToHeader(TypedDict, total=False):
    claim: Required[Annotated[str, MinLength(1)]]
    header: Required[Annotated[str, MinLength(1), Pattern("^[-_A-Za-z0-9]+$")]]


class JwtRule(TypedDict, total=False):
    audiences: list[Annotated[str, MinLength(1)]]
    forwardOriginalToken: bool
    fromCookies: list[Annotated[str, MinLength(1)]]
    fromHeaders: list[FromHeader]
    fromParams: list[Annotated[str, MinLength(1)]]
    issuer: Annotated[str, MinLength(1)]
    jwks: str
    jwks_uri: JwksUri
    jwksUri: JwksUri
    outputClaimToHeaders: list[OutputClaimToHeader]
    outputPayloadToHeader: str
    spaceDelimitedClaims: Annotated[list[Annotated[str, MinLength(1)]], MaxItems(64)]
    timeout: Annotated[str, Cel("duration(self) >= duration('1ms')", "at least one millisecond")]


class RequestAuthenticationSpec(TypedDict, total=False):
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
    selector: Selector
    targetRef: TargetRef
    targetRefs: Annotated[list[TargetRef], MaxItems(16)]


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
    columns=(Column("Action", ".spec.action"), AGE),
)

AUTHORIZATION_POLICY_V1BETA1 = Api(
    group="security.istio.io",
    version="v1beta1",
    kind="AuthorizationPolicy",
    plural="authorizationpolicies",
    spec=AuthorizationPolicySpec,
    top=AuthorizationPolicyV1beta1,
    status_subresource=True,
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
    columns=(Column("Mode", ".spec.mtls.mode"), AGE),
)

PEER_AUTHENTICATION_V1BETA1 = Api(
    group="security.istio.io",
    version="v1beta1",
    kind="PeerAuthentication",
    plural="peerauthentications",
    spec=PeerAuthenticationSpec,
    top=PeerAuthenticationV1beta1,
    status_subresource=True,
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
)

REQUEST_AUTHENTICATION_V1BETA1 = Api(
    group="security.istio.io",
    version="v1beta1",
    kind="RequestAuthentication",
    plural="requestauthentications",
    spec=RequestAuthenticationSpec,
    top=RequestAuthenticationV1beta1,
    status_subresource=True,
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
