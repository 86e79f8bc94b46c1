"""A job that is rendered is a job that trains: through the real operator and scheduler, as processes of this machine.

The program averages gradients over sockets, found by name and by the variables of its kind of job, so that no framework
need be installed; `test_frameworks.py` has those.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.training.training_operator.metrics import METRICS
from platform_def.constructs.observation.controllers import CONTROLLER_RUNTIME
from tests.cluster.client import Manifest
from tests.cluster.fed import unfed
from tests.cluster.job_bench import HOME, JobBench, job_bench
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import LOOKUP, PLAIN, PROGRAMS
from tests.cluster.scrape import Page, faults, page_at

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

SCRIPT = "/programs/averaging.py"
OWN_TRIES = 100
"""After which the init container of the operator's own template gives up."""
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
LOST = "print('loading', flush=True); raise SystemExit('no data')"
ONE_LOST = f"import os, time; time.sleep(600 * (os.environ['PROCESS_ID'] != '2')); {LOST}"
"""The others would wait for it."""
FAILING = {"template": "gpu-job", "name": "failing", "image": "plain/python:3", "pool": "train", "retries": 1}
PREPARE = {"template": "dataset-prepare", "name": "prepare", "image": "plain/python:3", "pool": "train"}
JOBS = (
    trained("jax"),
    trained("tensorflow"),
    trained("xgboost"),
    trained("pytorch-ddp", **TORCH),
    trained("pytorch-ddp", "dying", **TORCH, env=DYING),
    trained("pytorch-ddp", "waiting", image="late/torch:2", command=[SCRIPT], workers=2, retries=0),
    trained("jax", "drained", env=SLOW),
    trained("jax", "late", env={"STEPS": "100000", "PAUSE": "0.1"}),
    trained("pytorch-ddp", name="hopeless", image="torch/torch:2", command=["-c", LOST], retries=1),
    trained("jax", "counted"),
    trained("pytorch-ddp", name="counted-out", image="torch/torch:2", command=["-c", LOST], retries=1),
    trained("jax", "counted-once", command=["python", "-c", LOST], retries=0, workers=1),
    trained("jax", "once", command=["python", "-c", ONE_LOST], retries=0),
    trained("jax", "kept", command=["python", "-c", "raise SystemExit('no data')"], retries=1, cleanPods="None"),
    trained("jax", "full", retries=1),
    {**FAILING, "command": ["python", "-c", LOST]},
    {**PREPARE, "command": ["python", "/programs/part.py"], "parts": 5, "workers": 2},
)


@pytest.fixture(scope="module")
def pulled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What says that nodes have pulled the late image."""
    return tmp_path_factory.mktemp("late") / "pulled"


@pytest.fixture(scope="module")
def bench(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory, pulled: Path) -> Iterator[JobBench]:
    """The cluster with the newest training operator."""
    torch = Image((*PLAIN.programs, str(PROGRAMS / "torch")), {}, PLAIN.files)
    late = replace(torch, pulled=str(pulled))
    images = {"plain/": PLAIN, "torch/": torch, "late/": late, "docker.io/library/alpine": LOOKUP}
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
    job = bench.start("dying")
    # When the job is over, the operator removes workers that it has not yet seen to end.
    bench.wait(job, lambda: len(bench.pods(job)) == 3, "its pods are there")
    waits = [each["command"] for pod in bench.pods(job) for each in pod["spec"].get("initContainers", [])]
    bench.wait(job, lambda: bench.ended(job) != "", "it ends")

    assert bench.ended(job) == "Succeeded", bench.told(job)
    begins = [line["begins"] for line in bench.lines(job) if "begins" in line and line["rank"] == 0]
    assert begins[0] == 0
    assert begins[-1] >= 19
    assert saved(bench, "dying")["step"] == STEPS
    assert losses(bench, job)[-1] < losses(bench, job)[0] / 100
    # Workers wait for the name of their master until their own deadline, by the stack's template of a container.
    assert len(waits) == 2
    assert all(command[-1].startswith(f"until nslookup {job['metadata']['name']}-master-0;") for command in waits)


def test_a_worker_waits_for_a_master_whose_image_is_late_beyond_the_operator_s_own_hundred_tries(
    bench: JobBench, pulled: Path
) -> None:
    job = bench.start("waiting")

    def tries() -> int:
        workers = (pod for pod in bench.pods(job) if pod["metadata"]["name"].endswith("-worker-0"))
        return sum(bench.log(pod, container="init-pytorch").count("waiting for the master") for pod in workers)

    bench.wait(job, lambda: tries() > OWN_TRIES, "the worker asked for its master more often")
    pulled.touch()
    bench.wait(job, lambda: bench.ended(job) != "", "it ends")

    assert bench.ended(job) == "Succeeded", bench.told(job)
    assert sorted(line["rank"] for line in bench.lines(job) if "size" in line) == [0, 1]


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


def past_limit(bench: JobBench, job: Manifest) -> bool:
    """Whether the job failed because it was tried as often as said."""
    conditions = bench.control_plane.api.read(job).body["status"]["conditions"]
    return any("backoff" in json.dumps(each).lower() for each in conditions)


def test_a_job_whose_pods_go_when_it_fails_has_their_last_lines_in_its_events_and_holds_no_device(
    bench: JobBench,
) -> None:
    job = bench.run("hopeless", ends="Failed")
    bench.wait(job, lambda: bench.pods(job) == [], "its pods are gone")

    assert past_limit(bench, job)
    assert any("terminated message: loading\nno data" in each for each in bench.events(job)), bench.told(job)


def test_a_failed_plain_job_keeps_the_log_of_each_try_and_holds_no_device(bench: JobBench) -> None:
    job = bench.run("failing", ends="Failed")

    assert past_limit(bench, job)
    assert [bench.log(pod) for pod in bench.pods(job)] == ["loading\nno data\n"] * 2
    assert bench.devices(job) == 0


def test_a_job_without_retries_keeps_the_log_of_the_pod_that_failed_and_holds_no_device(bench: JobBench) -> None:
    job = bench.run("once", ends="Failed")
    bench.wait(job, lambda: len(bench.pods(job)) == 1, "the pods that ran are gone")
    (pod,) = bench.pods(job)
    (status,) = pod["status"]["containerStatuses"]

    assert pod["metadata"]["name"].endswith("-worker-2")
    assert bench.devices(job) == 0
    assert bench.log(pod) == "loading\nno data\n"
    assert status["state"]["terminated"]["message"] == "loading\nno data\n"


def test_a_failed_job_keeps_its_pods_with_their_devices_where_the_stack_says_so(bench: JobBench) -> None:
    job = bench.run("kept", ends="Failed")
    pods = bench.pods(job)

    assert len(pods) == 3
    assert bench.devices(job) == 3
    assert {bench.log(pod, previous=True) for pod in pods} == {"no data\n"}


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


def test_what_the_operator_counts_is_what_its_table_says(bench: JobBench, programs: Mapping[str, Path]) -> None:
    bench.run("counted")
    bench.run("counted-out", ends="Failed")
    bench.run("counted-once", ends="Failed")
    page = page_at(bench.control_plane, 8080)

    # Rendered jobs have a backoffLimit, at which the operator ends them without a word in its counters; their pods are
    # started again by the kubelet. No one deletes a job here, and one pod needs no election.
    silent = (
        "training_operator_jobs_failed_total training_operator_jobs_restarted_total "
        "training_operator_jobs_deleted_total leader_election_master_status"
    )
    assert faults(page, [METRICS, CONTROLLER_RUNTIME], program=programs["training-operator"], silent=silent) == []
    assert {"job_namespace": HOME, "framework": "jax"} in page.samples["training_operator_jobs_successful_total"]
    assert "training_operator_jobs_failed_total" not in page.samples

    counted = page_of_jobs_without_a_limit(bench)
    assert faults(counted, [METRICS], program=programs["training-operator"]) == []
    assert unfed("training-operator", [page, counted], engine=programs["prometheus-engine"]) == []


def page_of_jobs_without_a_limit(bench: JobBench) -> Page:
    """What the operator counts once a job without a backoffLimit has failed and was deleted, and another was restarted."""
    for name, policy, code in (("given-up", "Never", 1), ("restarted", "ExitCode", 138)):
        objects = [item.manifest for item in bench.stack.jobs["counted-once"]]
        job = deepcopy(next(each for each in objects if each["kind"] == "JAXJob"))
        job["metadata"]["name"] = name
        del job["spec"]["runPolicy"]["backoffLimit"]
        job["spec"]["runPolicy"]["ttlSecondsAfterFinished"] = 0
        worker = job["spec"]["jaxReplicaSpecs"]["Worker"]
        worker["restartPolicy"] = policy
        worker["template"]["spec"]["containers"][0]["command"] = ["python", "-c", f"raise SystemExit({code})"]
        assert not (refused := bench.control_plane.api.apply(job).refusal), refused
    pages: list[Page] = []

    def counted() -> bool:
        pages.append(page_at(bench.control_plane, 8080))
        return all(f"training_operator_jobs_{each}_total" in pages[-1].samples for each in ENDS)

    bench.wait(job, counted, "the operator has counted what became of both")
    bench.control_plane.api.request("DELETE", bench.control_plane.api.path(job) or "")
    return pages[-1]


ENDS = ("failed", "restarted", "deleted")
