"""Members of teams are named as the login names them: where it hands over e-mail addresses, no other name matches."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.given import identities
from platform_def.checks.rule import StackRule
from platform_def.manifests.loose import at, items, text
from platform_def.manifests.rendered import RenderedObject

_PROFILE = ("kubeflow.org", "Profile")
_BINDING = ("rbac.authorization.k8s.io", "RoleBinding")


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    signing = identities(context)
    if not signing or any(each.value.user_claim != "email" for each in signing):
        return
    told: set[str] = set()
    for item in (item for kind in (_BINDING, _PROFILE) for item in context.index.by_kind.get(kind, ())):
        for path, subject in _subjects(item):
            name = text(at(subject, "name"))
            if at(subject, "kind") == "User" and name not in told and _unlike_any(name, item, context):
                told.add(name)
                yield item, Fault(path, f"people sign in by their e-mail address, and '{name[:60]}' is none")


def _subjects(item: RenderedObject) -> Iterator[tuple[str, object]]:
    if item.kind == _PROFILE[1]:
        yield "spec.owner.name", at(item.manifest, "spec.owner")
    for index, subject in enumerate(items(item.manifest.get("subjects"))):
        yield f"subjects[{index}].name", subject


def _unlike_any(name: str, item: RenderedObject, context: Context) -> bool:
    """Whether it is a member's or an owner's, and neither an address nor, with its colons, a service account."""
    teams = context.stack.platform.teams
    meant = item.kind == _PROFILE[1] or any(name == member.name for team in teams for member in team.members)
    return meant and "@" not in name and ":" not in name


MEMBER_NAME = StackRule(
    id="member-name",
    severity="warning",
    title="Members and owners are named as the login names people",
    why="The login hands over e-mail addresses, and rights are compared with them: under another name no one gets in.",
    fix="write the e-mail address, or `userClaim:` of the identity provider where its names are others",
    kinds=frozenset({_BINDING[1], _PROFILE[1]}),
    check=_check,
    without_stack="not at all",
)
