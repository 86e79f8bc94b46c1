"""MPI jobs of a restricted team train over SSH through the real MPI operator, in a queue of the real Kueue that TensorFlow's
servers wait in too.

Real besides: mpirun, ssh and sshd, each worker's in its own network, with the keys that the operator makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster import images
from tests.cluster.client import Manifest
from tests.cluster.frameworks import (
    OVER_SSH,
    Note,
    addresses_of_nodes,
    begins,
    logs_of_failed,
    losses,
    ranks,
    trained,
)
from tests.cluster.job_bench import JobBench, job_bench
from tests.cluster.job_operators import MPI

NEEDED = ("mpi", "tensorflow")
QUOTA = 4
"""GPUs: what one MPI job takes."""
pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.own_network,
    pytest.mark.skipif(bool(images.missing(NEEDED)), reason="make job-test makes the images"),
    pytest.mark.skipif(not images.SSHD.exists(), reason="openssh-server of Debian is not installed"),
]


@pytest.fixture(scope="module")
def bench(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobBench]:
    """The MPI operator, and Kueue with a quota."""
    known = {f"{name}/": images.mpi(name) for name in ("horovod", "mpi")}
    known["tensorflow/"] = images.image("tensorflow")
    root = tmp_path_factory.mktemp("ssh")
    with job_bench(root, programs, OVER_SSH, images=known, operator=MPI, quota=QUOTA, level="restricted") as found:
        yield found
        assert found.forbidden() == []
        assert found.queues is None or found.queues.controller.forbidden() == []


def test_mpirun_reaches_workers_over_ssh_and_goes_on_while_another_job_waits_for_the_quota(
    bench: JobBench, record_property: Note
) -> None:
    queues = bench.queues
    assert queues
    ring = bench.start("ring")
    bench.wait(ring, lambda: len(losses(bench, ring)) > 2, "it trains")
    servers = bench.start("queued")
    queues.wait_for(servers, "QuotaReserved", status="False")
    held = bench.pods(servers)
    for job in (ring, servers):
        bench.wait(job, lambda job=job: bench.ended(job) != "", "it ends")  # type: ignore[misc]
        assert bench.ended(job) == "Succeeded", bench.told(job)
        queues.wait_for(job, "Finished")

    assert held == []
    found = losses(bench, ring)
    assert ring["apiVersion"] == "kubeflow.org/v2beta1"
    assert min(found) < max(found) / 100
    assert {*ranks(bench, ring)} == {(rank, 4) for rank in range(4)}
    hosts = {line["host"] for line in bench.lines(ring) if "host" in line}
    assert hosts == {f"{ring['metadata']['name']}-worker-{number}" for number in range(2)}
    assert {*begins(bench, ring)} == {0, 21}
    assert (bench.data("ring-data") / "c" / "weights.npz").stat().st_size > 0
    assert sorted(line["role"] for line in bench.lines(servers) if "role" in line) == [
        "chief",
        "ps",
        "ps",
        "worker",
        "worker",
    ]
    assert losses(bench, servers)[-1] < losses(bench, servers)[0] / 2
    record_property("trained", trained(bench, ring, "mpi (over SSH)"))
    record_property("trained", trained(bench, servers, "tensorflow-ps (in a queue of Kueue)"))


@pytest.mark.skipif(bool(images.missing(["horovod"])), reason="python -m tests.cluster.images build horovod makes it")
def test_horovod_s_ring_trains_over_ssh(bench: JobBench, record_property: Note) -> None:
    job = bench.run("horovod")

    found = losses(bench, job)
    assert found[-1] < found[0] / 100
    assert ranks(bench, job) == [(rank, 4) for rank in range(4)]
    assert {line["cycle"] for line in bench.lines(job) if "cycle" in line} == {"2"}
    assert (bench.data("horovod-data") / "c" / "weights").stat().st_size > 0
    record_property("trained", trained(bench, job, "horovod (MXNet)"))


@pytest.mark.thorough
@pytest.mark.skipif(bool(images.missing(["horovod"])), reason="python -m tests.cluster.images build horovod makes it")
def test_horovod_s_ring_trains_between_the_networks_of_nodes(bench: JobBench, record_property: Note) -> None:
    job = bench.run("rings")

    found = losses(bench, job)
    assert found[-1] < found[0] / 100
    assert ranks(bench, job) == [(rank, 4) for rank in range(4)]
    assert addresses_of_nodes(bench, job) == 2
    record_property("trained", trained(bench, job, "horovod (MXNet, on the nodes' network)"))


def test_each_try_of_a_failed_job_has_a_launcher_that_stays_with_its_log(bench: JobBench) -> None:
    job = bench.run("fails", ends="Failed")
    bench.wait(job, lambda: not any("-worker-" in pod["metadata"]["name"] for pod in bench.pods(job)), "workers go")
    found = logs_of_failed(bench, job)

    # mpirun ends all ranks with the first that fails, and does not wait for what these still say.
    assert len(found) == 2
    assert all("-launcher-" in name and "loading" in said for name, said in found.items()), found


def test_workers_on_the_nodes_network_reach_their_launcher_once_the_policy_lets_their_nodes_in(
    bench: JobBench, record_property: Note
) -> None:
    def launchers() -> list[Manifest]:
        found = [pod for pod in bench.pods(job) if "-launcher-" in pod["metadata"]["name"]]
        return [pod for pod in found if pod["status"].get("phase") == "Running"]

    with bench.without_nodes():
        job = bench.start("between")
        bench.wait(job, lambda: any(map(bench.refused, launchers())), "a worker's node is refused")
        begun = losses(bench, job)
    bench.wait(job, lambda: bench.ended(job) != "", "it ends")

    assert bench.ended(job) == "Succeeded", bench.told(job)
    assert begun == []
    assert {*ranks(bench, job)} == {(rank, 4) for rank in range(4)}
    assert len({line["host"] for line in bench.lines(job) if line.get("host", "").startswith("fabric-")}) == 2
    record_property("trained", trained(bench, job, "mpi (over SSH, on the nodes' network)"))
