"""Argo CD 3.3: the kinds of 3.5 without what that added."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from platform_def.apis.argocd import v1alpha1
from platform_def.crds.model import Api, Definition

SOURCE = ("source.tagPrefix", "sources[].tagPrefix")
HYDRATOR = "sourceHydrator.syncSource.repoURL"
GENERATORS = ("clusterDecisionResource", "clusters", "git", "list", "plugin", "pullRequest", "scmProvider")
ARCHIVED = ("gitea.excludeArchivedRepos", "github.excludeArchivedRepos", "gitlab.includeArchivedRepos")


def _application() -> Iterator[str]:
    synced = ("operation.sync", "status.operationState.operation.sync", "status.operationState.syncResult")
    for place in ("spec", *synced, "status.history[]", "status.sync.comparedTo"):
        yield from (f"{place}.{field}" for field in SOURCE)
    yield f"spec.{HYDRATOR}"
    for operation in ("currentOperation", "lastSuccessfulOperation"):
        yield f"status.sourceHydrator.{operation}.{HYDRATOR}"
    yield from ("status.sourceHydrator.lastComparedDryRevision", "status.summary.isAppOfApps")


def _application_set() -> Iterator[str]:
    combined = ("spec.generators[].matrix", "spec.generators[].merge")
    for place in ("spec", *combined):
        yield from (f"{place}.template.spec.{field}" for field in (*SOURCE, HYDRATOR))
    for place in ("spec", *combined):
        for generator in GENERATORS:
            template = f"{place}.generators[].{generator}.template.spec"
            yield from (f"{template}.{field}" for field in (*SOURCE, HYDRATOR))
        yield from (f"{place}.generators[].scmProvider.{field}" for field in ARCHIVED)
    yield "status.health"


LACKS = {
    "Application": tuple(_application()),
    "ApplicationSet": tuple(_application_set()),
    "AppProject": ("spec.sourceIntegrity", "spec.syncWindows[].syncOverrun"),
}


def _older(newer: Definition) -> Definition:
    api: Api[Any] = newer.api
    return replace(newer, versions=(replace(api, lacks=LACKS[api.kind], core="1.34" if api.core else ""),))


CRDS = tuple(_older(newer) for newer in v1alpha1.CRDS)
