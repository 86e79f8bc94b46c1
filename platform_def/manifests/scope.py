"""Whether objects of a kind live in namespaces, told without asking a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from platform_def.apis.core.kinds import CORE_KINDS
from platform_def.manifests.index import CustomKind, GroupKind

_NONE: Mapping[GroupKind, CustomKind] = MappingProxyType({})


def namespaced(api_version: str, kind: str, custom: Mapping[GroupKind, CustomKind] = _NONE) -> bool | None:
    """True or False for core kinds and those in `custom`; None for a kind that nobody is known to serve."""
    core = CORE_KINDS.get((api_version, kind))
    if core is not None:
        return core.namespaced
    served = custom.get((api_version.rpartition("/")[0], kind))
    return served.namespaced if served else None
