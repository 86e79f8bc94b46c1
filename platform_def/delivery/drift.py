"""Fields that the cluster itself writes, by part: a delivery engine must neither report nor undo them."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.manifests.rendered import Drifting, Part, RenderedComponent, RenderedObject

AGGREGATED = Drifting(
    "rbac.authorization.k8s.io/v1", "ClusterRole", "", ("/rules",), by="clusterrole-aggregation-controller"
)
"""The rules of an aggregated ClusterRole are the controller's, whatever its manifest says."""


def drifting(component: RenderedComponent, part: Part) -> tuple[Drifting, ...]:
    """What drifts in a part: what the component declares of objects that are there, and aggregated ClusterRoles."""
    objects = [item for item in component.objects if item.part == part]
    declared = [drift for drift in component.drifting if any(_concerns(drift, item) for item in objects)]
    found = [*declared, *_aggregated(objects)]
    return tuple(sorted(set(found), key=lambda drift: (drift.api_version, drift.kind, drift.name, drift.pointers)))


def group_of(drift: Drifting) -> str:
    """API group; empty for core."""
    return drift.api_version.rpartition("/")[0]


def _concerns(drift: Drifting, item: RenderedObject) -> bool:
    return (group_of(drift), drift.kind) == (item.group, item.kind) and drift.name in ("", item.name)


def _aggregated(objects: list[RenderedObject]) -> Iterator[Drifting]:
    for item in objects:
        if item.kind == AGGREGATED.kind and "aggregationRule" in item.manifest and "rules" in item.manifest:
            yield Drifting(item.api_version, item.kind, item.name, AGGREGATED.pointers, AGGREGATED.by)
