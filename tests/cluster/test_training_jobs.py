"""The page of training jobs under its rendered account: what stored jobs people see, by the roles that the stack gives them.

Real: the program as delivered, the API server with RBAC, and the controller that aggregates roles. Played: the gateway, which says by
header who asks, and the operators: jobs have the status that the test writes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.committed import in_stack
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import start_kubernetes
from tests.cluster.door import Answer, Door
from tests.cluster.pods import Program
from tests.cluster.rights import without
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = pytest.mark.cluster

STACK, NAME, TEAM, OTHER = "dist/kubeflow-classic", "training-jobs", "team-faces", "landing-page"
MEMBER, STRANGER = "li@example.com", "guest@example.com"
GROUP, SECONDS = "kubeflow.org", 60.0
KINDS = ("Namespace", "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
AGGREGATES = ("clusterrole-aggregation-controller", "serviceaccount-controller")
CONTAINER = {"name": "tensorflow", "image": "registry.example.com/train:1"}
TEMPLATE = {"spec": {"containers": [CONTAINER]}}


@dataclass(frozen=True)
class Served:
    """The page, with the cluster that it reads."""

    control_plane: ControlPlane
    objects: Sequence[Manifest]
    door: Door

    def asked(self, person: str, path: str = "/api") -> Answer:
        """What a person is answered."""
        return self.door.get(path, known=False, headers={"kubeflow-userid": person} if person else {})

    def names(self, person: str, path: str = "/api") -> list[str]:
        """Names of the jobs that a person sees."""
        answer = self.asked(person, path)
        assert answer.status == 200, answer.text
        return [each["name"] for each in answer.asked["jobs"]]

    def role(self, kind: str, namespace: str | None = None) -> Manifest:
        """A role of the page's account."""
        (found,) = (
            each
            for each in self.objects
            if (each["kind"], each["metadata"]["name"], each["metadata"].get("namespace")) == (kind, NAME, namespace)
        )
        return found


@pytest.fixture(scope="module")
def served(programs: Mapping[str, Path]) -> Iterator[Served]:
    """An API server with the stack's accounts and rights and four jobs, and the page's program under its account."""
    objects = in_stack(STACK)
    crds = [each for each in crds_of(objects) if each["spec"]["group"] == GROUP]
    with ControlPlane(programs, data=snapshot(programs, crds)) as control_plane:
        start_kubernetes(control_plane, programs, kwok=False, controllers=AGGREGATES)
        assert not refusals(apply_in_waves(control_plane.api, [each for each in objects if each["kind"] in KINDS]))
        for job in jobs():
            applied = control_plane.api.apply(job)
            assert applied.stored, applied.refusal
        path = f"/apis/{GROUP}/v1/namespaces/{TEAM}/tfjobs/mnist/status"
        status = {"conditions": [state("Created"), state("Running")], "replicaStatuses": {"Worker": {"active": 2}}}
        reply = control_plane.api.request("PATCH", path, {"status": status}, content="application/merge-patch+json")
        assert reply.status == 200, reply.message
        made = Served(control_plane, objects, _started(control_plane, objects))
        # The API server learns of roles a moment after it has stored them.
        until(lambda: len(made.asked(MEMBER).asked.get("jobs", [])) == 3, seconds=SECONDS, what="roles count")
        yield made


def jobs() -> list[Manifest]:
    """A job of each kind that the stack has CRDs of in the team's namespace, and one in a namespace that is no team's."""

    def job(kind: str, version: str, field: str, name: str, types: str, namespace: str = TEAM) -> Manifest:
        replicas = {each: {"replicas": 2 if each == "Worker" else 1, "template": TEMPLATE} for each in types.split()}
        metadata = {"name": name, "namespace": namespace}
        return {"apiVersion": f"{GROUP}/{version}", "kind": kind, "metadata": metadata, "spec": {field: replicas}}

    return [
        job("TFJob", "v1", "tfReplicaSpecs", "mnist", "Chief Worker"),
        job("PyTorchJob", "v1", "pytorchReplicaSpecs", "resnet", "Master Worker"),
        job("MPIJob", "v2beta1", "mpiReplicaSpecs", "ring", "Launcher Worker"),
        job("TFJob", "v1", "tfReplicaSpecs", "elsewhere", "Worker", OTHER),
    ]


def state(kind: str) -> Manifest:
    """A condition that is true."""
    return {"type": kind, "status": "True", "reason": kind, "message": "", "lastTransitionTime": "2026-01-05T08:00:00Z"}


def _started(control_plane: ControlPlane, objects: Sequence[Manifest]) -> Door:
    """The program as its Deployment says, but for the places of its files and its port."""
    program = Program(control_plane, objects, NAME, NAME)
    folder = control_plane.folder / NAME
    folder.mkdir()
    for file, text in program.object("ConfigMap", NAME)["data"].items():
        (folder / file).write_text(text)
    (folder / "token").write_text(program.token())
    (folder / "ca.crt").write_bytes(control_plane.pki.authority.read_bytes())
    (port,) = control_plane.sandbox.free_ports(1)
    *flags, account, _ = program.flags
    assert account == "/var/run/secrets/kubernetes.io/serviceaccount"
    argv = [sys.executable, *(each.replace("/page/", f"{folder}/") for each in flags), str(folder), str(port)]
    where = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(control_plane.port)}
    control_plane.sandbox.start(NAME, argv, log=program.log, env=where)
    path = control_plane.folder / "page.sock"
    control_plane.sandbox.forward(path, port=port)
    door = Door(path, "")

    def answers() -> bool:
        try:
            return door.get("/healthz", known=False).status == 200
        except OSError:
            return False

    program.wait(answers, "the page answers")
    return door


def test_a_member_sees_the_jobs_of_the_team_with_what_they_are(served: Served) -> None:
    found = {each["name"]: each for each in served.asked(MEMBER).asked["jobs"]}

    assert sorted(found) == ["mnist", "resnet", "ring"]
    assert {each["kind"] for each in found.values()} == {"TFJob", "PyTorchJob", "MPIJob"}
    assert found["mnist"]["state"] == "Running"
    assert found["mnist"]["replicas"]["Worker"] == {"wanted": 2, "active": 2}
    assert "kubectl -n team-faces describe tfjobs.kubeflow.org mnist" in served.asked(MEMBER, "/").text


def test_others_see_nothing_and_no_one_is_refused(served: Served) -> None:
    assert served.names(STRANGER) == []
    assert served.asked("").status == 401
    assert served.asked("system:kube-controller-manager").status == 401
    assert served.names(MEMBER, f"/api?namespace={OTHER}") == []


def test_its_account_reads_jobs_of_teams_and_nothing_else(served: Served) -> None:
    def may(verb: str, group: str, resource: str, namespace: str = "") -> bool:
        asked = {"verb": verb, "group": group, "resource": resource, "namespace": namespace}
        spec = {"user": f"system:serviceaccount:{NAME}:{NAME}", "resourceAttributes": asked}
        body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
        path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        reply = served.control_plane.api.request("POST", path, json.loads(json.dumps(body)))
        return bool(reply.body["status"]["allowed"])

    assert all(may("list", GROUP, each, TEAM) for each in ("tfjobs", "pytorchjobs", "mpijobs", "mxjobs"))
    assert not any(may("list", GROUP, "tfjobs", each) for each in (OTHER, ""))
    assert not any(may(each, GROUP, "tfjobs", TEAM) for each in ("create", "delete", "patch", "update", "get", "watch"))
    assert not any(may("list", "", each, TEAM) for each in ("pods", "secrets", "configmaps"))


def test_without_the_right_to_list_a_kind_the_page_says_what_is_missing(served: Served) -> None:
    with without(served.control_plane.api, served.role("Role", TEAM), "tfjobs", ["list"], group=GROUP):
        until(lambda: "mnist" not in served.names(MEMBER), seconds=SECONDS, what="the right is gone")
        found = served.asked(MEMBER).asked

        assert sorted(each["name"] for each in found["jobs"]) == ["resnet", "ring"]
        assert found["notes"] == ["TFJobs in team-faces: this page may not read them, so they are missing."]
    until(lambda: "mnist" in served.names(MEMBER), seconds=SECONDS, what="the right is back")


def test_without_the_right_to_ask_no_one_sees_anything(served: Served) -> None:
    path, group = "subjectaccessreviews", "authorization.k8s.io"
    with without(served.control_plane.api, served.role("ClusterRole"), path, ["create"], group=group):
        until(lambda: served.asked(MEMBER).status == 503, seconds=SECONDS, what="the right is gone")
        answer = served.asked(MEMBER, "/")

        assert answer.status == 503
        assert "mnist" not in answer.text
        assert "Traceback" not in answer.text
    until(lambda: served.asked(MEMBER).status == 200, seconds=SECONDS, what="the right is back")


def test_who_leaves_the_team_sees_nothing_soon_after(served: Served) -> None:
    (binding,) = (
        each
        for each in served.objects
        if each["kind"] == "RoleBinding"
        and each["metadata"]["name"] == "members-edit"
        and each["metadata"]["namespace"] == TEAM
    )
    path = str(served.control_plane.api.path(binding))
    assert served.control_plane.api.request("DELETE", path).status == 200
    try:
        until(lambda: served.names(MEMBER) == [], seconds=SECONDS, what="the answer is asked again")
    finally:
        assert served.control_plane.api.apply(binding).stored
    until(lambda: served.names(MEMBER) != [], seconds=SECONDS, what="the member is back")
