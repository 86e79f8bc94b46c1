"""Teams that become Profiles: who owns each namespace, and what access management reads of its members.

The namespace itself is the stack's, with the annotation by which the controller takes it over. It has no owner
reference, so that it stays when the Profile goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from platform_def.apis.core.rbac_v1 import ROLE_BINDING
from platform_def.apis.kubeflow.profile_v1 import PROFILE
from platform_def.config.teams import Member, Team
from platform_def.constructs import NamespaceNeed, Platform, Resource, Scope

RBAC = "rbac.authorization.k8s.io"


@dataclass(frozen=True)
class Owned:
    """A namespace that becomes a Profile."""

    home: str
    owner: str
    members: Sequence[Member]
    """Who works there beside the owner."""


def owned(teams: Sequence[Team], owners: Mapping[str, str]) -> Iterator[Owned]:
    """The namespaces of teams that have an owner, and those of their members, which these own."""
    for team in teams:
        owner = owners.get(team.name)
        if owner is None:
            continue
        yield Owned(team.home, owner, [each for each in team.members if each.name != owner])
        for room in team.rooms:
            yield Owned(room.home, room.members[0].name, ())


def labels(platform: Platform) -> dict[str, str]:
    """Labels of every Profile's namespace, by which other components know it."""
    found = {"app.kubernetes.io/part-of": "kubeflow-profile"}
    if platform.serves("Experiment.kubeflow.org"):
        found["katib.kubeflow.org/metrics-collector-injection"] = "enabled"
    if platform.serves("InferenceService.serving.kserve.io"):
        found["serving.kubeflow.org/inferenceservice"] = "enabled"
    if platform.serves("ScheduledWorkflow.kubeflow.org"):
        found["pipelines.kubeflow.org/enabled"] = "true"
    return found


def namespace(each: Owned) -> NamespaceNeed:
    """The namespace as the controller takes it over: with the owner that the Profile names."""
    # No level of its own: the highest that a component needs there counts.
    part_of = (("app.kubernetes.io/part-of", "kubeflow-profile"),)
    return NamespaceNeed(each.home, "restricted", part_of, annotations=(("owner", each.owner),))


def profile(scope: Scope, each: Owned) -> None:
    """The Profile, and a binding for each member as access management writes them.

    Roles come from the team's own bindings too; these are what the dashboard reads: one person each, who and as what
    in annotations.
    """
    owner = {"apiGroup": RBAC, "kind": "User", "name": each.owner}
    Resource(scope, PROFILE, each.home, spec={"owner": owner}, part="after")  # type: ignore[typeddict-item]
    for member in each.members:
        Resource(
            scope,
            ROLE_BINDING,
            binding_name(member),
            namespace=each.home,
            annotations={"user": member.name, "role": member.role},
            fields={
                "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": f"kubeflow-{member.role}"},
                "subjects": [{"apiGroup": RBAC, "kind": "User", "name": member.name}],
            },
        )


def binding_name(member: Member) -> str:
    """As access management calls it: `user-li-example-com-clusterrole-edit`."""
    return re.sub(r"[^a-z0-9]+", "-", f"user-{member.name}-clusterrole-{member.role}".lower())
