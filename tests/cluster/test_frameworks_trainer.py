"""TrainJobs of a restricted team train through the real Trainer and the real JobSet, on a runtime of their own and on those of the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster import images
from tests.cluster.client import Manifest
from tests.cluster.frameworks import (
    BY_TRAINER,
    SAID,
    Note,
    begins,
    logs_of_failed,
    losses,
    met_between_nodes,
    ranks,
    trained,
)
from tests.cluster.job_bench import HOME, JobBench, job_bench
from tests.cluster.job_operators import TRAINER

NEEDED = ("jax", "xgboost")
pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.own_network,
    pytest.mark.skipif(bool(images.missing(NEEDED)), reason="make job-test makes the images"),
]
with_torch = pytest.mark.skipif(not images.DEBIAN_TORCH.exists(), reason="python3-torch of Debian is not installed")


@pytest.fixture(scope="module")
def bench(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobBench]:
    """The trainer and JobSet."""
    known = {f"{name}/": images.image(name) for name in NEEDED}
    known["torch/"] = images.torch()
    root = tmp_path_factory.mktemp("trainer")
    with job_bench(root, programs, BY_TRAINER, images=known, operator=TRAINER, level="restricted") as found:
        yield found
        assert found.forbidden() == []


def job_set(bench: JobBench, job: Manifest) -> Manifest:
    """The JobSet that a TrainJob became."""
    path = f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{HOME}/jobsets/{job['metadata']['name']}"
    return bench.control_plane.api.get(path).body


def went_on(bench: JobBench, job: Manifest, *, processes: int) -> None:
    """So many processes trained with each other, and went on where the killed one had left them."""
    found = losses(bench, job)
    assert min(found) < max(found) / 100
    assert {*ranks(bench, job)} == {(rank, processes) for rank in range(processes)}
    assert {*begins(bench, job)} == {0, 21}


@with_torch
def test_where_a_process_is_killed_all_pods_of_a_job_with_its_own_runtime_are_made_anew(
    bench: JobBench, record_property: Note
) -> None:
    job = bench.run("own")

    went_on(bench, job, processes=4)
    assert job_set(bench, job)["status"]["restartsCountTowardsMax"] == 1
    assert (bench.data("own-data") / "c" / "weights").stat().st_size > 0
    record_property("trained", trained(bench, job, "trainjob (PyTorch)"))


@with_torch
def test_on_a_runtime_of_the_cluster_pods_are_made_again_and_those_that_failed_stay_with_their_logs(
    bench: JobBench, record_property: Note
) -> None:
    job = bench.run("shared")

    went_on(bench, job, processes=2)
    assert job_set(bench, job)["status"].get("restarts", 0) == 0
    failed = [pod for pod in bench.pods(job) if pod["status"]["phase"] == "Failed"]
    assert failed
    assert all(bench.log(pod) for pod in failed)
    assert bench.devices(job) == 0
    assert (bench.data("shared-data") / "c" / "weights").stat().st_size > 0
    record_property("trained", trained(bench, job, "trainjob (torch-distributed)"))


@pytest.mark.thorough
@with_torch
def test_pods_meet_between_nodes_whose_networks_they_share(bench: JobBench, record_property: Note) -> None:
    job = bench.run("between")

    met_between_nodes(bench, job, processes=4)
    record_property("trained", trained(bench, job, "trainjob (PyTorch, on the nodes' network)"))


@pytest.mark.parametrize(
    ("name", "runtime", "file"),
    [("arrays", "jax-distributed", "weights.npy"), ("trees", "xgboost-distributed", "trees.json")],
)
def test_another_runtime_of_the_cluster_trains_over_two_pods(
    bench: JobBench, record_property: Note, name: str, runtime: str, file: str
) -> None:
    job = bench.run(name)

    found = losses(bench, job)
    assert found[-1] < found[0] / 2
    assert ranks(bench, job) == [(0, 2), (1, 2)]
    assert (bench.data(f"{name}-data") / "c" / file).stat().st_size > 0
    record_property("trained", trained(bench, job, f"trainjob ({runtime})"))


def test_the_pod_by_which_a_job_failed_stays_with_its_log(bench: JobBench) -> None:
    job = bench.run("fails", ends="Failed")

    assert job_set(bench, job)["status"]["restartsCountTowardsMax"] == 1
    assert {*logs_of_failed(bench, job).values()} == {SAID}
