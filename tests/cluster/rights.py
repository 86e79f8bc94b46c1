"""A program without one of the rights of its role: it is refused something, or the right was one too many."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import until
from tests.cluster.pods import Program

SECONDS = 60.0


@contextmanager
def without(
    api: Api, role: Manifest, resource: str, verbs: Collection[str], *, group: str | None = None
) -> Iterator[None]:
    """Take verbs on a resource, of one API group or of any, out of a role for some time.

    AssertionError when the role does not grant one of them: then nothing would be taken.
    """
    granted = {
        verb for rule in role["rules"] if _speaks(rule, resource, group) for verb in rule["verbs"] if verb in verbs
    }
    assert granted == {*verbs}, f"{role['metadata']['name']} does not grant {verbs} of {resource}"
    _store(api, {**role, "rules": list(_less(role["rules"], resource, verbs, group))})
    try:
        yield
    finally:
        _store(api, role)


@contextmanager
def withheld(
    program: Program, right: tuple[str, str, str], *, role: str = "", kind: str = "ClusterRole"
) -> Iterator[None]:
    """Take one right (API group, resource, verb) out of a role, of the program's own name where no other is said, for
    some time. A Role is one of the program's namespace.

    Several verbs are one right where the program does with either of them: `list watch`.
    """
    group, resource, verbs = right
    api, found = program.control_plane.api, program.object(kind, role or program.deployment)
    home = program.home if kind == "Role" else ""

    def may() -> set[bool]:
        return {_may(program, group, resource, verb, home) for verb in verbs.split()}

    try:
        with without(api, found, resource, verbs.split(), group=group):
            until(lambda: may() == {False}, seconds=SECONDS, what="the right is gone")
            yield
    finally:
        until(lambda: may() == {True}, seconds=SECONDS, what="the right is back")


def _may(program: Program, group: str, resource: str, verb: str, namespace: str) -> bool:
    plural, _, part = resource.partition("/")
    asked = {"group": group, "resource": plural, "subresource": part, "verb": verb, "namespace": namespace}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": f"system:serviceaccount:{program.home}:{program.pod['serviceAccountName']}",
            "resourceAttributes": asked,
        },
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return bool(program.control_plane.api.request("POST", path, review).body["status"]["allowed"])


def _less(rules: Sequence[Manifest], resource: str, verbs: Collection[str], group: str | None) -> Iterator[Manifest]:
    """The rules, of which each that speaks of the resource is one for it and one for the others."""
    for rule in rules:
        if not _speaks(rule, resource, group):
            yield rule
            continue
        if others := [each for each in rule["resources"] if each != resource]:
            yield {**rule, "resources": others}
        if left := [verb for verb in rule["verbs"] if verb not in verbs]:
            yield {**rule, "resources": [resource], "verbs": left}


def _speaks(rule: Manifest, resource: str, group: str | None) -> bool:
    return resource in rule.get("resources", []) and (group is None or group in rule["apiGroups"])


def _store(api: Api, role: Manifest) -> None:
    api.store(role)
