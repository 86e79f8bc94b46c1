"""A job that is rendered is a job that trains: through the real operator and scheduler, as processes of this machine.

The program averages gradients over sockets, found by name and by the variables of its kind of job, so that no framework
need be installed; `test_frameworks.py` has those.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.client import Manifest
from tests.cluster.job_bench import HOME, LOOKUP, PLAIN, PROGRAMS, JobBench, job_bench
from tests.cluster.kubelet.pod import Image

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

SCRIPT = "/programs/averaging.py"
STEPS = 60
DEADLINE = '"activeDeadlineSeconds": 4'


def trained(template: str, name: str = "", **more: Any) -> dict[str, Any]:
    """A job of three workers with a GPU each, checkpoints on a volume that it makes."""
    job = {
        "template": template,
        "name": name or template,
        "image": "plain/python:3",
        "pool": "train",
        "command": ["python", SCRIPT],
        "workers": 3,
        "dataset": {"storage": "shared"},
        "checkpoints": "/data/c",
    }
    return {**job, **more}


TORCH: dict[str, Any] = {"image": "torch/torch:2", "command": [SCRIPT]}
DYING: dict[str, Any] = {"STEPS": str(STEPS), "DIE_AT": "20"}
SLOW = {"STEPS": str(STEPS), "PAUSE": "0.1"}
FAILING = {"template": "gpu-job", "name": "failing", "image": "plain/python:3", "pool": "train", "retries": 1}
PREPARE = {"template": "dataset-prepare", "name": "prepare", "image": "plain/python:3", "pool": "train"}
JOBS = (
    trained("jax"),
    trained("tensorflow"),
    trained("xgboost"),
    trained("pytorch-ddp", **TORCH),
    trained("pytorch-ddp", "dying", **TORCH, env=DYING),
    trained("jax", "drained", env=SLOW),
    trained("jax", "late", env={"STEPS": "100000", "PAUSE": "0.1"}),
    trained("pytorch-ddp", name="hopeless", image="torch/torch:2", command=["-c", "raise SystemExit(3)"], retries=1),
    trained("jax", "kept", command=["python", "-c", "raise SystemExit('no data')"], retries=1, cleanPods="None"),
    trained("jax", "full", retries=1),
    {**FAILING, "command": ["python", "-c", "raise SystemExit('no data')"]},
    {**PREPARE, "command": ["python", "/programs/part.py"], "parts": 5, "workers": 2},
)


@pytest.fixture(scope="module")
def bench(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobBench]:
    """The cluster with the newest training operator."""
    torch = Image((*PLAIN.programs, str(PROGRAMS / "torch")), {}, PLAIN.files)
    images = {"plain/": PLAIN, "torch/": torch, "docker.io/library/alpine": LOOKUP}
    with job_bench(tmp_path_factory.mktemp("jobs"), programs, JOBS, images=images) as found:
        yield found
        assert found.forbidden() == []


def losses(bench: JobBench, job: Manifest) -> list[float]:
    return [line["loss"] for line in bench.lines(job) if "loss" in line]


def saved(bench: JobBench, name: str) -> Manifest:
    found: Manifest = json.loads((bench.data(f"{name}-data") / "c" / "checkpoint.json").read_text())
    return found


@pytest.mark.parametrize("name", ["jax", "pytorch-ddp", "tensorflow", "xgboost"])
def test_a_job_trains_with_all_its_workers(bench: JobBench, name: str) -> None:
    job = bench.run(name)

    found = losses(bench, job)
    assert found[-1] < found[0] / 100
    ranks = [line for line in bench.lines(job) if "size" in line]
    assert sorted(line["rank"] for line in ranks) == [0, 1, 2]
    assert len({line["host"] for line in ranks}) == 3
    assert saved(bench, name)["step"] == STEPS


def test_a_worker_that_is_killed_starts_again_and_training_goes_on_from_the_checkpoint(bench: JobBench) -> None:
    job = bench.run("dying")

    begins = [line["begins"] for line in bench.lines(job) if "begins" in line and line["rank"] == 0]
    assert begins[0] == 0
    assert begins[-1] >= 19
    assert saved(bench, "dying")["step"] == STEPS
    assert losses(bench, job)[-1] < losses(bench, job)[0] / 100
    # Workers wait for the name of their master until their own deadline, by the stack's template of a container.
    waits = [each["command"] for pod in bench.pods(job) for each in pod["spec"].get("initContainers", [])]
    assert len(waits) == 2
    assert all(command[-1].startswith(f"until nslookup {job['metadata']['name']}-master-0;") for command in waits)


def test_a_pod_that_must_leave_its_node_is_told_and_made_anew(bench: JobBench) -> None:
    job = bench.start("drained")
    bench.wait(job, lambda: len(losses(bench, job)) > 5, "it trains")
    (pod,) = (each for each in bench.pods(job) if each["metadata"]["name"].endswith("worker-2"))
    path = f"/api/v1/namespaces/{HOME}/pods/{pod['metadata']['name']}"
    assert bench.control_plane.api.request("DELETE", path).status == 200
    bench.wait(job, lambda: bench.ended(job) != "", "it ends")

    assert bench.ended(job) == "Succeeded", bench.told(job)
    begins = [line["begins"] for line in bench.lines(job) if "begins" in line and line["rank"] == 2]
    assert max(begins) > 0
    assert saved(bench, "drained")["step"] == STEPS


def test_a_job_that_takes_too_long_is_stopped(bench: JobBench) -> None:
    (rendered,) = (item.manifest for item in bench.stack.jobs["late"] if item.manifest["kind"] == "JAXJob")
    hasty = json.loads(json.dumps(rendered).replace(f'"activeDeadlineSeconds": {7 * 24 * 3600}', DEADLINE))
    claims = [item.manifest for item in bench.stack.jobs["late"] if item.manifest["kind"] != "JAXJob"]
    bench.control_plane.api.apply_all([*claims, hasty])
    bench.wait(hasty, lambda: bench.ended(hasty) != "", "it ends")

    assert bench.ended(hasty) == "Failed"
    # Its pods have the deadline too: one that the kubelet ends first stays, as the job's policy says.
    bench.wait(hasty, lambda: {pod["status"]["phase"] for pod in bench.pods(hasty)} <= {"Failed"}, "no pod runs")


@pytest.mark.parametrize("name", ["hopeless", "failing"])
def test_a_program_that_fails_is_tried_as_often_as_said(bench: JobBench, name: str) -> None:
    job = bench.run(name, ends="Failed")

    conditions = bench.control_plane.api.read(job).body["status"]["conditions"]
    assert any("backoff" in json.dumps(each).lower() for each in conditions)


def test_a_failed_job_keeps_its_pods_where_the_stack_says_so(bench: JobBench) -> None:
    job = bench.run("kept", ends="Failed")

    assert len(bench.pods(job)) == 3
    assert "no data" in bench.told(job)


def test_a_job_whose_volume_is_full_fails_says_why_and_keeps_what_was_saved(bench: JobBench) -> None:
    folder = bench.data("full-data") / "c"
    folder.mkdir(parents=True)
    (folder / "checkpoint.json").write_text(json.dumps({"step": 7, "line": [1.0, 1.0]}))
    (folder / "checkpoint.arriving").symlink_to("/dev/full")

    job = bench.run("full", ends="Failed")

    assert "No space left on device" in bench.told(job)
    assert {line["begins"] for line in bench.lines(job) if "begins" in line} == {7}
    assert saved(bench, "full")["step"] == 7


def test_parts_of_a_data_set_are_made_by_numbered_pods(bench: JobBench) -> None:
    bench.run("prepare")

    parts = sorted((bench.folder / "claims" / HOME).glob("*/parts/*.txt"))
    assert [part.name for part in parts] == [f"{number}.txt" for number in range(5)]
    numbers = sorted(int(line) for part in parts for line in part.read_text().splitlines())
    assert numbers == [number**2 for number in range(100)]
