"""Application (app.k8s.io): which objects make up an application, for dashboards."""

from __future__ import annotations

from typing import Required

from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import Int32, Int64, Ref, Time
from platform_def.crds.typed_dict import TypedDict


class ComponentKind(TypedDict, total=False):
    """A kind of objects that belong to an application."""

    group: Required[str]
    """Its API group; core for the core group."""
    kind: Required[str]
    """The kind."""


class Icon(TypedDict, total=False):
    """A picture."""

    size: str
    """Size in pixels, such as 64x64."""
    src: Required[str]
    """Its address."""
    type: str
    """Its media type, such as image/png."""


class Link(TypedDict, total=False):
    """A page about an application."""

    description: str
    """What is there."""
    url: str
    """Its address."""


class Maintainer(TypedDict, total=False):
    """A person."""

    email: str
    """E-mail address."""
    name: str
    """Name."""
    url: str
    """Page."""


class Descriptor(TypedDict, total=False):
    """What people see of an application."""

    description: str
    """What it is."""
    icons: list[Icon]
    """Pictures."""
    keywords: list[str]
    """Words to find it by."""
    links: list[Link]
    """Pages about it."""
    maintainers: list[Maintainer]
    """Who makes it."""
    notes: str
    """What to know for using it, as Markdown."""
    owners: list[Maintainer]
    """Who runs it."""
    type: str
    """Kind of application, such as jupyter-web-app."""
    version: str
    """Its version."""


class ConfigMapKeyRef(TypedDict, total=False):
    """A key of a ConfigMap or Secret."""

    apiVersion: str
    """Not read."""
    fieldPath: str
    """Not read."""
    key: str
    """The key."""
    kind: str
    """Not read."""
    name: str
    """Name of the object."""
    namespace: str
    """Its namespace; the application's if left out."""
    resourceVersion: str
    """Not read."""
    uid: str
    """Not read."""


class IngressRef(TypedDict, total=False):
    """An Ingress, whose address is shown."""

    apiVersion: str
    """Not read."""
    fieldPath: str
    """Not read."""
    host: str
    """Host of the address."""
    kind: str
    """Not read."""
    name: str
    """Name of the Ingress."""
    namespace: str
    """Its namespace; the application's if left out."""
    path: str
    """Path of the address."""
    protocol: str
    """Protocol of the address."""
    resourceVersion: str
    """Not read."""
    uid: str
    """Not read."""


class ServiceRef(TypedDict, total=False):
    """A Service, whose address is shown."""

    apiVersion: str
    """Not read."""
    fieldPath: str
    """Not read."""
    kind: str
    """Not read."""
    name: str
    """Name of the Service."""
    namespace: str
    """Its namespace; the application's if left out."""
    path: str
    """Path of the address."""
    port: Int32
    """Port of the address."""
    protocol: str
    """Protocol of the address."""
    resourceVersion: str
    """Not read."""
    uid: str
    """Not read."""


class ValueFrom(TypedDict, total=False):
    """Where a value is found."""

    configMapKeyRef: ConfigMapKeyRef
    """In a ConfigMap."""
    ingressRef: IngressRef
    """The address of an Ingress."""
    secretKeyRef: ConfigMapKeyRef
    """In a Secret."""
    serviceRef: ServiceRef
    """The address of a Service."""
    type: str
    """Which of them: ConfigMapKeyRef, IngressRef, SecretKeyRef or ServiceRef."""


class Info(TypedDict, total=False):
    """Something to show, such as an address."""

    name: str
    """Its name."""
    type: str
    """Value: it is written here; Reference: it is found elsewhere."""
    value: str
    """The value."""
    valueFrom: ValueFrom
    """Where it is found."""


class MatchExpression(TypedDict, total=False):
    """A condition on a label."""

    key: Required[str]
    """The label."""
    operator: Required[str]
    """In, NotIn, Exists or DoesNotExist."""
    values: list[str]
    """Values of the label, for In and NotIn."""


class Selector(TypedDict, total=False):
    """Objects by their labels."""

    matchExpressions: list[MatchExpression]
    """Conditions that all hold."""
    matchLabels: dict[str, str]
    """Labels that all are there."""


class ApplicationSpec(TypedDict, total=False):
    """Which objects make up an application, and what people see of it."""

    addOwnerRef: bool
    """True: the objects go when the application goes."""
    assemblyPhase: str
    """Pending while it is put together, Succeeded or Failed after; Succeeded if left out."""
    componentKinds: list[ComponentKind]
    """Kinds of its objects."""
    descriptor: Descriptor
    """What people see of it."""
    info: list[Info]
    """Addresses and the like to show."""
    selector: Selector
    """Labels of its objects."""


class Component(TypedDict, total=False):
    """An object of the application."""

    group: str
    kind: str
    link: str
    name: str
    status: str


class Condition(TypedDict, total=False):
    """A fact that the controller found."""

    lastTransitionTime: Time
    lastUpdateTime: Time
    message: str
    reason: str
    status: Required[str]
    type: Required[str]


class ApplicationStatus(TypedDict, total=False):
    """What the controller reports."""

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
    references={
        "spec.info[].valueFrom.configMapKeyRef.name": Ref("ConfigMap", namespace="namespace", key="key", weak=True),
        "spec.info[].valueFrom.secretKeyRef.name": Ref("Secret", namespace="namespace", key="key", weak=True),
        "spec.info[].valueFrom.serviceRef.name": Ref("Service", namespace="namespace", weak=True),
        "spec.info[].valueFrom.ingressRef.name": Ref(
            "Ingress", group="networking.k8s.io", namespace="namespace", weak=True
        ),
    },
    doc="Which objects make up an application, for dashboards.",
)

CRDS = (
    Definition(
        (APPLICATION,),
        short_names=("app",),
        categories=("all",),
        annotations={"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/application/pull/2"},
    ),
)
