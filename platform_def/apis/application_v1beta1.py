"""Application (app.k8s.io): which objects make up an application, for dashboards."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Required, TypedDict

from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import Int32, Int64, Time


class ComponentKind(TypedDict, total=False):
    group: Required[str]
    kind: Required[str]


class Icon(TypedDict, total=False):
    size: str
    src: Required[str]
    type: str


class Link(TypedDict, total=False):
    description: str
    url: str


class Maintainer(TypedDict, total=False):
    email: str
    name: str
    url: str


class Descriptor(TypedDict, total=False):
    description: str
    icons: list[Icon]
    keywords: list[str]
    links: list[Link]
    maintainers: list[Maintainer]
    notes: str
    owners: list[Maintainer]
    type: str
    version: str


class ConfigMapKeyRef(TypedDict, total=False):
    apiVersion: str
    fieldPath: str
    key: str
    kind: str
    name: str
    namespace: str
    resourceVersion: str
    uid: str


class IngressRef(TypedDict, total=False):
    apiVersion: str
    fieldPath: str
    host: str
    kind: str
    name: str
    namespace: str
    path: str
    protocol: str
    resourceVersion: str
    uid: str


class ServiceRef(TypedDict, total=False):
    apiVersion: str
    fieldPath: str
    kind: str
    name: str
    namespace: str
    path: str
    port: Int32
    protocol: str
    resourceVersion: str
    uid: str


class ValueFrom(TypedDict, total=False):
    configMapKeyRef: ConfigMapKeyRef
    ingressRef: IngressRef
    secretKeyRef: ConfigMapKeyRef
    serviceRef: ServiceRef
    type: str


class Info(TypedDict, total=False):
    name: str
    type: str
    value: str
    valueFrom: ValueFrom


class MatchExpression(TypedDict, total=False):
    key: Required[str]
    operator: Required[str]
    values: list[str]


class Selector(TypedDict, total=False):
    matchExpressions: list[MatchExpression]
    matchLabels: dict[str, str]


class ApplicationSpec(TypedDict, total=False):
    addOwnerRef: bool
    assemblyPhase: str
    componentKinds: list[ComponentKind]
    descriptor: Descriptor
    info: list[Info]
    selector: Selector


class Component(TypedDict, total=False):
    group: str
    kind: str
    link: str
    name: str
    status: str


class Condition(TypedDict, total=False):
    lastTransitionTime: Time
    lastUpdateTime: Time
    message: str
    reason: str
    status: Required[str]
    type: Required[str]


class ApplicationStatus(TypedDict, total=False):
    components: list[Component]
    componentsReady: str
    conditions: list[Condition]
    observedGeneration: Int64


APPLICATION = Api(
    group="app.k8s.io",
    version="v1beta1",
    kind="Application",
    plural="applications",
    spec=ApplicationSpec,
    status=ApplicationStatus,
    status_subresource=True,
    columns=(
        Column("Type", ".spec.descriptor.type"),
        Column("Version", ".spec.descriptor.version"),
        Column("Owner", ".spec.addOwnerRef", type="boolean"),
        Column("Ready", ".status.componentsReady"),
        AGE,
    ),
)

CRDS = (
    Definition(
        (APPLICATION,),
        short_names=("app",),
        categories=("all",),
        annotations={"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/application/pull/2"},
    ),
)
