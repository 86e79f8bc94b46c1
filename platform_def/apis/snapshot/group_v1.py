"""Snapshots of several volumes at one moment (groupsnapshot.storage.k8s.io): snapshot controller 8.6."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Required

from platform_def.crds.health import StateHealth
from platform_def.crds.model import AGE, Api, Column, DataSchema, Definition
from platform_def.crds.schema import Cel, ListType, MapType, Ref, Time
from platform_def.crds.typed_dict import TypedDict

Fixed = Annotated[str, Cel("self == oldSelf", "stays as it was created")]


class VolumeGroupSnapshotClass(TypedDict, total=False):
    """How snapshots of several volumes are made."""

    deletionPolicy: Required[Annotated[Literal["Delete", "Retain"], Cel("self == oldSelf", "stays as it was created")]]
    """Delete or Retain: what becomes of the snapshots in the storage."""
    driver: Required[Annotated[Fixed, Ref("CSIDriver", group="storage.k8s.io", optional=True)]]
    """CSI driver that makes the snapshots."""
    parameters: Annotated[dict[str, str], Cel("self == oldSelf", "stays as it was created")]
    """Settings of the driver."""


class VolumeGroupSnapshotClassV1beta1(TypedDict, total=False):
    """How snapshots of several volumes are made, as v1beta1 writes it."""

    deletionPolicy: Required[Literal["Delete", "Retain"]]
    driver: Required[Annotated[str, Ref("CSIDriver", group="storage.k8s.io", optional=True)]]
    parameters: dict[str, str]


class MatchExpression(TypedDict, total=False):
    """A condition on a label."""

    key: Required[str]
    """The label."""
    operator: Required[str]
    """In, NotIn, Exists or DoesNotExist."""
    values: Annotated[list[str], ListType("atomic")]
    """Values of the label, for In and NotIn."""


class Selector(TypedDict, total=False):
    """Claims by their labels."""

    matchExpressions: Annotated[list[MatchExpression], ListType("atomic")]
    """Conditions that all hold."""
    matchLabels: dict[str, str]
    """Labels that all are there."""


class Source(TypedDict, total=False):
    """What is snapshotted: one of the two."""

    selector: Annotated[Selector, MapType("atomic"), Cel("self == oldSelf", "stays as it was created")]
    """Claims of the namespace, by their labels; all of one driver."""
    volumeGroupSnapshotContentName: Annotated[
        Fixed, Ref("VolumeGroupSnapshotContent", group="groupsnapshot.storage.k8s.io")
    ]
    """Snapshots that are there already."""


class VolumeGroupSnapshotSpec(TypedDict, total=False):
    """Snapshots of several volumes at one moment."""

    source: Required[
        Annotated[
            Source,
            Cel("!has(oldSelf.selector) || has(self.selector)", "selector can't be taken away"),
            Cel(
                "!has(oldSelf.volumeGroupSnapshotContentName) || has(self.volumeGroupSnapshotContentName)",
                "volumeGroupSnapshotContentName can't be taken away",
            ),
            Cel(
                "(has(self.selector) && !has(self.volumeGroupSnapshotContentName))"
                " || (!has(self.selector) && has(self.volumeGroupSnapshotContentName))",
                "selector or volumeGroupSnapshotContentName, and not both",
            ),
        ]
    ]
    """What is snapshotted."""
    volumeGroupSnapshotClassName: Annotated[
        str,
        Cel("size(self) > 0", "empty: leave it out instead"),
        Ref("VolumeGroupSnapshotClass", group="groupsnapshot.storage.k8s.io"),
    ]
    """Class; the default one if left out."""


class Error(TypedDict, total=False):
    """What went wrong."""

    message: str
    time: Time


class VolumeGroupSnapshotStatus(TypedDict, total=False):
    """What the controller reports."""

    boundVolumeGroupSnapshotContentName: Fixed
    creationTime: Time
    error: Error
    readyToUse: bool


class VolumeGroupSnapshotV1beta1Status(TypedDict, total=False):
    """What the controller reports."""

    boundVolumeGroupSnapshotContentName: str
    creationTime: Time
    error: Error
    readyToUse: bool


_SECRETS = {
    f"parameters.csi.storage.k8s.io/{use}-secret-name": Ref(
        "Secret", namespace=f"csi.storage.k8s.io/{use}-secret-namespace", weak=True
    )
    for use in ("group-snapshotter", "group-snapshotter-list")
}
_DATA = Path(__file__).with_name("group_v1.json")

VOLUME_GROUP_SNAPSHOT_CLASS_V1 = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1",
    kind="VolumeGroupSnapshotClass",
    plural="volumegroupsnapshotclasses",
    namespaced=False,
    spec=VolumeGroupSnapshotClass,
    top_level=True,
    columns=(Column("Driver", ".driver"), Column("DeletionPolicy", ".deletionPolicy"), AGE),
    storage=False,
    doc="How snapshots of several volumes are made.",
    references=_SECRETS,
)

VOLUME_GROUP_SNAPSHOT_CLASS_V1BETA1 = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1beta1",
    kind="VolumeGroupSnapshotClass",
    plural="volumegroupsnapshotclasses",
    namespaced=False,
    spec=VolumeGroupSnapshotClassV1beta1,
    top_level=True,
    columns=(Column("Driver", ".driver"), Column("DeletionPolicy", ".deletionPolicy"), AGE),
    storage=False,
    deprecated=True,
    references=_SECRETS,
)

VOLUME_GROUP_SNAPSHOT_CLASS = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1beta2",
    kind="VolumeGroupSnapshotClass",
    plural="volumegroupsnapshotclasses",
    namespaced=False,
    spec=VolumeGroupSnapshotClass,
    top_level=True,
    columns=(Column("Driver", ".driver"), Column("DeletionPolicy", ".deletionPolicy"), AGE),
    doc="How snapshots of several volumes are made.",
    references=_SECRETS,
)

VOLUME_GROUP_SNAPSHOT_CONTENT_V1 = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1",
    kind="VolumeGroupSnapshotContent",
    plural="volumegroupsnapshotcontents",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "volumegroupsnapshotcontents/v1"),
    status_subresource=True,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", type="boolean"),
        Column("DeletionPolicy", ".spec.deletionPolicy"),
        Column("Driver", ".spec.driver"),
        Column("VolumeGroupSnapshotClass", ".spec.volumeGroupSnapshotClassName"),
        Column("VolumeGroupSnapshotNamespace", ".spec.volumeGroupSnapshotRef.namespace"),
        Column("VolumeGroupSnapshot", ".spec.volumeGroupSnapshotRef.name"),
        AGE,
    ),
    storage=False,
)

VOLUME_GROUP_SNAPSHOT_CONTENT_V1BETA1 = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1beta1",
    kind="VolumeGroupSnapshotContent",
    plural="volumegroupsnapshotcontents",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "volumegroupsnapshotcontents/v1beta1"),
    status_subresource=True,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", type="boolean"),
        Column("DeletionPolicy", ".spec.deletionPolicy"),
        Column("Driver", ".spec.driver"),
        Column("VolumeGroupSnapshotClass", ".spec.volumeGroupSnapshotClassName"),
        Column("VolumeGroupSnapshotNamespace", ".spec.volumeGroupSnapshotRef.namespace"),
        Column("VolumeGroupSnapshot", ".spec.volumeGroupSnapshotRef.name"),
        AGE,
    ),
    storage=False,
    deprecated=True,
)

VOLUME_GROUP_SNAPSHOT_CONTENT = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1beta2",
    kind="VolumeGroupSnapshotContent",
    plural="volumegroupsnapshotcontents",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "volumegroupsnapshotcontents/v1beta2"),
    status_subresource=True,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", type="boolean"),
        Column("DeletionPolicy", ".spec.deletionPolicy"),
        Column("Driver", ".spec.driver"),
        Column("VolumeGroupSnapshotClass", ".spec.volumeGroupSnapshotClassName"),
        Column("VolumeGroupSnapshotNamespace", ".spec.volumeGroupSnapshotRef.namespace"),
        Column("VolumeGroupSnapshot", ".spec.volumeGroupSnapshotRef.name"),
        AGE,
    ),
)

VOLUME_GROUP_SNAPSHOT_V1 = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1",
    kind="VolumeGroupSnapshot",
    plural="volumegroupsnapshots",
    spec=VolumeGroupSnapshotSpec,
    status=VolumeGroupSnapshotStatus,
    status_subresource=True,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", type="boolean"),
        Column("VolumeGroupSnapshotClass", ".spec.volumeGroupSnapshotClassName"),
        Column("VolumeGroupSnapshotContent", ".status.boundVolumeGroupSnapshotContentName"),
        Column("CreationTime", ".status.creationTime", type="date"),
        AGE,
    ),
    storage=False,
    required=("spec",),
    doc="Snapshots of several volumes at one moment.",
    health=StateHealth("status.readyToUse", ready=(True,)),
)

VOLUME_GROUP_SNAPSHOT_V1BETA1 = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1beta1",
    kind="VolumeGroupSnapshot",
    plural="volumegroupsnapshots",
    spec=VolumeGroupSnapshotSpec,
    status=VolumeGroupSnapshotV1beta1Status,
    status_subresource=True,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", type="boolean"),
        Column("VolumeGroupSnapshotClass", ".spec.volumeGroupSnapshotClassName"),
        Column("VolumeGroupSnapshotContent", ".status.boundVolumeGroupSnapshotContentName"),
        Column("CreationTime", ".status.creationTime", type="date"),
        AGE,
    ),
    storage=False,
    deprecated=True,
    required=("spec",),
    health=StateHealth("status.readyToUse", ready=(True,)),
)

VOLUME_GROUP_SNAPSHOT = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1beta2",
    kind="VolumeGroupSnapshot",
    plural="volumegroupsnapshots",
    spec=VolumeGroupSnapshotSpec,
    status=VolumeGroupSnapshotStatus,
    status_subresource=True,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", type="boolean"),
        Column("VolumeGroupSnapshotClass", ".spec.volumeGroupSnapshotClassName"),
        Column("VolumeGroupSnapshotContent", ".status.boundVolumeGroupSnapshotContentName"),
        Column("CreationTime", ".status.creationTime", type="date"),
        AGE,
    ),
    required=("spec",),
    doc="Snapshots of several volumes at one moment.",
    health=StateHealth("status.readyToUse", ready=(True,)),
)

CRDS = (
    Definition(
        (VOLUME_GROUP_SNAPSHOT_CLASS_V1, VOLUME_GROUP_SNAPSHOT_CLASS_V1BETA1, VOLUME_GROUP_SNAPSHOT_CLASS),
        short_names=("vgsclass", "vgsclasses"),
        annotations={"api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/1337"},
    ),
    Definition(
        (VOLUME_GROUP_SNAPSHOT_CONTENT_V1, VOLUME_GROUP_SNAPSHOT_CONTENT_V1BETA1, VOLUME_GROUP_SNAPSHOT_CONTENT),
        short_names=("vgsc", "vgscs"),
        annotations={"api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/1337"},
    ),
    Definition(
        (VOLUME_GROUP_SNAPSHOT_V1, VOLUME_GROUP_SNAPSHOT_V1BETA1, VOLUME_GROUP_SNAPSHOT),
        short_names=("vgs",),
        annotations={"api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/1337"},
    ),
)
