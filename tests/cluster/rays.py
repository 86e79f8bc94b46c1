"""KubeRay as a stack renders it, with Kueue beside it, on a real API server.

Both have their own account, rights and arguments. Played: kubelets (kwok), nodes, and Ray: its dashboard says what a
test wants.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.pods import Program
from tests.cluster.queueing import QueueCluster, start_kueue
from tests.cluster.training import FINISHED

OPERATOR = "kuberay-operator"
DASHBOARD = Path(__file__).with_name("ray_dashboard.py")
WAIT_SECONDS = 180.0
CLUSTER = "ray.io/cluster"
"""Label of all pods of a Ray cluster."""


@dataclass(frozen=True)
class RayOperatorCluster:
    """An API server on which RayJobs become pods."""

    queues: QueueCluster
    operator: Program
    state: Path
    """File with what Ray's dashboard says of every job."""

    @property
    def control_plane(self) -> ControlPlane:
        """The API server and all that runs beside it."""
        return self.queues.control_plane

    def submit(self, job: Manifest, name: str, **spec: object) -> Manifest:
        """Store a job under another name; it goes when the test is over."""
        made = deepcopy(job)
        made["metadata"]["name"] = name
        made["spec"] |= spec
        return self.queues.submit(made)

    def patch(self, item: Manifest, **spec: object) -> None:
        """Change fields of an object's specification."""
        self._patch(self.control_plane.api.path(item) or "", {"spec": spec})

    def status(self, item: Manifest) -> Manifest:
        """What the operator says of an object."""
        return dict(self.control_plane.api.read(item).body.get("status") or {})

    def wait_for(self, job: Manifest, deployment: str) -> Manifest:
        """The status of a job once it stands so with its deployment."""
        self.wait(lambda: self.status(job).get("jobDeploymentStatus") == deployment, f"the job is {deployment}", job)
        return self.status(job)

    def pods(self, cluster: str) -> list[Manifest]:
        """The pods of a Ray cluster that run, head first."""
        found = self._list(f"{CLUSTER}={cluster}")
        return sorted(found, key=lambda pod: str(pod["metadata"]["labels"]["ray.io/node-type"]))

    def submitters(self, job: Manifest) -> list[Manifest]:
        """The pods that hand a job's program in."""
        return self._list(f"job-name={job['metadata']['name']}")

    def _list(self, selector: str) -> list[Manifest]:
        found = self.control_plane.api.get(f"/api/v1/pods?labelSelector={selector}").body["items"]
        return [each for each in found if each["status"].get("phase") == "Running"]

    def says(self, state: str) -> None:
        """Have Ray's dashboard say this of every job."""
        self.state.write_text(state)

    def asked(self) -> list[str]:
        """URLs that the operator asked of dashboards."""
        return self.state.with_suffix(".log").read_text().splitlines()

    def finish(self, pod: Manifest) -> None:
        """Have the program in a pod end well."""
        metadata = pod["metadata"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        self._patch(path, {"metadata": {"annotations": {FINISHED: "true"}}})

    def _patch(self, path: str, patch: Manifest) -> None:
        reply = self.control_plane.api.request("PATCH", path, patch, content="application/merge-patch+json")
        assert reply.status == 200, reply.message

    def refused(self) -> list[str]:
        """What the API server refused the operator for want of a right."""
        return [line.replace('\\"', '"') for line in self.operator.forbidden()]

    @contextmanager
    def clean(self) -> Iterator[RayOperatorCluster]:
        """For one test: its jobs are gone afterwards, and nobody was refused anything."""
        self.says("RUNNING")
        with self.queues.clean():
            yield self
            assert self.refused() == []

    @contextmanager
    def without(self, group: str, resource: str, verb: str) -> Iterator[None]:
        """Take a right from the operator for some time; what was refused meanwhile is forgotten."""
        with rights.withheld(self.operator, (group, resource, verb)):
            yield
        self.operator.log.write_text("")

    def wait(self, holds: Callable[[], bool], what: str, job: Manifest | None = None) -> None:
        """Wait for what the operator does; TimeoutError says how far it is."""
        try:
            until(holds, seconds=WAIT_SECONDS, what=what)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{json.dumps(self.status(job)) if job else ''}") from error


def start_kuberay(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
) -> RayOperatorCluster:
    """Install a stack in the order of its delivery, with both operators and a stand-in for Ray's dashboards."""
    queues = start_kueue(control_plane, programs, objects)
    state = control_plane.folder / "dashboard"
    state.write_text("RUNNING")
    (port,) = control_plane.sandbox.free_ports(1)
    argv = [sys.executable, "-I", str(DASHBOARD), str(port), str(state)]
    control_plane.sandbox.start("dashboard", argv, log=state.with_suffix(".log"))
    operator = Program(control_plane, objects, OPERATOR, OPERATOR)
    # Kueue serves another API at the port of its probes.
    flags = [*operator.flags, "--health-probe-bind-address=:18082"]
    operator.start(programs[OPERATOR], flags, settings={"HTTP_PROXY": f"http://127.0.0.1:{port}"})
    leases = f"/apis/coordination.k8s.io/v1/namespaces/{operator.home}/leases/ray-operator-leader"
    operator.wait(lambda: control_plane.api.get(leases).status == 200, "the operator has its lease")
    return RayOperatorCluster(queues, operator, state)
