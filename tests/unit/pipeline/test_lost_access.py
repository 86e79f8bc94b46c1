"""What people lose by a change is told before it is merged: a member without a quota has no object of their own that leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from platform_def.pipeline.changes.previous import Previous
from platform_def.pipeline.changes.removals import removals
from platform_def.pipeline.output.index import Index, digests
from platform_def.yaml import dump

HOME = "team-vision"
Files = Mapping[str, bytes]


def told(before: Files, after: Files) -> list[str]:
    """What is said where the stack's files become others."""
    previous = Previous(
        lambda _: (),
        lambda stack: [Index(stack=stack, files=digests(before))],
        lambda _, paths: {path: before[path] for path in paths},
        delivered=True,
    )
    return [line for each in removals(previous, {"a": after}, []) for line in each.lines()]


def file(kind: str, name: str, **fields: Any) -> dict[str, bytes]:
    """One object with its path."""
    manifest = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": HOME}, **fields}
    return {f"kubeflow-roles/main/{HOME}/{kind.lower()}.example.com-{name}.yaml": dump(manifest).encode()}


def binding(role: str, *people: str, groups: tuple[str, ...] = (), name: str = "") -> dict[str, bytes]:
    """A binding of a role."""
    subjects = [
        *({"kind": "User", "name": each} for each in people),
        *({"kind": "Group", "name": each} for each in groups),
        {"kind": "ServiceAccount", "name": "default", "namespace": HOME},
    ]
    return file("RoleBinding", name or f"members-{role}", roleRef={"name": f"kubeflow-{role}"}, subjects=subjects)


def policy(*people: str, groups: tuple[str, ...] = (), action: str = "ALLOW") -> dict[str, bytes]:
    """A policy of the mesh."""
    names = {"when": [{"key": "request.headers[kubeflow-userid]", "values": [*people]}]}
    claims = {"when": [{"key": "request.auth.claims[groups]", "values": [*groups]}]}
    spec = {"action": action, "rules": [{"to": [{"operation": {"paths": ["/healthz"]}}]}, names, claims]}
    return file("AuthorizationPolicy", "members", spec=spec)


def test_a_member_who_leaves_loses_a_role_and_the_way_to_the_pods() -> None:
    before = {**binding("edit", "ada@example.com", "li@example.com"), **policy("ada@example.com", "li@example.com")}
    after = {**binding("edit", "ada@example.com"), **policy("ada@example.com")}

    assert told(before, after) == [
        "a: access is taken from li@example.com: requests to pods in team-vision, role kubeflow-edit in team-vision"
    ]
    assert told(after, before) == []
    assert told(before, before) == []


def test_a_group_that_leaves_is_told_as_one() -> None:
    before, after = {**binding("edit", groups=("lab",)), **policy(groups=("lab",))}, {**binding("edit"), **policy()}

    assert told(before, after) == [
        "a: access is taken from group lab: requests to pods in team-vision, role kubeflow-edit in team-vision"
    ]


def test_the_last_member_takes_the_binding_along() -> None:
    assert told(binding("edit", "li@example.com"), {})[-1] == (
        "a: access is taken from li@example.com: role kubeflow-edit in team-vision"
    )


def test_a_smaller_role_is_told_as_the_loss_of_the_larger_one() -> None:
    before = {**binding("edit", "li@example.com", "ada@example.com"), **binding("view", "eve@example.com")}
    after = {**binding("edit", "ada@example.com"), **binding("view", "eve@example.com", "li@example.com")}

    assert told(before, after) == ["a: access is taken from li@example.com: role kubeflow-edit in team-vision"]


def test_a_right_that_another_binding_gives_is_not_lost() -> None:
    own = binding("edit", "li@example.com", name="user-li-example-com-clusterrole-edit")

    assert told({**binding("edit", "li@example.com", "ada"), **own}, {**binding("edit", "ada"), **own}) == []


def test_a_policy_that_refuses_takes_nothing_when_it_is_lifted() -> None:
    assert told(policy("li@example.com", action="DENY"), policy(action="DENY")) == []


def test_of_many_people_some_are_named() -> None:
    people = [f"{number}@example.com" for number in range(10)]
    found = told(binding("edit", *people), binding("edit", people[0]))

    assert len(found) == 7
    assert found[-1] == "a: access is taken from 3 more people and groups"
