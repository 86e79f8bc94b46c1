"""The job templates, by name, as import strings; packages add theirs by the entry point group `platform_def.jobs`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.metadata import entry_points
from typing import Any

from platform_def.errors import ConfigError
from platform_def.jobs.template import TemplateJob
from platform_def.packages import JOBS, load

BUILT_IN: Mapping[str, str] = {
    "caffe": "platform_def.jobs.plain.caffe:Caffe",
    "chainer": "platform_def.jobs.kubeflow.chainer:Chainer",
    "cron-workflow": "platform_def.jobs.workflows.cron_workflow:CronWorkflow",
    "dataset-load": "platform_def.jobs.plain.dataset_load:DatasetLoad",
    "dataset-prepare": "platform_def.jobs.plain.dataset_prepare:DatasetPrepare",
    "development": "platform_def.jobs.plain.development:Development",
    "experiment": "platform_def.jobs.tuning.experiment:Experiment",
    "gpu-job": "platform_def.jobs.plain.gpu_job:GpuJob",
    "horovod": "platform_def.jobs.kubeflow.horovod:Horovod",
    "image": "platform_def.jobs.plain.image_build:ImageBuild",
    "insightface": "platform_def.jobs.kubeflow.insightface:InsightFace",
    "jax": "platform_def.jobs.kubeflow.jax:Jax",
    "mpi": "platform_def.jobs.kubeflow.mpi:Mpi",
    "mxnet": "platform_def.jobs.kubeflow.mxnet:MxNet",
    "offline-inference": "platform_def.jobs.plain.offline_inference:OfflineInference",
    "paddle": "platform_def.jobs.kubeflow.paddle:Paddle",
    "pipeline": "platform_def.jobs.pipelines.pipeline:Pipeline",
    "pytorch-ddp": "platform_def.jobs.kubeflow.pytorch_ddp:PyTorchDdp",
    "queue-workers": "platform_def.jobs.plain.queue_workers:QueueWorkers",
    "ray": "platform_def.jobs.ray.ray_job:RayJob",
    "spark": "platform_def.jobs.spark.spark:Spark",
    "tensorflow": "platform_def.jobs.kubeflow.tensorflow:TensorFlow",
    "tensorflow-ps": "platform_def.jobs.plain.tensorflow_ps:TensorFlowPs",
    "trainjob": "platform_def.jobs.kubeflow.trainjob:TrainJob",
    "volcano-job": "platform_def.jobs.volcano.volcano_job:VolcanoJob",
    "workflow": "platform_def.jobs.workflows.workflow:Workflow",
    "xgboost": "platform_def.jobs.kubeflow.xgboost:XgBoost",
}


@lru_cache(maxsize=1)
def templates() -> Mapping[str, str]:
    """Import string by name; the project's own come before those of packages."""
    external = {point.name: point.value for point in entry_points(group=JOBS)}
    return dict(sorted((external | dict(BUILT_IN)).items()))


@cache
def template(name: str) -> type[TemplateJob[Any]]:
    """The class of a template; raises ConfigError when a package's entry point cannot be loaded."""
    value = templates()[name]
    found = load(f"template '{name}'", value)
    if not (isinstance(found, type) and issubclass(found, TemplateJob)):
        raise ConfigError(f"template '{name}': {value} is not a platform_def TemplateJob")
    return found
