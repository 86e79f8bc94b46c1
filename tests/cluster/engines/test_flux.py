"""Flux' real programs bring the sample stack `cloud-gpu` to an empty cluster, and keep it as Git has it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from platform_def.components.delivery.flux.words import ENGINE
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.flux import Flux
from tests.cluster.engines.story import (
    Delivered,
    delivered,
    handed_over,
    keeps_what_is_in_git,
    removes,
    starts_a_job_once,
)
from tests.cluster.engines.test_flux_changes import GATEWAY, NOWHERE, PROXIES, is_mended_while_it_waits
from tests.cluster.stacks import REPOSITORY

pytestmark = pytest.mark.cluster

REACHED_BY_GATEWAY = [
    "oauth2-proxy",
    "dex",
    "grafana",
    "profiles",
    "central-dashboard",
    "notebook-controller",
    "jupyter-web-app",
    "volumes-web-app",
    "pvcviewer-controller",
    "tensorboard-controller",
    "tensorboards-web-app",
]
SERVING = ("gateway-api", "gateway-api-inference-extension", "lws", "kserve", "models-web-app")
"""Left out of the long story: two definitions of 700 kB, which Flux compares on the server at each commit, double it."""


@dataclass(frozen=True)
class Step:
    """What the kustomize-controller did with a part, and when."""

    name: str
    at: datetime
    ready: bool
    """It found the part healthy; otherwise it applied it."""


@pytest.mark.thorough
def test_the_whole_sample_is_brought_to_ready(
    empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: Flux(cluster, programs, flags=ENGINE.flags)  # noqa: E731 - it is passed on
    with delivered(empty_cluster, "cloud-gpu", tmp_path, start) as there:
        keeps_what_is_in_git(there, "quota: {gpus: 7}", "quota: {gpus: 6}")


@pytest.fixture
def there(empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path) -> Iterator[Delivered[Flux]]:
    """A cluster on which everything but model serving is Ready."""
    start = lambda cluster: Flux(cluster, programs, flags=ENGINE.flags)  # noqa: E731 - it is passed on
    whole = (REPOSITORY / "stacks/cloud-gpu.yaml").read_text(encoding="utf-8")
    text, left_out = re.subn(rf"^  ({'|'.join(SERVING)}): .*\n", "", whole, flags=re.MULTILINE)
    assert left_out == len(SERVING)
    text, lists = re.subn(r"^serving:\n(  - .*\n)+", "", text, flags=re.MULTILINE)
    assert lists == 1
    with handed_over(empty_cluster, "cloud-gpu", tmp_path, start, text=text) as found:
        found.engine.wait(found.repository, found.repository.revision)
        yield found


def test_an_empty_cluster_is_brought_to_ready_in_order_and_then_follows_git(there: Delivered[Flux]) -> None:
    in_order(there.engine, there.control_plane.folder / "kustomize-controller.log")
    keeps_what_is_in_git(there, "quota: {gpus: 7}", "quota: {gpus: 6}")


@pytest.mark.thorough
def test_a_whole_platform_starts_a_job_once_mends_what_waits_and_removes_in_order(there: Delivered[Flux]) -> None:
    registry = ("  distribution: eks\n", "  distribution: eks\n  registry: mirror.example.com\n")
    starts_a_job_once(there, "pretrain", ("name: pretrain,", "name: pretrain, sync: true,"), registry)
    is_mended_while_it_waits(there, "components:\n", f"components:\n{NOWHERE}")
    removes(there, "istio-ingress-gateway", PROXIES, GATEWAY, needing=REACHED_BY_GATEWAY)


def in_order(flux: Flux, log: Path) -> None:
    """No part was applied before those that it names were ready."""
    steps = list(_applied(log))
    first = {name: min(step.at for step in steps if step.name == name) for name in {step.name for step in steps}}
    for name, part in flux.parts().items():
        for need in part["spec"].get("dependsOn") or ():
            ready = min(step.at for step in steps if step.name == need["name"] and step.ready)
            assert ready <= first[name], f"{name} was applied before {need['name']} was ready"


def _applied(log: Path) -> Iterator[Step]:
    """The steps that the controller's log tells, one JSON object a line."""
    for line in log.read_text().splitlines():
        said = json.loads(line)
        if said.get("controller") == "kustomization" and said["msg"].startswith(
            ("server-side apply", "Reconciliation fin")
        ):
            yield Step(said["name"], datetime.fromisoformat(said["ts"]), said["msg"].startswith("Reconciliation"))
