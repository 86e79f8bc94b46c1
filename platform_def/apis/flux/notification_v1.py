"""Flux 2.10 (notification.toolkit.fluxcd.io): alerts, where they go, and web hooks that come in."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.health import READY
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import (
    Cel,
    Default,
    Int64,
    ListMap,
    MaxLength,
    MinItems,
    MinLength,
    Pattern,
    Ref,
)
from platform_def.crds.typed_dict import TypedDict

Kind = Literal[
    "Bucket",
    "GitRepository",
    "Kustomization",
    "HelmRelease",
    "HelmChart",
    "HelmRepository",
    "ImageRepository",
    "ImagePolicy",
    "ImageUpdateAutomation",
    "OCIRepository",
    "ArtifactGenerator",
    "ExternalArtifact",
]


class EventSource(TypedDict, total=False):
    apiVersion: str
    kind: Required[Kind]
    matchLabels: dict[str, str]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    namespace: Annotated[str, MaxLength(253), MinLength(1)]


class ProviderRef(TypedDict, total=False):
    name: Required[Annotated[str, Ref("Provider", group="notification.toolkit.fluxcd.io")]]


class AlertSpec(TypedDict, total=False):
    """Which events are sent."""

    eventMetadata: dict[str, str]
    eventSeverity: Annotated[Literal["info", "error"], Default("info")]
    eventSources: Required[list[EventSource]]
    exclusionList: list[str]
    inclusionList: list[str]
    providerRef: Required[ProviderRef]
    suspend: bool


class AlertSpecV1Beta3(AlertSpec, total=False):
    summary: Annotated[str, MaxLength(255)]


class CertSecretRef(TypedDict, total=False):
    """A Secret of the same namespace."""

    name: Required[Annotated[str, Ref("Secret")]]


class SecretRef(TypedDict, total=False):
    name: Required[Annotated[str, Ref("Secret")]]


class ProviderSpec(TypedDict, total=False):
    """Where alerts are sent."""

    address: Annotated[str, MaxLength(2048)]
    certSecretRef: CertSecretRef
    channel: Annotated[str, MaxLength(2048)]
    commitStatusExpr: str
    proxySecretRef: CertSecretRef
    secretRef: SecretRef
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    suspend: bool
    timeout: Annotated[str, Pattern(r"^([0-9]+(\.[0-9]+)?(ms|s|m))+$")]
    type: Required[
        Literal[
            "slack",
            "discord",
            "msteams",
            "rocket",
            "generic",
            "generic-hmac",
            "github",
            "gitlab",
            "gitea",
            "giteapullrequestcomment",
            "bitbucketserver",
            "bitbucket",
            "azuredevops",
            "googlechat",
            "googlepubsub",
            "webex",
            "sentry",
            "azureeventhub",
            "telegram",
            "lark",
            "matrix",
            "opsgenie",
            "alertmanager",
            "grafana",
            "githubdispatch",
            "githubpullrequestcomment",
            "gitlabmergerequestcomment",
            "pagerduty",
            "datadog",
            "nats",
            "zulip",
            "otel",
            "zoom",
            "incident.io",
            "mastodon",
        ]
    ]
    username: Annotated[str, MaxLength(2048)]


class ProviderSpecV1Beta3(ProviderSpec, total=False):
    interval: Annotated[str, Pattern(r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
    proxy: Annotated[str, MaxLength(2048), Pattern("^(http|https)://.*$")]


_OF_GIT = Cel(
    "self.type == 'github' || self.type == 'gitlab' || self.type == 'gitea' || self.type == 'bitbucketserver' || self.type == 'bitbucket' || self.type == 'azuredevops' || !has(self.commitStatusExpr)",
    "commitStatusExpr goes with providers of Git hosts",
)


class Provider(TypedDict, total=False):
    spec: Annotated[ProviderSpec, _OF_GIT]


class ProviderV1Beta3(TypedDict, total=False):
    spec: Annotated[ProviderSpecV1Beta3, _OF_GIT]


class Validation(TypedDict, total=False):
    expression: Required[str]
    message: Required[str]


class Variable(TypedDict, total=False):
    expression: Required[str]
    name: Required[str]


class OidcProvider(TypedDict, total=False):
    audience: str
    issuerURL: Required[Annotated[str, Pattern("^https?://")]]
    validations: Required[Annotated[list[Validation], MinItems(1)]]
    variables: list[Variable]


class Resource(TypedDict, total=False):
    apiVersion: str
    filter: str
    kind: Required[Kind]
    matchLabels: dict[str, str]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    namespace: Annotated[str, MaxLength(253), MinLength(1)]


class ReceiverSpec(TypedDict, total=False):
    """An address that others call, so that objects are looked at at once."""

    events: list[str]
    interval: Annotated[str, Default("10m"), Pattern(r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
    oidcProviders: Annotated[list[OidcProvider], ListMap("issuerURL")]
    resourceFilter: str
    resources: Required[list[Resource]]
    secretRef: SecretRef
    suspend: bool
    type: Required[
        Literal[
            "generic",
            "generic-hmac",
            "generic-oidc",
            "github",
            "gitlab",
            "bitbucket",
            "harbor",
            "dockerhub",
            "quay",
            "gcr",
            "nexus",
            "acr",
            "cdevents",
        ]
    ]


class ReceiverStatus(TypedDict, total=False):
    conditions: list[meta_v1.Condition]
    lastHandledReconcileAt: str
    observedGeneration: Int64
    webhookPath: str


class Receiver(TypedDict, total=False):
    spec: Annotated[
        ReceiverSpec,
        Cel(
            "self.type != 'generic-oidc' || (has(self.oidcProviders) && size(self.oidcProviders) > 0)",
            "generic-oidc needs oidcProviders",
        ),
        Cel(
            "self.type == 'generic-oidc' || !has(self.oidcProviders) || size(self.oidcProviders) == 0",
            "oidcProviders go with generic-oidc",
        ),
        Cel("self.type != 'generic-oidc' || !has(self.secretRef)", "secretRef is not for generic-oidc"),
        Cel("self.type == 'generic-oidc' || has(self.secretRef)", "every type but generic-oidc needs a secretRef"),
    ]
    status: Annotated[ReceiverStatus, Default({"observedGeneration": -1})]


ALERT = Api(
    group="notification.toolkit.fluxcd.io",
    version="v1",
    kind="Alert",
    plural="alerts",
    spec=AlertSpec,
    columns=(AGE,),
)

ALERT_V1BETA3 = Api(
    group="notification.toolkit.fluxcd.io",
    version="v1beta3",
    kind="Alert",
    plural="alerts",
    spec=AlertSpecV1Beta3,
    columns=(AGE,),
    storage=False,
    deprecated=True,
    deprecation_warning="write v1",
)

PROVIDER = Api(
    group="notification.toolkit.fluxcd.io",
    version="v1",
    kind="Provider",
    plural="providers",
    spec=ProviderSpec,
    top=Provider,
    columns=(AGE,),
)

PROVIDER_V1BETA3 = Api(
    group="notification.toolkit.fluxcd.io",
    version="v1beta3",
    kind="Provider",
    plural="providers",
    spec=ProviderSpecV1Beta3,
    top=ProviderV1Beta3,
    lacks=("spec.type=mastodon",),
    columns=(AGE,),
    storage=False,
    deprecated=True,
    deprecation_warning="write v1",
)

RECEIVER = Api(
    group="notification.toolkit.fluxcd.io",
    version="v1",
    kind="Receiver",
    plural="receivers",
    spec=ReceiverSpec,
    top=Receiver,
    core="1.37",
    status_subresource=True,
    columns=(
        AGE,
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
    ),
    health=READY,
)

CRDS = (
    Definition(
        (ALERT, ALERT_V1BETA3),
        categories=("all", "fluxcd", "fluxcd-notifications"),
        annotations={"kustomize.toolkit.fluxcd.io/substitute": "disabled"},
    ),
    Definition(
        (PROVIDER, PROVIDER_V1BETA3),
        categories=("all", "fluxcd", "fluxcd-notifications"),
        annotations={"kustomize.toolkit.fluxcd.io/substitute": "disabled"},
    ),
    Definition(
        (RECEIVER,),
        categories=("all", "fluxcd", "fluxcd-notifications"),
        annotations={"kustomize.toolkit.fluxcd.io/substitute": "disabled"},
    ),
)
