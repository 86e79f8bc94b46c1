"""PyTorch DDP: data-parallel training with torchrun on one or more nodes, as a PyTorchJob."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis import kubeflow_v1
from platform_def.apis.core.core_v1 import Container, PodTemplateSpec
from platform_def.config.model import Image, Quantity, Subdomain
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.placement import Demand, demand_problems, place
from platform_def.jobs.template import Job, JobConfig, JobProblem


class PyTorchDdpConfig(JobConfig):
    """Parameters of a PyTorch job."""

    needs = ("PyTorchJob.kubeflow.org",)

    image: Image
    """Image with PyTorch and the training code."""
    command: Annotated[list[str], Field(min_length=1)]
    """What torchrun starts in each process, such as `[train.py, --epochs, "90"]`."""
    workers: Annotated[int, Field(ge=1, le=4096)] = 1
    """Pods, the master included."""
    gpus_per_worker: Annotated[int, Field(ge=0, le=16)] = 1
    """GPUs of each pod, and processes that torchrun starts there; 0 trains on the processor, one process a pod."""
    rdma: bool = False
    """Exchange gradients over the pool's RDMA fabric."""
    claim: Subdomain | None = None
    """Existing PersistentVolumeClaim with data and checkpoints, mounted at /data."""
    cpu: Quantity = "4"
    """Processor cores that each pod asks for."""
    memory: Quantity = "16Gi"
    """Memory of each pod, request and limit."""
    shared_memory: Quantity = "8Gi"
    """Size of /dev/shm: NCCL and data loaders exchange through it. It counts as memory of the pod."""
    retries: Annotated[int, Field(ge=0, le=100)] = 3
    """How often pods are started anew before the job has failed."""

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool or the team cannot give."""
        demand = Demand(
            self.pool, self.workers, self.gpus_per_worker, "gpusPerWorker", self.rdma, self.team, self.mig_profile
        )
        yield from demand_problems(demand, platform)


class PyTorchDdp(Job[PyTorchDdpConfig]):
    """A PyTorchJob: one master and any number of workers, all alike."""

    def build(self) -> None:
        """The job."""
        spec = self.spec()
        Resource(self, kubeflow_v1.PYTORCH_JOB, self.name_for(spec), spec=spec)

    def spec(self) -> kubeflow_v1.PyTorchJobSpec:
        """The job's specification; its hash is part of its name."""
        config = self.config
        replicas: dict[str, kubeflow_v1.ReplicaSpec] = {
            "Master": {"replicas": 1, "restartPolicy": "OnFailure", "template": self.template()}
        }
        if config.workers > 1:
            replicas["Worker"] = {
                "replicas": config.workers - 1,
                "restartPolicy": "OnFailure",
                "template": self.template(),
            }
        return {
            "nprocPerNode": str(max(config.gpus_per_worker, 1)),
            "pytorchReplicaSpecs": replicas,
            "runPolicy": {
                "activeDeadlineSeconds": config.deadline_hours * 3600,
                "backoffLimit": config.retries,
                "cleanPodPolicy": "Running",
            },
        }

    def template(self) -> PodTemplateSpec:
        """The pod of master and workers: torchrun reads its place from the variables that the operator sets."""
        config = self.config
        container: Container = {
            "name": "pytorch",
            "image": self.image(config.image),
            "command": ["torchrun"],
            "args": list(config.command),
            "resources": {
                "requests": {"cpu": config.cpu, "memory": config.memory},
                "limits": {"memory": config.memory},
            },
        }
        if config.claim:
            container["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
        index = self.platform.package_indexes.get("pip")
        if index:
            container["env"] = [{"name": "PIP_INDEX_URL", "value": index}]
        placement = place(
            config.pool,
            gpus=config.gpus_per_worker,
            rdma=config.rdma,
            platform=self.platform,
            profile=config.mig_profile,
        )
        pod = placement.pod(container, shared_memory=config.shared_memory)
        if config.claim:
            pod["volumes"].append({"name": "data", "persistentVolumeClaim": {"claimName": config.claim}})
        # Istio's sidecar would keep a finished pod running and a starting one from reaching the master.
        annotations = {"sidecar.istio.io/inject": "false", **placement.annotations}
        return {"metadata": {"annotations": annotations, "labels": self.labels()}, "spec": pod}
