"""Whether objects of a kind live in namespaces, told without asking a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from platform_def.crds.catalogue import api_of
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.manifests.custom_kind import CustomKind
from platform_def.manifests.index import GroupKind

_NONE: Mapping[GroupKind, CustomKind] = MappingProxyType({})


def namespaced(api_version: str, kind: str, custom: Mapping[GroupKind, CustomKind] = _NONE) -> bool | None:
    """True or False for core kinds and those in `custom`; None for a kind that is not known to be served."""
    core = CORE_KINDS.get((api_version, kind))
    if core is not None:
        return core.namespaced
    served = custom.get((api_version.rpartition("/")[0], kind))
    return served.namespaced if served else None


@cache
def namespaced_kind(group: str, kind: str) -> bool | None:
    """The same for core kinds and those of the catalogue, whatever the version; None for a kind that neither knows."""
    for (api_version, name), core in CORE_KINDS.items():
        if name == kind and api_version.rpartition("/")[0] == group:
            return core.namespaced
    api = api_of(group, kind)
    return api.namespaced if api else None
