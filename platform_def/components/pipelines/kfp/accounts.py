"""Accounts of the pipelines' programs, with rights where the runs are."""

from __future__ import annotations

from collections.abc import Sequence

from platform_def.apis.core.rbac_v1 import ROLE, ROLE_BINDING, PolicyRule, RoleRef, Subject
from platform_def.components.pipelines.kfp.config import AnyKfp
from platform_def.constructs import Account, Resource


def grant(component: AnyKfp, account: str, allowed: Sequence[PolicyRule], *, role: str = "") -> None:
    """An account with rights in all namespaces, or in its own where all runs are there."""
    made = Account(component, account)
    if allowed and component.config.serves == "teams":
        made.allow(allowed, role=role)
    elif allowed:
        made.allow_in(component.namespace, allowed, role=role)


def bind(component: AnyKfp, account: str, allowed: Sequence[PolicyRule], role: str) -> None:
    """Further rights of an account in its own namespace."""
    Resource(component, ROLE, role, fields={"rules": [*allowed]})
    reference: RoleRef = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role}
    subject: Subject = {"kind": "ServiceAccount", "name": account, "namespace": component.namespace}
    Resource(component, ROLE_BINDING, role, fields={"roleRef": reference, "subjects": [subject]})
