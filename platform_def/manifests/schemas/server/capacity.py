"""How much and how many: autoscalers, disruption budgets, priorities, runtimes, quotas and limits."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from platform_def.crds.quantity import amount
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.names import words
from platform_def.manifests.schemas.server.containers import overcommits, whole
from platform_def.manifests.schemas.server.words import (
    AMOUNT,
    FILLED,
    LABELS,
    LOOSE_SELECTOR,
    NOT_NEGATIVE,
    POSITIVE,
    Limits,
    Rules,
    Since,
    Value,
    Wrong,
    choice,
    each,
    given,
    keyed,
    needed,
    number,
)
from platform_def.manifests.schemas.server.words import text as filled

_SHARE = {"minimum": 0, "format": "server:percent"}
_SOURCES = {
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "External": "external",
}

_OLD = {"maxReplicas": POSITIVE, "minReplicas": POSITIVE}

SINCE: Since = {"autoscaling.v2.HorizontalPodAutoscalerSpec": {37: {"minReplicas": NOT_NEGATIVE}}}
"""The gate HPAScaleToZero is on since Kubernetes 1.37."""

LIMITS: Limits = {
    "policy.v1.PodDisruptionBudgetSpec": {
        "minAvailable": _SHARE,
        "maxUnavailable": _SHARE,
        "unhealthyPodEvictionPolicy": choice("IfHealthyBudget", "AlwaysAllow"),
    },
    "autoscaling.v2.HorizontalPodAutoscaler": {"spec": needed()},
    "autoscaling.v1.HorizontalPodAutoscaler": {"spec": needed()},
    "autoscaling.v2.HorizontalPodAutoscalerSpec": _OLD,
    "autoscaling.v1.HorizontalPodAutoscalerSpec": {**_OLD, "targetCPUUtilizationPercentage": POSITIVE},
    "autoscaling.v2.CrossVersionObjectReference": {"kind": filled("segment"), "name": filled("segment")},
    "autoscaling.v1.CrossVersionObjectReference": {"kind": filled("segment"), "name": filled("segment")},
    "autoscaling.v2.MetricSpec": {"type": choice(*_SOURCES)},
    "autoscaling.v2.MetricTarget": {
        "type": choice("Utilization", "Value", "AverageValue"),
        "averageUtilization": POSITIVE,
    },
    "autoscaling.v2.MetricIdentifier": {
        "name": filled("segment"),
        "selector": {"$ref": f"#/$defs/{LOOSE_SELECTOR}"},
    },
    "autoscaling.v2.ResourceMetricSource": {"name": FILLED},
    "autoscaling.v2.ContainerResourceMetricSource": {
        "name": filled("resource-name"),
        "container": filled("label"),
    },
    "autoscaling.v2.HPAScalingRules": {
        "stabilizationWindowSeconds": number(0, 3600),
        "selectPolicy": choice("Max", "Min", "Disabled"),
    },
    "autoscaling.v2.HPAScalingPolicy": {
        "type": choice("Pods", "Percent"),
        "value": POSITIVE,
        "periodSeconds": number(1, 1800),
    },
    "scheduling.v1.PriorityClass": {"preemptionPolicy": choice("PreemptLowerPriority", "Never")},
    "node.v1.RuntimeClass": {"handler": filled("label")},
    "node.v1.Overhead": {"podFixed": keyed("resource-name", AMOUNT)},
    "node.v1.Scheduling": {"nodeSelector": LABELS},
    "core.v1.ResourceQuotaSpec": {
        "hard": keyed("quota-name", AMOUNT),
        "scopes": each(
            choice(
                "Terminating",
                "NotTerminating",
                "BestEffort",
                "NotBestEffort",
                "PriorityClass",
                "CrossNamespacePodAffinity",
                "VolumeAttributesClass",
            )
        ),
    },
    "core.v1.ScopedResourceSelectorRequirement": {
        "scopeName": choice(
            "Terminating",
            "NotTerminating",
            "BestEffort",
            "NotBestEffort",
            "PriorityClass",
            "CrossNamespacePodAffinity",
            "VolumeAttributesClass",
        ),
        "operator": choice("In", "NotIn", "Exists", "DoesNotExist"),
    },
    "core.v1.LimitRangeItem": {
        "type": filled("limit-type"),
        **{
            field: keyed("resource-name", AMOUNT)
            for field in ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
        },
    },
    "coordination.v1.LeaseSpec": {"leaseDurationSeconds": POSITIVE, "leaseTransitions": NOT_NEGATIVE},
}


def _budget(value: Value) -> Iterator[Wrong]:
    if len(given(value, "minAvailable", "maxUnavailable")) > 1:
        yield Wrong(("maxUnavailable",), "is set together with minAvailable: set only one", "leave one out")
    for field in given(value, "minAvailable", "maxUnavailable"):
        share = value[field]
        if isinstance(share, str) and share[:-1].isdecimal() and int(share[:-1]) > 100:
            yield Wrong((field,), f"{share} is more than all of them")


def _scaler(value: Value) -> Iterator[Wrong]:
    least, most = value.get("minReplicas"), value.get("maxReplicas")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield Wrong(("maxReplicas",), f"{most} is less than minReplicas, {least}")
    if least == 0 and not _outer_metrics(value):
        yield Wrong(("minReplicas",), "is 0, and no metric of type Object or External says when to start")
    if text(at(value, "scaleTargetRef.apiVersion")).count("/") > 1:
        yield Wrong(("scaleTargetRef", "apiVersion"), "is no group and version")


def _outer_metrics(value: Value) -> bool:
    """Whether a metric is there that has values while no pod runs."""
    listed = value.get("metrics")
    metrics = listed if isinstance(listed, list) else []
    return any(isinstance(each, dict) and each.get("type") in ("Object", "External") for each in metrics)


def _metric(value: Value) -> Iterator[Wrong]:
    kind = value.get("type")
    wanted = _SOURCES.get(text(kind))
    if wanted and value.get(wanted) is None:
        yield Wrong((wanted,), f"is missing, and type {kind} needs it")
    for other in given(value, *_SOURCES.values()):
        if wanted and other != wanted:
            yield Wrong((other,), f"goes with no type {kind}", f"leave it out, or write type: {_by_source(other)}")


def _by_source(field: str) -> str:
    return next(kind for kind, source in _SOURCES.items() if source == field)


_TARGETS = {
    "object": ("value", "averageValue"),
    "pods": ("averageValue",),
    "resource": ("averageUtilization", "averageValue"),
    "containerResource": ("averageUtilization", "averageValue"),
    "external": ("value", "averageValue"),
}


def _targets(value: Value) -> Iterator[Wrong]:
    for source, fields in _TARGETS.items():
        target = mapping(value.get(source)).get("target")
        if not isinstance(target, dict):
            continue
        found = given(target, *fields)
        if not found:
            yield Wrong((source, "target"), f"needs {' or '.join(fields)}")
        if len(found) > 1:
            yield Wrong((source, "target", found[1]), f"is set together with {found[0]}: set only one")
        for field in ("value", "averageValue"):
            size = amount(target.get(field))
            if size is not None and size <= 0:
                yield Wrong((source, "target", field), f"{target[field]} is not more than 0")


def _behaviour(value: Value) -> Iterator[Wrong]:
    if value.get("policies") is not None and not items(value.get("policies")):
        yield Wrong(("policies",), "is empty", "leave it out for the defaults")
    tolerance = amount(value.get("tolerance"))
    if tolerance is not None and tolerance < 0:
        yield Wrong(("tolerance",), "is less than 0")


def _priority(value: Value) -> Iterator[Wrong]:
    size, name = value.get("value"), text(at(value, "metadata.name"))
    system = name in ("system-cluster-critical", "system-node-critical")
    if isinstance(size, int) and size > 1_000_000_000 and not system:
        yield Wrong(("value",), f"{size} is more than 1000000000, the most that is not the system's own")
    if name.startswith("system-") and not system:
        yield Wrong(("metadata", "name"), "names that begin with system- are the system's own")


_TERMINATING = {"Terminating", "NotTerminating"}
_EFFORT = {"BestEffort", "NotBestEffort"}


def _quota(value: Value) -> Iterator[Wrong]:
    scopes = [text(scope) for scope in items(value.get("scopes"))]
    for index, expression in enumerate(items(at(value, "scopeSelector.matchExpressions"))):
        scope, operator = text(at(expression, "scopeName")), text(at(expression, "operator"))
        path = ("scopeSelector", "matchExpressions", index)
        values = items(at(expression, "values"))
        if scope not in ("PriorityClass", "VolumeAttributesClass") and scope and operator not in ("", "Exists"):
            yield Wrong((*path, "operator"), f"must be Exists for the scope {scope}")
        elif operator in ("In", "NotIn") and not values:
            yield Wrong((*path, "values"), f"is missing: {operator} compares with some")
        elif operator in ("Exists", "DoesNotExist") and values:
            yield Wrong((*path, "values"), f"{operator} compares with none")
        yield from _counted(value, scope, (*path, "scopeName"))
    for index, scope in enumerate(scopes):
        yield from _counted(value, scope, ("scopes", index))
    for pair in (_TERMINATING, _EFFORT):
        if pair <= {*scopes}:
            yield Wrong(("scopes",), f"{' and '.join(sorted(pair))} exclude each other")
    for name, quantity in mapping(value.get("hard")).items():
        plain = name.removeprefix("requests.").removeprefix("limits.")
        size = amount(quantity)
        if size is not None and size % 1 and (name in _WHOLE or name.startswith("count/") or not overcommits(plain)):
            yield from (
                whole(plain, quantity, ("hard", name))
                if "/" in plain
                else iter([Wrong(("hard", name), f"{quantity} is no whole number")])
            )


_WHOLE = frozenset(
    words(
        "pods services replicationcontrollers resourcequotas secrets configmaps persistentvolumeclaims "
        "services.nodeports services.loadbalancers"
    )
)
_POD_AMOUNTS = frozenset(
    words(
        "cpu memory ephemeral-storage requests.cpu requests.memory requests.ephemeral-storage limits.cpu "
        "limits.memory limits.ephemeral-storage pods"
    )
)
_STANDARD = _POD_AMOUNTS | _WHOLE | {"requests.storage"}


def _counted(value: Value, scope: str, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    """What is counted under a scope that pods alone have."""
    allowed = {
        "BestEffort": frozenset({"pods"}),
        "VolumeAttributesClass": frozenset({"persistentvolumeclaims", "requests.storage"}),
    }
    fits = allowed.get(scope, _POD_AMOUNTS)
    for name in mapping(value.get("hard")):
        if name in _STANDARD and name not in fits:
            yield Wrong(path, f"{name} is not counted by the scope {scope}", "make a quota of its own for it")


def _range(value: Value) -> Iterator[Wrong]:
    kind = value.get("type")
    if kind == "Pod":
        for field in given(value, "default", "defaultRequest"):
            if value[field]:
                yield Wrong((field,), "goes with no type Pod", "leave it out, or write type: Container")
    if kind == "PersistentVolumeClaim" and all(at(value, f"{side}.storage") is None for side in ("min", "max")):
        yield Wrong(("max", "storage"), "is missing: of claims least or most storage is limited")
    sizes = {
        field: {name: amount(size) for name, size in mapping(value.get(field)).items()}
        for field in ("min", "max", "default", "defaultRequest", "maxLimitRequestRatio")
    }
    for lower, upper in (
        ("min", "max"),
        ("min", "defaultRequest"),
        ("defaultRequest", "default"),
        ("defaultRequest", "max"),
        ("min", "default"),
        ("default", "max"),
    ):
        for name, low in sizes[lower].items():
            high = sizes[upper].get(name)
            if low is not None and high is not None and low > high:
                yield Wrong((lower, name), f"{value[lower][name]} is more than {upper}, {value[upper][name]}")
    for name, ratio in sizes["maxLimitRequestRatio"].items():
        if ratio is not None and ratio < 1:
            yield Wrong(("maxLimitRequestRatio", name), f"{ratio} is less than 1")
        low, high = sizes["min"].get(name), sizes["max"].get(name)
        if ratio and low and high and ratio > Decimal(high) / Decimal(low):
            yield Wrong(("maxLimitRequestRatio", name), f"{ratio} is more than max through min")
    for name, size in sizes["default"].items():
        wanted = sizes["defaultRequest"].get(name)
        if not overcommits(name) and size is not None and wanted is not None and size != wanted:
            yield Wrong(("defaultRequest", name), f"is not the default: {name} cannot be overcommitted")


def _lease(value: Value) -> Iterator[Wrong]:
    if value.get("preferredHolder") is not None and not text(value.get("strategy")):
        yield Wrong(("strategy",), "is missing, and preferredHolder needs it")


def _ranges(value: Value) -> Iterator[Wrong]:
    kinds = [text(at(each_, "type")) for each_ in items(value.get("limits"))]
    for index, kind in enumerate(kinds):
        if kind in kinds[:index]:
            yield Wrong(("limits", index, "type"), f"{kind} is listed twice")


def _scheduling(value: Value) -> Iterator[Wrong]:
    tolerations = items(value.get("tolerations"))
    for index, toleration in enumerate(tolerations):
        if toleration in tolerations[:index]:
            yield Wrong(("tolerations", index), "is listed twice")


RULES: Rules = {
    "core.v1.LimitRangeSpec": _ranges,
    "node.v1.Scheduling": _scheduling,
    "policy.v1.PodDisruptionBudgetSpec": _budget,
    "autoscaling.v2.HorizontalPodAutoscalerSpec": _scaler,
    "autoscaling.v1.HorizontalPodAutoscalerSpec": _scaler,
    "autoscaling.v2.MetricSpec": lambda value: iter([*_metric(value), *_targets(value)]),
    "autoscaling.v2.HPAScalingRules": _behaviour,
    "scheduling.v1.PriorityClass": _priority,
    "core.v1.ResourceQuotaSpec": _quota,
    "core.v1.LimitRangeItem": _range,
    "coordination.v1.LeaseSpec": _lease,
}
