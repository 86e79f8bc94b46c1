"""Templates train tiny real models with their frameworks' CPU builds, through the real operators: `make job-test`.

Its last lines say what each trained, with the release of the operator, and why the others did not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from platform_def.jobs.templates import BUILT_IN
from tests.cluster import images
from tests.cluster.client import Manifest
from tests.cluster.job_bench import LOOKUP, PROGRAMS, JobBench, job_bench
from tests.cluster.kubelet.pod import Image
from tests.cluster.sandbox import own_network_allowed

pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.skipif(not own_network_allowed(), reason="this system allows no namespaces, which pods here need"),
    pytest.mark.skipif(bool(images.missing()), reason="make job-test makes the images"),
]

NOT_TRAINED = {
    "caffe": "neither PyPI nor Debian has it; its launcher runs in tests/unit/jobs/test_caffe.py",
    "chainer": "its operator is older than Go modules, and does not build",
    "dataset-load": "loads from outside, which no test may reach",
    "dataset-prepare": "trains nothing; runs in test_training.py",
    "development": "is for a person",
    "gpu-job": "knows no framework; runs in test_training.py",
    "horovod": "its launcher reaches workers by `kubectl exec`, or sshd in their images, and this kubelet has neither",
    "mpi": "likewise; the real operator runs it with played pods in test_mpi.py",
    "mxnet": "makes the same MXJob as insightface",
    "paddle": "PyPI has it in sizes that no test should load",
    "queue-workers": "knows no framework; the real KEDA makes its Jobs in test_keda.py",
    "ray": "Ray is not there; the real operator runs it with played pods in test_ray.py",
    "trainjob": "the real trainer runs it with played pods in test_trainer.py",
    "volcano-job": "the real Volcano runs it with played pods in test_gangs.py",
}
"""Templates by why. Beyond them: collectives between GPUs, and RDMA, which need both."""

COMMON = {"pool": "train", "workers": 2, "dataset": {"storage": "shared"}, "checkpoints": "/data/c"}
NEWER = tuple(
    {
        **COMMON,
        "template": name,
        "name": name,
        "image": f"{name}/cpu:1",
        "command": ["python", f"/programs/with_{name}.py"],
    }
    for name in ("jax", "tensorflow", "xgboost")
)
TORCH: dict[str, Any] = {
    **COMMON,
    "template": "pytorch-ddp",
    "name": "torch",
    "image": "torch/torch:1",
    "gpusPerWorker": 2,
    "command": ["/programs/with_torch.py"],
}
SERVERS: dict[str, Any] = {
    **COMMON,
    "template": "tensorflow-ps",
    "name": "servers",
    "image": "tensorflow/cpu:1",
    "command": ["python", "/programs/with_tensorflow_ps.py"],
    "serverCpu": "100m",
    "serverMemory": "1Gi",
}
FACES: dict[str, Any] = {
    "template": "insightface",
    "pool": "train",
    "image": "mxnet/cpu:1",
    "command": ["python", "-u", "/insightface/train.py"],
    "config": "from types import SimpleNamespace\nconfig = SimpleNamespace(max_steps=96)\n",
    "dataset": {"storage": "shared"},
    "workingDir": "/data/work",
    "serverCpu": "100m",
    "serverMemory": "1Gi",
}
OLDER = (
    {
        **FACES,
        "name": "faces",
        "workers": 2,
        "gpusPerWorker": 2,
        "kvstore": "dist_sync",
        "compression": {"threshold": 2.0},
    },
    {**FACES, "name": "asynchronous", "workers": 2, "servers": 1, "kvstore": "dist_async"},
    {**FACES, "name": "single", "workers": 1, "gpusPerWorker": 4, "kvstore": "device"},
)


@pytest.fixture(scope="module")
def newer(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobBench]:
    """The newest training operator."""
    known = {f"{name}/": images.image(name) for name in ("jax", "tensorflow", "xgboost")}
    known |= {"torch/": images.torch(), "docker.io/library/alpine": LOOKUP}
    with job_bench(tmp_path_factory.mktemp("newer"), programs, [*NEWER, TORCH, SERVERS], images=known) as found:
        yield found


@pytest.fixture(scope="module")
def older(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobBench]:
    """The last training operator with MXJob, and InsightFace's script where its image has it."""
    plain = images.image("mxnet")
    script = {"/insightface/train.py": str(PROGRAMS / "faces.py")}
    known = {"mxnet/": Image(plain.programs, plain.variables, script)}
    with job_bench(tmp_path_factory.mktemp("older"), programs, OLDER, images=known, release="1.7.0") as found:
        yield found


def losses(bench: JobBench, job: Manifest) -> list[float]:
    return [line["loss"] for line in bench.lines(job) if "loss" in line]


@pytest.fixture
def say(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """Notes what a template trained, for the end of the run."""

    def said(bench: JobBench, job: Manifest, template: str) -> None:
        found = losses(bench, job)
        release = bench.stack.platform.components["training-operator"].release
        by = "Kubernetes alone" if job["apiVersion"].startswith("batch/") else f"training-operator {release}"
        pods = len({line["rank"] for line in bench.lines(job) if "rank" in line})
        text = f"{template}: {job['kind']} by {by}, {pods} ranks, loss {found[0]:.3g} to {min(found):.3g}"
        record_property("trained", text)

    return said


def test_every_template_trains_or_it_is_said_why_not() -> None:
    trained = {str(job["template"]) for job in (*NEWER, TORCH, SERVERS, *OLDER)}

    assert trained | NOT_TRAINED.keys() == {*BUILT_IN}
    assert trained.isdisjoint(NOT_TRAINED)


@pytest.mark.parametrize(
    ("name", "file"), [("jax", "weights.npy"), ("tensorflow", "weights"), ("xgboost", "trees.json")]
)
def test_a_framework_trains_over_two_pods(newer: JobBench, say: Callable[..., None], name: str, file: str) -> None:
    job = newer.run(name)

    found = losses(newer, job)
    assert found[-1] < found[0] / 2
    assert sorted((line["rank"], line["size"]) for line in newer.lines(job) if "size" in line) == [(0, 2), (1, 2)]
    assert (newer.data(f"{name}-data") / "c" / file).stat().st_size > 0
    say(newer, job, name)


def test_tensorflow_trains_with_servers_beside_its_workers_and_without_an_operator(
    newer: JobBench, say: Callable[..., None]
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
    say(newer, job, "tensorflow-ps")


@pytest.mark.skipif(not images.DEBIAN_TORCH.exists(), reason="python3-torch of Debian is not installed")
def test_pytorch_trains_over_two_pods_of_two_processes(newer: JobBench, say: Callable[..., None]) -> None:
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
    say(newer, job, "pytorch-ddp")


@pytest.mark.parametrize(
    ("name", "ranks", "cards"), [("faces", 2, "0,1"), ("asynchronous", 2, "0"), ("single", 1, "0,1,2,3")]
)
def test_insightface_trains_on_mxnet(
    older: JobBench, say: Callable[..., None], name: str, ranks: int, cards: str
) -> None:
    data = older.data(f"{name}-data")
    (data / "datasets").mkdir(parents=True)
    job = older.run(name)

    said = [line for line in older.lines(job) if "size" in line]
    assert sorted(line["rank"] for line in said) == list(range(ranks))
    assert {(line["size"], line["cards"]) for line in said} == {(ranks, cards)}
    found = losses(older, job)
    assert found, older.told(job)
    assert min(found) < found[0] / 1.5
    compression = [line["compression"] for line in older.lines(job) if "compression" in line]
    assert compression == ([{"type": "2bit", "threshold": 2.0}] if name == "faces" else [None]) * ranks
    (parameters,) = (data / "models").glob("*/model-0001.params")
    assert parameters.stat().st_size > 0
    assert json.loads(next((data / "models").glob("*/model-symbol.json")).read_text())["nodes"]
    say(older, job, f"insightface ({name})")
