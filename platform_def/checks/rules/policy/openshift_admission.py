"""On OpenShift, accounts of pods that need more than its default SecurityContextConstraints are bound to others.

Fact: OpenShift 4 admits a pod by the constraints that its account or its namespace's accounts may use, which without a
binding are `restricted-v2`: users and groups of the namespace's own range, no folders, network or processes of the
node, no capability but NET_BIND_SERVICE. ClusterRoles `system:openshift:scc:<name>` let an account use others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import every_pods
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

_RBAC = "rbac.authorization.k8s.io"
_ROLES = "system:openshift:scc:"
_SHARED: Mapping[str, str] = {
    "hostNetwork": "the node's network",
    "hostPID": "the node's processes",
    "hostIPC": "the node's shared memory",
}


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    if context.stack.platform.distribution != "openshift":
        return
    bound = context.once(_bound)
    told = set()
    for pods in context.once(every_pods):
        owner = pods.item.component or str(pods.item)
        needed = list(dict.fromkeys(_needed(pods))) if pods.core and owner not in told else []
        if needed and not _subjects(pods) & bound:
            told.add(owner)
            account = text(pods.spec.get("serviceAccountName")) or "default"
            said = f"OpenShift refuses pods of account {account}, which need {', '.join(needed[:4])}"
            yield pods.item, Fault("", said)


def _bound(context: Context) -> frozenset[str]:
    """Accounts and groups that may use constraints beyond the default ones."""
    found = set()
    for kind in ("RoleBinding", "ClusterRoleBinding"):
        for item in context.index.by_kind.get((_RBAC, kind), ()):
            if text(at(item.manifest, "roleRef.name")).startswith(_ROLES):
                found |= {_name(mapping(each)) for each in items(item.manifest.get("subjects"))}
    return frozenset(found)


def _name(subject: Mapping[str, Any]) -> str:
    if subject.get("kind") == "ServiceAccount":
        return f"system:serviceaccount:{subject.get('namespace')}:{subject.get('name')}"
    return text(subject.get("name"))


def _subjects(pods: Pods) -> set[str]:
    """How a binding may name the pods' account."""
    account = text(pods.spec.get("serviceAccountName")) or "default"
    everyone = "system:serviceaccounts"
    return {f"system:serviceaccount:{pods.namespace}:{account}", f"{everyone}:{pods.namespace}", everyone}


def _needed(pods: Pods) -> Iterator[str]:
    """What of a pod the default constraints do not admit."""
    yield from (said for field, said in _SHARED.items() if pods.spec.get(field) is True)
    if any("hostPath" in volume for _, volume in pods.volumes()):
        yield "folders of the node"
    for security in _contexts(pods):
        if security.get("privileged") is True:
            yield "privileged containers"
        for field in ("runAsUser", "runAsGroup", "fsGroup"):
            if field in security:
                yield f"{field} {security[field]}"
        added = (str(each) for each in items(at(security, "capabilities.add")) if each != "NET_BIND_SERVICE")
        yield from (f"the capability {each}" for each in added)


def _contexts(pods: Pods) -> Iterator[Mapping[str, Any]]:
    yield mapping(pods.spec.get("securityContext"))
    for _, container in pods.containers():
        yield mapping(container.get("securityContext"))


OPENSHIFT_ADMISSION = StackRule(
    id="openshift-admission",
    severity="error",
    title="On OpenShift, accounts are bound to the SecurityContextConstraints that their pods need",
    why="The API server refuses pods beyond `restricted-v2`: the workload stays without pods.",
    fix="bind the account, in a folder of your own, to a ClusterRole such as system:openshift:scc:privileged or "
    "system:openshift:scc:nonroot-v2; this tool renders no such bindings",
    check=_check,
    without_stack="not at all",
)
