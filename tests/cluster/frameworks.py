"""What trains with real frameworks, by template, and what is measured of each; the rest is named with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.cluster import images
from tests.cluster.client import Manifest
from tests.cluster.job_bench import JobBench

Note = Callable[[str, object], None]
"""pytest's `record_property`: what is noted as `trained` stands at the end of the run."""

PLAIN_USER = {"user": 1000, "fsGroup": 1000}
"""What restricted teams say where an image runs as root."""
ON_VOLUME = {"pool": "train", "workers": 2, "dataset": {"storage": "shared"}, "checkpoints": "/data/c"}
COMMON: dict[str, Any] = {**ON_VOLUME, **PLAIN_USER}
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
PADDLE: dict[str, Any] = {
    **COMMON,
    "template": "paddle",
    "name": "paddle",
    "image": "paddle/cpu:1",
    "command": ["/programs/with_paddle.py"],
    "retries": 2,
    "env": {"DIE_AT": "20"},
}
TORCH: dict[str, Any] = {
    **COMMON,
    "template": "pytorch-ddp",
    "name": "torch",
    "image": "torch/torch:1",
    "gpusPerWorker": 2,
    "command": ["/programs/with_torch.py"],
}
ON_FABRIC: dict[str, Any] = {"team": "fabric", "pool": "fabric", "rdma": True}
"""What makes a job's pods share the network of their nodes."""
FAILS = {
    "name": "fails",
    "command": ["python", "-c", "print('loading', flush=True); raise SystemExit('no data')"],
    "retries": 1,
}
"""What makes a job fail, and at its second try still."""
SAID = "loading\nno data\n"
"""What such a program says."""
FIRST_FAILS = (
    "import os, time; print('loading', flush=True); time.sleep(600 * (os.environ['VC_TASK_INDEX'] != '0'));"
    " raise SystemExit('no data')"
)
"""The same in the first pod of a gang; the others would wait for it."""
ALONE: dict[str, Any] = {
    **COMMON,
    "template": "gpu-job",
    "name": "alone",
    "image": "torch/torch:1",
    "workers": 1,
    "gpusPerWorker": 2,
    "command": ["torchrun", "--standalone", "--nproc_per_node=2", "/programs/with_torch.py"],
    "retries": 2,
    "env": {"DIE_AT": "20"},
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
MPI_ARGS = ["--bind-to", "none", "--map-by", "slot", "--prefix", str(images.folder("mpi"))]
RING: dict[str, Any] = {
    **ON_VOLUME,
    "template": "mpi",
    "name": "ring",
    "image": "mpi/cpu:1",
    "command": ["python", "/programs/with_mpi.py"],
    "mpiArgs": MPI_ARGS,
    "gpusPerWorker": 2,
    "retries": 2,
    "launcherCpu": "100m",
    "launcherMemory": "1Gi",
    "env": {"DIE_AT": "20"},
}
BY_TRAINING_OPERATOR = (
    *NEWER,
    PADDLE,
    TORCH,
    ALONE,
    SERVERS,
    {**RING, **ON_FABRIC},
    {**ALONE, **ON_FABRIC, "name": "apart", "env": {}},
)
SSH = {"user": 1000, "home": "/mpi"}
"""The one user that a namespace of an ordinary one's has, and its folder in the image."""
HOROVOD: dict[str, Any] = {
    **RING,
    "ssh": SSH,
    "template": "horovod",
    "name": "horovod",
    "image": "horovod/cpu:1",
    "command": ["python", "/programs/with_horovod.py"],
    "mpiArgs": ["--bind-to", "none", "--map-by", "slot", "--prefix", str(images.folder("horovod"))],
    "cycleTimeMs": 2,
}
OVER_SSH = (
    {**RING, "ssh": SSH, "env": {"DIE_AT": "20", "PAUSE": "0.2"}},
    HOROVOD,
    {**HOROVOD, **ON_FABRIC, "name": "rings"},
    {**SERVERS, "name": "queued"},
    {**RING, **FAILS, "ssh": SSH, "env": {}},
    {**RING, **ON_FABRIC, "name": "between", "ssh": SSH, "env": {}},
)
PATIENT = {"RAY_raylet_start_wait_time_s": "120", "RAY_USAGE_STATS_ENABLED": "0"}
"""A busy machine starts Ray's daemons slowly."""
RAY: dict[str, Any] = {
    **COMMON,
    "template": "ray",
    "name": "tune",
    "image": "ray/cpu:1",
    "command": ["python", "/programs/with_ray.py"],
    "retries": 2,
    "env": {"DIE_AT": "20", **PATIENT},
    "memory": "2Gi",
    "headCpu": "100m",
    "headMemory": "2Gi",
}
BY_RAY = (
    RAY,
    {**RAY, **FAILS, "workers": 1, "retries": 0},
    {
        **RAY,
        "name": "leaves",
        "command": ["python", "/programs/ray_leaves.py"],
        "workers": 1,
        "retries": 0,
        "gracePeriodSeconds": 40,
        "env": PATIENT,
    },
    {**RAY, **ON_FABRIC, "name": "between", "retries": 0, "env": PATIENT},
)
FACES: dict[str, Any] = {
    **PLAIN_USER,
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
KVSTORE: dict[str, Any] = {
    **COMMON,
    "template": "mxnet",
    "name": "kvstore",
    "image": "mxnet/cpu:1",
    "command": ["python", "/programs/with_mxnet.py"],
    "servers": 1,
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
    {
        **FACES,
        **ON_FABRIC,
        "name": "meeting",
        "workers": 1,
        "servers": 1,
        "kvstore": "dist_sync",
        "env": {"DMLC_PS_VAN_TYPE": "zmq"},
    },
    KVSTORE,
    # Without an adapter ps-lite cannot use RDMA's own verbs.
    {**KVSTORE, **ON_FABRIC, "name": "between", "workers": 1, "env": {"DMLC_PS_VAN_TYPE": "zmq"}},
)
SET: dict[str, Any] = {**COMMON, "template": "trainjob"}
RESTARTED: dict[str, Any] = {
    **SET,
    "image": "torch/torch:1",
    "gpusPerWorker": 2,
    "command": ["torchrun", "/programs/with_torch.py"],
    "env": {"DIE_AT": "20"},
}
BY_TRAINER = (
    {**RESTARTED, "name": "own", "retries": 2},
    {**RESTARTED, "name": "shared", "runtime": "torch-distributed", "gpusPerWorker": 1},
    {
        **SET,
        "name": "arrays",
        "runtime": "jax-distributed",
        "image": "jax/cpu:1",
        "command": ["python", "/programs/with_jax.py"],
    },
    {
        **SET,
        "name": "trees",
        "runtime": "xgboost-distributed",
        "image": "xgboost/cpu:1",
        "command": ["python", "/programs/with_xgboost.py"],
    },
    {**SET, **FAILS, "framework": "plain", "image": "jax/cpu:1"},
    {**RESTARTED, **ON_FABRIC, "name": "between", "env": {}},
)
GANG: dict[str, Any] = {**COMMON, "template": "volcano-job"}
# What a program that is told of its number and all names makes of them.
NUMBERED = (
    "RANK=$VC_TASK_INDEX WORLD_SIZE=$VC_WORKER_NUM MASTER_ADDR=${VC_WORKER_HOSTS%%,*} MASTER_PORT=9000"
    " exec python /programs/with_xgboost.py"
)
TORCH_GANG: dict[str, Any] = {
    **GANG,
    "name": "gang",
    "framework": "pytorch",
    "image": "torch/torch:1",
    "gpusPerWorker": 2,
    "command": ["/programs/with_torch.py"],
}
BY_VOLCANO = (
    {**TORCH_GANG, "retries": 2, "env": {"DIE_AT": "20"}},
    {**TORCH_GANG, **ON_FABRIC, "name": "between"},
    {
        **GANG,
        "name": "chief",
        "framework": "tensorflow",
        "image": "tensorflow/cpu:1",
        "command": ["python", "/programs/with_tensorflow_ps.py"],
        "servers": 2,
        "serverCpu": "100m",
        "serverMemory": "1Gi",
    },
    {**GANG, "name": "numbered", "image": "xgboost/cpu:1", "command": ["sh", "-c", NUMBERED]},
    {**GANG, **FAILS, "image": "xgboost/cpu:1", "command": ["python", "-c", FIRST_FAILS]},
)
ELASTIC: dict[str, Any] = {
    **TORCH,
    **ON_FABRIC,
    "name": "elastic",
    "image": "torchrun/torch:2",
    "elastic": {"least": 2, "most": 2},
}
BY_FABRIC = (
    ELASTIC,
    *({**job, **ON_FABRIC, "env": {"POD_IP": {"field": "status.podIP"}}} for job in (*NEWER, PADDLE)),
)
EVERY = (*BY_TRAINING_OPERATOR, *OLDER, *BY_TRAINER, *BY_VOLCANO, *OVER_SSH, *BY_RAY, *BY_FABRIC)


def losses(bench: JobBench, job: Manifest) -> list[float]:
    """What its programs say of the loss, in the order of each."""
    return [line["loss"] for line in bench.lines(job) if "loss" in line]


def ranks(bench: JobBench, job: Manifest) -> list[tuple[int, int]]:
    """Rank and number of ranks, as all programs and tries saw them."""
    return sorted((line["rank"], line["size"]) for line in bench.lines(job) if "size" in line)


def begins(bench: JobBench, job: Manifest) -> list[int]:
    """The steps at which rank 0 began, with its first try and those after it."""
    return [line["begins"] for line in bench.lines(job) if "begins" in line and line["rank"] == 0]


def met_between_nodes(bench: JobBench, job: Manifest, *, processes: int) -> None:
    """So many processes of PyTorch trained with each other in the networks of two nodes."""
    found = losses(bench, job)
    assert min(found) < max(found) / 100
    assert {*ranks(bench, job)} == {(rank, processes) for rank in range(processes)}
    assert addresses_of_nodes(bench, job) == 2


def addresses_of_nodes(bench: JobBench, job: Manifest) -> int:
    """How many nodes pods of the job have the addresses of."""
    pods = [pod for pod in bench.pods(job) if pod["spec"].get("hostNetwork")]
    assert all(pod["status"]["podIP"] == pod["status"]["hostIP"] for pod in pods)
    assert all(pod["spec"]["nodeName"].startswith("fabric-") for pod in pods)
    return len({pod["status"]["podIP"] for pod in pods})


def trained(bench: JobBench, job: Manifest, template: str) -> str:
    """What a template trained, and by whom, in a line."""
    component = bench.operator.component
    release = bench.stack.platform.components[component].release
    by = "Kubernetes alone" if job["apiVersion"].startswith("batch/") else f"{component} {release}"
    pods = len({line["rank"] for line in bench.lines(job) if "rank" in line})
    found = losses(bench, job)
    return f"{template}: {job['kind']} by {by}, {pods} ranks, loss {max(found):.3g} to {min(found):.3g}"


def logs_of_failed(bench: JobBench, job: Manifest) -> dict[str, str]:
    """What pods of a failed job that stay have said, by their names, once no other pod is there: an operator deletes those
    that still run, and while the kubelet ends such a pod it has an end, and no last words."""

    def stays(pod: Manifest) -> bool:
        return pod["status"].get("phase") in ("Succeeded", "Failed") and "deletionTimestamp" not in pod["metadata"]

    bench.wait(job, lambda: all(map(stays, bench.pods(job))), "pods that do not stay are gone")
    assert bench.devices(job) == 0
    return {pod["metadata"]["name"]: bench.log(pod) for pod in bench.pods(job)}
