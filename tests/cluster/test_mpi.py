"""MPI jobs through the real MPI operator, with the account, rights and flags that its component renders.

Real: the API server, the job controller, the scheduler, the operator. Played: kubelets (kwok) and nodes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import start_kubernetes
from tests.cluster.job_bench import machines
from tests.cluster.pods import Program
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.training import FINISHED
from tests.cluster.waves import apply_in_waves, condition, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

OPERATOR, HOME = "mpi-operator", "team-vision"
WAIT_SECONDS = 120.0
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 2, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 8}}
components:
  nvidia-device-plugin: {}
  training-operator: {kinds: [PyTorchJob]}
  mpi-operator: {}
teams:
  - {name: vision}
jobs:
  - {template: horovod, name: ring, team: vision, pool: train, image: "registry.example.com/horovod:1", command: [python, train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
"""
# An operator that owns what it makes must be allowed to hold the owner back; clusters ask for it by this plug-in.
FLAGS = ("--enable-admission-plugins=OwnerReferencesPermissionEnforcement",)
KEEPS_START = "MutableSchedulingDirectivesForSuspendedJobs=false"
"""A Job that is suspended keeps the time of its start, as up to Kubernetes 1.35: the operator resets it."""


@pytest.fixture(scope="module")
def mpi_stack(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("mpi"), STACK, name="mpi")


@dataclass(frozen=True)
class MpiCluster:
    """An API server on which the operator works."""

    control_plane: ControlPlane
    operator: Program
    job: Manifest
    """As rendered."""
    numbers: Iterator[int]

    def refused(self) -> list[str]:
        """What the API server refused the operator for want of a right."""
        return [line.replace('\\"', '"') for line in self.operator.forbidden()]

    def submit(self, **policy: object) -> Manifest:
        """Store the job under a name of its own."""
        made: Manifest = json.loads(json.dumps(self.job))
        made["metadata"]["name"] = f"ring-{next(self.numbers)}"
        made["spec"]["runPolicy"] |= policy
        self.control_plane.api.store(made)
        return made

    def suspend(self, job: Manifest, *, held: bool) -> None:
        """Hold a job back, or let it go, as a queue does."""
        patch = {"spec": {"runPolicy": {"suspend": held}}}
        self._patch(self.control_plane.api.path(job) or "", patch)

    def of(self, job: Manifest, plural: str, suffix: str = "") -> Manifest:
        """What the operator made for the job beside pods; empty before."""
        name = f"{job['metadata']['name']}{suffix}"
        found = self.control_plane.api.get(f"/api/v1/namespaces/{HOME}/{plural}/{name}")
        return found.body if found.status == 200 else {}

    def pods(self, job: Manifest, role: str) -> list[Manifest]:
        """Pods of a role that run."""
        labels = f"training.kubeflow.org/job-name={job['metadata']['name']},training.kubeflow.org/job-role={role}"
        found = self.control_plane.api.get(f"/api/v1/namespaces/{HOME}/pods?labelSelector={labels}").body["items"]
        return [pod for pod in found if pod["status"].get("phase") == "Running"]

    def status(self, job: Manifest, kind: str) -> str | None:
        """A condition of the job."""
        return condition(self.control_plane.api.read(job).body, kind)

    def finish(self, pod: Manifest) -> None:
        """Have the program in a pod end well."""
        path = f"/api/v1/namespaces/{HOME}/pods/{pod['metadata']['name']}"
        self._patch(path, {"metadata": {"annotations": {FINISHED: "true"}}})

    def clear(self) -> None:
        """Remove all jobs and what runs for them, so that the next has the nodes to itself."""
        below = [f"/apis/{group}/namespaces/{HOME}" for group in ("kubeflow.org/v2beta1", "batch/v1")]
        pods = f"/api/v1/namespaces/{HOME}/pods"
        for path in (f"{below[0]}/mpijobs", f"{below[1]}/jobs", pods):
            self.control_plane.api.request("DELETE", f"{path}?gracePeriodSeconds=0")
        self.wait(lambda: not self.control_plane.api.get(pods).body["items"], "the pods are gone")

    def wait(self, holds: Callable[[], bool], what: str) -> None:
        """Wait for something; the operator's log is shown when it does not come, or the operator ends."""
        log = self.operator.log

        def still() -> bool:
            assert OPERATOR not in self.control_plane.sandbox.ended(), log.read_text(errors="replace")[-5000:]
            return holds()

        try:
            until(still, seconds=WAIT_SECONDS, what=what)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{log.read_text(errors='replace')[-5000:]}") from error

    @contextmanager
    def without(self, group: str, resource: str, verb: str) -> Iterator[None]:
        """The operator without one right for some time."""
        with rights.withheld(self.operator, (group, resource, verb)):
            yield

    def _patch(self, path: str, patch: Manifest) -> None:
        reply = self.control_plane.api.request("PATCH", path, patch, content="application/merge-patch+json")
        assert reply.status == 200, reply.message


@pytest.fixture(scope="module")
def running(mpi_stack: RenderedStack, programs: Mapping[str, Path]) -> Iterator[MpiCluster]:
    """The cluster with the operator."""
    objects = [item.manifest for name in ("namespaces", OPERATOR) for item in mpi_stack.components[name].objects]
    ((job,),) = ([item.manifest for item in found] for found in mpi_stack.jobs.values())
    with ControlPlane(programs, data=snapshot(programs, crds_of(objects)), flags=FLAGS) as control_plane:
        with control_plane.explaining():
            start_kubernetes(control_plane, programs, gates=KEEPS_START)
            results = apply_in_waves(control_plane.api, [*objects, *machines()])
            assert not refusals(results), refusals(results)
            operator = Program(control_plane, objects, OPERATOR, OPERATOR)
            operator.start(programs[OPERATOR], operator.flags)
            lease = f"/apis/coordination.k8s.io/v1/namespaces/{operator.home}/leases/{OPERATOR}"
            operator.wait(lambda: control_plane.api.get(lease).status == 200, "the operator has its lease")
        yield MpiCluster(control_plane, operator, job, count())


@pytest.fixture
def mpi(running: MpiCluster, request: pytest.FixtureRequest) -> Iterator[MpiCluster]:
    """The shared cluster without jobs; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    yield running
    running.clear()


def test_a_rendered_job_runs_to_its_end_with_no_more_rights_than_rendered(mpi: MpiCluster) -> None:
    before = mpi.refused()
    job = mpi.submit()
    name = job["metadata"]["name"]
    mpi.wait(lambda: mpi.status(job, "Running") == "True", "the job runs")
    workers, (launcher,) = mpi.pods(job, "worker"), mpi.pods(job, "launcher")
    hosts = mpi.of(job, "configmaps", "-config")["data"]["hostfile"].splitlines()
    keys, service = mpi.of(job, "secrets", "-ssh"), mpi.of(job, "services")
    mpi.finish(launcher)
    mpi.wait(lambda: mpi.status(job, "Succeeded") == "True", "the job succeeds")
    mpi.wait(lambda: mpi.pods(job, "worker") == [], "the workers are gone")

    assert hosts == [f"{name}-worker-{number}.{name}.{HOME}.svc slots=4" for number in range(2)]
    assert keys["type"] == "kubernetes.io/ssh-auth"
    assert b"PRIVATE KEY" in base64.b64decode(keys["data"]["ssh-privatekey"])
    assert service["spec"]["clusterIP"] == "None"
    assert {pod["spec"]["nodeSelector"]["pool"] for pod in [*workers, launcher]} == {"train"}
    assert {pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] for pod in workers} == {"4"}
    assert mpi.refused() == before


def test_the_launcher_finds_keys_and_hosts_where_its_command_looks(mpi: MpiCluster) -> None:
    job = mpi.submit()
    mpi.wait(lambda: mpi.status(job, "Running") == "True", "the job runs")
    (launcher,) = mpi.pods(job, "launcher")
    (worker, _) = mpi.pods(job, "worker")

    launching, serving = launcher["spec"]["containers"][0], worker["spec"]["containers"][0]
    mounts = {mount["name"]: mount["mountPath"] for mount in launching["volumeMounts"]}
    assert "/etc/mpi/hostfile" in launching["command"][2]
    assert mounts["mpi-job-config"] == "/etc/mpi"
    paths = {mount["name"]: mount["mountPath"] for mount in serving["volumeMounts"]}
    assert f"HostKey={paths['ssh-auth']}/id_rsa" in serving["command"]
    (keys,) = (volume for volume in worker["spec"]["volumes"] if volume["name"] == "ssh-auth")
    assert {item["path"] for item in keys["secret"]["items"]} == {"id_rsa", "id_rsa.pub", "authorized_keys"}
    assert keys["secret"]["defaultMode"] == 0o600


def test_a_job_that_is_held_back_has_no_pods_until_it_is_let_go(mpi: MpiCluster) -> None:
    job = mpi.submit(suspend=True)
    mpi.wait(lambda: mpi.status(job, "Suspended") == "True", "the job is suspended")
    held = mpi.pods(job, "worker"), mpi.pods(job, "launcher")
    mpi.suspend(job, held=False)
    mpi.wait(lambda: mpi.status(job, "Running") == "True", "the job runs")

    assert held == ([], [])
    assert len(mpi.pods(job, "worker")) == 2


def test_a_job_that_ran_is_held_back_and_runs_again(mpi: MpiCluster) -> None:
    before = mpi.refused()
    job = mpi.submit()
    mpi.wait(lambda: mpi.status(job, "Running") == "True", "the job runs")
    mpi.suspend(job, held=True)
    mpi.wait(lambda: not mpi.pods(job, "worker") and not mpi.pods(job, "launcher"), "its pods are gone")
    path = f"/apis/batch/v1/namespaces/{HOME}/jobs/{job['metadata']['name']}-launcher"
    held = mpi.control_plane.api.get(path).body["status"]
    mpi.suspend(job, held=False)
    mpi.wait(lambda: len(mpi.pods(job, "worker")) == 2 and mpi.pods(job, "launcher") != [], "its pods are back")
    mpi.wait(lambda: mpi.status(job, "Running") == "True", "the job runs again")

    assert held.get("startTime"), "the operator has nothing to reset"
    assert mpi.refused() == before


@pytest.mark.parametrize(
    ("group", "resource", "verb"),
    [
        ("", "services", "create"),
        ("", "configmaps", "create"),
        ("", "secrets", "create"),
        ("", "pods", "create"),
        ("batch", "jobs", "create"),
        ("kubeflow.org", "mpijobs/status", "update"),
    ],
)
def test_without_one_of_its_rights_a_job_waits_until_it_is_back(
    mpi: MpiCluster, group: str, resource: str, verb: str
) -> None:
    refused = f'cannot {verb} resource "{resource}"'
    before = len(mpi.refused())
    with mpi.without(group, resource, verb):
        job = mpi.submit()
        mpi.wait(lambda: any(refused in line for line in mpi.refused()[before:]), refused)
        stopped = mpi.status(job, "Running")
    mpi.wait(lambda: mpi.status(job, "Running") == "True", "the job runs")

    assert stopped != "True"


def test_without_the_right_to_hold_a_job_back_nothing_is_made_for_it(mpi: MpiCluster) -> None:
    before = len(mpi.refused())
    with mpi.without("kubeflow.org", "mpijobs/finalizers", "update"):
        job = mpi.submit()
        mpi.wait(lambda: "blockOwnerDeletion" in "".join(mpi.refused()[before:]), "it is refused")
        made = mpi.of(job, "services")

    assert made == {}
