"""What plain Jobs have in common: pods by number, and tries that a drained or preempted pod does not count as."""

from __future__ import annotations

from platform_def.apis.core.batch_v1 import JobSpec
from platform_def.apis.core.core_v1 import PodTemplateSpec

SIBLINGS = "batch.kubernetes.io/job-name"
"""Label that Kubernetes gives all pods of a Job."""


def job_spec(
    template: PodTemplateSpec, *, deadline_hours: int, retries: int, parts: int = 1, at_once: int = 1
) -> JobSpec:
    """A Job whose pods say restartPolicy Never; with several parts each pod knows its number, from 0.

    Pods that the cluster itself ends (a drain, a preemption, an eviction by taint) are made anew and are no failure.
    """
    spec: JobSpec = {
        "activeDeadlineSeconds": deadline_hours * 3600,
        "backoffLimit": retries,
        "podFailurePolicy": {
            "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
        },
        "template": template,
    }
    if parts > 1:
        spec |= {"completionMode": "Indexed", "completions": parts, "parallelism": min(at_once, parts)}
    return spec
