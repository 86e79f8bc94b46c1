"""Profile, as Kubeflow's profile controller 2.0 serves it: a person's or team's namespace."""

from __future__ import annotations

from typing import Annotated, Required

from platform_def.crds.health import FinalizerHealth
from platform_def.crds.model import Api, Definition, Makes
from platform_def.crds.schema import MapType, OpenObject, Quantity, Ref
from platform_def.crds.typed_dict import TypedDict


class Owner(TypedDict, total=False):
    """The person, group or account that a namespace is made for."""

    apiGroup: str
    """rbac.authorization.k8s.io for User and Group; may be left out."""
    kind: Required[str]
    """User, Group or ServiceAccount."""
    name: Required[
        Annotated[str, Ref("User", kind_field="kind", group_field="apiGroup", namespace="namespace", weak=True)]
    ]
    """As the identity provider names the person, usually an e-mail address."""
    namespace: str
    """Namespace of a ServiceAccount."""


class Plugin(TypedDict, total=False):
    """Access of a namespace to a cloud's identity."""

    apiVersion: str
    """Version of the plug-in; not read."""
    kind: str
    """WorkloadIdentity (Google) or AwsIamForServiceAccount."""
    spec: OpenObject
    """Its settings, such as gcpServiceAccount or awsIamRole."""


class MatchExpression(TypedDict, total=False):
    """Pods by one of their scopes."""

    operator: Required[str]
    """In, NotIn, Exists or DoesNotExist."""
    scopeName: Required[str]
    """The scope, such as PriorityClass."""
    values: list[str]
    """Values of the scope, for In and NotIn."""


class ScopeSelector(TypedDict, total=False):
    """Pods that a quota counts."""

    matchExpressions: list[MatchExpression]
    """What all hold of the pods."""


class ResourceQuotaSpec(TypedDict, total=False):
    """Quota of a namespace."""

    hard: dict[str, Quantity]
    """Most of each resource, such as requests.nvidia.com/gpu; limits on GPUs alone are never enforced."""
    scopeSelector: Annotated[ScopeSelector, MapType("atomic")]
    """Pods that are counted; all if left out."""
    scopes: list[str]
    """Scopes that counted pods are in, such as NotTerminating; all pods if left out."""


class ProfileSpec(TypedDict, total=False):
    """A person's or team's namespace, with accounts, access rights and a quota."""

    owner: Annotated[Owner, MapType("atomic")]
    """Who administers the namespace."""
    plugins: list[Plugin]
    """Access of the namespace's accounts to a cloud's identity."""
    resourceQuotaSpec: ResourceQuotaSpec
    """Quota of the namespace; none if left out."""


class Condition(TypedDict, total=False):
    """A fact that the controller found."""

    message: str
    status: str
    type: str


class ProfileStatus(TypedDict, total=False):
    """What the controller reports."""

    conditions: list[Condition]


_MADE = (
    Makes("Namespace"),
    Makes("ServiceAccount", fixed="default-editor", namespace="metadata.name"),
    Makes("ServiceAccount", fixed="default-viewer", namespace="metadata.name"),
)
_READY = FinalizerHealth("profile-finalizer")
"""Reconcile of profile_controller.go at 2.0.0: the finalizer comes after the namespace, the policy, the accounts, their
roles, the quota and the plug-ins. A refused namespace ends it before; its condition Failed goes into an update of the
object, of which the API server leaves out the status."""

PROFILE = Api(
    group="kubeflow.org",
    version="v1",
    kind="Profile",
    plural="profiles",
    namespaced=False,
    spec=ProfileSpec,
    status=ProfileStatus,
    status_subresource=True,
    health=_READY,
    makes=_MADE,
    doc="A person's or team's namespace, with accounts, access rights and a quota; it goes when the Profile goes.",
)

PROFILE_V1BETA1 = Api(
    group="kubeflow.org",
    version="v1beta1",
    kind="Profile",
    plural="profiles",
    namespaced=False,
    spec=ProfileSpec,
    status=ProfileStatus,
    status_subresource=True,
    storage=False,
    health=_READY,
    makes=_MADE,
    doc="A person's or team's namespace, with accounts, access rights and a quota; it goes when the Profile goes.",
)

CRDS = (Definition((PROFILE, PROFILE_V1BETA1)),)
