"""The HTTPRoute that an LLMInferenceService may bring along, as KServe 0.16 embeds it; presets leave some rules out."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.schema import (
    Cel,
    Default,
    Int32,
    ListMap,
    ListType,
    Maximum,
    MaxItems,
    MaxLength,
    Minimum,
    MinLength,
    Pattern,
    Ref,
)
from platform_def.crds.typed_dict import TypedDict

Namespace = Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
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
]
ParentGroup = Annotated[
    str,
    Default("gateway.networking.k8s.io"),
    MaxLength(253),
    Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
]
ParentKind = Annotated[
    str, Default("Gateway"), MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")
]
SectionName = Annotated[
    str, MaxLength(253), MinLength(1), Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
]
BackendGroup = Annotated[
    str, Default(""), MaxLength(253), Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
]
BackendKind = Annotated[
    str, Default("Service"), MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")
]
FilterType = Literal[
    "RequestHeaderModifier", "ResponseHeaderModifier", "RequestMirror", "RequestRedirect", "URLRewrite", "ExtensionRef"
]
HeaderName = Annotated[str, MaxLength(256), MinLength(1), Pattern(r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$")]
Method = Literal["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]
MatchType = Annotated[Literal["Exact", "RegularExpression"], Default("Exact")]


class ConfigParentRef(TypedDict, total=False):
    """A Gateway that the route attaches to."""

    group: ParentGroup
    kind: ParentKind
    name: Required[Annotated[str, MaxLength(253), MinLength(1), _PARENT]]
    namespace: Annotated[str, MaxLength(63), MinLength(1)]
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    sectionName: SectionName


class ExtensionRef(TypedDict, total=False):
    """A filter of the implementation's own."""

    group: Required[
        Annotated[str, MaxLength(253), Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    ]
    kind: Required[Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]


_BACKEND = Ref("Service", kind_field="kind", group_field="group", namespace="namespace", weak=True)
_PARENT = Ref(
    "Gateway",
    group="gateway.networking.k8s.io",
    kind_field="kind",
    group_field="group",
    namespace="namespace",
    weak=True,
)


class Add(TypedDict, total=False):
    name: Required[HeaderName]
    value: Required[Annotated[str, MaxLength(4096), MinLength(1)]]


class RequestHeaderModifier(TypedDict, total=False):
    add: Annotated[list[Add], MaxItems(16), ListMap("name")]
    remove: Annotated[list[str], MaxItems(16), ListType("set")]
    set: Annotated[list[Add], MaxItems(16), ListMap("name")]


class RequestMirrorBackendRef(TypedDict, total=False):
    """A Service that gets copies of the requests."""

    group: BackendGroup
    kind: BackendKind
    name: Required[Annotated[str, MaxLength(253), MinLength(1), _BACKEND]]
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
    statusCode: Annotated[Literal[301, 302], Default(302)]


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


class Filter(TypedDict, total=False):
    extensionRef: ExtensionRef
    requestHeaderModifier: RequestHeaderModifier
    requestMirror: RequestMirror
    requestRedirect: RequestRedirect
    responseHeaderModifier: RequestHeaderModifier
    type: Required[FilterType]
    urlRewrite: UrlRewrite


class BackendRef(TypedDict, total=False):
    """A Service or InferencePool and its share of the requests."""

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
        Cel(
            "!(self.exists(f, f.type == 'RequestRedirect') && self.exists(f, f.type == 'URLRewrite'))",
            "RequestRedirect and URLRewrite exclude each other",
        ),
        Cel(
            "!(self.exists(f, f.type == 'RequestRedirect') && self.exists(f, f.type == 'URLRewrite'))",
            "RequestRedirect and URLRewrite exclude each other",
        ),
        Cel("self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1", "one RequestHeaderModifier at most"),
        Cel("self.filter(f, f.type == 'ResponseHeaderModifier').size() <= 1", "one ResponseHeaderModifier at most"),
        Cel("self.filter(f, f.type == 'RequestRedirect').size() <= 1", "one RequestRedirect at most"),
        Cel("self.filter(f, f.type == 'URLRewrite').size() <= 1", "one URLRewrite at most"),
    ]
    group: BackendGroup
    kind: BackendKind
    name: Required[Annotated[str, MaxLength(253), MinLength(1), _BACKEND]]
    namespace: Namespace
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    weight: Annotated[Int32, Default(1), Maximum(1000000), Minimum(0)]


class PlainUrlRewrite(TypedDict, total=False):
    hostname: SectionName
    path: RequestRedirectPath


class ConfigFilter(TypedDict, total=False):
    extensionRef: ExtensionRef
    requestHeaderModifier: RequestHeaderModifier
    requestMirror: RequestMirror
    requestRedirect: RequestRedirect
    responseHeaderModifier: RequestHeaderModifier
    type: Required[FilterType]
    urlRewrite: PlainUrlRewrite


class Header(TypedDict, total=False):
    name: Required[HeaderName]
    type: MatchType
    value: Required[Annotated[str, MaxLength(4096), MinLength(1)]]


class MatchPath(TypedDict, total=False):
    type: Annotated[Literal["Exact", "PathPrefix", "RegularExpression"], Default("PathPrefix")]
    value: Annotated[str, Default("/"), MaxLength(1024)]


class QueryParam(TypedDict, total=False):
    name: Required[HeaderName]
    type: MatchType
    value: Required[Annotated[str, MaxLength(1024), MinLength(1)]]


class ConfigMatch(TypedDict, total=False):
    headers: Annotated[list[Header], MaxItems(16), ListMap("name")]
    method: Method
    path: Annotated[MatchPath, Default({"type": "PathPrefix", "value": "/"})]
    queryParams: Annotated[list[QueryParam], MaxItems(16), ListMap("name")]


class Retry(TypedDict, total=False):
    attempts: int
    backoff: Annotated[str, Pattern("^([0-9]{1,5}(h|m|s|ms)){1,4}$")]
    codes: list[Annotated[int, Maximum(599), Minimum(400)]]


class CookieConfig(TypedDict, total=False):
    lifetimeType: Annotated[Literal["Permanent", "Session"], Default("Session")]


class SessionPersistence(TypedDict, total=False):
    absoluteTimeout: Annotated[str, Pattern("^([0-9]{1,5}(h|m|s|ms)){1,4}$")]
    cookieConfig: CookieConfig
    idleTimeout: Annotated[str, Pattern("^([0-9]{1,5}(h|m|s|ms)){1,4}$")]
    sessionName: Annotated[str, MaxLength(128)]
    type: Annotated[Literal["Cookie", "Header"], Default("Cookie")]


class Timeouts(TypedDict, total=False):
    backendRequest: Annotated[str, Pattern("^([0-9]{1,5}(h|m|s|ms)){1,4}$")]
    request: Annotated[str, Pattern("^([0-9]{1,5}(h|m|s|ms)){1,4}$")]


class ConfigRule(TypedDict, total=False):
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
    ]
    filters: Annotated[
        list[
            Annotated[
                ConfigFilter,
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
        Cel(
            "!(self.exists(f, f.type == 'RequestRedirect') && self.exists(f, f.type == 'URLRewrite'))",
            "RequestRedirect and URLRewrite exclude each other",
        ),
        Cel("self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1", "one RequestHeaderModifier at most"),
        Cel("self.filter(f, f.type == 'ResponseHeaderModifier').size() <= 1", "one ResponseHeaderModifier at most"),
        Cel("self.filter(f, f.type == 'RequestRedirect').size() <= 1", "one RequestRedirect at most"),
        Cel("self.filter(f, f.type == 'URLRewrite').size() <= 1", "one URLRewrite at most"),
    ]
    matches: Annotated[list[ConfigMatch], Default([{"path": {"type": "PathPrefix", "value": "/"}}]), MaxItems(64)]
    name: SectionName
    retry: Retry
    sessionPersistence: Annotated[
        SessionPersistence,
        Cel(
            "!has(self.cookieConfig) || !has(self.cookieConfig.lifetimeType) || self.cookieConfig.lifetimeType != 'Permanent' || has(self.absoluteTimeout)",
            "a Permanent cookie needs absoluteTimeout",
        ),
    ]
    timeouts: Annotated[
        Timeouts,
        Cel(
            "!(has(self.request) && has(self.backendRequest) && duration(self.request) != duration('0s') && duration(self.backendRequest) > duration(self.request))",
            "backendRequest lasts no longer than request",
        ),
    ]


class ConfigRouteSpec(TypedDict, total=False):
    """The same without some of the rules, because a preset may be a part only."""

    hostnames: Hostnames
    parentRefs: Annotated[list[ConfigParentRef], MaxItems(32)]
    rules: Annotated[
        list[
            Annotated[
                ConfigRule,
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
        Cel(
            "(self.size() > 0 ? self[0].matches.size() : 0) + (self.size() > 1 ? self[1].matches.size() : 0) + (self.size() > 2 ? self[2].matches.size() : 0) + (self.size() > 3 ? self[3].matches.size() : 0) + (self.size() > 4 ? self[4].matches.size() : 0) + (self.size() > 5 ? self[5].matches.size() : 0) + (self.size() > 6 ? self[6].matches.size() : 0) + (self.size() > 7 ? self[7].matches.size() : 0) + (self.size() > 8 ? self[8].matches.size() : 0) + (self.size() > 9 ? self[9].matches.size() : 0) + (self.size() > 10 ? self[10].matches.size() : 0) + (self.size() > 11 ? self[11].matches.size() : 0) + (self.size() > 12 ? self[12].matches.size() : 0) + (self.size() > 13 ? self[13].matches.size() : 0) + (self.size() > 14 ? self[14].matches.size() : 0) + (self.size() > 15 ? self[15].matches.size() : 0) <= 128",
            "the rules have more than 128 matches together",
        ),
    ]


class ParentRef(TypedDict, total=False):
    """A Gateway that the route attaches to."""

    group: ParentGroup
    kind: ParentKind
    name: Required[Annotated[str, MaxLength(253), MinLength(1), _PARENT]]
    namespace: Namespace
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    sectionName: SectionName


class Match(TypedDict, total=False):
    headers: Annotated[list[Header], MaxItems(16), ListMap("name")]
    method: Method
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
    queryParams: Annotated[list[QueryParam], MaxItems(16), ListMap("name")]


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
        Cel(
            "!(self.exists(f, f.type == 'RequestRedirect') && self.exists(f, f.type == 'URLRewrite'))",
            "RequestRedirect and URLRewrite exclude each other",
        ),
        Cel("self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1", "one RequestHeaderModifier at most"),
        Cel("self.filter(f, f.type == 'ResponseHeaderModifier').size() <= 1", "one ResponseHeaderModifier at most"),
        Cel("self.filter(f, f.type == 'RequestRedirect').size() <= 1", "one RequestRedirect at most"),
        Cel("self.filter(f, f.type == 'URLRewrite').size() <= 1", "one URLRewrite at most"),
    ]
    matches: Annotated[list[Match], Default([{"path": {"type": "PathPrefix", "value": "/"}}]), MaxItems(64)]
    name: SectionName
    retry: Retry
    sessionPersistence: Annotated[
        SessionPersistence,
        Cel(
            "!has(self.cookieConfig) || !has(self.cookieConfig.lifetimeType) || self.cookieConfig.lifetimeType != 'Permanent' || has(self.absoluteTimeout)",
            "a Permanent cookie needs absoluteTimeout",
        ),
    ]
    timeouts: Annotated[
        Timeouts,
        Cel(
            "!(has(self.request) && has(self.backendRequest) && duration(self.request) != duration('0s') && duration(self.backendRequest) > duration(self.request))",
            "backendRequest lasts no longer than request",
        ),
    ]


class RouteSpec(TypedDict, total=False):
    """How requests are led on; as in HTTPRoute, where the fields are described."""

    hostnames: Hostnames
    parentRefs: Annotated[list[ParentRef], MaxItems(32)]
    rules: Annotated[
        list[
            Annotated[
                Rule,
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
        Cel(
            "(self.size() > 0 ? self[0].matches.size() : 0) + (self.size() > 1 ? self[1].matches.size() : 0) + (self.size() > 2 ? self[2].matches.size() : 0) + (self.size() > 3 ? self[3].matches.size() : 0) + (self.size() > 4 ? self[4].matches.size() : 0) + (self.size() > 5 ? self[5].matches.size() : 0) + (self.size() > 6 ? self[6].matches.size() : 0) + (self.size() > 7 ? self[7].matches.size() : 0) + (self.size() > 8 ? self[8].matches.size() : 0) + (self.size() > 9 ? self[9].matches.size() : 0) + (self.size() > 10 ? self[10].matches.size() : 0) + (self.size() > 11 ? self[11].matches.size() : 0) + (self.size() > 12 ? self[12].matches.size() : 0) + (self.size() > 13 ? self[13].matches.size() : 0) + (self.size() > 14 ? self[14].matches.size() : 0) + (self.size() > 15 ? self[15].matches.size() : 0) <= 128",
            "the rules have more than 128 matches together",
        ),
    ]
