"""Metacontroller 4.11: controllers made of a web hook; Kubeflow Pipelines sets up namespaces with it."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import meta_v1
from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import Default, EmptyObject, Format, Int32, OpenObject

Method = Literal["OnDelete", "Recreate", "InPlace", "RollingRecreate", "RollingInPlace"]


class Condition(TypedDict, total=False):
    reason: str
    status: str
    type: Required[str]


class StatusChecks(TypedDict, total=False):
    conditions: list[Condition]


class UpdateStrategy(TypedDict, total=False):
    method: Method
    statusChecks: StatusChecks


class ChildResource(TypedDict, total=False):
    apiVersion: Required[str]
    resource: Required[str]
    updateStrategy: UpdateStrategy


class Etag(TypedDict, total=False):
    cacheCleanupSeconds: Int32
    cacheTimeoutSeconds: Int32
    enabled: bool


class Service(TypedDict, total=False):
    name: Required[str]
    namespace: Required[str]
    port: Int32
    protocol: str


class Webhook(TypedDict, total=False):
    etag: Etag
    path: str
    responseUnMarshallMode: Literal["loose", "strict"]
    service: Service
    timeout: Annotated[str, Format("duration")]
    url: str


class Customize(TypedDict, total=False):
    version: Annotated[Literal["v1", "v2"], Default("v1")]
    webhook: Webhook


class Hooks(TypedDict, total=False):
    customize: Customize
    finalize: Customize
    postUpdateChild: Customize
    preUpdateChild: Customize
    sync: Customize


class RevisionHistory(TypedDict, total=False):
    fieldPaths: list[str]


class ParentResource(TypedDict, total=False):
    apiVersion: Required[str]
    labelSelector: meta_v1.LabelSelector
    resource: Required[str]
    revisionHistory: RevisionHistory


class CompositeControllerSpec(TypedDict, total=False):
    childResources: list[ChildResource]
    generateSelector: bool
    hooks: Hooks
    parentResource: Required[ParentResource]
    resyncPeriodSeconds: Int32


class CompositeController(TypedDict, total=False):
    spec: Required[CompositeControllerSpec]
    status: EmptyObject


class ControllerRevisionChildren(TypedDict, total=False):
    apiGroup: Required[str]
    kind: Required[str]
    names: Required[list[str]]


class ControllerRevision(TypedDict, total=False):
    children: list[ControllerRevisionChildren]
    parentPatch: Required[OpenObject]


class AttachmentUpdateStrategy(TypedDict, total=False):
    method: Method


class Attachment(TypedDict, total=False):
    apiVersion: Required[str]
    resource: Required[str]
    updateStrategy: AttachmentUpdateStrategy


class DecoratorControllerHooks(TypedDict, total=False):
    customize: Customize
    finalize: Customize
    sync: Customize


class MatchExpression(TypedDict, total=False):
    key: Required[str]
    operator: Required[str]
    values: list[str]


class AnnotationSelector(TypedDict, total=False):
    matchAnnotations: dict[str, str]
    matchExpressions: list[MatchExpression]


class Resource(TypedDict, total=False):
    annotationSelector: AnnotationSelector
    apiVersion: Required[str]
    labelSelector: meta_v1.LabelSelector
    resource: Required[str]


class DecoratorControllerSpec(TypedDict, total=False):
    attachments: list[Attachment]
    hooks: DecoratorControllerHooks
    resources: Required[list[Resource]]
    resyncPeriodSeconds: Int32


class DecoratorController(TypedDict, total=False):
    spec: Required[DecoratorControllerSpec]
    status: EmptyObject


COMPOSITE_CONTROLLER = Api(
    group="metacontroller.k8s.io",
    version="v1alpha1",
    kind="CompositeController",
    plural="compositecontrollers",
    namespaced=False,
    spec=CompositeControllerSpec,
    top=CompositeController,
    required=("metadata",),
    core="1.29",
    status_subresource=True,
)

CONTROLLER_REVISION = Api(
    group="metacontroller.k8s.io",
    version="v1alpha1",
    kind="ControllerRevision",
    plural="controllerrevisions",
    spec=ControllerRevision,
    top_level=True,
    required=("metadata",),
    status_subresource=True,
)

DECORATOR_CONTROLLER = Api(
    group="metacontroller.k8s.io",
    version="v1alpha1",
    kind="DecoratorController",
    plural="decoratorcontrollers",
    namespaced=False,
    spec=DecoratorControllerSpec,
    top=DecoratorController,
    required=("metadata",),
    core="1.29",
    status_subresource=True,
)

CRDS = (
    Definition(
        (COMPOSITE_CONTROLLER,),
        short_names=("cc", "cctl"),
        annotations={"api-approved.kubernetes.io": "unapproved, upstream has not asked for it"},
    ),
    Definition(
        (CONTROLLER_REVISION,), annotations={"api-approved.kubernetes.io": "unapproved, upstream has not asked for it"}
    ),
    Definition(
        (DECORATOR_CONTROLLER,),
        short_names=("dec", "decorators"),
        annotations={"api-approved.kubernetes.io": "unapproved, upstream has not asked for it"},
    ),
)
