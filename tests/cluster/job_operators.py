"""Who makes the pods of the jobs that really run: how a stack names each operator, and how it is started on a bench.

Each runs under its own account and rights, as its rendered Deployment says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.kubelet.network import GATEWAY
from tests.cluster.pods import OPERATOR, Program, start_operator

Start = Callable[[ControlPlane, Mapping[str, Path], Sequence[Manifest]], Program]


@dataclass(frozen=True)
class JobOperator:
    """A component of the stack, and how its program is started once its objects are stored."""

    component: str
    release: str
    start: Start

    @property
    def line(self) -> str:
        """What the stack says of it."""
        return f'{self.component}: {{release: "{self.release}"}}'


def _start_former(control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]) -> Program:
    operator = Program(control_plane, objects, OPERATOR, OPERATOR)
    operator.start(programs["training-operator-1.7"], operator.flags)
    return operator


def _leading(name: str, lease: str) -> Start:
    """An operator by the name of its program, which asks the name server of the pods, once it has its lease."""

    def start(control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]) -> Program:
        operator = Program(control_plane, objects, name, name, nameserver=GATEWAY)
        operator.start(programs[name], operator.flags)
        path = f"/apis/coordination.k8s.io/v1/namespaces/{operator.home}/leases/{lease}"
        operator.wait(lambda: control_plane.api.get(path).status == 200, f"{name} has its lease")
        return operator

    return start


TRAINING = JobOperator(OPERATOR, "1.9.2", start_operator)
FORMER = JobOperator(OPERATOR, "1.7.0", _start_former)
"""The last release with MXJob; it has no webhook."""
MPI = JobOperator("mpi-operator", "0.6.0", _leading("mpi-operator", "mpi-operator"))
RAY = JobOperator("kuberay-operator", "1.6.2", _leading("kuberay-operator", "ray-operator-leader"))
