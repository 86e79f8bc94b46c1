"""Jobs on a fabric that pods use through the network of their node train over two nodes, each a network of its own, behind
their team's policy.

On a node, as on real ones, its name leads to a loopback address, and no other node knows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path

import pytest

from tests.cluster import images
from tests.cluster.frameworks import BY_FABRIC, Note, addresses_of_nodes, losses, ranks, trained
from tests.cluster.job_bench import FABRIC_HOME, JobBench, job_bench
from tests.cluster.kubelet.network import NODES
from tests.cluster.machines import LOOKUP

NEEDED = ("jax", "paddle", "tensorflow", "torchrun", "xgboost")
pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.own_network,
    pytest.mark.skipif(bool(images.missing(NEEDED)), reason="make job-test makes the images"),
]
with_torch = pytest.mark.skipif(not images.DEBIAN_TORCH.exists(), reason="python3-torch of Debian is not installed")


@pytest.fixture(scope="module")
def bench(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobBench]:
    """The newest training operator."""
    known = {f"{name}/": images.image(name) for name in ("jax", "paddle", "tensorflow", "xgboost")}
    known |= {"torch/": images.torch(), "torchrun/": images.torchrun(), "docker.io/library/alpine": LOOKUP}
    with job_bench(tmp_path_factory.mktemp("fabric"), programs, BY_FABRIC, images=known) as found:
        yield found
        assert found.forbidden() == []


@with_torch
def test_elastic_pods_meet_at_the_address_of_the_first_one_s_node(bench: JobBench, record_property: Note) -> None:
    job = bench.start("elastic")
    bench.wait(job, lambda: len(ranks(bench, job)) == 4, "all processes have met")
    addresses = {pod["status"]["podIP"] for pod in bench.pods(job)}
    nodes = addresses_of_nodes(bench, job)
    bench.wait(job, lambda: bench.ended(job) != "", "it ends")

    assert bench.ended(job) == "Succeeded", bench.told(job)
    assert nodes == 2
    assert all(address.startswith(f"{NODES}.") for address in addresses)
    assert ranks(bench, job) == [(rank, 4) for rank in range(4)]
    (meets,) = {line["meets"] for line in bench.lines(job) if "meets" in line}
    assert meets in addresses
    found = losses(bench, job)
    assert found[-1] < found[0] / 2
    record_property("trained", trained(bench, job, "pytorch-ddp (elastic, on the nodes' network)"))


@with_torch
def test_without_the_address_elastic_pods_are_told_the_name_of_a_node_which_no_other_knows(bench: JobBench) -> None:
    said = hangs(bench, "unaddressed", {"PET_LOCAL_ADDR": None}, "cannot be retrieved")

    assert any(f"({node}, " in said for node in ("fabric-0", "fabric-1", "fabric-2")), said


@pytest.mark.thorough
@with_torch
def test_without_being_told_none_of_the_elastic_pods_takes_itself_for_the_one_at_which_all_meet(
    bench: JobBench,
) -> None:
    assert hangs(bench, "apart", {"PET_RDZV_CONF": "read_timeout=3"}, "RendezvousConnectionError")


def hangs(bench: JobBench, name: str, variables: Mapping[str, str | None], words: str) -> str:
    """What a pod says of the elastic job with other variables, which cannot begin, once it says these words."""
    (rendered,) = (item.manifest for item in bench.stack.jobs["elastic"] if item.manifest["kind"] == "PyTorchJob")
    job = deepcopy(rendered)
    job["metadata"]["name"] = name
    (container,) = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    others = [each for each in container["env"] if each["name"] not in variables]
    container["env"] = [*others, *({"name": key, "value": text} for key, text in variables.items() if text)]
    api = bench.control_plane.api
    assert not (refused := api.apply(job).refusal), refused
    found: list[str] = []

    def says() -> bool:
        tries = (bench.log(pod, previous=previous) for pod in bench.pods(job) for previous in (False, True))
        found[:] = [said for said in tries if words in said]
        return bool(found)

    bench.wait(job, says, f"a pod says {words}")
    assert bench.ended(job) == ""
    assert ranks(bench, job) == []
    assert api.request("DELETE", api.path(job) or "").status == 200
    bench.wait(job, lambda: bench.pods(job) == [], "its pods are gone")
    return found[0]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("jax", "weights.npy"),
        ("paddle", "weights.pdparams"),
        ("tensorflow", "weights"),
        ("xgboost", "trees.json"),
    ],
)
def test_a_framework_trains_between_nodes(bench: JobBench, record_property: Note, name: str, file: str) -> None:
    job = bench.run(name)

    found = losses(bench, job)
    assert min(found) < max(found) / 2
    assert ranks(bench, job) == [(0, 2), (1, 2)]
    assert (bench.data(f"{name}-data", FABRIC_HOME) / "c" / file).stat().st_size > 0
    record_property("trained", trained(bench, job, f"{name} (on the nodes' network)"))
