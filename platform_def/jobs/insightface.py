"""InsightFace: face recognition trained on MXNet with parameter servers, as an MXJob on a shared CephFS volume.

Needs release 1.7.0 of the training operator, the last with MXJob: a scheduler, servers that add up gradients, workers
that compute them; data and models on one volume that all workers mount.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis import kubeflow_v1_release_1_7 as kubeflow
from platform_def.apis.core.core_v1 import PERSISTENT_VOLUME_CLAIM, Container, EnvVar, PodTemplateSpec
from platform_def.config.model import Image, Model, Name, Quantity
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.errors import nearest
from platform_def.jobs.placement import SLOW_GBPS, Demand, demand_problems, place
from platform_def.jobs.template import Job, JobConfig, JobProblem

MOUNT = "/data"


class Dataset(Model):
    """The shared volume with data set, models and logs."""

    storage: Name = "shared"
    """Storage class of the stack, by its key in `storage:`; it must offer ReadWriteMany."""
    size: Quantity = "500Gi"
    """Size of the claim that the job makes for itself."""
    claim: Name | None = None
    """An existing claim to use instead, filled with the data set beforehand."""


class Compression(Model):
    """Gradient compression: less to send, at some loss of precision; worth it below 25 Gbit/s."""

    type: Literal["2bit", "1bit"] = "2bit"
    threshold: Annotated[float, Field(gt=0)] = 0.5
    """Gradients are sent as steps of this size; what is left is added to the next round."""


class InsightFaceConfig(JobConfig):
    """Parameters of an InsightFace job."""

    needs = ("MXJob.kubeflow.org",)

    image: Image
    """Image with MXNet, a CUDA that the driver bears, and InsightFace's code; no public one is kept up."""
    command: Annotated[list[str], Field(min_length=1)] = Field(
        default_factory=lambda: ["python", "-u", "/insightface/recognition/ArcFace/train.py"]
    )
    """What a worker runs; the arguments for the kvstore and compression are added."""
    args: list[str] = Field(default_factory=lambda: ["--network", "r50", "--loss", "arcface", "--dataset", "emore"])
    """Arguments of the training script."""
    workers: Annotated[int, Field(ge=1, le=512)] = 2
    """Pods that train."""
    servers: Annotated[int, Field(ge=1, le=512)] | None = None
    """Pods that add up gradients; by default as many as workers, which spreads the traffic evenly."""
    gpus_per_worker: Annotated[int, Field(ge=1, le=16)] = 1
    """GPUs of each worker."""
    kvstore: Literal["dist_sync", "dist_device_sync", "dist_async", "dist_sync_device"] = "dist_device_sync"
    """How gradients meet: `dist_device_sync` adds up on the GPUs of a worker first."""
    compression: Compression | None = None
    """Gradient compression, given to the script as `--gc-type` and `--gc-threshold`, as in MXNet's examples."""
    rdma: bool = False
    """Parameter-server traffic over RDMA; the image's ps-lite must be built with RDMA. It needs a pool whose pods run
    in the node's network, and a node for each pod: scheduler, servers and workers."""
    dataset: Dataset = Dataset()
    """Where data, models and logs live."""
    cpu: Quantity = "4"
    """Cores that each pod asks for."""
    memory: Quantity = "16Gi"
    """Memory of each pod, request and limit."""
    shared_memory: Quantity = "8Gi"
    """Size of /dev/shm for MXNet's data loaders."""

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool, the team or the storage cannot give."""
        demand = Demand(
            self.pool,
            self.workers,
            self.gpus_per_worker,
            "gpusPerWorker",
            self.rdma,
            self.team,
            self.mig_profile,
            fabric_pods=self.workers + (self.servers or self.workers) + 1,
        )
        yield from demand_problems(demand, platform)
        pool = platform.pool(self.pool) if self.pool else None
        if pool and self.rdma and pool.rdma.kind != "none" and not pool.rdma.in_host_network:
            # ps-lite meets at the scheduler's address, which the operator gives as one of the cluster's network.
            text = f"ps-lite connects over the fabric by address, and pods on pool {pool.name} have none there that"
            hint = f"let its pods share the adapters: `rdma: {{kind: {pool.rdma.kind}, hostNetwork: true}}`"
            yield JobProblem("rdma", f"{text} the scheduler's name leads to", hint)
        if pool and pool.gbps and pool.gbps < SLOW_GBPS and self.workers > 1 and not (self.compression or self.rdma):
            text = f"pool {pool.name} has {pool.gbps} Gbit/s: sending the gradients takes longer than computing them"
            yield JobProblem("workers", text, "turn on compression: {type: 2bit}, or use one worker with more GPUs")
        if self.dataset.claim:
            return
        storage = platform.storage.get(self.dataset.storage)
        if storage is None:
            text = f"storage '{self.dataset.storage}' is not in the stack"
            yield JobProblem(
                "dataset", text, nearest(self.dataset.storage, platform.storage) or "add one under storage:"
            )
        elif "ReadWriteMany" not in storage.modes:
            yield JobProblem(
                "dataset",
                f"storage '{self.dataset.storage}' cannot be mounted by several pods",
                "use one with ReadWriteMany",
            )


class InsightFace(Job[InsightFaceConfig]):
    """A claim on shared storage and an MXJob with scheduler, servers and workers."""

    def build(self) -> None:
        """The volume and the job."""
        if not self.config.dataset.claim:
            self.volume()
        spec = self.spec()
        Resource(self, kubeflow.MX_JOB, self.name_for(spec), spec=spec)

    @property
    def claim(self) -> str:
        """Name of the claim: not hashed, the data outlives the job."""
        return self.config.dataset.claim or f"{self.config.name}-data"

    def volume(self) -> None:
        """The shared volume."""
        key = self.config.dataset.storage
        storage = self.platform.storage.get(key)
        Resource(
            self,
            PERSISTENT_VOLUME_CLAIM,
            self.claim,
            spec={
                "accessModes": ["ReadWriteMany"],
                "storageClassName": (storage.class_name if storage and storage.class_name else key),
                "resources": {"requests": {"storage": self.config.dataset.size}},
            },
        )

    def spec(self) -> kubeflow.MXJobSpec:
        """The job's specification; its hash is part of its name."""
        config = self.config
        return {
            "jobMode": "MXTrain",
            "mxReplicaSpecs": {
                "Scheduler": {"replicas": 1, "restartPolicy": "Never", "template": self.template(works=False)},
                "Server": {
                    "replicas": config.servers or config.workers,
                    "restartPolicy": "Never",
                    "template": self.template(works=False),
                },
                "Worker": {"replicas": config.workers, "restartPolicy": "Never", "template": self.template(works=True)},
            },
            "runPolicy": {
                "activeDeadlineSeconds": config.deadline_hours * 3600,
                "backoffLimit": 1,
                "cleanPodPolicy": "All",
            },
        }

    def template(self, *, works: bool) -> PodTemplateSpec:
        """A pod. Scheduler and servers only import MXNet, which makes them take the role that the operator sets."""
        config = self.config
        container: Container = {
            "name": "mxnet",
            "image": self.image(config.image),
            "command": [*config.command, *self.arguments()] if works else ["python", "-c", "import mxnet"],
            "env": self.variables(),
            "resources": {
                "requests": {"cpu": config.cpu, "memory": config.memory},
                "limits": {"memory": config.memory},
            },
            "volumeMounts": [{"name": "data", "mountPath": MOUNT}],
        }
        placement = place(
            config.pool,
            gpus=config.gpus_per_worker if works else 0,
            rdma=config.rdma,
            platform=self.platform,
            profile=config.mig_profile,
        )
        pod = placement.pod(container, shared_memory=config.shared_memory)
        pod["volumes"].append({"name": "data", "persistentVolumeClaim": {"claimName": self.claim}})
        annotations = {"sidecar.istio.io/inject": "false", **placement.annotations}
        return {"metadata": {"annotations": annotations, "labels": self.labels()}, "spec": pod}

    def arguments(self) -> list[str]:
        """The script's arguments, with how gradients are exchanged."""
        config = self.config
        added = ["--kvstore", config.kvstore]
        if config.compression:
            added += ["--gc-type", config.compression.type, "--gc-threshold", f"{config.compression.threshold:g}"]
        return [*config.args, *added]

    def variables(self) -> list[EnvVar]:
        """Variables that all roles must agree on."""
        env: list[EnvVar] = [{"name": "MXNET_CUDNN_AUTOTUNE_DEFAULT", "value": "0"}]
        if self.config.rdma:
            env.append({"name": "DMLC_ENABLE_RDMA", "value": "1"})
        return env
