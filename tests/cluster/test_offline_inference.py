"""Offline inference whose pods are killed at half ends with each row once, by the Job of the template as rendered.

Real: the API server with its admission, Kubernetes' Job controller and scheduler, the program that deals out the shards. Played: the
kubelet, which runs each container as processes, and the image, which is Python with a shell.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.flows import FlowBench, flow_bench
from tests.cluster.kubelet.image import Image
from tests.cluster.waves import condition

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

HOME, ROWS, ROWS_PER_SHARD, PARTS = "team-vision", 40, 5, 4
SHARDS = 2 * ROWS // ROWS_PER_SHARD
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36", existing: [PersistentVolumeClaim team-vision/texts, PersistentVolumeClaim team-vision/results]}}
nodePools:
  - {{name: cpu, nodes: 2, selector: {{pool: cpu}}}}
storage:
  shared: {{driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}}
teams:
  - {{name: vision}}
jobs:
  - template: offline-inference
    name: score
    team: vision
    image: registry.example.com/score:1
    command: [sh, -c, 'sleep 1; sed "s/row/scored/" "$0" > "$1"', "{{input}}", "{{output}}"]
    dataset: {{claim: texts}}
    output: {{claim: results}}
    input: /data
    results: /output
    pattern: "*.txt"
    gpusPerWorker: 0
    rowsPerShard: {ROWS_PER_SHARD}
    parts: {PARTS}
    workers: 2
    cpu: 100m
    memory: 256Mi
"""


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlowBench]:
    """The cluster, with two files of rows on a volume."""
    images = {"registry.example.com/score:": Image((str(Path(sys.executable).parent),))}
    with flow_bench(tmp_path_factory.mktemp("score"), programs, STACK, components=(), images=images) as bench:
        for name in ("texts", "results"):
            bench.store(claim(name))
            folder(bench, name).mkdir(parents=True, exist_ok=True)
        for name in "ab":
            (folder(bench, "texts") / f"{name}.txt").write_text("".join(f"row {name}{n}\n" for n in range(ROWS)))
        yield bench


@pytest.fixture
def bench(running: FlowBench, request: pytest.FixtureRequest) -> FlowBench:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def claim(name: str) -> Manifest:
    """A volume that several pods may mount."""
    spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
    metadata = {"name": name, "namespace": HOME}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def folder(bench: FlowBench, name: str) -> Path:
    """What lies on the volume."""
    return bench.folder / "claims" / HOME / name


def results(bench: FlowBench) -> dict[str, list[str]]:
    """Results by their names; spare files are none."""
    found = folder(bench, "results").rglob("[!.]*")
    return {path.name: path.read_text().splitlines() for path in found if path.is_file()}


def test_each_row_is_there_once_though_all_pods_were_killed_at_half(bench: FlowBench) -> None:
    (job,) = (each.manifest for each in bench.stack.jobs["score"] if each.manifest["kind"] == "Job")
    api, pods = bench.control_plane.api, f"/api/v1/namespaces/{HOME}/pods"
    bench.store(job)
    bench.wait(lambda: len(results(bench)) > SHARDS // 2, "half are made, and the other parts have begun", job)
    assert api.request("DELETE", f"{pods}?gracePeriodSeconds=0").status == 200
    before = {name: (folder(bench, "results") / name).stat().st_mtime_ns for name in results(bench)}
    bench.wait(lambda: condition(api.read(job).body, "Complete") == "True", "it ends", job)
    made = results(bench)

    started = [*(bench.folder / "pods" / HOME).glob("*/*")]
    assert len(before) < SHARDS
    assert len(started) > PARTS, "pods were killed, and others went on"
    assert sorted(row for rows in made.values() for row in rows) == sorted(
        f"scored {name}{number}" for name in "ab" for number in range(ROWS)
    )
    assert {name: (folder(bench, "results") / name).stat().st_mtime_ns for name in before} == before
    assert len(made) == SHARDS
