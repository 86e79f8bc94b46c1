"""Who makes the pods of the jobs that really run: how a stack names each operator, and how it is started on a bench.

Each runs under its own account and rights, as its rendered Deployment says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.gangs import start_volcano
from tests.cluster.kubelet.network import GATEWAY
from tests.cluster.pods import OPERATOR, Program, start_operator
from tests.cluster.trainers import start_controllers

Start = Callable[[ControlPlane, Mapping[str, Path], Sequence[Manifest]], Sequence[Program]]


@dataclass(frozen=True)
class JobOperator:
    """A component of the stack, and how its programs are started once its objects are stored."""

    component: str
    release: str
    start: Start
    knobs: str = ""
    """What else the stack says of it."""
    needs: tuple[str, ...] = ()
    """Components without which it does nothing."""
    installs: bool = False
    """Whether `start` stores the objects too, since its own webhooks judge some of them."""

    @property
    def components(self) -> tuple[str, ...]:
        """All whose objects the cluster holds."""
        return (*self.needs, self.component)

    @property
    def lines(self) -> list[str]:
        """What the stack says of them."""
        said = ", ".join(filter(None, [f'release: "{self.release}"', self.knobs]))
        return [*(f"{each}: {{}}" for each in self.needs), f"{self.component}: {{{said}}}"]


def _start_newest(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
) -> Sequence[Program]:
    return [start_operator(control_plane, programs, objects)]


def _start_former(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
) -> Sequence[Program]:
    operator = Program(control_plane, objects, OPERATOR, OPERATOR)
    operator.start(programs["training-operator-1.7"], operator.flags)
    return [operator]


def _start_volcano(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
) -> Sequence[Program]:
    return [*start_volcano(control_plane, programs, objects).programs.values()]


def _leading(name: str, lease: str) -> Start:
    """An operator by the name of its program, which asks the name server of the pods, once it has its lease."""

    def start(
        control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
    ) -> Sequence[Program]:
        operator = Program(control_plane, objects, name, name, nameserver=GATEWAY)
        operator.start(programs[name], operator.flags)
        path = f"/apis/coordination.k8s.io/v1/namespaces/{operator.home}/leases/{lease}"
        operator.wait(lambda: control_plane.api.get(path).status == 200, f"{name} has its lease")
        return [operator]

    return start


TRAINING = JobOperator(OPERATOR, "1.9.4", _start_newest)
FORMER = JobOperator(OPERATOR, "1.7.0", _start_former)
"""The last release with MXJob; it has no webhook."""
MPI = JobOperator("mpi-operator", "0.8.2", _leading("mpi-operator", "mpi-operator"))
RAY = JobOperator("kuberay-operator", "1.6.2", _leading("kuberay-operator", "ray-operator-leader"))
TRAINER = JobOperator("trainer", "2.3.0", start_controllers, needs=("jobset",), installs=True)
VOLCANO = JobOperator("volcano", "1.15.1", _start_volcano, knobs="certificates: volcano", installs=True)
