"""Monitors and rules are read by a Prometheus of the stack, whose selectors choose them and their namespace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import labels_of
from platform_def.manifests.admission import selects
from platform_def.manifests.loose import at, mapping
from platform_def.manifests.rendered import RenderedObject

_GROUP = "monitoring.coreos.com"
_READERS: Mapping[str, tuple[str, ...]] = {
    "ServiceMonitor": ("Prometheus", "PrometheusAgent"),
    "PodMonitor": ("Prometheus", "PrometheusAgent"),
    "Probe": ("Prometheus", "PrometheusAgent"),
    "ScrapeConfig": ("Prometheus", "PrometheusAgent"),
    "PrometheusRule": ("Prometheus",),
}
"""Who reads a kind; a server has two fields for each: `ruleSelector` and `ruleNamespaceSelector`."""
_FIELDS = {kind: kind[0].lower() + kind[1:] for kind in _READERS} | {"PrometheusRule": "rule"}


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for kind, readers in _READERS.items():
        servers = [server for each in readers for server in context.index.by_kind.get((_GROUP, each), ())]
        if not servers:
            continue  # who reads it is outside the set
        for item in context.index.by_kind.get((_GROUP, kind), ()):
            if not any(_reads(server, item, context) for server in servers):
                yield item, _fault(servers, _FIELDS[kind], item, context)


def _reads(server: RenderedObject, item: RenderedObject, context: Context) -> bool:
    field = _FIELDS[item.kind]
    return _chosen(server, field, item) and _near(server, field, item, context)


def _chosen(server: RenderedObject, field: str, item: RenderedObject) -> bool:
    """A selector that is left out chooses nothing, an empty one everything."""
    selector = at(server.manifest, f"spec.{field}Selector")
    return selector is not None and selects(selector, labels_of(item))


def _near(server: RenderedObject, field: str, item: RenderedObject, context: Context) -> bool:
    """Without a selector of namespaces a server reads its own."""
    selector = at(server.manifest, f"spec.{field}NamespaceSelector")
    if selector is None:
        return server.namespace == item.namespace
    return not mapping(selector) or selects(selector, _namespace_labels(item.namespace or "", context))


def _namespace_labels(name: str, context: Context) -> Mapping[str, Any]:
    found = context.index.by_key.get(("", "Namespace", "", name), ())
    known = labels_of(found[0]) if found else {}
    return {"kubernetes.io/metadata.name": name, **known}


def _fault(servers: list[RenderedObject], field: str, item: RenderedObject, context: Context) -> Fault:
    first = servers[0]
    said = f"no Prometheus of the stack reads it: {first.kind} {first.namespace}/{first.name}"
    if _near(first, field, item, context):
        wanted = mapping(at(first.manifest, f"spec.{field}Selector.matchLabels"))
        labels = ", ".join(f"{key}={value}" for key, value in wanted.items()) or f"what its {field}Selector says"
        return Fault("metadata.labels", f"{said} asks for {labels[:120]}", "write these labels, or change its selector")
    return Fault(
        "metadata.namespace",
        f"{said} does not look into the namespace {item.namespace}",
        f"change its `{field}NamespaceSelector`: `{{}}` is all namespaces",
    )


MONITOR_SELECTED = StackRule(
    id="monitor-selected",
    severity="warning",
    title="Every monitor and rule is selected by a Prometheus",
    why="Prometheus operator ignores what no server selects, without an event or a log line: nothing is measured.",
    fix="write the labels that the server's selector asks for, or let it look into the namespace",
    kinds=frozenset(_READERS),
    check=_check,
)
