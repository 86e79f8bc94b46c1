"""Operators may do what operators do: see the objects of their kinds, write their status, and elect who leads.

Only of an account that pods of the set run as, whose roles are all in the set, and of kinds that the set's CRDs define.
Facts: client-go's informers list before they watch; controller-runtime elects by a Lease (until 0.12 also by ConfigMaps
or Endpoints); where a CRD has the subresource `status`, an update of the object leaves its status as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import every_pods
from platform_def.manifests.access.rights import GROUP as RBAC
from platform_def.manifests.access.rights import GrantedAccount, Right, Rights, rights
from platform_def.manifests.index import CRD, CRD_GROUP
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods, pods_of

_ELECTS = re.compile(r"--?(?:enable-)?leader-elect(?:ion)?(?:=true)?")
_ROLES = ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
_LOCKS = (("coordination.k8s.io", "leases"), ("", "configmaps"), ("", "endpoints"))


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    accounts = context.once(_accounts)
    running = {
        account: given for account, given in context.once(_rights).items() if given.complete and account in accounts
    }
    for crd in context.index.by_kind.get((CRD_GROUP, CRD), ()):
        yield from _kind(context, crd, running)
    for account, given in running.items():
        for pods in accounts[account]:
            if (place := _elects(pods)) and not any(given.allow("update", *lock) for lock in _LOCKS):
                said = f"the program elects a leader, and {account.name} may not write a Lease: it never starts"
                yield pods.item, Fault(place, said, "allow get, create and update of leases.coordination.k8s.io")


def _about(context: Context) -> Sequence[RenderedObject]:
    """Definitions, roles with their bindings, and what runs."""
    kinds = ((CRD_GROUP, CRD), *((RBAC, kind) for kind in _ROLES))
    found = [item for kind in kinds for item in context.index.by_kind.get(kind, ())]
    return [*found, *(item for item in context.index.objects if any(pods.core for pods in pods_of(item)))]


def _accounts(context: Context) -> Mapping[GrantedAccount, Sequence[Pods]]:
    """The accounts as which pods run, with these."""
    found: dict[GrantedAccount, list[Pods]] = {}
    for pods in context.once(every_pods):
        if pods.core:
            name = text(pods.spec.get("serviceAccountName")) or text(pods.spec.get("serviceAccount")) or "default"
            found.setdefault(GrantedAccount(pods.namespace, name), []).append(pods)
    return found


def _rights(context: Context) -> Mapping[GrantedAccount, Rights]:
    return rights(context.index)


def _kind(
    context: Context, crd: RenderedObject, running: Mapping[GrantedAccount, Rights]
) -> Iterator[tuple[RenderedObject, Fault]]:
    group, plural = text(at(crd.manifest, "spec.group")), text(at(crd.manifest, "spec.names.plural"))
    if not group or not plural:
        return
    for given in running.values():
        if (right := given.allow("watch", group, plural)) and not given.allow("list", group, plural):
            said = f"allows to watch {plural}.{group} and not to list them: who watches lists first"
            yield right.role, _at(right, "verbs", said, "add `list`")
        yield from _misnamed(crd, given, group, plural)
    if not _has_status(crd) or any(_writes_status(each, crd) for each in context.once(_rights).values()):
        return
    siblings = [each for each in context.once(_definitions).get(group, ()) if each is not crd]
    for given in running.values():
        # Who may write what deletion waits for is the kind's operator; others write objects that they do not own.
        right = given.allow("update", group, f"{plural}/finalizers")
        if right and (not siblings or any(_writes_status(given, each) for each in siblings)):
            said = f"is the role of the controller of {plural}.{group}, and no role may write their status"
            yield right.role, _at(right, "resources", said, f"add `{plural}/status`")


def _definitions(context: Context) -> Mapping[str, Sequence[RenderedObject]]:
    found: dict[str, list[RenderedObject]] = {}
    for crd in context.index.by_kind.get((CRD_GROUP, CRD), ()):
        found.setdefault(text(at(crd.manifest, "spec.group")), []).append(crd)
    return found


def _has_status(crd: RenderedObject) -> bool:
    versions = map(mapping, items(at(crd.manifest, "spec.versions")))
    return any("status" in mapping(each.get("subresources")) for each in versions)


def _writes_status(given: Rights, crd: RenderedObject) -> bool:
    group, plural = text(at(crd.manifest, "spec.group")), text(at(crd.manifest, "spec.names.plural"))
    return given.allow_any(("update", "patch"), group, f"{plural}/status") is not None


def _misnamed(crd: RenderedObject, given: Rights, group: str, plural: str) -> Iterator[tuple[RenderedObject, Fault]]:
    """Rules that name the kind, or one object, where the plural belongs."""
    names = mapping(at(crd.manifest, "spec.names"))
    others = {text(names.get("kind")), text(names.get("kind")).lower(), text(names.get("singular"))} - {"", plural}
    for right in given.of_group(group):
        for resource in sorted(right.resources) if group in right.groups else ():
            if resource.partition("/")[0] in others:
                said = f"'{resource[:60]}' is no resource: rules name the plural"
                yield right.role, _at(right, "resources", said, f"write {plural}")


def _at(right: Right, field: str, said: str, hint: str) -> Fault:
    return Fault(dotted(("rules", right.index, field)), said, hint)


def _elects(pods: Pods) -> str:
    """Where the program is configured to elect a leader; empty where it is not."""
    for path, container in pods.containers(("containers",)):
        for field in ("args", "command"):
            for index, word in enumerate(items(container.get(field))):
                if isinstance(word, str) and _ELECTS.fullmatch(word):
                    return dotted((*path, field, index))
    return ""


OPERATOR_ROLE = StackRule(
    id="operator-role",
    severity="warning",
    title="An operator's account may watch its kinds, write their status, and elect a leader",
    why="The operator starts, is refused by the API server over and over, and does nothing, or never says what it did.",
    fix="add what is missing to the role",
    check=_check,
    about=_about,
)
