"""Profile, as Kubeflow 1.10 serves it: a person's or team's namespace."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Required, TypedDict

from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import OpenObject, Quantity


class Owner(TypedDict, total=False):
    apiGroup: str
    kind: Required[str]
    """User, Group or ServiceAccount."""
    name: Required[str]
    """As the identity provider names the person, usually an e-mail address."""
    namespace: str


class Plugin(TypedDict, total=False):
    apiVersion: str
    kind: str
    spec: OpenObject


class MatchExpression(TypedDict, total=False):
    operator: Required[str]
    scopeName: Required[str]
    values: list[str]


class ScopeSelector(TypedDict, total=False):
    matchExpressions: list[MatchExpression]


class ResourceQuotaSpec(TypedDict, total=False):
    hard: dict[str, Quantity]
    scopeSelector: ScopeSelector
    scopes: list[str]


class ProfileSpec(TypedDict, total=False):
    owner: Owner
    """Whose namespace it is."""
    plugins: list[Plugin]
    """Further set-up of the namespace, such as access to a cloud's identity."""
    resourceQuotaSpec: ResourceQuotaSpec
    """Quota of the namespace."""


class Condition(TypedDict, total=False):
    message: str
    status: str
    type: str


class ProfileStatus(TypedDict, total=False):
    conditions: list[Condition]


PROFILE = Api(
    group="kubeflow.org",
    version="v1",
    kind="Profile",
    plural="profiles",
    namespaced=False,
    spec=ProfileSpec,
    status=ProfileStatus,
    status_subresource=True,
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
)

CRDS = (Definition((PROFILE, PROFILE_V1BETA1)),)
