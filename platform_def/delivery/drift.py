"""Fields that the cluster itself writes, by part: a delivery engine must neither report nor undo them."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.kueue import QUEUE_LABEL
from platform_def.config.objects import Drift, Part
from platform_def.crds.index import suspended_by
from platform_def.manifests.loose import at, mapping
from platform_def.manifests.paths import Path, pods
from platform_def.manifests.rendered import RenderedComponent, RenderedObject

AGGREGATED = Drift(
    "rbac.authorization.k8s.io/v1", "ClusterRole", "", ("/rules",), by="clusterrole-aggregation-controller"
)
"""The rules of an aggregated ClusterRole are the controller's, whatever its manifest says."""
_APP_WRAPPER = ("workload.codeflare.dev", "AppWrapper")
"""A kind that Kueue queues and no component serves: the catalogue has no `Api` of it."""


def drifting(component: RenderedComponent, part: Part) -> tuple[Drift, ...]:
    """What drifts in a part: what the component declares of objects that are there, aggregated ClusterRoles, and jobs
    that wait in a queue."""
    objects = [item for item in component.objects if item.part == part]
    declared = [drift for drift in component.drifting if any(_concerns(drift, item) for item in objects)]
    found = [*declared, *_aggregated(objects), *_queued(objects)]
    return tuple(sorted(set(found), key=lambda drift: (drift.api_version, drift.kind, drift.name, drift.pointers)))


def group_of(drift: Drift) -> str:
    """API group; empty for core."""
    return drift.api_version.rpartition("/")[0]


def _concerns(drift: Drift, item: RenderedObject) -> bool:
    return (group_of(drift), drift.kind) == (item.group, item.kind) and drift.name in ("", item.name)


def _aggregated(objects: list[RenderedObject]) -> Iterator[Drift]:
    for item in objects:
        if item.kind == AGGREGATED.kind and "aggregationRule" in item.manifest and "rules" in item.manifest:
            yield Drift(item.api_version, item.kind, item.name, AGGREGATED.pointers, AGGREGATED.by)


def _queued(objects: list[RenderedObject]) -> Iterator[Drift]:
    """Jobs of the user's own that name a queue: Kueue suspends and resumes them, and says where their pods run."""
    for item in objects:
        if QUEUE_LABEL not in mapping(at(item.manifest, "metadata.labels")):
            continue
        own = (item.group, item.kind) == _APP_WRAPPER
        if suspended := "spec.suspend" if own else suspended_by(item.group, item.kind):
            pointers = [_pointer(tuple(suspended.split(".")))]
            if item.kind == "Job":
                pointers.append("/spec/parallelism")  # where it may start with fewer pods
            for path, _ in pods(item.manifest):
                place, template = _pointer(path), _pointer(path[:-1])
                pointers += [f"{place}/{field}" for field in ("nodeSelector", "tolerations", "schedulingGates")]
                pointers += [f"{template}/metadata/{field}" for field in ("annotations", "labels")]
            yield Drift(item.api_version, item.kind, item.name, tuple(pointers))


def _pointer(path: Path) -> str:
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
