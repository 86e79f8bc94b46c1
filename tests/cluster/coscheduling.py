"""The scheduler plugins as a stack renders them, on a real API server: scheduler and controller with their accounts,
rights and configuration file, beside the operators of training and MPI that follow the stack's gang scheduler.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from platform_def.components.queues.scheduler_plugins.component import CONTROLLER, GROUP, SCHEDULER
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.gangs import GangCluster
from tests.cluster.pods import Program, Scheduler, start_operator
from tests.cluster.waves import DEFINITIONS, apply_in_waves, refusals, wave

MPI = "mpi-operator"
BINARIES = {SCHEDULER: "plugins-scheduler", CONTROLLER: "plugins-controller"}
# Programs of several pods share one network here: the MPI operator keeps the ports that all three have.
ELSEWHERE = ("--metricsAddr=127.0.0.1:0", "--probeAddr=127.0.0.1:0")
OPERATOR_ELSEWHERE = ("--metrics-bind-address=127.0.0.1:0", "--health-probe-bind-address=127.0.0.1:0")


@dataclass
class PluginCluster(GangCluster):
    """An API server on which the scheduler plugins work."""

    groups: ClassVar[str] = f"/apis/{GROUP}/v1alpha1"

    @property
    def scheduler(self) -> Scheduler:
        """The scheduler."""
        found = self.programs[SCHEDULER]
        assert isinstance(found, Scheduler)
        return found

    def refused(self, job: Manifest) -> str:
        """Why one of its pods has no node, as the scheduler says it; empty while it says nothing."""
        conditions = [each for pod in self.pods_of(job) for each in pod["status"].get("conditions", [])]
        found = [each for each in conditions if each["type"] == "PodScheduled" and each["status"] == "False"]
        return str(found[0].get("message", "")) if found else ""

    def status(self, job: Manifest) -> Manifest:
        """What the controller says of the gang."""
        return dict(self.group(job).get("status", {}))

    def restart(self, binary: Path) -> None:
        """End the scheduler and start it anew: it asks for all that it reads once more."""
        self.control_plane.sandbox.stop(SCHEDULER)
        self.scheduler.run(binary)


def start_plugins(
    control_plane: ControlPlane, binaries: Mapping[str, Path], objects: Sequence[Manifest]
) -> PluginCluster:
    """Install the objects of a stack in the order of their delivery, and start scheduler, controller and operators."""
    results = apply_in_waves(control_plane.api, [item for item in objects if wave(item) != DEFINITIONS])
    assert not refusals(results), "\n".join(refusals(results))
    scheduler = Scheduler(control_plane, objects, SCHEDULER, "kube-scheduler")
    scheduler.run(binaries[BINARIES[SCHEDULER]])
    controller = Program(control_plane, objects, CONTROLLER, CONTROLLER)
    controller.start(binaries[BINARIES[CONTROLLER]], [*controller.spec.get("args", []), *ELSEWHERE])
    mpi = Program(control_plane, objects, MPI, MPI)
    mpi.start(binaries[MPI], mpi.flags)
    operator = start_operator(control_plane, binaries, objects, moved=OPERATOR_ELSEWHERE)
    lease = f"/apis/coordination.k8s.io/v1/namespaces/{mpi.home}/leases/{MPI}"
    mpi.wait(lambda: control_plane.api.get(lease).status == 200, "the MPI operator has its lease")
    scheduler.wait(scheduler.leads, "the scheduler has its lease")
    programs = (scheduler, controller, mpi, operator)
    return PluginCluster(control_plane, {each.deployment: each for each in programs})
