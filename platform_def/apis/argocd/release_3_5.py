"""Argo CD 3.5: the kinds of 3.6 without what that added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from platform_def.apis.argocd import v1alpha1
from platform_def.crds.model import Api, Definition

NESTED = ("spec.generators[].matrix", "spec.generators[].merge")
GENERATORS = ("clusterDecisionResource", "clusters", "git", "list", "plugin", "pullRequest", "scmProvider")
FILTER = "directory.disableExtensionFilter"


def in_applications(source: str, hydrator: str) -> Iterator[str]:
    """The paths of a field of sources, and of one of the hydrator."""
    synced = ("operation.sync", "status.operationState.operation.sync", "status.operationState.syncResult")
    for place in ("spec", *synced, "status.history[]", "status.sync.comparedTo"):
        yield from _sources(place, source)
    for place in ("spec", "status.sourceHydrator.currentOperation", "status.sourceHydrator.lastSuccessfulOperation"):
        yield f"{place}.sourceHydrator.{hydrator}"


def in_application_sets(source: str, hydrator: str) -> Iterator[str]:
    """The same in the template, and in what generators change in it."""
    places = ("spec", *NESTED)
    templates = [f"{place}.generators[].{generator}" for place in places for generator in GENERATORS]
    for template in (*places, *templates):
        yield from _sources(f"{template}.template.spec", source)
        yield f"{template}.template.spec.sourceHydrator.{hydrator}"


def _sources(place: str, field: str) -> tuple[str, ...]:
    return f"{place}.source.{field}", f"{place}.sources[].{field}"


LACKS: Mapping[str, tuple[str, ...]] = {
    "Application": tuple(in_applications(FILTER, f"drySource.{FILTER}")),
    "ApplicationSet": (
        *(f"{place}.generators[].oci" for place in ("spec", *NESTED)),
        *in_application_sets(FILTER, f"drySource.{FILTER}"),
    ),
    "AppProject": (),
}


def older(newer: Definition, lacks: Mapping[str, Iterable[str]], *, core: str) -> Definition:
    """A definition of an older release, which was compiled against Kubernetes `core`."""
    api: Api[Any] = newer.api
    return replace(newer, versions=(replace(api, lacks=(*lacks[api.kind],), core=core if api.core else ""),))


CRDS = tuple(older(newer, LACKS, core="1.36") for newer in v1alpha1.CRDS)
