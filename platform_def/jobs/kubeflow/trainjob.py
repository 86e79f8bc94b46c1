"""TrainJob: training with Kubeflow Trainer v2, on a runtime of the job's own or on one of the cluster's.

A runtime says how pods look, a TrainJob how many there are. In Trainer 2.3 a TrainJob can change but some of what its
runtime says, so by default a job brings a runtime with all that it asks for. The trainer must know it before the job.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodTemplateSpec
from platform_def.apis.kubeflow import trainer_v1alpha1 as trainer
from platform_def.capabilities import TrainingRuntime, TrainingRuntimes
from platform_def.config.model import Image, Subdomain
from platform_def.config.platform import Platform
from platform_def.constructs.gpu_nodes import gpu_runtime_class
from platform_def.constructs.protection import before_others
from platform_def.constructs.resource import Resource
from platform_def.errors import nearest
from platform_def.jobs.placement import place
from platform_def.jobs.pod import Role, make_claims, make_tensorboard, pod_template
from platform_def.jobs.pods.security import level_of
from platform_def.jobs.queueing import pod_queue, pool_of, queue_labels
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.torchrun import patience
from platform_def.jobs.training import TrainingConfig

GROUP = "trainer.kubeflow.org"
STEP = f"{GROUP}/trainjob-ancestor-step"
"""Label of the Jobs that get what a TrainJob says of its trainer."""
SIBLINGS = "jobset.sigs.k8s.io/jobset-name"
"""Label that JobSet gives all pods of a set; the set has the TrainJob's name."""
NODE = "node"
"""Container, and group of Jobs, that the trainer looks for."""
AUTHOR = "platform-def.dev/job"
"""Who changes the runtime for this job: the trainer asks for a domain and a path."""
LONGEST_NAME = 63
HASH_AND_SUFFIX = len("-12345678") + len("-abcde")
PATCHED = (
    "affinity",
    "imagePullSecrets",
    "nodeSelector",
    "securityContext",
    "serviceAccountName",
    "tolerations",
    "volumes",
)
"""What of a pod a TrainJob can change, beside mounts and security contexts of its containers."""


RESERVED: Mapping[str, frozenset[str]] = {
    "torch": frozenset({"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"}),
    "jax": frozenset({"JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "JAX_COORDINATOR_ADDRESS"}),
    "xgboost": frozenset({"DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID", "DMLC_NUM_WORKER"}),
    "mpi": frozenset(
        f"OMPI_MCA_{name}"
        for name in ("orte_default_hostfile", "plm_rsh_args", "orte_keep_fqdn_hostnames", "orte_set_default_slots")
    ),
    "plain": frozenset(),
}
"""Variables by which the trainer tells pods of each other, by framework: in a runtime it writes over them without a
word, and in a TrainJob its webhook refuses most."""
OWN: frozenset[str] = frozenset().union(*RESERVED.values())


class TrainJobConfig(TrainingConfig):
    """Parameters of a TrainJob."""

    stays = "TrainJob"
    needs = ("TrainJob.trainer.kubeflow.org",)

    image: Image | None = None  # type: ignore[assignment]
    """Image with framework and training code; where `runtime` names one, by default that of the runtime."""
    command: list[str] = Field(default_factory=list)
    """What each pod runs, its launcher included, such as `[torchrun, train.py]`; by default the image's own, or the
    runtime's."""
    framework: Literal["torch", "jax", "xgboost", "plain"] = "torch"
    """How pods find each other: the variables `PET_…` of torchrun, `JAX_…`, or `DMLC_…`; `plain` sets
    none. A runtime that `runtime` names has its own way."""
    runtime: Subdomain | None = None
    """ClusterTrainingRuntime to train on, such as `deepspeed-distributed`; by default the job brings a runtime of its
    own, which alone has room for every parameter."""
    processes: Annotated[int, Field(ge=1, le=256)] | None = None
    """Processes of each pod, where torchrun or MPI starts them; by default one for each GPU."""

    @property
    def processes_a_pod(self) -> int:
        """Processes of each pod."""
        return self.processes or max(self.gpus_per_worker, 1)

    def derived(self, platform: Platform) -> Mapping[str, tuple[object, str]]:
        """Processors, memory, and processes, where the stack file says none."""
        why = "one for each GPU" if self.gpus_per_worker else "one without GPUs"
        return {**super().derived(platform), "processes": (self.processes_a_pod, why)}

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool or the team cannot give, and what a runtime has no place for."""
        yield from super().problems(platform)
        if self.clean_pods != "Running":
            text = "pods that run are removed with the JobSet's end, and those that ended stay"
            yield JobProblem("cleanPods", text, "leave `cleanPods` out")
        if self.runtime is None and self.image is None:
            yield JobProblem("image", "`image` is missing", "name one, or a `runtime:` that brings its own")
        reserved = OWN if self.runtime else RESERVED[self.framework]
        for name in sorted(reserved & self.env.keys()):
            yield JobProblem("env", f"{name} is the trainer's own, by which pods find each other", "leave it out")
        known = runtime_of(self, platform)
        yield from self._name_problems(known)
        if self.runtime is not None:
            yield from self._runtime_problems(self.runtime, known, platform)

    def _name_problems(self, known: TrainingRuntime) -> Iterator[JobProblem]:
        """Names of pods, which JobSet makes of the job's."""
        longest = max([*known.groups, *(["dataset-initializer"] if known.program else [])], key=len)
        room = LONGEST_NAME - HASH_AND_SUFFIX - len(f"-{longest}-0-{self.workers - 1}")
        if len(self.name) > room:
            text = (
                f"pods are called <name>-<hash>-{longest}-0-{self.workers - 1}-<suffix>, of {LONGEST_NAME} characters"
            )
            yield JobProblem("name", f"{text} at most", f"use at most {room} characters")
        if not self.name[0].isalpha():
            text = f"JobSet refuses names of Jobs that do not begin with a letter, as {self.name} does not"
            yield JobProblem("name", text, "begin it with a letter")

    def _runtime_problems(self, name: str, known: TrainingRuntime, platform: Platform) -> Iterator[JobProblem]:
        """A runtime of the cluster's that is not there, or what no TrainJob can change of it."""
        given = platform.maybe(TrainingRuntimes)
        there = [each.name for each in given.value.runtimes] if given else []
        if there and name not in there:
            yield JobProblem("runtime", f"{name} is no runtime of the stack", nearest(name, there) or ", ".join(there))
            return
        if not self.command and not known.program and given:
            yield JobProblem("command", f"runtime {name} brings no program", "say what each pod runs")
        if len(known.groups) > 1 and self.workers < len(known.groups):
            text = f"runtime {name} has a launcher, which trains too, and at least one pod more"
            yield JobProblem("workers", text, f"ask for {len(known.groups)} or more")
        if len(known.groups) > 1 and self.image is not None:
            text = f"the trainer gives it to the launcher of runtime {name} alone, and its nodes keep the runtime's"
            yield JobProblem("image", text, "leave it out, and let the program lie on a volume")
        waits = queue_labels(self, platform)
        if known.program and waits and any(pool.topology for pool in platform.node_pools):
            text = (
                f"where pools have a topology Kueue places no pods that ask for nothing, as those that fetch for {name}"
            )
            yield JobProblem("runtime", text, "leave `runtime` out, or give the job to a team without a `queue`")
        if known.program and level_of(self, platform) == "restricted":
            text = (
                f"pods that fetch data and model for {name} say no user, which Pod Security level 'restricted' of team"
                f" {self.team} refuses"
            )
            yield JobProblem("runtime", text, "leave `runtime` out, or give the team `baseline`")
        for field, why in self._unpatched(known, platform):
            hint = "leave it out, or leave `runtime` out: a runtime of the job's own has room for it"
            yield JobProblem(field, f"{why}, and a TrainJob cannot change that of runtime {name}", hint)

    def _unpatched(self, known: TrainingRuntime, platform: Platform) -> Iterator[tuple[str, str]]:
        """Parameters that change what no TrainJob can, with what they change."""
        given = platform.maybe(TrainingRuntimes)
        for field, said, why in (
            ("code", self.code, "code is fetched by a container of its own"),
            (
                "datasets",
                any(each.disk for each in self.readings(platform)),
                "data is copied to the node by a container of its own",
            ),
            ("workingDir", self.working_dir, "the working folder is the container's"),
            ("priorityClass", self.priority_class, "the PriorityClass is the pod's"),
            ("framework", "framework" in self.model_fields_set, "how pods find each other is the runtime's"),
            ("retries", "retries" in self.model_fields_set, "how often pods restart is the runtime's"),
        ):
            if said:
                yield field, why
        placement = place(self.pool_name(platform), gpus=self.gpus_per_worker, rdma=self.rdma, platform=platform)
        if self.rdma and placement.pool and placement.pool.rdma.in_host_network:
            yield "rdma", "the pool's fabric is reached through the node's network"
        if given is None:
            return
        by_class = "nvidia" if placement.gpu_runtime and self.gpus_per_worker else ""
        if by_class != (gpu_runtime_class(platform) if known.gpus else ""):
            asked = f"RuntimeClass {by_class}" if by_class else "no RuntimeClass"
            yield "gpusPerWorker", f"its pods need {asked}"
        if placement.scheduler and placement.scheduler != given.value.scheduler:
            yield "pool", f"its pods need scheduler {placement.scheduler}"


def runtime_of(config: TrainJobConfig, platform: Platform) -> TrainingRuntime:
    """The runtime that a job names as the stack knows it; one of the job's own has a group of equal pods.

    A job without GPUs gets the equal one that asks for no RuntimeClass, where the stack has both.
    """
    given = platform.maybe(TrainingRuntimes)
    known = {each.name: each for each in (given.value.runtimes if given else ())}
    named = known.get(config.runtime or "", TrainingRuntime(name=config.runtime or "own"))
    return named if config.gpus_per_worker else known.get(named.on_processors, named)


class TrainJob(TemplateJob[TrainJobConfig]):
    """A TrainJob, with a TrainingRuntime of its own unless it names one of the cluster's."""

    def build(self) -> None:
        """Claims, the runtime, and the job."""
        make_claims(self)
        config = self.config
        env = patience(config) if config.framework == "torch" and config.runtime is None else {}
        role = Role(container=NODE, command=config.command, args=config.args, env=env, restart="Never")
        template = pod_template(self, role, siblings=SIBLINGS)
        spec: trainer.TrainJobSpec = {
            "runtimeRef": {"apiGroup": GROUP, "kind": "ClusterTrainingRuntime", "name": ""},
            "activeDeadlineSeconds": self.config.deadline_hours * 3600,
            "trainer": {"numNodes": self.config.workers, "numProcPerNode": self.config.processes_a_pod},
        }
        if self.config.runtime is None:
            name = self.unique_name
            first = before_others(self.platform.delivery) if self.config.sync else {}
            own = self.own_runtime(template)
            Resource(self, trainer.TRAINING_RUNTIME, name, spec=own, annotations=first, part="classes")
            spec["runtimeRef"] |= {"kind": "TrainingRuntime", "name": name}
        else:
            spec["runtimeRef"]["name"] = runtime_of(config, self.platform).name
            spec["trainer"] |= changes(template["spec"]["containers"][0])
            spec["runtimePatches"] = [self.patch(template)]
        Resource(self, trainer.TRAIN_JOB, self.unique_name, spec=spec)
        make_tensorboard(self)

    def own_runtime(self, template: PodTemplateSpec) -> trainer.RuntimeSpec:
        """Equal pods, all of which restart where one fails; where the cluster ends one, that counts as no try."""
        config, given = self.config, self.platform.maybe(TrainingRuntimes)
        pool = pool_of(config, self.platform)
        if pool and pool.scheduler:
            given = None  # its pods ask for that, which finds their gang itself
        gang = given.value.gang if given else "none"
        if given and given.value.scheduler:
            template["spec"]["schedulerName"] = given.value.scheduler
        job = {
            "backoffLimit": 0,
            "podFailurePolicy": {
                "rules": [{"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
            },
            "template": template,
        }
        disrupted = {
            "name": "disrupted",
            "action": "RestartJobSetAndIgnoreMaxRestarts",
            "onJobFailureReasons": ["PodFailurePolicy"],
        }
        group = {"name": NODE, "template": {"metadata": {"labels": {STEP: "trainer"}}, "spec": job}}
        jobs = {
            "failurePolicy": {"maxRestarts": config.retries, "rules": [disrupted]},
            "replicatedJobs": [group],
        }
        policy: dict[str, dict[str, str]] = {config.framework: {}} if config.framework != "plain" else {}
        made: trainer.RuntimeSpec = {
            "mlPolicy": cast(trainer.MlPolicy, {"numNodes": config.workers, **policy}),
            "template": cast(trainer.JobSetTemplate, {**self.queued(), "spec": jobs}),
        }
        # Volcano would keep room for the gang of a job that Kueue holds back, and others that are let in would wait.
        held_back = gang == "volcano" and bool(queue_labels(config, self.platform))
        if gang in ("volcano", "scheduler-plugins") and not held_back:
            made["podGroupPolicy"] = {"volcano": {}} if gang == "volcano" else {"coscheduling": {}}
        return made

    def patch(self, template: PodTemplateSpec) -> trainer.RuntimePatch:
        """Placement, volumes, account and labels, for all groups of the cluster's runtime that train."""
        pod = cast(dict[str, Any], template["spec"])
        (container,) = pod["containers"]
        changed: dict[str, Any] = {field: pod[field] for field in PATCHED if field in pod}
        if "grace_period_seconds" in self.config.model_fields_set:  # else the runtime's, which is the cluster's choice
            changed["terminationGracePeriodSeconds"] = self.config.grace_period_seconds
        own = {field: container[field] for field in ("securityContext", "volumeMounts") if field in container}
        if own:
            changed["containers"] = [{"name": NODE, **own}]
        of_pod = {"template": {"metadata": template["metadata"], "spec": changed}}
        groups = [
            {"name": name, "template": {"spec": of_pod}} for name in runtime_of(self.config, self.platform).groups
        ]
        changed_set = {**self.queued(), "spec": {"replicatedJobs": groups}}
        made = {"manager": AUTHOR, "trainingRuntimeSpec": {"template": changed_set}}
        return cast(trainer.RuntimePatch, made)

    def queued(self) -> dict[str, trainer.TemplateMetadata]:
        """The JobSet's annotation by which the gang is in its team's queue: the trainer reads none of the pods'."""
        annotations = pod_queue(self.config, self.platform).annotations
        return {"metadata": {"annotations": {**annotations}}} if annotations else {}


def changes(container: Container) -> trainer.Trainer:
    """What a TrainJob says of the container that trains."""
    said = cast(dict[str, Any], container)
    known = {"image": "image", "command": "command", "args": "args", "env": "env", "resources": "resourcesPerNode"}
    made = {other: said[field] for field, other in known.items() if field in said}
    return cast(trainer.Trainer, made)
