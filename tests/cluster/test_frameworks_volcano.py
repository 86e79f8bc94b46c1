"""Jobs of Volcano's own train as gangs of a restricted team: its real scheduler, controllers and webhooks, and what its
plug-ins tell pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster import images
from tests.cluster.frameworks import (
    BY_VOLCANO,
    SAID,
    Note,
    begins,
    logs_of_failed,
    losses,
    met_between_nodes,
    ranks,
    trained,
)
from tests.cluster.job_bench import JobBench, job_bench
from tests.cluster.job_operators import VOLCANO

NEEDED = ("tensorflow", "xgboost")
pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.own_network,
    pytest.mark.skipif(bool(images.missing(NEEDED)), reason="make job-test makes the images"),
]


@pytest.fixture(scope="module")
def bench(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobBench]:
    """Volcano."""
    known = {f"{name}/": images.image(name) for name in NEEDED}
    known["torch/"] = images.torch()
    root = tmp_path_factory.mktemp("volcano")
    with job_bench(root, programs, BY_VOLCANO, images=known, operator=VOLCANO, level="restricted") as found:
        yield found
        assert found.forbidden() == []


@pytest.mark.skipif(not images.DEBIAN_TORCH.exists(), reason="python3-torch of Debian is not installed")
def test_a_gang_of_pytorch_starts_anew_where_a_process_was_killed_and_goes_on(
    bench: JobBench, record_property: Note
) -> None:
    job = bench.run("gang")

    found = losses(bench, job)
    assert min(found) < max(found) / 100
    assert {*ranks(bench, job)} == {(rank, 4) for rank in range(4)}
    assert {*begins(bench, job)} == {0, 21}
    assert bench.control_plane.api.read(job).body["status"]["retryCount"] == 1
    assert {pod["spec"]["schedulerName"] for pod in bench.pods(job)} == {"volcano"}
    assert (bench.data("gang-data") / "c" / "weights").stat().st_size > 0
    record_property("trained", trained(bench, job, "volcano-job (PyTorch)"))


@pytest.mark.thorough
@pytest.mark.skipif(not images.DEBIAN_TORCH.exists(), reason="python3-torch of Debian is not installed")
def test_a_gang_meets_between_nodes_whose_networks_its_pods_share(bench: JobBench, record_property: Note) -> None:
    job = bench.run("between")

    met_between_nodes(bench, job, processes=4)
    record_property("trained", trained(bench, job, "volcano-job (PyTorch, on the nodes' network)"))


def test_tensorflow_s_chief_ends_a_job_whose_servers_never_do(bench: JobBench, record_property: Note) -> None:
    job = bench.run("chief")

    said = [line for line in bench.lines(job) if "role" in line]
    assert sorted((line["role"], line["rank"]) for line in said) == [
        ("chief", 0),
        ("ps", 0),
        ("ps", 1),
        ("worker", 0),
        ("worker", 1),
    ]
    found = losses(bench, job)
    assert found[-1] < found[0] / 2
    assert (bench.data("chief-data") / "c" / "checkpoint").stat().st_size > 0
    record_property("trained", trained(bench, job, "volcano-job (TensorFlow)"))


def test_a_program_without_a_framework_s_plug_in_knows_its_number_and_all_names(
    bench: JobBench, record_property: Note
) -> None:
    job = bench.run("numbered")

    found = losses(bench, job)
    assert found[-1] < found[0] / 2
    assert ranks(bench, job) == [(0, 2), (1, 2)]
    assert (bench.data("numbered-data") / "c" / "trees.json").stat().st_size > 0
    record_property("trained", trained(bench, job, "volcano-job (XGBoost)"))


def test_the_pod_by_which_a_job_failed_stays_with_its_log_and_one_that_still_ran_goes(bench: JobBench) -> None:
    job = bench.run("fails", ends="Failed")

    assert logs_of_failed(bench, job) == {f"{job['metadata']['name']}-worker-0": SAID}
