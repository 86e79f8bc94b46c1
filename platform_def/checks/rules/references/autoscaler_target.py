"""Autoscalers can work: the target requests what they measure, and nothing else sets its number of pods."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import every_pods
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    autoscalers = context.index.by_kind.get(("autoscaling", "HorizontalPodAutoscaler"), ())
    pods = {each.item.key: each for each in context.once(every_pods)} if autoscalers else {}
    for item in autoscalers:
        target = mapping(at(item.manifest, "spec.scaleTargetRef"))
        group = text(target.get("apiVersion")).rpartition("/")[0]
        scaled = pods.get((group, text(target.get("kind")), item.namespace or "", text(target.get("name"))))
        if scaled:
            yield from ((item, fault) for fault in _unmeasured(item, scaled, context))
            if at(scaled.item.manifest, "spec.replicas") is not None:
                said = f"{item} decides how many pods there are, and each sync sets them back to this number"
                yield scaled.item, Fault("spec.replicas", said)


def _unmeasured(item: RenderedObject, scaled: Pods, context: Context) -> Iterator[Fault]:
    """Shares of a request can only be measured of what is requested."""
    defaults = _defaults(context, item.namespace or "")
    for path, resource, only in _shares(item):
        for _, container in scaled.containers(("containers",)):
            asked = {
                **mapping(at(container, "resources.limits")),
                **mapping(at(container, "resources.requests")),
                **mapping(at(scaled.spec, "resources.requests")),
            }
            if resource not in asked and resource not in defaults and only in ("", container.get("name")):
                said = f"container {container.get('name')} of {scaled.item} requests no {resource} to measure by"
                yield Fault(path, said, f"give the container a request of {resource}", "error")


def _shares(item: RenderedObject) -> Iterator[tuple[str, str, str]]:
    """Where a share of a request is asked for, of which resource, and of which container alone."""
    if at(item.manifest, "spec.targetCPUUtilizationPercentage") is not None:
        yield "spec.targetCPUUtilizationPercentage", "cpu", ""
    metrics = items(at(item.manifest, "spec.metrics"))
    if not metrics and item.api_version != "autoscaling/v1":
        # The API server adds 80% of the requested cores.
        yield "spec", "cpu", ""
    for index, metric in enumerate(metrics):
        for field, kind in (("resource", "Resource"), ("containerResource", "ContainerResource")):
            asked = mapping(mapping(metric).get(field))
            if mapping(metric).get("type") == kind and at(asked, "target.type") == "Utilization":
                yield f"spec.metrics[{index}].{field}", text(asked.get("name")), text(asked.get("container"))


def _defaults(context: Context, namespace: str) -> set[str]:
    """Resources that the namespace gives to containers that name none."""
    found: set[str] = set()
    for item in context.index.by_kind.get(("", "LimitRange"), ()):
        if item.namespace == namespace:
            for limit in items(at(item.manifest, "spec.limits")):
                found |= {*mapping(mapping(limit).get("defaultRequest")), *mapping(mapping(limit).get("default"))}
    return found


AUTOSCALER_TARGET = StackRule(
    id="autoscaler-target",
    severity="warning",
    title="The target of an autoscaler requests what is measured, and sets no replicas",
    why="An autoscaler that cannot measure never acts; one whose number is set back at each sync kills pods at work.",
    fix="leave `replicas` out of what is scaled",
    kinds=frozenset({"HorizontalPodAutoscaler"}),
    check=_check,
)
