"""Which exporters a stack has beside a component's own programs."""

from __future__ import annotations

from platform_def.capabilities import Exporter, Metrics
from platform_def.constructs.component import AnyComponent


def given_exporters(component: AnyComponent) -> frozenset[str]:
    """Names of exporters whose series the stack's Prometheus has."""
    given = component.maybe(Metrics)
    named = given.value.exporters if given else []
    return frozenset({*named, *(each.value.name for each in component.platform.all(Exporter))})
