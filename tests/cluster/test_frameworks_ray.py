"""A Ray job of a restricted team trains on a real Ray cluster that the real KubeRay makes: head, workers, and the pod that hands it in."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster import images
from tests.cluster.client import Manifest
from tests.cluster.frameworks import BY_RAY, Note, logs_of_failed, losses, ranks, trained
from tests.cluster.job_bench import JobBench, job_bench
from tests.cluster.job_operators import RAY as KUBERAY

pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.own_network,
    pytest.mark.skipif(bool(images.missing(["ray"])), reason="make job-test makes the images"),
]


@pytest.fixture(scope="module")
def bench(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobBench]:
    """KubeRay."""
    known = {"ray/": images.image("ray")}
    root = tmp_path_factory.mktemp("ray")
    with job_bench(root, programs, BY_RAY, images=known, operator=KUBERAY, level="restricted") as found:
        yield found
        assert found.forbidden() == []


def test_a_program_trains_on_the_workers_and_is_tried_again_on_a_new_cluster_where_one_was_killed(
    bench: JobBench, record_property: Note
) -> None:
    job = bench.run("tune")
    bench.wait(job, lambda: len(bench.pods(job)) == 1, "both Ray clusters are gone, and who handed the first try in")

    said = [line for line in bench.lines(job) if "size" in line]
    assert {*ranks(bench, job)} == {(0, 2), (1, 2)}
    assert all("-workers-" in line["host"] and "-head-" in line["head"] for line in said)
    assert len({line["head"] for line in said}) == 2
    assert {line["begins"] for line in said if line["begins"] > 0} == {21}
    found = losses(bench, job)
    assert min(found) < max(found) / 100
    assert (bench.data("tune-data") / "c" / "weights.npz").stat().st_size > 0
    record_property("trained", trained(bench, job, "ray"))


def test_the_pod_that_handed_a_failed_program_in_stays_with_what_it_said_and_the_ray_cluster_goes(
    bench: JobBench,
) -> None:
    job = bench.run("fails", ends="Failed")

    (said,) = logs_of_failed(bench, job).values()
    assert "loading\nno data\n" in said


def test_a_task_of_a_drained_worker_is_not_given_the_time_that_its_pod_has(bench: JobBench) -> None:
    job = bench.start("leaves")
    file = bench.data("leaves-data") / "c" / "said"
    bench.wait(job, lambda: file.exists() and "works" in file.read_text(), "the task works")
    (worker,) = (pod for pod in bench.pods(job) if "-workers-" in pod["metadata"]["name"])
    begun = time.time()
    bench.evict(worker)
    bench.wait(job, lambda: bench.ended(job) != "", "it ends")
    said = [json.loads(line) for line in file.read_text().splitlines()]

    assert bench.ended(job) == "Failed", bench.told(job)
    assert said[-1]["at"] - begun < 20, said


@pytest.mark.thorough
def test_workers_on_the_nodes_network_wait_for_the_head_until_the_policy_lets_their_nodes_in(
    bench: JobBench, record_property: Note
) -> None:
    with bench.without_nodes():
        job = bench.start("between")
        bench.wait(job, lambda: any(map(bench.refused, heads(bench, job))), "a worker's node is refused")
        workers = [pod for pod in bench.pods(job) if pod["spec"].get("hostNetwork")]
        waits = [pod for pod in workers if pod["status"]["phase"] == "Pending"]
    bench.wait(job, lambda: bench.ended(job) != "", "it ends")

    assert bench.ended(job) == "Succeeded", bench.told(job)
    assert len(workers) == 2
    assert waits
    assert ranks(bench, job) == [(0, 2), (1, 2)]
    assert len({line["host"] for line in bench.lines(job) if line.get("host", "").startswith("fabric-")}) == 2
    record_property("trained", trained(bench, job, "ray (on the nodes' network)"))


def heads(bench: JobBench, job: Manifest) -> list[Manifest]:
    """The head, once it is held to its policy."""
    found = [pod for pod in bench.pods(job) if pod["metadata"]["labels"].get("ray.io/node-type") == "head"]
    return [pod for pod in found if pod["status"].get("phase") == "Running"]
