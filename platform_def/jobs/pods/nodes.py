"""The nodes that pods may run on beside what their pool says, whose account they have, and how containers end."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from platform_def.apis.core.core_v1 import Affinity, NodeSelectorRequirement, PodSpec
from platform_def.config.pools import NodePool
from platform_def.constructs.workloads.tolerations import toleration
from platform_def.jobs.fields import ContainerConfig
from platform_def.jobs.pods.security import secure
from platform_def.jobs.template import Placed

P = TypeVar("P", bound=ContainerConfig)


def direct(pod: PodSpec, config: ContainerConfig) -> None:
    """The nodes that it may run on, beside those of its pool."""
    if config.selector:
        pod["nodeSelector"] = {**pod.get("nodeSelector", {}), **config.selector}
    if config.tolerations:
        tolerated = [toleration(taint.key, taint.value, taint.effect) for taint in config.tolerations]
        there = pod.get("tolerations", [])
        pod["tolerations"] = [*there, *(each for each in tolerated if each not in there)]


def kept_away(given: Affinity, config: ContainerConfig, pool: NodePool | None) -> Affinity:
    """Beside the model that the pool's nodes must name: nodes to keep away from."""
    avoided = {**(pool.avoid if pool else {}), **config.avoid}
    if not avoided:
        return given
    away: list[NodeSelectorRequirement] = [
        {"key": key, "operator": "NotIn", "values": [value]} for key, value in sorted(avoided.items())
    ]
    made: dict[str, Any] = dict(given)
    required = made.get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    terms = required.get("nodeSelectorTerms", [{"matchExpressions": []}])
    joined = [{"matchExpressions": [*term["matchExpressions"], *away]} for term in terms]
    made["nodeAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": joined}}
    return cast(Affinity, made)


def identify(pod: PodSpec, config: ContainerConfig, *, token: bool) -> None:
    """Account, secrets, priority, and how long it has when it must go."""
    pod["terminationGracePeriodSeconds"] = config.grace_period_seconds
    if config.service_account:
        pod["serviceAccountName"] = config.service_account
    elif not token:
        pod["automountServiceAccountToken"] = False
    if config.pull_secrets:
        pod["imagePullSecrets"] = [{"name": name} for name in config.pull_secrets]
    if config.priority_class:
        pod["priorityClassName"] = config.priority_class


def finish(owner: Placed[P], pod: PodSpec) -> None:
    """What all containers have in common: their user and rights, when images are pulled, and their last words."""
    secure(owner, pod)
    keep_last_words(pod)
    for container in [*pod["containers"], *pod.get("initContainers", [])]:
        if owner.config.pull_policy:
            container["imagePullPolicy"] = owner.config.pull_policy


def keep_last_words(pod: PodSpec) -> None:
    """The end of a failed program's log is in the pod's status, and in what operators and people read of it there."""
    for container in [*pod["containers"], *pod.get("initContainers", [])]:
        container["terminationMessagePolicy"] = "FallbackToLogsOnError"
