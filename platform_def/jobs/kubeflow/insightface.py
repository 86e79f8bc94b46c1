"""InsightFace: face recognition trained on MXNet, with data and models on one shared volume.

Its script (deepinsight/insightface, recognition/arcface_mxnet/train.py; until June 2021 recognition/ArcFace/train.py)
takes the number of GPUs from CUDA_VISIBLE_DEVICES, data from a path in the user's config.py, which upstream gives
relative to the working folder as ../datasets/<name>, and ends when config.max_steps batches are done, else never.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.batch_v1 import JOB, JobSpec
from platform_def.apis.core.core_v1 import Volume as PodVolume
from platform_def.apis.core.core_v1 import VolumeMount
from platform_def.config.model import Image, Model
from platform_def.config.platform import Platform
from platform_def.constructs.config_map import config_map
from platform_def.constructs.resource import Resource
from platform_def.jobs.kubeflow.mxnet import ParameterServerConfig, make_mx_job
from platform_def.jobs.parameters import AbsolutePath, Volume
from platform_def.jobs.placement import SLOW_GBPS
from platform_def.jobs.plain.batch import SIBLINGS, job_spec
from platform_def.jobs.pod import Role, make_claims, make_tensorboard, pod_template
from platform_def.jobs.template import JobProblem, TemplateJob

KvStore = Literal["local", "device", "dist_sync", "dist_device_sync", "dist_async"]
FILES = "/etc/insightface"
COMPRESSED = "compressed.py"
LAUNCHER = '''"""compressed.py TYPE THRESHOLD SCRIPT ARGS: the script, with compressed gradients in mxnet.mod.Module."""

import os
import runpy
import sys

import mxnet

kind, threshold, script = sys.argv[1:4]
plain = mxnet.mod.Module.__init__


def compressing(self, *args, **settings):
    settings.setdefault("compression_params", {"type": kind, "threshold": float(threshold)})
    plain(self, *args, **settings)


def apart(self, key, value, out=None, priority=0):
    # MXNet 1.9's Module updates by pushpull, which refuses compressed gradients (kvstore_dist.h).
    self.push(key, value, priority)
    self.pull(key, value if out is None else out, priority)


mxnet.mod.Module.__init__ = compressing
mxnet.kv.KVStore.pushpull = apart
sys.argv = sys.argv[3:]
sys.path[0] = os.path.dirname(os.path.abspath(script))
runpy.run_path(script, run_name="__main__")
'''


class Compression(Model):
    """Gradient compression: a sixteenth to send, at some loss of precision; worth it below 25 Gbit/s."""

    type: Literal["2bit"] = "2bit"
    """MXNet 1.9 has this one."""
    threshold: Annotated[float, Field(gt=0)] = 0.5
    """Gradients are sent as steps of this size; what is left is added to the next round."""
    arguments: list[str] = Field(default_factory=list)
    """How your own script receives it, `{type}` and `{threshold}` standing for the values: `[--gc-type, "{type}"]`.
    Left out, the template turns compression on in the `mxnet.mod.Module` that the script makes."""


class InsightFaceConfig(ParameterServerConfig):
    """Parameters of an InsightFace job."""

    image: Image
    """Image with MXNet, a CUDA that the driver supports, and InsightFace's code; no public one is maintained."""
    command: Annotated[list[str], Field(min_length=2)] = Field(
        default_factory=lambda: ["python", "-u", "/insightface/recognition/arcface_mxnet/train.py"]
    )
    """The interpreter and the training script in the image."""
    args: list[str] = Field(default_factory=lambda: ["--network", "r50", "--loss", "arcface", "--dataset", "emore"])
    """Arguments of the script; `--kvstore` and `--models-root` are added."""
    kvstore: KvStore = "dist_device_sync"
    """How gradients meet: `local` and `device` within one pod, the others on the servers; `device` adds up on the GPUs
    of a worker first, `async` lets workers run ahead of each other."""
    compression: Compression | None = None
    """Gradient compression."""
    config: str | None = None
    """Text of config.py, which is put beside the script: upstream ships a sample alone. By default the image's own.
    `config.max_steps` in it is the number of batches after which training ends."""
    models: AbsolutePath = "/data/models"
    """Folder on a volume for models, which are the job's checkpoints too."""
    working_dir: AbsolutePath | None = "/data/work"
    """Working folder: upstream's paths `../datasets/<name>` are /data/datasets/<name> from here."""
    dataset: Volume | None = Volume(storage="shared")
    """The volume with data, models and logs, at /data."""

    @property
    def distributed(self) -> bool:
        """Whether there are servers."""
        return self.kvstore.startswith("dist")

    @property
    def script(self) -> str:
        """The training script."""
        return next((word for word in self.command if word.endswith(".py")), self.command[-1])

    def apis(self) -> tuple[str, ...]:
        """An MXJob where there are servers; one pod is a plain Job."""
        return ("MXJob.kubeflow.org",) if self.distributed else ()

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What is wrong beside what can be with any job on MXNet."""
        yield from super().problems(platform)
        if not self.distributed and self.workers > 1:
            text = f"kvstore {self.kvstore} adds up gradients within one pod, and there are {self.workers} workers"
            yield JobProblem("kvstore", text, "write `workers: 1`, or a kvstore that begins with dist_")
        if self.rdma and not self.distributed:
            text = f"kvstore {self.kvstore} adds up gradients within one pod, which exchanges nothing with others"
            yield JobProblem("rdma", text, "leave it out, or write a kvstore that begins with dist_")
        if self.compression and self.kvstore == "local":
            yield JobProblem("compression", "MXNet compresses no gradients with kvstore local", "use `kvstore: device`")
        name = self.pool_name(platform)
        pool = platform.pool(name) if name else None
        slow = bool(pool and pool.gbps and pool.gbps < SLOW_GBPS)
        if pool and slow and self.distributed and self.workers > 1 and not (self.compression or self.rdma):
            text = f"pool {pool.name} has {pool.gbps} Gbit/s: sending the gradients takes longer than computing them"
            yield JobProblem("workers", text, "turn on compression: {type: 2bit}, or use one worker with more GPUs")
        if not any(self.models.startswith(f"{path}/") for path, _ in self.mounted().values()):
            text = f"{self.models} lies on no volume of the job: the model would go with the pod"
            yield JobProblem("models", text, "choose a folder below /data")
        if self.config is not None and not self.script.startswith("/"):
            text = f"config.py is put beside the script, and {self.script} is no path from the root"
            yield JobProblem("command", text, "write the script's whole path")


class InsightFace(TemplateJob[InsightFaceConfig]):
    """An MXJob with scheduler, servers and workers, or a Job of one pod, and a claim on shared storage."""

    def build(self) -> None:
        """Volume, files, and the job."""
        make_claims(self)
        if files := self.files():
            config_map(self, self.unique_name, files)
        if self.config.distributed:
            make_mx_job(self, self.worker())
        else:
            Resource(self, JOB, self.unique_name, spec=self.single())
        make_tensorboard(self)

    def files(self) -> dict[str, str]:
        """Files that the image does not have."""
        found = {} if self.config.config is None else {"config.py": self.config.config}
        if self.compressing:
            found[COMPRESSED] = LAUNCHER
        return found

    @property
    def compressing(self) -> bool:
        """Whether the template itself turns compression on."""
        return self.config.compression is not None and not self.config.compression.arguments

    def single(self) -> JobSpec:
        """One pod, with as many tries as the job has."""
        template = pod_template(self, self.worker(restart="Never"), siblings=SIBLINGS)
        return job_spec(
            template,
            deadline_hours=self.config.deadline_hours,
            lifetime=self.config.lifetime,
            retries=self.config.retries,
        )

    def worker(self, *, restart: str | None = None) -> Role:
        """A pod that trains."""
        return Role(
            container="mxnet",
            command=[*self.command(), *self.arguments()],
            env={"CUDA_VISIBLE_DEVICES": self.devices(), **self.config.variables(self.platform)},
            mounts=list(self.mounts()),
            volumes=self.volumes(),
            restart=restart,
        )

    def devices(self) -> str:
        """The script takes the number of its GPUs from the length of this list, and fails where there is none."""
        return ",".join(map(str, range(self.config.gpus_per_worker)))

    def command(self) -> list[str]:
        """The script, below the launcher that turns compression on where the script cannot."""
        command, compression = self.config.command, self.config.compression
        if not self.compressing or compression is None:
            return command
        place = command.index(self.config.script)
        launcher = [f"{FILES}/{COMPRESSED}", compression.type, f"{compression.threshold:g}"]
        return [*command[:place], *launcher, *command[place:]]

    def arguments(self) -> list[str]:
        """The script's arguments, with where models go and how gradients meet."""
        config = self.config
        added = [] if "--models-root" in config.args else ["--models-root", config.models]
        added += ["--kvstore", config.kvstore]
        if config.compression:
            values = {"type": config.compression.type, "threshold": f"{config.compression.threshold:g}"}
            for word in config.compression.arguments:
                for name, value in values.items():
                    word = word.replace(f"{{{name}}}", value)
                added.append(word)
        return [*config.args, *added]

    def mounts(self) -> Iterator[VolumeMount]:
        """config.py beside the script, which looks for it there, and the launcher."""
        if self.config.config is not None:
            beside = PurePosixPath(self.config.script).parent / "config.py"
            yield {"name": "files", "mountPath": str(beside), "subPath": "config.py"}
        if self.compressing:
            yield {"name": "files", "mountPath": FILES}

    def volumes(self) -> list[PodVolume]:
        """The files."""
        return [{"name": "files", "configMap": {"name": self.unique_name}}] if self.files() else []
