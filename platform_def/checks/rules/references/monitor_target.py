"""ServiceMonitors and PodMonitors scrape ports that what they choose has, by the names it has for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.monitors import chosen_namespaces, chosen_services, near_services
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import NOBODY, operated_namespaces, pods_by_namespace
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject

_GROUP = "monitoring.coreos.com"


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for item in context.index.by_kind.get((_GROUP, "ServiceMonitor"), ()):
        yield from ((item, fault) for fault in _service_monitor(item, context))
    for item in context.index.by_kind.get((_GROUP, "PodMonitor"), ()):
        selector = at(item.manifest, "spec.selector")
        pods = context.once(pods_by_namespace)
        chosen = [
            each
            for home in chosen_namespaces(item, pods)
            for each in pods.get(home, NOBODY).selected(mapping(selector))
        ]
        ports = [
            port for each in chosen for _, container in each.containers() for port in items(container.get("ports"))
        ]
        if chosen:
            yield from ((item, fault) for fault in _ports(item, "podMetricsEndpoints", ports, "pod"))


def _service_monitor(item: RenderedObject, context: Context) -> Iterator[Fault]:
    chosen, near = chosen_services(context, item), near_services(context, item)
    named = chosen_namespaces(item, [each.namespace or "" for each in near])
    if chosen:
        ports = [port for each in chosen for port in items(at(each.manifest, "spec.ports"))]
        yield from _ports(item, "endpoints", ports, "Service")
    elif context.stack.foreign and at(item.manifest, "spec.namespaceSelector.any") is True:
        # What it looks for may be in any namespace of the cluster.
        return
    elif near and not any(_fills(home, context) for home in named):
        wanted = mapping(at(item.manifest, "spec.selector.matchLabels"))
        labels = ", ".join(f"{key}={value}" for key, value in wanted.items()) or "that it asks for"
        text_of = f"no Service here has the labels {labels[:120]}"
        yield Fault("spec.selector", text_of, "write labels of the Service itself: not of its pods, not its selector")


def _fills(namespace: str, context: Context) -> bool:
    """Whether a controller makes pods or Services there, with labels that nothing in the set says."""
    made = {home for (_, kind, home, _) in context.graph.made if kind == "Service"}
    return namespace in context.once(operated_namespaces) or namespace in made


def _ports(item: RenderedObject, field: str, ports: Sequence[object], whose: str) -> Iterator[Fault]:
    names = sorted({text(mapping(port).get("name")) for port in ports} - {""})
    for index, endpoint in enumerate(items(at(item.manifest, f"spec.{field}"))):
        port = text(mapping(endpoint).get("port"))
        if port and port not in names:
            said = f"no chosen {whose} names a port '{port[:60]}'"
            yield Fault(f"spec.{field}[{index}].port", said, nearest(port, names) if names else "give the port a name")


MONITOR_TARGET = StackRule(
    id="monitor-target",
    severity="warning",
    title="Monitors select Services that exist, and name their ports",
    why="Prometheus drops such a target silently: the dashboards stay empty and no alert fires.",
    fix="write the labels and the port's name as the Service has them",
    kinds=frozenset({"PodMonitor", "ServiceMonitor"}),
    check=_check,
)
