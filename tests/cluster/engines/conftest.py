"""A control plane that has an engine's CRDs, nodes and controllers, and nothing of a platform yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

import pytest

from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip
from tests.cluster.control_plane import ControlPlane
from tests.cluster.controllers import CONTROLLERS, WORKLOAD_CONTROLLERS, start_kubernetes
from tests.cluster.engine_crds import NAMESPACES, engine_crds
from tests.cluster.engines.argocd import NEWEST, OLDEST, ArgoCd
from tests.cluster.snapshots import snapshot

StartArgoCd = Callable[[ControlPlane], ArgoCd]
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ROOM = {"cpu": "64", "memory": "256Gi", "pods": "500", "ephemeral-storage": "1Ti"}


class EmptyCluster(Protocol):
    """What the fixture `empty_cluster` gives: starts a cluster."""

    def __call__(
        self, *, flags: tuple[str, ...] = ..., leaving: Collection[str] = ..., apart: Collection[str] = ...
    ) -> AbstractContextManager[ControlPlane]:
        """With further flags of the API server; pods of the images `leaving` are for a kubelet that is started beside it, but
        those of the namespaces `apart`."""


@pytest.fixture
def empty_cluster(programs: Mapping[str, Path]) -> EmptyCluster:
    """Starts a cluster as somebody has made it who has only installed an engine: nodes, and CRDs of engines.

    On one of the nodes nothing runs: no DaemonSet is ever whole.
    """
    return starting(programs)


def starting(programs: Mapping[str, Path]) -> EmptyCluster:
    """What starts such a cluster."""

    @contextmanager
    def start(
        *, flags: tuple[str, ...] = (), leaving: Collection[str] = (), apart: Collection[str] = ()
    ) -> Iterator[ControlPlane]:
        data, controllers = snapshot(programs, or_skip(engine_crds)), (*CONTROLLERS, *WORKLOAD_CONTROLLERS)
        with ControlPlane(programs, data=data, flags=flags) as control_plane:
            start_kubernetes(control_plane, programs, controllers=controllers, leaving=leaving, apart=apart)
            for name in NAMESPACES:
                home = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
                assert not control_plane.api.apply(home).refusal
            for each in [*nodes(3), node("broken", {**ROOM, "pods": "0"})]:
                assert control_plane.api.request("POST", "/api/v1/nodes", each).status == 201
            yield control_plane

    return start


@pytest.fixture(params=[NEWEST, pytest.param(OLDEST, marks=pytest.mark.thorough)])
def argo_cd(programs: Mapping[str, Path], request: pytest.FixtureRequest) -> StartArgoCd:
    """Starts Argo CD, of each release that is proven."""
    return lambda control_plane: ArgoCd(control_plane, programs, program=request.param)


def nodes(count: int) -> Sequence[Manifest]:
    """Nodes with room for everything."""
    return [node(f"node-{number}", ROOM) for number in range(count)]


def node(name: str, room: Mapping[str, str]) -> Manifest:
    """A node of a kind that a sample stack has a pool of."""
    labels = {"kubernetes.io/os": "linux", "kubernetes.io/hostname": name, INSTANCE_TYPE: "p5.48xlarge"}
    status = {"capacity": dict(room), "allocatable": dict(room)}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}
