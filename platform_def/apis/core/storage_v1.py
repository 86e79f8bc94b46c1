"""Core types of api.storage.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.apis.core import core_v1
from platform_def.crds.model import Api
from platform_def.crds.typed_dict import TypedDict


class StorageClass(TypedDict, total=False):
    allowVolumeExpansion: bool
    allowedTopologies: list[core_v1.TopologySelectorTerm]
    mountOptions: list[str]
    parameters: dict[str, str]
    provisioner: Required[str]
    reclaimPolicy: str
    volumeBindingMode: str


class TokenRequest(TypedDict, total=False):
    audience: Required[str]
    expirationSeconds: int


class CSIDriverSpec(TypedDict, total=False):
    attachRequired: bool
    fsGroupPolicy: str
    nodeAllocatableUpdatePeriodSeconds: int
    podInfoOnMount: bool
    preventPodSchedulingIfMissing: bool
    requiresRepublish: bool
    seLinuxMount: bool
    serviceAccountTokenInSecrets: bool
    storageCapacity: bool
    tokenRequests: list[TokenRequest]
    volumeLifecycleModes: list[str]


class VolumeAttributesClass(TypedDict, total=False):
    driverName: Required[str]
    parameters: dict[str, str]


STORAGE_CLASS = Api(
    group="storage.k8s.io",
    version="v1",
    kind="StorageClass",
    plural="storageclasses",
    spec=StorageClass,
    namespaced=False,
    top_level=True,
    builtin=True,
)

CSI_DRIVER = Api(
    group="storage.k8s.io",
    version="v1",
    kind="CSIDriver",
    plural="csidrivers",
    spec=CSIDriverSpec,
    namespaced=False,
    builtin=True,
)

VOLUME_ATTRIBUTES_CLASS = Api(
    group="storage.k8s.io",
    version="v1",
    kind="VolumeAttributesClass",
    plural="volumeattributesclasses",
    spec=VolumeAttributesClass,
    namespaced=False,
    top_level=True,
    builtin=True,
)
