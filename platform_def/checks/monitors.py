"""What monitors of Prometheus' operator choose."""

from __future__ import annotations

from collections.abc import Iterable

from platform_def.checks.context import Context
from platform_def.checks.selection import labels_of
from platform_def.manifests.admission import selects
from platform_def.manifests.loose import at, items, mapping
from platform_def.manifests.rendered import RenderedObject


def near_services(context: Context, monitor: RenderedObject) -> list[RenderedObject]:
    """Services in the namespaces that a ServiceMonitor looks into."""
    services = context.index.by_kind.get(("", "Service"), ())
    named = chosen_namespaces(monitor, {each.namespace or "": True for each in services})
    return [each for each in services if (each.namespace or "") in named]


def chosen_services(context: Context, monitor: RenderedObject) -> list[RenderedObject]:
    """Those of them whose labels it asks for."""
    selector = at(monitor.manifest, "spec.selector")
    return [each for each in near_services(context, monitor) if selects(selector, labels_of(each))]


def chosen_namespaces(monitor: RenderedObject, known: Iterable[str]) -> list[str]:
    """The namespaces that a monitor looks into; where it says any, all that are known."""
    chosen = mapping(at(monitor.manifest, "spec.namespaceSelector"))
    if chosen.get("any") is True:
        return list(known)
    named = [each for each in items(chosen.get("matchNames")) if isinstance(each, str)]
    return named or [monitor.namespace or ""]
