"""VolumeSnapshotClass, as drivers of volumes write it; its CRD belongs to the snapshot controller."""

from __future__ import annotations

from typing import Literal, Required, TypedDict

from platform_def.apis.model import Api

SERVED = "VolumeSnapshotClass.snapshot.storage.k8s.io"
"""As `Platform.serves` names it."""


class VolumeSnapshotClass(TypedDict, total=False):
    """How snapshots of a driver's volumes are made."""

    driver: Required[str]
    deletionPolicy: Required[Literal["Delete", "Retain"]]
    parameters: dict[str, str]


VOLUME_SNAPSHOT_CLASS = Api(
    group="snapshot.storage.k8s.io",
    version="v1",
    kind="VolumeSnapshotClass",
    plural="volumesnapshotclasses",
    spec=VolumeSnapshotClass,
    namespaced=False,
    top_level=True,
)
