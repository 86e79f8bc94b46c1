"""What plain Jobs have in common: pods by number, and tries that a drained or preempted pod does not count as."""

from __future__ import annotations

from typing import TypeVar

from platform_def.apis.core.batch_v1 import JobSpec
from platform_def.apis.core.core_v1 import PodTemplateSpec
from platform_def.jobs.queueing import owners_gang, pod_queue, pool_of
from platform_def.jobs.template import TemplateJob
from platform_def.jobs.training import PodConfig

P = TypeVar("P", bound=PodConfig)

SIBLINGS = "batch.kubernetes.io/job-name"
"""Label that Kubernetes gives all pods of a Job."""
LEAST = "scheduling.volcano.sh/group-min-member"
"""Annotation of a Job: how many of its pods Volcano places at once, where it makes their group; one without it."""
LEAST_OF_OWNER = "kai.scheduler/batch-min-member"
"""The same for KAI."""


def job_spec(
    template: PodTemplateSpec,
    *,
    deadline_hours: int,
    retries: int,
    parts: int = 1,
    at_once: int = 1,
    lifetime: int | None = None,
) -> JobSpec:
    """A Job whose pods say restartPolicy Never; with several parts each pod knows its number, from 0.
    `lifetime` is in seconds.

    Pods that the cluster itself ends (a drain, a preemption, an eviction by taint) are recreated and are no failure.
    """
    spec: JobSpec = {
        "activeDeadlineSeconds": deadline_hours * 3600,
        "backoffLimit": retries,
        "podFailurePolicy": {
            "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
        },
        "template": template,
    }
    if lifetime is not None:
        spec["ttlSecondsAfterFinished"] = lifetime
    if parts > 1:
        spec |= {"completionMode": "Indexed", "completions": parts, "parallelism": min(at_once, parts)}
    return spec


def gang(job: TemplateJob[P], pods: int) -> dict[str, str]:
    """Annotations of a Job whose pods need each other, where a scheduler makes a group of them itself."""
    if owners_gang(pool_of(job.config, job.platform), job.platform):
        return {LEAST_OF_OWNER: str(pods)}
    return {LEAST: str(pods)} if pod_queue(job.config, job.platform).scheduler else {}
