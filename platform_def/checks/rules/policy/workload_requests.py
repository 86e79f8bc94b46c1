"""Programs that run for good ask for what they need, and say when they are ready for those that call them.

Asked of what is the user's own: of a component's programs the catalogue knows what upstream gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import NOBODY, every_pods, pods_by_namespace
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

_MEASURES = re.compile("metrics|prometheus|monitoring")
"""In the names of ports that Prometheus alone asks, pod by pod."""
_PROBES = ("readinessProbe", "startupProbe")


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    called = _called(context)
    limited = {item.namespace for item in context.index.by_kind.get(("", "LimitRange"), ())}
    for pods in context.once(every_pods):
        if not pods.long_running or not context.is_users_own(pods.item):
            continue
        if pods.item.namespace not in limited and mapping(at(pods.spec, "resources.requests")) == {}:
            for path, container in pods.containers(("containers",)):
                if lacking := _unasked(container):
                    said = f"asks for no {' and no '.join(lacking)}: the scheduler counts it as nothing"
                    yield pods.item, Fault(dotted((*path, "resources")), said)
        if id(pods) in called and not _ready(pods):
            said = "a Service sends it requests from the moment that it starts: no container has a readinessProbe"
            yield pods.item, Fault(dotted((*pods.path, "containers")), said, "add a readinessProbe")


def _unasked(container: Mapping[str, Any]) -> list[str]:
    asked = {**mapping(at(container, "resources.limits")), **mapping(at(container, "resources.requests"))}
    return [name for name in ("cpu", "memory") if name not in asked]


def _ready(pods: Pods) -> bool:
    return any(mapping(container.get(probe)) for _, container in pods.containers() for probe in _PROBES)


def _called(context: Context) -> frozenset[int]:
    """The pods among which Services share requests out, by identity."""
    found: set[int] = set()
    for item in context.index.by_kind.get(("", "Service"), ()):
        spec = mapping(item.manifest.get("spec"))
        ports = [text(mapping(port).get("name")) for port in items(spec.get("ports"))]
        shared = spec.get("clusterIP") != "None" and spec.get("publishNotReadyAddresses") is not True
        if mapping(spec.get("selector")) and shared and not all(_MEASURES.search(port) for port in ports):
            near = context.once(pods_by_namespace).get(item.namespace or "", NOBODY)
            found |= {id(pods) for pods in near.selected({"matchLabels": spec["selector"]})}
    return frozenset(found)


WORKLOAD_REQUESTS = StackRule(
    id="workload-requests",
    severity="warning",
    title="Long-running programs request CPU and memory, and have a readiness probe",
    why="Without requests a full node kills them first; without a probe every rollout drops requests.",
    fix="write resources.requests as the program uses them",
    check=_check,
)
