"""Workloads: their selectors, their pods, how they are replaced, and jobs on a schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.schemas.server.pods import mounts
from platform_def.manifests.schemas.server.words import (
    LABELS,
    NOT_NEGATIVE,
    Limits,
    Rules,
    Value,
    Wrong,
    choice,
    maybe,
    needed,
)
from platform_def.manifests.schemas.server.words import text as filled

_SHARE = {"minimum": 0, "format": "server:percent"}
_COUNTS = {"replicas": NOT_NEGATIVE, "minReadySeconds": NOT_NEGATIVE, "revisionHistoryLimit": NOT_NEGATIVE}

LIMITS: Limits = {
    "apps.v1.Deployment": {"spec": needed()},
    "apps.v1.DaemonSet": {"spec": needed()},
    "apps.v1.ReplicaSet": {"spec": needed()},
    "apps.v1.StatefulSet": {"spec": needed()},
    "batch.v1.Job": {"spec": needed()},
    "batch.v1.CronJob": {"spec": needed()},
    "apps.v1.DeploymentSpec": {**_COUNTS, "progressDeadlineSeconds": NOT_NEGATIVE},
    "apps.v1.ReplicaSetSpec": {**_COUNTS, "template": needed()},
    "apps.v1.DaemonSetSpec": {**_COUNTS},
    "apps.v1.StatefulSetSpec": {
        "replicas": NOT_NEGATIVE,
        "minReadySeconds": NOT_NEGATIVE,
        "podManagementPolicy": choice("OrderedReady", "Parallel", empty=True),
        "serviceName": maybe("label"),
    },
    "apps.v1.StatefulSetOrdinals": {"start": NOT_NEGATIVE},
    "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy": {
        "whenDeleted": choice("Retain", "Delete", empty=True),
        "whenScaled": choice("Retain", "Delete", empty=True),
    },
    "apps.v1.DeploymentStrategy": {"type": choice("Recreate", "RollingUpdate", empty=True)},
    "apps.v1.StatefulSetUpdateStrategy": {"type": choice("OnDelete", "RollingUpdate", empty=True)},
    "apps.v1.DaemonSetUpdateStrategy": {"type": choice("OnDelete", "RollingUpdate", empty=True)},
    "apps.v1.RollingUpdateDeployment": {"maxSurge": _SHARE, "maxUnavailable": _SHARE},
    "apps.v1.RollingUpdateDaemonSet": {"maxSurge": _SHARE, "maxUnavailable": _SHARE},
    "apps.v1.RollingUpdateStatefulSetStrategy": {"partition": NOT_NEGATIVE, "maxUnavailable": _SHARE},
    "apps.v1.ControllerRevision": {"revision": NOT_NEGATIVE, "data": needed()},
    "core.v1.ReplicationController": {"spec": needed()},
    "core.v1.ReplicationControllerSpec": {
        "replicas": NOT_NEGATIVE,
        "minReadySeconds": NOT_NEGATIVE,
        "selector": LABELS,
        "template": needed(),
    },
    "batch.v1.JobSpec": {
        "parallelism": NOT_NEGATIVE,
        "completions": NOT_NEGATIVE,
        "activeDeadlineSeconds": NOT_NEGATIVE,
        "backoffLimit": NOT_NEGATIVE,
        "backoffLimitPerIndex": NOT_NEGATIVE,
        "maxFailedIndexes": NOT_NEGATIVE,
        "ttlSecondsAfterFinished": NOT_NEGATIVE,
        "completionMode": choice("NonIndexed", "Indexed"),
        "podReplacementPolicy": choice("TerminatingOrFailed", "Failed"),
        "managedBy": {**filled("domain-name"), "maxLength": 63},
    },
    "batch.v1.PodFailurePolicy": {"rules": {"maxItems": 20}},
    "batch.v1.PodFailurePolicyRule": {
        "action": needed(choice("FailIndex", "FailJob", "Ignore", "Count")),
        "onPodConditions": {"maxItems": 20},
    },
    "batch.v1.PodFailurePolicyOnExitCodesRequirement": {
        "operator": choice("In", "NotIn"),
        "values": {"minItems": 1, "maxItems": 255},
    },
    "batch.v1.PodFailurePolicyOnPodConditionsPattern": {
        "type": filled("label-key"),
        "status": choice("True", "False", "Unknown", empty=True),
    },
    "batch.v1.SuccessPolicy": {"rules": {"minItems": 1, "maxItems": 20}},
    "batch.v1.SuccessPolicyRule": {"succeededCount": NOT_NEGATIVE},
    "batch.v1.CronJobSpec": {
        "schedule": filled("cron"),
        "timeZone": filled("time-zone"),
        "concurrencyPolicy": choice("Allow", "Forbid", "Replace", empty=True),
        "startingDeadlineSeconds": NOT_NEGATIVE,
        "successfulJobsHistoryLimit": NOT_NEGATIVE,
        "failedJobsHistoryLimit": NOT_NEGATIVE,
    },
    "batch.v1.JobTemplateSpec": {"spec": needed()},
}
_TEMPLATE = ("template", "spec")


def matches(selector: object, labels: Value) -> bool:
    """Whether a label selector chooses the labels."""
    from platform_def.manifests.admission import selects

    return selects(selector, labels)


def _selector(spec: Value) -> Iterator[Wrong]:
    """The selector says something, and chooses the pods of the template."""
    selector = spec.get("selector")
    if not isinstance(selector, dict):
        return
    if not mapping(selector.get("matchLabels")) and not items(selector.get("matchExpressions")):
        yield Wrong(("selector",), "is empty, and would choose every pod", "name the labels of the template")
    elif not matches(selector, mapping(at(spec, "template.metadata.labels"))):
        hint = "write the selector's labels under template.metadata.labels too"
        yield Wrong(("template", "metadata", "labels"), "the selector does not choose them", hint)


def _lasting(spec: Value) -> Iterator[Wrong]:
    """Pods that are kept running."""
    policy = at(spec, "template.spec.restartPolicy")
    if isinstance(policy, str) and policy not in ("", "Always"):
        yield Wrong(
            (*_TEMPLATE, "restartPolicy"),
            f"is {policy[:40]}: pods that are kept running always restart",
            "leave it out, or make it a Job",
        )
    if at(spec, "template.spec.activeDeadlineSeconds") is not None:
        yield Wrong(
            (*_TEMPLATE, "activeDeadlineSeconds"), "pods that are kept running have no deadline", "leave it out"
        )


def _mounts(spec: Value, extra: list[str] | None = None) -> Iterator[Wrong]:
    for wrong in mounts(mapping(at(spec, "template.spec")), extra or []):
        yield wrong._replace(path=(*_TEMPLATE, *wrong.path))


def _kept(*more: Callable[[Value], Iterator[Wrong]]) -> Callable[[Value], Iterator[Wrong]]:
    def rule(spec: Value) -> Iterator[Wrong]:
        yield from _selector(spec)
        yield from _lasting(spec)
        for each_rule in more:
            yield from each_rule(spec)

    return rule


def _deployment(spec: Value) -> Iterator[Wrong]:
    strategy = mapping(spec.get("strategy"))
    rolling = mapping(strategy.get("rollingUpdate"))
    if strategy.get("type") == "Recreate" and strategy.get("rollingUpdate") is not None:
        yield Wrong(("strategy", "rollingUpdate"), "goes with type RollingUpdate alone", "leave it out")
    if strategy.get("type") in (None, "", "RollingUpdate"):
        yield from _some_move(rolling, ("strategy", "rollingUpdate"))
    ready, deadline = spec.get("minReadySeconds"), spec.get("progressDeadlineSeconds")
    wait = deadline if isinstance(deadline, int) else 600
    if isinstance(ready, int) and ready >= wait:
        place = "progressDeadlineSeconds" if isinstance(deadline, int) else "minReadySeconds"
        yield Wrong((place,), f"progressDeadlineSeconds, {wait}, must be more than minReadySeconds, {ready}")


def _some_move(rolling: Value, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    surge, away = rolling.get("maxSurge"), rolling.get("maxUnavailable")
    if _nothing(away) and _nothing(surge):
        yield Wrong((*path, "maxUnavailable"), "cannot be 0 where maxSurge is 0: nothing could be replaced")
    if _percent(away) > 100:
        yield Wrong((*path, "maxUnavailable"), f"{away} is more than all of them")


def _nothing(value: object) -> bool:
    return (value == 0 and value is not False) or (
        isinstance(value, str) and value.rstrip("%").strip("0") == "" and value != ""
    )


def _percent(value: object) -> int:
    return int(value[:-1]) if isinstance(value, str) and value[:-1].isdecimal() and value.endswith("%") else 0


def _daemons(spec: Value) -> Iterator[Wrong]:
    strategy = mapping(spec.get("updateStrategy"))
    rolling = mapping(strategy.get("rollingUpdate"))
    if strategy.get("type") == "OnDelete":
        return
    surge, away = rolling.get("maxSurge"), rolling.get("maxUnavailable")
    if _nothing(away) and (surge is None or _nothing(surge)):
        yield Wrong(
            ("updateStrategy", "rollingUpdate", "maxUnavailable"),
            "cannot be 0 where maxSurge is 0: nothing could be replaced",
        )
    if away is not None and not _nothing(away) and surge is not None and not _nothing(surge):
        yield Wrong(("updateStrategy", "rollingUpdate", "maxSurge"), "goes with maxUnavailable 0 alone")
    for field, value in (("maxUnavailable", away), ("maxSurge", surge)):
        if _percent(value) > 100:
            yield Wrong(("updateStrategy", "rollingUpdate", field), f"{value} is more than all of them")


def _set(spec: Value) -> Iterator[Wrong]:
    strategy = mapping(spec.get("updateStrategy"))
    if strategy.get("type") == "OnDelete" and strategy.get("rollingUpdate") is not None:
        yield Wrong(("updateStrategy", "rollingUpdate"), "goes with type RollingUpdate alone", "leave it out")
    claims = [text(at(claim, "metadata.name")) for claim in items(spec.get("volumeClaimTemplates"))]
    yield from _mounts(spec, claims)


def _controller(spec: Value) -> Iterator[Wrong]:
    selector, labels = mapping(spec.get("selector")), mapping(at(spec, "template.metadata.labels"))
    if not selector and not labels:
        yield Wrong(("selector",), "is empty, and would choose every pod")
    elif any(labels.get(key) != value for key, value in selector.items()):
        yield Wrong(("template", "metadata", "labels"), "the selector does not choose them")


def _job(spec: Value) -> Iterator[Wrong]:
    policy = at(spec, "template.spec.restartPolicy")
    if isinstance(spec.get("template"), dict) and policy in (None, "", "Always"):
        yield Wrong(
            (*_TEMPLATE, "restartPolicy"),
            "must be Never or OnFailure: the pods of a job end",
            "write restartPolicy: Never",
        )
    elif spec.get("podFailurePolicy") is not None and policy == "OnFailure":
        yield Wrong((*_TEMPLATE, "restartPolicy"), "must be Never where there is a podFailurePolicy")
    indexed = spec.get("completionMode") == "Indexed"
    if indexed and spec.get("completions") is None:
        yield Wrong(("completions",), "is missing, and completionMode Indexed needs it")
    for field in ("backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"):
        if spec.get(field) is not None and not indexed:
            yield Wrong((field,), "goes with completionMode Indexed alone")
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        yield Wrong(("backoffLimitPerIndex",), "is missing, and maxFailedIndexes needs it")
    if indexed:
        yield from _indexes(spec)
    if spec.get("podFailurePolicy") is not None:
        yield from _failures(spec)
        if spec.get("podReplacementPolicy") == "TerminatingOrFailed":
            yield Wrong(("podReplacementPolicy",), "must be Failed where there is a podFailurePolicy")
    if spec.get("manualSelector") is not True and spec.get("selector") is not None:
        yield Wrong(("selector",), "is made by the server", "leave it out")
    yield from _mounts(spec)


def _indexes(spec: Value) -> Iterator[Wrong]:
    completions, parallelism, failed = (spec.get(key) for key in ("completions", "parallelism", "maxFailedIndexes"))
    if isinstance(parallelism, int) and parallelism > 100_000:
        yield Wrong(("parallelism",), f"{parallelism} is more than the 100,000 of an indexed job")
    if isinstance(completions, int) and isinstance(failed, int) and failed > completions:
        yield Wrong(("maxFailedIndexes",), f"{failed} is more than completions, {completions}")
    if isinstance(failed, int) and failed > 100_000:
        yield Wrong(("maxFailedIndexes",), f"{failed} is more than 100,000")
    if isinstance(completions, int) and completions > 100_000 and spec.get("backoffLimitPerIndex") is not None:
        if failed is None:
            yield Wrong(("maxFailedIndexes",), "is missing, and more than 100,000 completions need it")
        for field, value in (("parallelism", parallelism), ("maxFailedIndexes", failed)):
            if isinstance(value, int) and value > 10_000:
                yield Wrong((field,), f"{value} is more than the 10,000 that more than 100,000 completions may have")
    for index, rule in enumerate(items(at(spec, "successPolicy.rules"))):
        count = mapping(rule).get("succeededCount")
        if count is None and mapping(rule).get("succeededIndexes") is None:
            yield Wrong(("successPolicy", "rules", index), "needs succeededCount or succeededIndexes")
        if isinstance(count, int) and isinstance(completions, int) and count > completions:
            yield Wrong(
                ("successPolicy", "rules", index, "succeededCount"), f"{count} is more than completions, {completions}"
            )


def _failures(spec: Value) -> Iterator[Wrong]:
    pods: list[Any] = [*items(at(spec, "template.spec.containers")), *items(at(spec, "template.spec.initContainers"))]
    names = {text(at(container, "name")) for container in pods}
    for index, rule in enumerate(items(at(spec, "podFailurePolicy.rules"))):
        path = ("podFailurePolicy", "rules", index)
        codes, conditions = mapping(rule).get("onExitCodes"), items(at(rule, "onPodConditions"))
        if codes is None and not conditions:
            yield Wrong(path, "needs onExitCodes or onPodConditions")
        if codes is not None and conditions:
            yield Wrong((*path, "onPodConditions"), "is set together with onExitCodes: set only one")
        if at(rule, "action") == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            yield Wrong((*path, "action"), "FailIndex needs backoffLimitPerIndex")
        named = at(codes, "containerName")
        if isinstance(named, str) and named not in names:
            yield Wrong((*path, "onExitCodes", "containerName"), f"the pod has no container '{named[:60]}'")
        values = [value for value in items(at(codes, "values")) if isinstance(value, int)]
        if values != sorted({*values}):
            yield Wrong((*path, "onExitCodes", "values"), "must be in order, each once")
        if at(codes, "operator") == "In" and 0 in values:
            yield Wrong((*path, "onExitCodes", "values"), "0 is no failure")


RULES: Rules = {
    "apps.v1.DeploymentSpec": _kept(_deployment, _mounts),
    "apps.v1.ReplicaSetSpec": _kept(_mounts),
    "apps.v1.DaemonSetSpec": _kept(_daemons, _mounts),
    "apps.v1.StatefulSetSpec": _kept(_set),
    "core.v1.ReplicationControllerSpec": lambda spec: iter([*_controller(spec), *_lasting(spec), *_mounts(spec)]),
    "batch.v1.JobSpec": _job,
}
