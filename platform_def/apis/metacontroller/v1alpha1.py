"""Metacontroller 4.16 and 4.17: controllers made of a webhook; Kubeflow Pipelines sets up namespaces with it."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import Default, EmptyObject, Format, Int32, ListType, OpenObject, Ref
from platform_def.crds.typed_dict import TypedDict

Method = Literal["OnDelete", "Recreate", "InPlace", "RollingRecreate", "RollingInPlace"]


class Condition(TypedDict, total=False):
    """A condition that a child must have."""

    reason: str
    """Its reason; any if left out."""
    status: str
    """Its status; any if left out."""
    type: Required[str]
    """Its type."""


class StatusChecks(TypedDict, total=False):
    """When an updated child counts as good."""

    conditions: list[Condition]
    """Conditions that it must have before the next one is updated."""


class UpdateStrategy(TypedDict, total=False):
    """How children are changed."""

    method: Method
    """OnDelete: when they are deleted; Recreate or InPlace: at once; the rolling ones: one after the other."""
    statusChecks: StatusChecks
    """When an updated child counts as good, for the rolling methods."""


class ChildResource(TypedDict, total=False):
    """A kind of objects that the hook asks for."""

    apiVersion: Required[str]
    """Its group and version."""
    resource: Required[str]
    """Its plural name."""
    updateStrategy: UpdateStrategy
    """How they are changed; OnDelete if left out."""


class CredentialRef(TypedDict, total=False):
    """A key of a Secret."""

    key: Required[str]
    """The key."""
    name: Required[Annotated[str, Ref("Secret", namespace="namespace", weak=True)]]
    """Name of the Secret."""
    namespace: Required[str]
    """Its namespace."""


class Authorization(TypedDict, total=False):
    """What the header `Authorization` of each request says; not together with basicAuth."""

    secretRef: Required[CredentialRef]
    """Where the credential is."""
    type: Annotated[str, Default("Bearer")]
    """Its scheme; anything but Basic."""


class SecretRef(TypedDict, total=False):
    """A Secret."""

    name: Required[Annotated[str, Ref("Secret", namespace="namespace", weak=True)]]
    """Name of the Secret."""
    namespace: Required[str]
    """Its namespace."""


class BasicAuth(TypedDict, total=False):
    """A user's name and password."""

    passwordKey: Annotated[str, Default("password")]
    """Key of the password."""
    secretRef: Required[SecretRef]
    """Secret with both."""
    usernameKey: Annotated[str, Default("username")]
    """Key of the name."""


class BundleConfigMapRef(TypedDict, total=False):
    """A key of a ConfigMap."""

    key: Annotated[str, Default("ca.crt")]
    """The key."""
    name: Required[Annotated[str, Ref("ConfigMap", namespace="namespace", weak=True)]]
    """Name of the ConfigMap."""
    namespace: Required[str]
    """Its namespace."""


class BundleSecretRef(TypedDict, total=False):
    """A key of a Secret."""

    key: Annotated[str, Default("ca.crt")]
    """The key."""
    name: Required[Annotated[str, Ref("Secret", namespace="namespace", weak=True)]]
    """Name of the Secret."""
    namespace: Required[str]
    """Its namespace."""


class CaBundle(TypedDict, total=False):
    """Certificate authorities that may have signed the server's certificate: one of the three. It is read when the
    controller changes, not when the bundle does."""

    configMapRef: BundleConfigMapRef
    """In a ConfigMap."""
    inline: str
    """Written here, in PEM."""
    secretRef: BundleSecretRef
    """In a Secret."""


class ClientTLS(TypedDict, total=False):
    """A certificate that is shown to the server."""

    certKey: Annotated[str, Default("tls.crt")]
    """Key of the certificate."""
    privateKeyKey: Annotated[str, Default("tls.key")]
    """Key of its private key."""
    secretRef: Required[SecretRef]
    """Secret with both."""


class EndpointConfig(TypedDict, total=False):
    """How webhooks of one host are called, unless a webhook says otherwise itself."""

    authorization: Authorization
    """What the header says."""
    basicAuth: BasicAuth
    """A user's name and password."""
    caBundle: CaBundle
    """Who may have signed its certificate."""
    clientTLS: ClientTLS
    """The certificate that is shown."""
    host: Required[str]
    """Host of the address, with or without a port."""


class Etag(TypedDict, total=False):
    """Answers of the hook that are kept by their ETag."""

    cacheCleanupSeconds: Int32
    """Seconds between clean-ups."""
    cacheTimeoutSeconds: Int32
    """Seconds that an answer is kept."""
    enabled: bool
    """True: answers are kept."""


class Service(TypedDict, total=False):
    """A Service that answers."""

    name: Required[Annotated[str, Ref("Service", namespace="namespace", weak=True)]]
    """Name of the Service."""
    namespace: Required[str]
    """Its namespace."""
    port: Int32
    """Port; 80 if left out."""
    protocol: str
    """http or https; http if left out."""


class Webhook(TypedDict, total=False):
    """Who answers a hook: a Service, or an address."""

    authorization: Authorization
    """What the header says."""
    basicAuth: BasicAuth
    """A user's name and password."""
    caBundle: CaBundle
    """Who may have signed its certificate; those of the image if left out."""
    clientTLS: ClientTLS
    """The certificate that is shown."""
    etag: Etag
    """Answers that are kept."""
    path: str
    """Path of the request to the Service."""
    responseUnMarshallMode: Literal["loose", "strict"]
    """strict: unknown fields in an answer are an error; loose: they are passed over."""
    service: Service
    """The Service."""
    timeout: Annotated[str, Format("duration")]
    """How long an answer may take; 10s if left out."""
    url: str
    """The address instead."""


class Customize(TypedDict, total=False):
    """A hook."""

    version: Annotated[Literal["v1", "v2"], Default("v1")]
    """Version of what is sent."""
    webhook: Webhook
    """Who answers."""


class Hooks(TypedDict, total=False):
    """What is asked when."""

    customize: Customize
    """Which further objects the other hooks shall see."""
    finalize: Customize
    """What is left to do before a parent goes."""
    postUpdateChild: Customize
    """Whether an updated child is good."""
    preUpdateChild: Customize
    """Whether a child may be updated."""
    sync: Customize
    """Which children there shall be, and the parent's status."""


class RevisionHistory(TypedDict, total=False):
    """Which changes of a parent make a revision."""

    fieldPaths: list[str]
    """Fields of the parent that do; spec if left out."""


class ParentResource(TypedDict, total=False):
    """The kind that a controller is for."""

    apiVersion: Required[str]
    """Its group and version."""
    ignoreStatusChanges: bool
    """True: the hook is not asked because a status changed."""
    labelSelector: meta_v1.LabelSelector
    """Labels of the objects that it is for; all if left out."""
    resource: Required[str]
    """Its plural name."""
    revisionHistory: RevisionHistory
    """Which changes make a revision."""


class CompositeControllerSpec(TypedDict, total=False):
    """A controller whose mind is a web hook: from a parent it makes children."""

    childResources: list[ChildResource]
    """Kinds of objects that the hook may ask for."""
    endpointConfigs: list[EndpointConfig]
    """How webhooks are called, by their host."""
    generateSelector: bool
    """True: children are found by a label with the parent's UID instead of the parent's selector."""
    hooks: Hooks
    """What is asked when."""
    parentResource: Required[ParentResource]
    """The kind that it is for."""
    resyncPeriodSeconds: Int32
    """Seconds after which a parent is looked at though nothing changed; never if left out."""


class CompositeController(TypedDict, total=False):
    """A controller."""

    spec: Required[CompositeControllerSpec]
    status: EmptyObject


class ControllerRevisionChildren(TypedDict, total=False):
    """Children of a revision."""

    apiGroup: Required[str]
    kind: Required[str]
    names: Required[list[str]]


class ControllerRevision(TypedDict, total=False):
    """A state of a parent while children are updated one by one; metacontroller writes it."""

    children: list[ControllerRevisionChildren]
    parentPatch: Required[OpenObject]


class AttachmentUpdateStrategy(TypedDict, total=False):
    """How attachments are changed."""

    method: Method
    """OnDelete: when they are deleted; Recreate or InPlace: at once."""


class Attachment(TypedDict, total=False):
    """A kind of objects that the hook asks for."""

    apiVersion: Required[str]
    """Its group and version."""
    resource: Required[str]
    """Its plural name."""
    updateStrategy: AttachmentUpdateStrategy
    """How they are changed; OnDelete if left out."""


class DecoratorControllerHooks(TypedDict, total=False):
    """What is asked when."""

    customize: Customize
    """Which further objects the other hooks shall see."""
    finalize: Customize
    """What is left to do before an object goes."""
    sync: Customize
    """Which labels, annotations and attachments an object shall have."""


class MatchExpression(TypedDict, total=False):
    """A condition on an annotation."""

    key: Required[str]
    """The annotation."""
    operator: Required[str]
    """In, NotIn, Exists or DoesNotExist."""
    values: Annotated[list[str], ListType("atomic")]
    """Values of the annotation, for In and NotIn."""


class AnnotationSelector(TypedDict, total=False):
    """Objects by their annotations."""

    matchAnnotations: dict[str, str]
    """Annotations that all are there."""
    matchExpressions: list[MatchExpression]
    """Conditions that all hold."""


class Resource(TypedDict, total=False):
    """A kind that a controller is for."""

    annotationSelector: AnnotationSelector
    """Annotations of the objects that it is for; all if left out."""
    apiVersion: Required[str]
    """Its group and version."""
    ignoreStatusChanges: bool
    """True: the hook is not asked because a status changed."""
    labelSelector: meta_v1.LabelSelector
    """Labels of the objects that it is for; all if left out."""
    resource: Required[str]
    """Its plural name."""


class DecoratorControllerSpec(TypedDict, total=False):
    """A controller whose logic is a webhook: it adds to existing objects."""

    attachments: list[Attachment]
    """Kinds of objects that the hook may ask for."""
    endpointConfigs: list[EndpointConfig]
    """How webhooks are called, by their host."""
    hooks: DecoratorControllerHooks
    """What is asked when."""
    resources: Required[list[Resource]]
    """Kinds that it is for."""
    resyncPeriodSeconds: Int32
    """Seconds after which an object is looked at though nothing changed; never if left out."""


class DecoratorController(TypedDict, total=False):
    """A controller."""

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
    core="1.37",
    status_subresource=True,
    doc="A controller whose mind is a web hook: from a parent it makes children.",
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
    core="1.37",
    status_subresource=True,
    doc="A controller whose logic is a webhook: it adds to existing objects.",
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
