"""An MPI job whose pods must go: each of its processes hears of it and has the time that the job says, whichever of its pods goes, and
with no worker lost the job ends well; over SSH through the real MPI operator, by exec through the real training operator.

Real besides: mpirun, its daemons, ssh, sshd and kubectl, and what the kernel makes of a signal to the first process of a container.
Played: the program, which saves for longer than the moment that mpirun gives by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import images
from tests.cluster.client import Manifest
from tests.cluster.frameworks import RING, SSH
from tests.cluster.job_bench import JobBench, job_bench
from tests.cluster.job_operators import MPI, TRAINING, JobOperator
from tests.cluster.test_frameworks_grace import begun, lines

pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.own_network,
    pytest.mark.skipif(bool(images.missing(["mpi"])), reason="make job-test makes the images"),
    pytest.mark.skipif(not images.SSHD.exists(), reason="openssh-server of Debian is not installed"),
]
WORKERS, SAVES = 2, 5
LEAVES: dict[str, Any] = {
    **RING,
    "gpusPerWorker": 1,
    "workers": WORKERS,
    "retries": 3,
    "gracePeriodSeconds": 60,
    "command": ["python", "/programs/leaves.py"],
    "env": {"SAVE_SECONDS": str(SAVES)},
}
TOGETHER = {"env": {"SAVE_SECONDS": str(SAVES), "TOGETHER": str(WORKERS)}}
JOBS: tuple[dict[str, Any], ...] = (
    {**LEAVES, "name": "worker"},
    {**LEAVES, "name": "lost", "retries": 0},
    {**LEAVES, **TOGETHER, "name": "launcher"},
    {**LEAVES, **TOGETHER, "name": "deleted"},
)
SAVED = ["begins", "told", *["saving"] * SAVES, "saved"]


@pytest.fixture(scope="module", params=[MPI, TRAINING], ids=["ssh", "exec"])
def bench(
    programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[JobBench]:
    """Either operator."""
    operator: JobOperator = request.param
    known = {"mpi/": images.image("mpi"), "ghcr.io/kubeflow/training-v1/kubectl-delivery": images.kubectl()}
    jobs, level = JOBS, "baseline"
    if operator is MPI:
        known, level = {"mpi/": images.mpi()}, "restricted"
        jobs = tuple({**job, "ssh": SSH} for job in JOBS)
    root = tmp_path_factory.mktemp("leaving")
    with job_bench(root, programs, jobs, images=known, operator=operator, level=level) as found:
        yield found
        assert found.forbidden() == []


def launchers(bench: JobBench, job: Manifest) -> list[Manifest]:
    """The launchers that are there, of each try of the MPI operator's."""
    return [pod for pod in bench.pods(job) if "-launcher" in pod["metadata"]["name"]]


def workers(bench: JobBench, job: Manifest) -> list[Manifest]:
    """The workers that are there, in the order of their numbers."""
    return sorted(
        (pod for pod in bench.pods(job) if "-worker-" in pod["metadata"]["name"]),
        key=lambda pod: str(pod["metadata"]["name"]),
    )


def running(bench: JobBench, name: str) -> tuple[Manifest, Manifest]:
    """A job, and its launcher, once all programs have begun."""
    job = bench.start(name)
    bench.wait(job, lambda: begins_of_last(bench, job) != {}, "all programs have begun")
    (launcher,) = launchers(bench, job)
    return job, launcher


def begins_of_last(bench: JobBench, job: Manifest) -> dict[int, int]:
    """Where each program began that has been told nothing yet; nothing before all of them have."""
    for launcher in launchers(bench, job):
        log = bench.log(launcher)
        if begun(log) == WORKERS and not any("told" in line for line in lines(log)):
            return {line["rank"]: line["begins"] for line in lines(log)}
    return {}


def words(log: str, rank: int) -> list[str]:
    """What a program said, a word for each line."""
    said = [line for line in lines(log) if line["rank"] == rank]
    return [next(iter({*line} - {"rank", "host"})) for line in said]


def saved(log: str) -> dict[int, int]:
    """The step that each program saved."""
    return {line["rank"]: line["saved"] for line in lines(log) if "saved" in line}


def test_processes_of_a_drained_worker_save_and_the_job_goes_on_from_there(bench: JobBench) -> None:
    job, launcher = running(bench, "worker")
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(bench.log, launcher, follow=True)
        bench.evict(workers(bench, job)[-1])
        log = said.result()
    bench.wait(job, lambda: begins_of_last(bench, job) != {}, "the programs begin again")
    after = begins_of_last(bench, job)

    assert words(log, 1) == SAVED, log
    assert {line["told"] for line in lines(log) if "told" in line} == {"SIGTERM"}
    assert saved(log)[1] > 0
    assert after[1] == saved(log)[1]
    assert bench.ended(job) == ""


def test_a_worker_that_is_lost_at_once_leaves_no_job_that_succeeded(bench: JobBench) -> None:
    job, launcher = running(bench, "lost")
    last = workers(bench, job)[-1]["metadata"]
    path = f"/api/v1/namespaces/{last['namespace']}/pods/{last['name']}"
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(bench.log, launcher, follow=True)
        bench.control_plane.api.request("DELETE", path, {"gracePeriodSeconds": 0})
        log = said.result()
    bench.wait(job, lambda: bench.ended(job) != "", "it ends")

    assert bench.ended(job) == "Failed", log
    # Where mpirun sees in time that a daemon is gone, it ends with an error itself.
    assert "mpirun ended with 0, and a worker that it began in is gone" in log or "daemon" in log


def test_where_the_launcher_is_drained_all_processes_save(bench: JobBench) -> None:
    job, launcher = running(bench, "launcher")
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(bench.log, launcher, follow=True)
        bench.evict(launcher)
        log = said.result()

    assert [words(log, rank) for rank in range(WORKERS)] == [SAVED] * WORKERS, log
    if bench.operator is MPI:
        bench.wait(job, lambda: begins_of_last(bench, job) != {}, "the programs begin again")
        assert begins_of_last(bench, job) == saved(log)
    else:
        bench.wait(job, lambda: bench.ended(job) != "", "it ends")
        assert bench.ended(job) == "Failed"


def test_where_the_job_is_deleted_all_processes_save(bench: JobBench) -> None:
    job, launcher = running(bench, "deleted")
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(bench.log, launcher, follow=True)
        reply = bench.control_plane.api.request("DELETE", bench.control_plane.api.path(job) or "")
        assert reply.status == 200, reply.message
        log = said.result()

    assert [words(log, rank) for rank in range(WORKERS)] == [SAVED] * WORKERS, log
