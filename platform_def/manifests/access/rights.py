"""What accounts may do, by the roles that are bound to them.

Facts: rbac.authorization.k8s.io/v1. Rules add up; `*` covers subresources too, `*/status` those of every resource; an
aggregated role has the rules of all roles that its selectors choose.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from platform_def.manifests.admission import selects
from platform_def.manifests.index import ObjectIndex
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject

GROUP = "rbac.authorization.k8s.io"


class GrantedAccount(NamedTuple):
    """A ServiceAccount."""

    namespace: str
    name: str


@dataclass(frozen=True, eq=False)
class Right:
    """One rule of a role."""

    role: RenderedObject
    index: int
    body: Mapping[str, Any]

    @cached_property
    def verbs(self) -> frozenset[str]:
        """What may be done."""
        return _texts(self.body.get("verbs"))

    @cached_property
    def groups(self) -> frozenset[str]:
        """The groups of what it may be done to."""
        return _texts(self.body.get("apiGroups"))

    @cached_property
    def resources(self) -> frozenset[str]:
        """What it may be done to, by plural and subresource."""
        return _texts(self.body.get("resources"))

    def allows(self, verb: str, group: str, resource: str) -> bool:
        """Whether it allows something, of all objects or of those that it names."""
        if self.groups.isdisjoint((group, "*")) or self.verbs.isdisjoint((verb, "*")):
            return False
        _, slash, subresource = resource.partition("/")
        return not self.resources.isdisjoint((resource, "*", *((f"*/{subresource}",) if slash else ())))


def _texts(listed: object) -> frozenset[str]:
    return frozenset(each for each in items(listed) if isinstance(each, str))


@dataclass(eq=False)
class Rights:
    """What one account may do, in whichever namespace."""

    given: list[Right] = field(default_factory=list)
    complete: bool = True
    """Whether every role that it has is known."""
    _of_groups: dict[str, Sequence[Right]] = field(default_factory=dict)

    def of_group(self, group: str) -> Sequence[Right]:
        """The rules that speak of a group."""
        if group not in self._of_groups:
            self._of_groups[group] = [each for each in self.given if not each.groups.isdisjoint((group, "*"))]
        return self._of_groups[group]

    def allow(self, verb: str, group: str, resource: str) -> Right | None:
        """The first rule that allows something."""
        return next((each for each in self.of_group(group) if each.allows(verb, group, resource)), None)

    def allow_any(self, verbs: Iterable[str], group: str, resource: str) -> Right | None:
        """The first rule that allows one of these."""
        return next((found for verb in verbs if (found := self.allow(verb, group, resource))), None)


def rights(index: ObjectIndex) -> Mapping[GrantedAccount, Rights]:
    """What each account that a binding names may do; what every account has counts for all of these."""
    found: defaultdict[GrantedAccount, Rights] = defaultdict(Rights)
    shared: list[tuple[str, Rights]] = []
    for kind in ("ClusterRoleBinding", "RoleBinding"):
        for binding in index.by_kind.get((GROUP, kind), ()):
            given = _of_role(index, binding)
            for subject in map(mapping, items(binding.manifest.get("subjects"))):
                name, home = text(subject.get("name")), text(subject.get("namespace")) or binding.namespace or ""
                if subject.get("kind") == "ServiceAccount":
                    _add(found[GrantedAccount(home, name)], given)
                elif name.startswith("system:serviceaccounts"):
                    shared.append((name.removeprefix("system:serviceaccounts").removeprefix(":"), given))
    for account, each in found.items():
        for home, given in shared:
            if home in ("", account.namespace):
                _add(each, given)
    return found


def _add(to: Rights, given: Rights) -> None:
    to.given += given.given
    to._of_groups.clear()
    to.complete = to.complete and given.complete


def _of_role(index: ObjectIndex, binding: RenderedObject) -> Rights:
    kind, name = (text(at(binding.manifest, f"roleRef.{each}")) for each in ("kind", "name"))
    home = binding.namespace or "" if kind == "Role" else ""
    roles = index.by_key.get((GROUP, kind, home, name), ())
    every = [each for role in roles for each in (role, *_aggregated(index, role))]
    return Rights([right for each in every for right in _rules(each)], complete=bool(roles))


def _aggregated(index: ObjectIndex, role: RenderedObject) -> Iterator[RenderedObject]:
    selectors = items(at(role.manifest, "aggregationRule.clusterRoleSelectors"))
    for other in index.by_kind.get((GROUP, "ClusterRole"), ()) if selectors else ():
        if any(selects(each, mapping(at(other.manifest, "metadata.labels"))) for each in selectors):
            yield other


def _rules(role: RenderedObject) -> Iterator[Right]:
    for index, rule in enumerate(items(role.manifest.get("rules"))):
        yield Right(role, index, mapping(rule))
