"""KubeRay 1.6: the kinds of 1.7 without what that added."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from platform_def.apis.ray.definitions import DEFINITIONS as NEWER
from platform_def.crds.model import Api, Column, Definition

CLUSTER = (
    "autoscalerOptions.args",
    "autoscalerOptions.command",
    "gcsFaultToleranceOptions.backend",
    "gcsFaultToleranceOptions.storage",
    "gcsFaultToleranceOptions.redisAddress?",
    "headGroupSpec.ingressOptions",
    "historyServerOptions",
    "networkPolicy",
    "tlsOptions",
    "workerGroupSpecs[].priority",
)


def _of_clusters(path: str) -> tuple[str, ...]:
    return tuple(f"{path}.{field}" for field in CLUSTER)


LACKS = {
    "RayCluster": _of_clusters("spec"),
    "RayCronJob": (*_of_clusters("spec.jobTemplate.rayClusterSpec"), "spec.timeZone"),
    "RayJob": (*_of_clusters("spec.rayClusterSpec"), "status.jobStatusCheckFailureStartTime"),
    "RayService": (*_of_clusters("spec.rayClusterConfig"), "spec.suspend"),
}
COLUMNS = {
    "RayCronJob": (
        Column("schedule", ".spec.schedule"),
        Column("last schedule", ".status.lastScheduleTime"),
        Column("age", ".metadata.creationTimestamp", type="date"),
        Column("suspend", ".spec.suspend", type="boolean"),
    )
}


def _older(newer: Definition) -> Definition:
    return replace(newer, versions=tuple(map(_version, newer.versions)))


def _version(api: Api[Any]) -> Api[Any]:
    older = replace(api, columns=COLUMNS.get(api.kind, api.columns), core="1.35")
    if api.version == "v1":
        return replace(older, lacks=LACKS[api.kind])
    return replace(older, deprecated=False, deprecation_warning="")


DEFINITIONS = tuple(map(_older, NEWER))
