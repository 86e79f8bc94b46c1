"""No account has more rights than it seems: roles that amount to cluster-admin, and rights that everyone has.

Reading all Secrets, running commands in pods, and rights of every account are reported for the user's
own objects: a component has upstream's rights, which its page names. An engine applies everything, and may.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.config.words.registered import engines
from platform_def.manifests.loose import items, mapping, text
from platform_def.manifests.rendered import RenderedObject

_GROUP = "rbac.authorization.k8s.io"
_BUILT_IN = "cluster-admin"
_EVERYBODY = frozenset({"system:anonymous", "system:unauthenticated", "system:authenticated", "system:serviceaccounts"})
_WITH_ACCOUNT = frozenset({"system:authenticated", "system:serviceaccounts"})
_HARMLESS = frozenset(
    {"system:discovery", "system:public-info-viewer", "system:basic-user", "system:service-account-issuer-discovery"}
)
_READS = ("get", "list", "watch", "*")
_AGGREGATED = "aggregationRule"
_KINDS = frozenset({"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"})


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    bound = context.once(_bound_everywhere)
    for kind in ("ClusterRole", "Role"):
        for item in context.index.by_kind.get((_GROUP, kind), ()):
            everywhere = kind == "ClusterRole" and item.name in bound
            for index, rule in enumerate(map(mapping, items(item.manifest.get("rules")))):
                own = everywhere and context.is_users_own(item)
                if grants := [*_grants(rule, item, own=own)]:
                    yield item, Fault(f"rules[{index}]", "; ".join(grants))
    for kind in ("ClusterRoleBinding", "RoleBinding"):
        for item in context.index.by_kind.get((_GROUP, kind), ()):
            yield from ((item, fault) for fault in _binding(item, own=context.is_users_own(item)))


def _about(context: Context) -> Sequence[RenderedObject]:
    return [item for kind in sorted(_KINDS) for item in context.index.by_kind.get((_GROUP, kind), ())]


def _bound_everywhere(context: Context) -> frozenset[str]:
    """ClusterRoles that are bound in every namespace."""
    bindings = context.index.by_kind.get((_GROUP, "ClusterRoleBinding"), ())
    return frozenset(text(mapping(item.manifest.get("roleRef")).get("name")) for item in bindings)


def _grants(rule: Mapping[str, Any], item: RenderedObject, *, own: bool) -> Iterator[str]:
    groups, resources, verbs = ([*map(text, items(rule.get(field)))] for field in ("apiGroups", "resources", "verbs"))
    named = bool(items(rule.get("resourceNames")))
    if "*" in groups and "*" in resources and "*" in verbs:
        if item.name != _BUILT_IN:
            yield "grants everything: any subject of this role controls the cluster"
        return
    if not named and {"escalate", "bind"} & {*verbs} and {"clusterroles", "roles", "*"} & {*resources}:
        yield "allows to give any right to anybody, by `escalate` or `bind`"
    if not named and "impersonate" in verbs:
        yield "allows to act as anybody, by `impersonate`"
    if not own or named:
        return
    if _has(groups, "") and _has(resources, "secrets") and any(verb in _READS for verb in verbs):
        yield "reads the Secrets of every namespace, and with them every account's token"
    if _has(groups, "") and _has(resources, "pods/exec") and ("create" in verbs or "*" in verbs):
        yield "runs commands in every pod of every namespace"
    if _has(groups, "") and "nodes/proxy" in resources and verbs:
        yield "reaches the kubelet of every node, which runs commands in pods"
    if _has(groups, "") and _has(resources, "serviceaccounts/token") and ("create" in verbs or "*" in verbs):
        yield "makes tokens of every account"


def _has(listed: Sequence[Any], wanted: str) -> bool:
    return wanted in listed or "*" in listed


def _binding(item: RenderedObject, *, own: bool) -> Iterator[Fault]:
    role = text(mapping(item.manifest.get("roleRef")).get("name"))
    for index, subject in enumerate(map(mapping, items(item.manifest.get("subjects")))):
        name = text(subject.get("name"))
        if name in _EVERYBODY and role not in _HARMLESS and (own or name not in _WITH_ACCOUNT):
            said = f"gives {role} to {name}: to everybody who reaches the API server"
            if name in _WITH_ACCOUNT:
                said = f"gives {role} to {name}: to every pod of the cluster"
            yield Fault(f"subjects[{index}].name", said, "name the account or the group that needs it")
        elif role == _BUILT_IN and subject.get("kind") == "ServiceAccount" and (own or not _is_engine(item)):
            account = f"{text(subject.get('namespace'))}/{name}"
            yield Fault("roleRef.name", f"gives {account} everything", "give it a role with what it needs")
        elif name == "default" and subject.get("kind") == "ServiceAccount":
            said = f"gives {role} to the account of every pod of {text(subject.get('namespace'))} that names none"
            yield Fault(f"subjects[{index}].name", said, "make an account of its own for what needs it")


def _is_engine(item: RenderedObject) -> bool:
    return item.component in {each.component for each in engines().values()}


RBAC_ESCALATION = StackRule(
    id="rbac-escalation",
    severity="warning",
    title="No role amounts to cluster-admin, and none is bound to everyone",
    why="An attacker in one pod with such a role has the cluster.",
    fix="name the groups, resources and verbs that are needed, in a Role where one namespace is enough",
    kinds=_KINDS,
    check=_check,
    about=_about,
)
