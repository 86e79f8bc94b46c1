"""A cluster of played nodes on which the real programs of some rendered objects run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.controllers import CONTROLLERS, start_kubernetes
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of
from tests.cluster.waves import apply_in_waves, refusals

T = TypeVar("T")


@contextmanager
def operated(
    programs: Mapping[str, Path],
    objects: Sequence[Manifest],
    nodes: Sequence[Manifest],
    start: Callable[[ControlPlane, Mapping[str, Path], Sequence[Manifest]], T],
    *,
    flags: Sequence[str] = (),
) -> Iterator[T]:
    """What `start` makes of the objects, with the nodes there; where it fails, the error holds all logs.

    `flags` are those of the API server.
    """
    with ControlPlane(programs, data=snapshot(programs, crds_of(objects)), flags=tuple(flags)) as control_plane:
        with control_plane.explaining():
            start_kubernetes(control_plane, programs, controllers=(*CONTROLLERS, "garbage-collector-controller"))
            results = apply_in_waves(control_plane.api, nodes)
            assert not refusals(results)
            started = start(control_plane, programs, objects)
        yield started
