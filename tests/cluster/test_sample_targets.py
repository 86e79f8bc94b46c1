"""In the sample stacks that have a Prometheus every monitor becomes a job of its configuration, and every target is up.

The stack is what dist/ holds. What is real and what is played stands in `scraped.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster import monitors
from tests.cluster.client import Manifest
from tests.cluster.committed import with_part
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.scraped import ELSEWHERE, Target, watch, watched_in
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of
from tests.cluster.watching import Watched

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

SECONDS = 180.0
STACKS = with_part("prometheus")


@dataclass(frozen=True)
class Sample:
    """A stack that is read."""

    objects: Sequence[Manifest]
    watched: Watched
    targets: Sequence[Target]


@pytest.fixture(scope="module", params=STACKS)
def running(
    request: pytest.FixtureRequest, binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Sample]:
    """Each stack, once its Prometheus has read what it finds."""
    objects = watched_in(request.param)
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        with control_plane.explaining():
            watched, targets = watch(control_plane, programs, objects)
            until(lambda: bool(read_all(watched, targets)), seconds=SECONDS, every=1.0, what="all targets are read")
        yield Sample(objects, watched, targets)


def read_all(watched: Watched, targets: Sequence[Target]) -> bool:
    """Whether all that is found has been read, or could not be."""
    found = watched.prometheus("targets", state="active")["activeTargets"]
    return len(found) > len(targets) and all(each["health"] != "unknown" for each in found)


@pytest.fixture
def sample(running: Sample, request: pytest.FixtureRequest) -> Sample:
    """The shared stack; its logs are shown when a test fails."""
    show_logs(request, running.watched.operator.control_plane)
    return running


def test_every_monitor_is_a_job_of_the_configuration(sample: Sample) -> None:
    kinds = {"ServiceMonitor": "serviceMonitor", "PodMonitor": "podMonitor"}
    wanted = {
        f"{kinds[each['kind']]}/{each['metadata']['namespace']}/{each['metadata']['name']}"
        for each in sample.objects
        if each["kind"] in kinds
    }

    assert monitors.scraped(sample.watched.operator.prometheus()) == wanted


def test_every_target_is_found_and_up(sample: Sample) -> None:
    found = sample.watched.targets()
    pools = {name.partition(" ")[0] for name in found}
    active = sample.watched.prometheus("targets", state="active")["activeTargets"]
    times = Counter(f"{each['scrapePool']} {each['scrapeUrl']}" for each in active)
    wanted = {f"{each.monitor} {each.url}" for each in sample.targets}

    # What is read twice counts twice in every sum.
    assert [name for name, number in times.items() if number > 1] == []
    assert {name: state for name, state in found.items() if state != "up"} == {}
    assert {name for name in found if name.split("/")[2] not in ELSEWHERE} == wanted
    assert {name for name in pools if name.split("/")[2] in ELSEWHERE} == {
        f"serviceMonitor/monitoring/{name}" for name in ("kube-apiserver/0", "kubelet/0", "kubelet/1")
    }
