"""Accounts and what they may do: rules as tables, and the roles and bindings that grant them."""

from __future__ import annotations

from collections.abc import Sequence

from platform_def.apis.core.core_v1 import SERVICE_ACCOUNT, ServiceAccount
from platform_def.apis.core.rbac_v1 import (
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    ROLE,
    ROLE_BINDING,
    PolicyRule,
)
from platform_def.constructs.component import Component, Piece, Scope
from platform_def.constructs.resource import Resource

RBAC_GROUP = "rbac.authorization.k8s.io"
READ, WRITE = "get list watch", "create delete get list patch update watch"
"""Verbs of a program that only follows objects, and of one that makes them."""


def allow(group: str, resources: str, *, verbs: str, names: str = "") -> PolicyRule:
    """A rule for resources of one API group (`""` is core); words are separated by spaces, `*` means all."""
    rule: PolicyRule = {"apiGroups": [group], "resources": resources.split(), "verbs": sorted(verbs.split())}
    if names:
        rule["resourceNames"] = names.split()
    return rule


def allow_urls(urls: str, *, verbs: str) -> PolicyRule:
    """A rule for paths of the API server that are no resources, such as `/metrics`."""
    return {"nonResourceURLs": urls.split(), "verbs": sorted(verbs.split())}


class Account(Piece):
    """A ServiceAccount, and grants to it."""

    def __init__(self, scope: Scope, name: str, *, namespace: str | None = None):
        super().__init__(scope, name)
        self.name = name
        self.namespace = namespace or self.owner.namespace
        fields: ServiceAccount = {}
        made = Resource(self, SERVICE_ACCOUNT, name, fields=fields, namespace=self.namespace)
        if isinstance(self.owner, Component):
            self.owner.accounts[name] = made.body

    def allow(self, rules: Sequence[PolicyRule], *, role: str = "") -> Account:
        """Grant rules everywhere: a ClusterRole and its binding, called as the account unless `role` says otherwise."""
        name = role or self.name
        Resource(self, CLUSTER_ROLE, name, fields={"rules": [*rules]})
        self.bind(name)
        return self

    def allow_in(self, namespace: str, rules: Sequence[PolicyRule], *, role: str = "") -> Account:
        """Grant rules in one namespace: a Role and its binding there."""
        name = role or self.name
        Resource(self, ROLE, name, fields={"rules": [*rules]}, namespace=namespace)
        Resource(
            self,
            ROLE_BINDING,
            name,
            namespace=namespace,
            fields={
                "roleRef": {"apiGroup": RBAC_GROUP, "kind": "Role", "name": name},
                "subjects": [{"kind": "ServiceAccount", "name": self.name, "namespace": self.namespace}],
            },
        )
        return self

    def read_authentication(self, *, binding: str) -> Account:
        """Let it read how the API server knows its callers, which servers behind it, and guarded metrics, go by."""
        name = "extension-apiserver-authentication-reader"
        Resource(
            self,
            ROLE_BINDING,
            binding,
            namespace="kube-system",
            fields={
                "roleRef": {"apiGroup": RBAC_GROUP, "kind": "Role", "name": name},
                "subjects": [{"kind": "ServiceAccount", "name": self.name, "namespace": self.namespace}],
            },
        )
        return self

    def bind(self, role: str, *, binding: str = "") -> Account:
        """Bind an existing ClusterRole to the account, everywhere."""
        Resource(
            self,
            CLUSTER_ROLE_BINDING,
            binding or role,
            fields={
                "roleRef": {"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": role},
                "subjects": [{"kind": "ServiceAccount", "name": self.name, "namespace": self.namespace}],
            },
        )
        return self
