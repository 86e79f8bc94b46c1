"""Templates train tiny real models with their frameworks' CPU builds, through the real operators: `make job-test`.

Its last lines say what each trained, with the release of the operator, and why the others did not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from platform_def.jobs.templates import BUILT_IN
from tests.cluster import images
from tests.cluster.frameworks import (
    BY_TRAINING_OPERATOR,
    EVERY,
    OLDER,
    Note,
    addresses_of_nodes,
    begins,
    losses,
    ranks,
    trained,
)
from tests.cluster.job_bench import FABRIC_HOME, JobBench, job_bench
from tests.cluster.job_operators import FORMER
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import LOOKUP, PROGRAMS
from tests.cluster.not_trained import NOT_TRAINED

pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.own_network,
    pytest.mark.skipif(bool(images.missing()), reason="make job-test makes the images"),
]


@pytest.fixture(scope="module")
def newer(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobBench]:
    """The newest training operator; its launcher of MPI, which no restricted team may have, in a team on the fabric."""
    known = {f"{name}/": images.image(name) for name in ("jax", "paddle", "tensorflow", "xgboost")}
    known |= {"torch/": images.torch(), "docker.io/library/alpine": LOOKUP}
    known |= {"mpi/": images.image("mpi"), "ghcr.io/kubeflow/training-v1/kubectl-delivery": images.kubectl()}
    root = tmp_path_factory.mktemp("newer")
    with job_bench(root, programs, BY_TRAINING_OPERATOR, images=known, level="restricted") as found:
        yield found
        assert found.forbidden() == []


@pytest.fixture(scope="module")
def older(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobBench]:
    """The last training operator with MXJob, and InsightFace's script where its image has it."""
    plain = images.image("mxnet")
    script = {"/insightface/train.py": str(PROGRAMS / "faces.py")}
    known = {"mxnet/": Image(plain.programs, plain.variables, {**plain.files, **script})}
    root = tmp_path_factory.mktemp("older")
    with job_bench(root, programs, OLDER, images=known, operator=FORMER, level="restricted") as found:
        yield found


def test_every_template_trains_or_it_is_said_why_not() -> None:
    templates = {str(job["template"]) for job in EVERY}

    assert templates | NOT_TRAINED.keys() == {*BUILT_IN}
    assert templates.isdisjoint(NOT_TRAINED)


@pytest.mark.parametrize(
    ("name", "file"), [("jax", "weights.npy"), ("tensorflow", "weights"), ("xgboost", "trees.json")]
)
def test_a_framework_trains_over_two_pods(newer: JobBench, record_property: Note, name: str, file: str) -> None:
    job = newer.run(name)

    found = losses(newer, job)
    assert found[-1] < found[0] / 2
    assert ranks(newer, job) == [(0, 2), (1, 2)]
    assert (newer.data(f"{name}-data") / "c" / file).stat().st_size > 0
    record_property("trained", trained(newer, job, name))


def test_tensorflow_trains_with_servers_beside_its_workers_and_without_an_operator(
    newer: JobBench, record_property: Note
) -> None:
    job = newer.run("servers")

    said = [line for line in newer.lines(job) if "role" in line]
    assert sorted((line["role"], line["rank"]) for line in said) == [
        ("chief", 0),
        ("ps", 0),
        ("ps", 1),
        ("worker", 0),
        ("worker", 1),
    ]
    assert [line["cards"] for line in said if line["role"] == "chief"] == ["-1"]
    assert [line["servers"] for line in newer.lines(job) if "servers" in line] == [["task:0", "task:1"]]
    found = losses(newer, job)
    assert found[-1] < found[0] / 2
    assert (newer.data("servers-data") / "c" / "checkpoint").stat().st_size > 0
    newer.wait(job, lambda: all(pod["status"]["phase"] == "Succeeded" for pod in newer.pods(job)), "none is left")
    record_property("trained", trained(newer, job, "tensorflow-ps"))


def test_paddle_trains_over_two_pods_and_goes_on_where_a_killed_one_left_it(
    newer: JobBench, record_property: Note
) -> None:
    job = newer.run("paddle")

    found = losses(newer, job)
    assert min(found) < max(found) / 100
    assert {*ranks(newer, job)} == {(0, 2), (1, 2)}
    assert {*begins(newer, job)} == {0, 21}
    assert (newer.data("paddle-data") / "c" / "weights.pdparams").stat().st_size > 0
    record_property("trained", trained(newer, job, "paddle (collective)"))


def test_a_launcher_reaches_its_workers_by_exec_and_starts_again_where_a_process_was_killed(
    newer: JobBench, record_property: Note
) -> None:
    job = newer.run("ring")

    found = losses(newer, job)
    assert job["apiVersion"] == "kubeflow.org/v1"
    assert min(found) < max(found) / 100
    assert {*ranks(newer, job)} == {(rank, 4) for rank in range(4)}
    assert len({line["host"] for line in newer.lines(job) if line.get("host", "").startswith("fabric-")}) == 2
    assert {*begins(newer, job)} == {0, 21}
    assert (newer.data("ring-data", FABRIC_HOME) / "c" / "weights.npz").stat().st_size > 0
    record_property("trained", trained(newer, job, "mpi (by exec, on the nodes' network)"))


@pytest.mark.skipif(not images.DEBIAN_TORCH.exists(), reason="python3-torch of Debian is not installed")
def test_pytorch_trains_over_two_pods_of_two_processes(newer: JobBench, record_property: Note) -> None:
    job = newer.run("torch")

    found = losses(newer, job)
    assert found[-1] < found[0] / 2
    said = [line for line in newer.lines(job) if "size" in line]
    assert sorted((line["rank"], line["size"], line["local"]) for line in said) == [
        (0, 4, "0"),
        (1, 4, "1"),
        (2, 4, "0"),
        (3, 4, "1"),
    ]
    assert (newer.data("torch-data") / "c" / "weights").stat().st_size > 0
    record_property("trained", trained(newer, job, "pytorch-ddp"))


@pytest.mark.skipif(not images.DEBIAN_TORCH.exists(), reason="python3-torch of Debian is not installed")
def test_a_plain_job_s_pod_is_made_anew_where_a_process_was_killed_and_goes_on(
    newer: JobBench, record_property: Note
) -> None:
    job = newer.run("alone")

    found = losses(newer, job)
    assert min(found) < max(found) / 100
    assert {*ranks(newer, job)} == {(0, 2), (1, 2)}
    assert {*begins(newer, job)} == {0, 21}
    assert len(newer.pods(job)) == 2
    assert (newer.data("alone-data") / "c" / "weights").stat().st_size > 0
    record_property("trained", trained(newer, job, "gpu-job (PyTorch)"))


@pytest.mark.thorough
@pytest.mark.skipif(not images.DEBIAN_TORCH.exists(), reason="python3-torch of Debian is not installed")
def test_a_plain_job_trains_in_the_network_of_its_node(newer: JobBench, record_property: Note) -> None:
    job = newer.run("apart")

    found = losses(newer, job)
    assert min(found) < max(found) / 100
    assert {*ranks(newer, job)} == {(0, 2), (1, 2)}
    assert addresses_of_nodes(newer, job) == 1
    record_property("trained", trained(newer, job, "gpu-job (PyTorch, on the nodes' network)"))


def test_a_program_of_mxnet_s_own_trains_with_a_kvstore(older: JobBench, record_property: Note) -> None:
    job = older.run("kvstore")

    found = losses(older, job)
    assert found[-1] < found[0] / 100
    assert ranks(older, job) == [(0, 2), (1, 2)]
    assert {line["servers"] for line in older.lines(job) if "servers" in line} == {1}
    assert (older.data("kvstore-data") / "c" / "weights").stat().st_size > 0
    record_property("trained", trained(older, job, "mxnet"))


@pytest.mark.thorough
def test_mxnet_s_roles_meet_at_the_addresses_of_their_nodes(older: JobBench, record_property: Note) -> None:
    job = older.run("between")

    found = losses(older, job)
    assert found[-1] < found[0] / 100
    assert addresses_of_nodes(older, job) == 3
    record_property("trained", trained(older, job, "mxnet (on the nodes' network)"))


@pytest.mark.thorough
def test_insightface_trains_between_the_networks_of_nodes(older: JobBench, record_property: Note) -> None:
    (older.data("meeting-data", FABRIC_HOME) / "datasets").mkdir(parents=True)
    job = older.run("meeting")

    found = losses(older, job)
    assert found, older.told(job)
    assert min(found) < found[0] / 1.5
    assert addresses_of_nodes(older, job) == 3
    record_property("trained", trained(older, job, "insightface (on the nodes' network)"))


@pytest.mark.parametrize(
    ("name", "workers", "cards"), [("faces", 2, "0,1"), ("asynchronous", 2, "0"), ("single", 1, "0,1,2,3")]
)
def test_insightface_trains_on_mxnet(
    older: JobBench, record_property: Note, name: str, workers: int, cards: str
) -> None:
    data = older.data(f"{name}-data")
    (data / "datasets").mkdir(parents=True)
    job = older.run(name)

    said = [line for line in older.lines(job) if "size" in line]
    assert sorted(line["rank"] for line in said) == list(range(workers))
    assert {(line["size"], line["cards"]) for line in said} == {(workers, cards)}
    found = losses(older, job)
    assert found, older.told(job)
    assert min(found) < found[0] / 1.5
    compression = [line["compression"] for line in older.lines(job) if "compression" in line]
    assert compression == ([{"type": "2bit", "threshold": 2.0}] if name == "faces" else [None]) * workers
    (parameters,) = (data / "models").glob("*/model-0001.params")
    assert parameters.stat().st_size > 0
    assert json.loads(next((data / "models").glob("*/model-symbol.json")).read_text())["nodes"]
    record_property("trained", trained(older, job, f"insightface ({name})"))
