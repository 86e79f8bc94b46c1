"""A platform that unit tests of jobs share, and the objects of a job on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from platform_def.capabilities import MessageQueue, PipelineServer
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import Platform
from platform_def.config.pools import Gpu, NodePool, Sharing, Taint
from platform_def.config.rdma import Rdma
from platform_def.config.storage import CephFs, ExistingStorage, SecretRef
from platform_def.config.teams import Team
from platform_def.constructs.render import render
from platform_def.jobs.template import JobConfig
from platform_def.jobs.templates import template
from platform_def.yaml import load_all

FILES = Path(__file__).parents[2] / "coverage"
"""Where files lie that jobs are made from."""
DOCUMENTS = {
    path.relative_to(FILES).as_posix(): tuple(load_all(path.read_bytes(), file=path.name))
    for path in sorted([*FILES.glob("workflows/*.yaml"), *FILES.glob("pipelines/*.yaml")])
}
MINIMAL: dict[str, dict[str, Any]] = {
    "caffe": {"solver": "/data/solver.prototxt"},
    "chainer": {"command": ["python3", "train.py"]},
    "cron-workflow": {"file": "workflows/nightly.yaml"},
    "dataset-load": {"sources": [{"url": "https://data.example.com/faces.tar", "unpack": True}]},
    "dataset-prepare": {"command": ["python", "im2rec.py"]},
    "development": {},
    "experiment": {
        "objective": {"metric": "accuracy"},
        "parameters": [{"name": "lr", "min": 0.001, "max": 0.1}],
        "trial": {"template": "gpu-job", "image": "registry.example.com/one:1", "args": ["--lr=${lr}"]},
    },
    "gpu-job": {},
    "image": {"target": "registry.example.com/one:1", "pushSecret": "push", "content": "FROM scratch\n"},
    "insightface": {},
    "jax": {"command": ["python", "train.py"]},
    "horovod": {"command": ["python", "train.py"]},
    "mpi": {"command": ["python", "train.py"]},
    "mxnet": {"command": ["python", "train.py"]},
    "offline-inference": {
        "command": ["python", "infer.py", "{input}", "{output}"],
        "input": "/data/in",
        "dataset": {"claim": "data"},
        "output": {"claim": "results"},
    },
    "paddle": {"command": ["train.py"]},
    "pipeline": {"file": "pipelines/retrain.yaml"},
    "pytorch-ddp": {"command": ["train.py"]},
    "queue-workers": {"source": "messages"},
    "ray": {"command": ["python", "train.py"]},
    "spark": {"program": "local:///app/train.py"},
    "tensorflow": {"command": ["python", "train.py"]},
    "tensorflow-ps": {"command": ["python", "train.py"]},
    "trainjob": {"command": ["torchrun", "train.py"]},
    "volcano-job": {"command": ["python", "train.py"]},
    "workflow": {"file": "workflows/faces.yaml"},
    "xgboost": {"command": ["python", "train.py"]},
}
"""The least that each template must be told beside name and image."""

WITHOUT_PODS = frozenset({"cron-workflow", "experiment", "image", "pipeline", "workflow"})
WITH_PODS = sorted({*MINIMAL} - WITHOUT_PODS)
"""An experiment has no pods but those of its trials, which are jobs of the others: test_experiment.py. Workflows
and pipelines have what their files say, and builds a pod of their own: test_workflows.py, test_image_build.py."""

TRAIN = NodePool(
    name="train",
    nodes=4,
    selector={"pool": "train"},
    taints=[Taint(key="gpu", value="train", effect="NoSchedule")],
    gpu=Gpu(model="a100-80gb", per_node=8),
    cores=128,
    memory_gib=1024,
    rdma=Rdma(kind="roce", interface="ens1f0np0"),
    gbps=200,
)
SLOW = NodePool(name="slow", nodes=4, gpu=Gpu(model="k80", per_node=2), gbps=1)
MPS = NodePool(name="mps", nodes=1, gpu=Gpu(model="t4", per_node=4, sharing=Sharing(mode="mps", replicas=4)))
PLATFORM = Platform(
    node_pools=(TRAIN, SLOW, MPS),
    teams=(Team(name="vision", pod_security="privileged"),),
    storage={
        "shared": CephFs(
            driver="cephfs",
            cluster_id="c",
            monitors=["10.0.0.1:6789"],
            filesystem="ml",
            secret=SecretRef(existing="ceph/secret"),
        ),
        "local": ExistingStorage(driver="existing"),
    },
    resources=frozenset({"nvidia.com/gpu", "rdma/hca_shared"}),
    documents=DOCUMENTS,
    provisions=(
        Provision.of(MessageQueue(system="rabbitmq", brokers=["rabbit.example.com:5671"]), EXTERNAL),
        Provision.of(
            PipelineServer(host="ml-pipeline", account="pipeline-runner", namespaces=["team-vision", "kubeflow"]), "kfp"
        ),
    ),
)


def configured(name: str, **values: Any) -> JobConfig:
    """The configuration of a template, from what a stack file says."""
    image = {} if name in WITHOUT_PODS else {"image": "registry.example.com/one:1"}
    said = {"template": name, "name": "one", **image, **values}
    config: JobConfig = template(name).config_model().from_file(said)
    return config


def objects(name: str, platform: Platform = PLATFORM, **values: Any) -> list[dict[str, Any]]:
    """The manifests of a job."""
    config, kind = configured(name, **values), template(name)
    return [each.manifest for each in render(lambda scope: kind(scope, config=config, platform=platform)).objects]


def job(name: str, platform: Platform = PLATFORM, **values: Any) -> dict[str, Any]:
    """The one object that runs pods; a TrainJob with the Job that its own runtime says, a ScaledJob as its Jobs."""
    made = objects(name, platform, **values)
    (found,) = (
        each for each in made if "spec" in each and ("Job" in each["kind"] or each["kind"] == "SparkApplication")
    )
    if found["kind"] == "ScaledJob":
        found = {**found, "spec": found["spec"]["jobTargetRef"]}
    for runtime in (each for each in made if each["kind"] == "TrainingRuntime"):
        jobs = runtime["spec"]["template"]["spec"]
        (group,) = jobs["replicatedJobs"]
        found = {
            **found,
            "spec": {"failurePolicy": jobs["failurePolicy"], **group["template"]["spec"], **found["spec"]},
        }
    return found


def templates_of(manifest: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Role and pod template."""
    spec = manifest["spec"]
    roles = next((value for key, value in spec.items() if key.endswith("ReplicaSpecs")), None)
    if manifest["kind"] == "RayJob":
        cluster = spec["rayClusterSpec"]
        roles = {"Worker": cluster["workerGroupSpecs"][0], "Head": cluster["headGroupSpec"]}
        roles["Submitter"] = {"template": spec["submitterPodTemplate"]}
    if manifest["kind"] == "SparkApplication":
        roles = {"Executor": spec["executor"], "Driver": spec["driver"]}
    if manifest["kind"] == "ChainerJob":
        roles = {"Master": spec["master"], **spec.get("workerSets", {})}
    if "tasks" in spec:
        roles = {task["name"]: task for task in spec["tasks"]}
    if roles is None:
        yield "Pod", spec["template"]
        return
    for role, spec in roles.items():
        yield role, spec["template"]


def pod(manifest: dict[str, Any], role: str = "") -> dict[str, Any]:
    """The pod of a role, by default of the first."""
    found = dict(templates_of(manifest))
    spec: dict[str, Any] = found[role or next(iter(found))]["spec"]
    return spec


def container(manifest: dict[str, Any], role: str = "") -> dict[str, Any]:
    """The container of a role."""
    (found,) = pod(manifest, role)["containers"]
    return dict(found)


def variables(found: dict[str, Any]) -> dict[str, Any]:
    """Its variables."""
    return {each["name"]: each.get("value", each.get("valueFrom")) for each in found.get("env", ())}


def problems(name: str, platform: Platform = PLATFORM, **values: Any) -> list[tuple[str, str]]:
    """What is wrong with a job: field, and text with hint."""
    found = configured(name, **values).problems(platform)
    return [(each.field, f"{each.text}; {each.hint}") for each in found]
