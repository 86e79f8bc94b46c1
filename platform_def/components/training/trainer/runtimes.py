"""The runtimes of a release: how a TrainJob becomes groups of Jobs, framework by framework.

A TrainJob changes the container `node` of the groups that train, and adds nodes, volumes and placement to any group by
its name. What it cannot say in 2.3 is said here once for all: the RuntimeClass of GPUs, the scheduler. How long pods
have for a checkpoint is said here too, and a TrainJob may say another time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from platform_def.apis.core.core_v1 import Container, PodSecurityContext, PodSpec, PodTemplateSpec
from platform_def.apis.jobset.v1alpha2 import JobSetSpec, ReplicatedJob
from platform_def.apis.kubeflow.trainer_v1alpha1 import MlPolicy, RuntimeSpec
from platform_def.capabilities import GangScheduler, TrainingRuntime
from platform_def.constructs.workloads.jobs import OUT_OF_MESH

RuntimeName = Literal[
    "deepspeed-distributed",
    "jax-distributed",
    "mlx-distributed",
    "torch-distributed",
    "torchtune-llama3.2-1b",
    "torchtune-llama3.2-3b",
    "torchtune-qwen2.5-1.5b",
    "xgboost-distributed",
]
FRAMEWORK = "trainer.kubeflow.org/framework"
"""Label by which the SDK knows how to start a user's function."""
STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
"""Label of the Jobs that get what a TrainJob says of its trainer, or of what is fetched before."""
NODE, LAUNCHER = "node", "launcher"
MPI_USER = 1000
SSH_PORT = 2222
WORKSPACE = "initializer"
"""Claim that each TrainJob of a fine-tuning runtime gets: the model, the data, and what comes out."""
LEAST_GROUPS = "kai.scheduler/batch-min-member"
"""Annotation of a JobSet: how many of its groups KAI starts together."""
ON_PROCESSORS = "-cpu"
"""How the name of a runtime ends that is equal to another and asks for no RuntimeClass."""
OWN_GPUS = 2
"""What each node of a fine-tuning runtime asks for unless a TrainJob says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What every pod of a runtime gets in a stack."""

    image: Callable[[str], str]
    """The image that plays a part (`torch`, `dataset`), as the cluster pulls it."""
    with_gpus: Callable[[Container], PodSpec]
    """A pod of a runtime that brings its own GPUs, on the pool that has them."""
    grace_period_seconds: int
    gang: GangScheduler | None = None
    """Who starts all pods of a job together."""
    pod_groups: bool = True
    """Whether it gets a PodGroup for each job; otherwise it is only their scheduler."""

    @property
    def counts_pods(self) -> bool:
        """Whether no pod starts before all of its job are there: none may wait until another is ready."""
        return self.gang is not None and (self.gang.by_owner or self.pod_groups)


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """One runtime of a release, as facts."""

    name: str
    framework: str
    policy: MlPolicy
    groups: Callable[[Surroundings, str], list[ReplicatedJob]]
    """Groups of Jobs, for pods with a RuntimeClass where one is named."""
    trains: tuple[str, ...] = (NODE,)
    """Groups whose pods train."""
    program: bool = False
    """Whether it brings the training program too."""
    job_set: JobSetSpec | None = None

    @property
    def on_processors(self) -> Runtime:
        """The same runtime for nodes without GPUs."""
        return replace(self, name=f"{self.name}{ON_PROCESSORS}")

    def offer(self, *, gpus: bool, on_processors: str = "") -> TrainingRuntime:
        """What others may know of it."""
        return TrainingRuntime(
            name=self.name, groups=list(self.trains), program=self.program, gpus=gpus, on_processors=on_processors
        )

    def spec(self, around: Surroundings, *, runtime_class: str) -> RuntimeSpec:
        """The object's specification."""
        made: JobSetSpec = {"replicatedJobs": self.groups(around, runtime_class), **(self.job_set or {})}
        spec: RuntimeSpec = {"mlPolicy": {"numNodes": 1, **self.policy}, "template": {"spec": made}}
        # A gang counts all pods, and those that wait for others to end are made after these: it would never be whole.
        in_turn = any("dependsOn" in each for each in made["replicatedJobs"])
        if around.gang and around.gang.by_owner:
            if in_turn:
                spec["template"]["metadata"] = {"annotations": {LEAST_GROUPS: "1"}}
        elif around.gang and around.pod_groups and not in_turn:
            spec["podGroupPolicy"] = (
                {"volcano": {}} if around.gang.implementation == "volcano" else {"coscheduling": {}}
            )
        return spec


def _job(
    name: str, pod: PodSpec, around: Surroundings, *, runtime_class: str = "", step: str = "trainer"
) -> ReplicatedJob:
    """A group of one Job; `step` is empty where a TrainJob says nothing of it."""
    # A TrainJob can say neither of these. JobSet's default restarts programs in their pods, which Kubernetes removes,
    # with their logs, when the Job has failed; the end of a log is in the pod's status too.
    containers = [{**each, "terminationMessagePolicy": "FallbackToLogsOnError"} for each in pod["containers"]]
    grace = around.grace_period_seconds
    said = {"restartPolicy": "Never", "terminationGracePeriodSeconds": grace, **pod, "containers": containers}
    made = cast(PodSpec, said)
    if runtime_class:
        made["runtimeClassName"] = runtime_class
    if around.gang:
        made["schedulerName"] = around.gang.scheduler
    template: PodTemplateSpec = {
        "metadata": {"annotations": dict(OUT_OF_MESH), "labels": dict(OUT_OF_MESH)},
        "spec": made,
    }
    labels: Mapping[str, Any] = {"metadata": {"labels": {STEP: step}}} if step else {}
    return cast(ReplicatedJob, {"name": name, "template": {**labels, "spec": {"template": template}}})


def _alike(part: str) -> Callable[[Surroundings, str], list[ReplicatedJob]]:
    """Nodes that are all alike."""

    def groups(around: Surroundings, runtime_class: str) -> list[ReplicatedJob]:
        pod: PodSpec = {"containers": [{"name": NODE, "image": around.image(part)}]}
        return [_job(NODE, pod, around, runtime_class=runtime_class)]

    return groups


def _launched(part: str) -> Callable[[Surroundings, str], list[ReplicatedJob]]:
    """Nodes, and a launcher that reaches them by SSH and trains too."""

    def groups(around: Surroundings, runtime_class: str) -> list[ReplicatedJob]:
        image = around.image(part)
        launcher: Container = {"name": NODE, "image": image, "securityContext": {"runAsUser": MPI_USER}}
        # The group may read the private key. A volume that has the group already is not walked through at each start.
        group: PodSecurityContext = {"fsGroup": MPI_USER, "fsGroupChangePolicy": "OnRootMismatch"}
        node: Container = {
            **launcher,
            "command": ["/usr/sbin/sshd"],
            "args": ["-De", "-f", "/home/mpiuser/.sshd_config"],
            "readinessProbe": {"tcpSocket": {"port": SSH_PORT}, "initialDelaySeconds": 5},
        }
        reached: PodSpec = {"securityContext": group, "containers": [node]}
        launching: PodSpec = {"securityContext": group, "containers": [launcher]}
        nodes = _job(NODE, reached, around, runtime_class=runtime_class, step="")
        last = _job(LAUNCHER, launching, around, runtime_class=runtime_class)
        if not around.counts_pods:
            last["dependsOn"] = [{"name": NODE, "status": "Ready"}]
        return [nodes, last]

    return groups


def _mpi(name: RuntimeName, framework: str) -> Runtime:
    return Runtime(
        name=name,
        framework=framework,
        policy={
            "mpi": {
                "mpiImplementation": "OpenMPI",
                "numProcPerNode": 1,
                "runLauncherAsNode": True,
                "sshAuthMountPath": "/home/mpiuser/.ssh",
            }
        },
        groups=_launched(framework),
        trains=(LAUNCHER, NODE),
        job_set={
            # A name that resolves before its pod is ready: in a gang the launcher waits for the nodes by SSH.
            "network": {"publishNotReadyAddresses": True},
            "successPolicy": {"operator": "All", "targetReplicatedJobs": [LAUNCHER]},
        },
    )


def _fine_tuned(model: str, config: str, *tokenizer: str) -> Callable[[Surroundings, str], list[ReplicatedJob]]:
    """Data and model are fetched from Hugging Face, and torchtune trains on both."""

    def fetched(part: str, uri: str, around: Surroundings) -> ReplicatedJob:
        name = f"{part}-initializer"
        container: Container = {
            "name": name,
            "image": around.image(part),
            "env": [{"name": "STORAGE_URI", "value": uri}],
            "volumeMounts": [{"name": WORKSPACE, "mountPath": "/workspace"}],
        }
        return _job(name, {"containers": [container]}, around, step=name)

    def groups(around: Surroundings, runtime_class: str) -> list[ReplicatedJob]:
        before = [fetched("dataset", "hf://tatsu-lab/alpaca", around), fetched("model", f"hf://{model}", around)]
        container: Container = {
            "name": NODE,
            "image": around.image("torchtune"),
            "command": [
                *("tune", "run", "--rdzv_endpoint=localhost:29500", "full_finetune_distributed", "--config", config),
                *("dataset=torchtune.datasets.instruct_dataset", "dataset.source=parquet"),
                *("dataset.data_dir=/workspace/dataset/data", "output_dir=/workspace/output"),
                *(f"tokenizer.{each}" for each in tokenizer),
                "checkpointer.checkpoint_dir=/workspace/model",
            ],
            "volumeMounts": [{"name": WORKSPACE, "mountPath": "/workspace"}],
        }
        node = _job(NODE, around.with_gpus(container), around, runtime_class=runtime_class)
        node["dependsOn"] = [{"name": each["name"], "status": "Complete"} for each in before]
        return [*before, node]

    return groups


def _torchtune(name: RuntimeName, model: str, config: str, *tokenizer: str) -> Runtime:
    claim = {
        "metadata": {"name": WORKSPACE},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "20Gi"}}},
    }
    return Runtime(
        name=name,
        framework="torchtune",
        policy={"torch": {}},
        groups=_fine_tuned(model, config, *tokenizer),
        program=True,
        job_set=cast(JobSetSpec, {"volumeClaimPolicies": [{"templates": [claim]}]}),
    )


_LLAMA = "path=/workspace/model/original/tokenizer.model"
RUNTIMES: Sequence[Runtime] = (
    _mpi("deepspeed-distributed", "deepspeed"),
    Runtime(name="jax-distributed", framework="jax", policy={"jax": {}}, groups=_alike("jax")),
    _mpi("mlx-distributed", "mlx"),
    Runtime(name="torch-distributed", framework="torch", policy={"torch": {}}, groups=_alike("torch")),
    _torchtune("torchtune-llama3.2-1b", "meta-llama/Llama-3.2-1B-Instruct", "llama3_2/1B_full", _LLAMA),
    _torchtune("torchtune-llama3.2-3b", "meta-llama/Llama-3.2-3B-Instruct", "llama3_2/3B_full", _LLAMA),
    _torchtune(
        "torchtune-qwen2.5-1.5b",
        "Qwen/Qwen2.5-1.5B-Instruct",
        "qwen2_5/1.5B_full",
        "path=/workspace/model/vocab.json",
        "merges_file=/workspace/model/merges.txt",
    ),
    Runtime(name="xgboost-distributed", framework="xgboost", policy={"xgboost": {}}, groups=_alike("xgboost")),
)
"""Those of Trainer 2.3, by name."""
