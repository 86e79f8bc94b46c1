"""The Job that has the server start a run, and the objects that it names."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from platform_def.apis.core.batch_v1 import JOB
from platform_def.apis.core.core_v1 import CONFIG_MAP, Container, PodSpec
from platform_def.apis.kubeflow.kfp_pipelines_v2beta1 import PIPELINE, PIPELINE_VERSION
from platform_def.capabilities import PipelineServer
from platform_def.config.platform import Platform
from platform_def.constructs.protection import before_others
from platform_def.constructs.resource import Resource
from platform_def.constructs.secrets import PYTHON, UNPRIVILEGED
from platform_def.constructs.security import RESTRICTED
from platform_def.constructs.volumes import mounts
from platform_def.jobs.pipelines.fields import PipelineFields
from platform_def.jobs.template import TemplateJob, home_of

P = TypeVar("P", bound=PipelineFields)
TOKEN_FOLDER = "/var/run/secrets/kubeflow/pipelines"  # noqa: S105 - a folder, where the SDK looks
LARGEST_BYTES = 1_000_000
"""Room of a ConfigMap, a mebibyte, less the program."""


def make_starter(job: TemplateJob[P]) -> None:
    """Pipeline and version where these are objects; plan, program, and the Job that carries it out."""
    config, server = job.config, job.platform.one(PipelineServer, who=f"the job {job.config.name}").value
    package = config.package(job.platform)
    if server.as_objects:
        first = before_others(job.platform.delivery) if config.sync else {}
        spec: Any = {"displayName": package.name}
        Resource(job, PIPELINE, config.name, spec=spec, part="classes", annotations=first)
        version: Any = {"pipelineName": config.name, "pipelineSpec": package.mirrored(job.image)}
        if package.platform:
            version["platformSpec"] = dict(package.platform)
        Resource(job, PIPELINE_VERSION, job.unique_name, spec=version)
    content = {**plan(config, job.platform), "run": job.unique_name}
    if server.as_objects:
        content |= {"pipeline": config.name, "version": job.unique_name}
    files = {
        "start.py": program(),
        "plan.json": json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n",
    }
    Resource(job, CONFIG_MAP, job.unique_name, fields={"data": files})
    pod = pod_of(job.unique_name, server, job.image(PYTHON))
    labels = {**job.labels(), "sidecar.istio.io/inject": "false"}
    Resource(
        job,
        JOB,
        job.unique_name,
        spec={
            "activeDeadlineSeconds": 3600,
            "backoffLimit": 6,
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    )


def plan(config: PipelineFields, platform: Platform) -> dict[str, Any]:
    """What the program is told; the pipeline itself where the server keeps it in its database."""
    server = platform.one(PipelineServer, who=f"the job {config.name}").value
    package, home = config.package(platform), home_of(config, platform)
    made: dict[str, Any] = {
        "url": f"http://{server.host}:{server.port}",
        "account": server.account,
        "experiment": config.experiment,
        "mark": f"platform-def: the job {config.name}",
        "name": config.name,
        "namespace": home if server.by_namespace else "",
        "parameters": config.parameters,
        "root": config.pipeline_root or "",
    }
    if not server.as_objects:
        whole = package.mirrored(platform.image)
        made["pipeline_spec"] = (
            {"pipeline_spec": whole, "platform_spec": dict(package.platform)} if package.platform else whole
        )
    if config.schedule:
        # The server's clock has seconds.
        made["schedule"] = {**config.schedule.model_dump(), "cron": f"0 {config.schedule.cron}"}
    return made


def too_large(config: PipelineFields, platform: Platform) -> int:
    """Bytes of a plan that no ConfigMap holds; 0 where it fits."""
    size = len(json.dumps(plan(config, platform), indent=1, ensure_ascii=False).encode())
    return size if size > LARGEST_BYTES else 0


def pod_of(name: str, server: PipelineServer, image: str) -> PodSpec:
    """The Job's pod: the account's token for the server, and nothing else of the cluster's."""
    container: Container = {
        "name": "start",
        "image": image,
        "command": ["python3", "-B", "/start/start.py", "/start/plan.json"],
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": RESTRICTED,
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": mounts({"start": "/start", "token": TOKEN_FOLDER}, read_only=True),
    }
    token = {"audience": server.audience, "expirationSeconds": 3600, "path": "token"}
    return {
        "serviceAccountName": server.account,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "restartPolicy": "Never",
        "securityContext": UNPRIVILEGED,
        "containers": [container],
        "volumes": [
            {"name": "start", "configMap": {"name": name}},
            {"name": "token", "projected": {"sources": [{"serviceAccountToken": token}]}},  # type: ignore[typeddict-item]
        ],
    }


@cache
def program() -> str:
    """The program that asks the server."""
    return Path(__file__).with_name("start.py").read_text()
