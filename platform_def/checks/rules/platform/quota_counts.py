"""Quotas count what they name, and pods name what quotas count.

Facts: Kubernetes counts an extended resource by `requests.<name>` alone; under a quota of requests or limits it refuses
pods of which a container names none, unless a LimitRange of the namespace does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import pods_by_namespace
from platform_def.manifests.loose import at, items, mapping
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import is_extended

_COUNTED: Mapping[str, tuple[str, str]] = {
    "cpu": ("requests", "cpu"),
    "memory": ("requests", "memory"),
    "requests.cpu": ("requests", "cpu"),
    "requests.memory": ("requests", "memory"),
    "limits.cpu": ("limits", "cpu"),
    "limits.memory": ("limits", "memory"),
}


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    # Kubeflow's controller makes a ResourceQuota of a Profile's.
    for item in context.index.by_kind.get(("kubeflow.org", "Profile"), ()):
        yield from ((item, fault) for fault in _of_devices(item, ("spec", "resourceQuotaSpec", "hard")))
    for item in context.index.by_kind.get(("", "ResourceQuota"), ()):
        hard = mapping(at(item.manifest, "spec.hard"))
        yield from ((item, fault) for fault in _of_devices(item, ("spec", "hard")))
        if not at(item.manifest, "spec.scopes") and not at(item.manifest, "spec.scopeSelector"):
            yield from _refused(item, [name for name in hard if name in _COUNTED], context)


def _of_devices(item: RenderedObject, path: tuple[str, ...]) -> Iterator[Fault]:
    """Devices under names that limit nothing."""
    for name in mapping(at(item.manifest, dotted(path))):
        if _is_device(str(name)):
            said = f"Kubernetes counts {name} by its requests only: this limit has no effect"
            yield Fault(dotted((*path, name)), said, f"write requests.{name}")
        if str(name).startswith("limits.") and is_extended(str(name).removeprefix("limits.")):
            said = "devices are counted by their requests only: this limit has no effect"
            yield Fault(dotted((*path, name)), said, f"write requests.{name[7:]}")


def _is_device(name: str) -> bool:
    """Whether it is the name of an extended resource; quotas count objects by names with a slash, too."""
    prefixed = name.startswith(("requests.", "count/", "limits."))
    return is_extended(name) and not prefixed and not name.partition("/")[0].endswith(".k8s.io")


def _refused(item: RenderedObject, counted: list[str], context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """Pods of which a container does not name what the quota counts."""
    given = _defaults(context, item.namespace or "")
    for pods in context.once(pods_by_namespace).get(item.namespace or "", ()) if counted else ():
        for path, container in pods.containers():
            for name in counted:
                field, resource = _COUNTED[name]
                fields = ("limits",) if field == "limits" else ("limits", "requests")
                named = {name for each in fields for name in mapping(at(container, f"resources.{each}"))}
                named |= {name for each in fields for name in mapping(at(pods.spec, f"resources.{each}"))}
                if resource not in named | given[field]:
                    said = f"names no {resource}, and {item} counts {name}: the API server refuses the pod"
                    yield pods.item, Fault(dotted((*path, "resources")), said, f"add resources.{field}.{resource}")
                    break


def _defaults(context: Context, namespace: str) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {"requests": set(), "limits": set()}
    for item in context.index.by_kind.get(("", "LimitRange"), ()):
        for limit in items(at(item.manifest, "spec.limits")) if item.namespace == namespace else ():
            limits = {*mapping(mapping(limit).get("default")), *mapping(mapping(limit).get("max"))}
            found["limits"] |= limits
            found["requests"] |= limits | {*mapping(mapping(limit).get("defaultRequest"))}
    return found


QUOTA_COUNTS = StackRule(
    id="quota-counts",
    severity="error",
    title="A quota names resources as Kubernetes counts them, and pods under it name what it counts",
    why="A quota under a wrong name limits nothing; one for resources that pods do not request refuses all of them.",
    fix="write `requests.nvidia.com/gpu`, and resources in every container",
    kinds=frozenset({"Profile", "ResourceQuota"}),
    check=_check,
    without_stack="as a warning",
)
