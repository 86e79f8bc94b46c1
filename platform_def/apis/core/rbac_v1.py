"""Core types of api.rbac.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.apis.core import meta_v1
from platform_def.crds.model import Api
from platform_def.crds.typed_dict import TypedDict


class PolicyRule(TypedDict, total=False):
    apiGroups: list[str]
    nonResourceURLs: list[str]
    resourceNames: list[str]
    resources: list[str]
    verbs: Required[list[str]]


class Role(TypedDict, total=False):
    rules: list[PolicyRule]


class AggregationRule(TypedDict, total=False):
    clusterRoleSelectors: list[meta_v1.LabelSelector]


class ClusterRole(TypedDict, total=False):
    aggregationRule: AggregationRule
    rules: list[PolicyRule]


class RoleRef(TypedDict, total=False):
    apiGroup: str
    kind: Required[str]
    name: Required[str]


class Subject(TypedDict, total=False):
    apiGroup: str
    kind: Required[str]
    name: Required[str]
    namespace: str


class RoleBinding(TypedDict, total=False):
    roleRef: Required[RoleRef]
    subjects: list[Subject]


class ClusterRoleBinding(TypedDict, total=False):
    roleRef: Required[RoleRef]
    subjects: list[Subject]


ROLE = Api(
    group="rbac.authorization.k8s.io",
    version="v1",
    kind="Role",
    plural="roles",
    spec=Role,
    top_level=True,
    builtin=True,
)

CLUSTER_ROLE = Api(
    group="rbac.authorization.k8s.io",
    version="v1",
    kind="ClusterRole",
    plural="clusterroles",
    spec=ClusterRole,
    namespaced=False,
    top_level=True,
    builtin=True,
)

ROLE_BINDING = Api(
    group="rbac.authorization.k8s.io",
    version="v1",
    kind="RoleBinding",
    plural="rolebindings",
    spec=RoleBinding,
    top_level=True,
    builtin=True,
)

CLUSTER_ROLE_BINDING = Api(
    group="rbac.authorization.k8s.io",
    version="v1",
    kind="ClusterRoleBinding",
    plural="clusterrolebindings",
    spec=ClusterRoleBinding,
    namespaced=False,
    top_level=True,
    builtin=True,
)
