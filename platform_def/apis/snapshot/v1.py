"""Volume snapshots (snapshot.storage.k8s.io), as the snapshot controller 8.6 serves them; this is their one owner."""
# ruff: noqa: E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.health import StateHealth
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import Cel, Int64, MapType, Minimum, Ref, Shape, Time
from platform_def.crds.typed_dict import TypedDict

VolumeSnapshotContentName = Annotated[str, Cel("self == oldSelf", "stays as it was created")]
RestoreSize = Annotated[
    str,
    Shape(
        {
            "type": "string",
            "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
            "x-kubernetes-int-or-string": True,
        },
    ),
]


class VolumeSnapshotClass(TypedDict, total=False):
    """How snapshots are made."""

    deletionPolicy: Required[Literal["Delete", "Retain"]]
    """Delete or Retain: what becomes of the snapshot in the storage."""
    driver: Required[Annotated[str, Ref("CSIDriver", group="storage.k8s.io", optional=True)]]
    """CSI driver that makes the snapshots."""
    parameters: dict[str, str]
    """Settings of the driver, such as the Secret with its credentials."""


class VolumeSnapshotClassV1beta1(TypedDict, total=False):
    """How snapshots are made, as v1beta1 writes it."""

    deletionPolicy: Required[Literal["Delete", "Retain"]]
    driver: Required[Annotated[str, Ref("CSIDriver", group="storage.k8s.io", optional=True)]]
    parameters: dict[str, str]


class Source(TypedDict, total=False):
    """What is snapshotted: one of the two."""

    persistentVolumeClaimName: Annotated[
        str, Ref("PersistentVolumeClaim"), Cel("self == oldSelf", "stays as it was created")
    ]
    """Claim to take a snapshot of."""
    volumeSnapshotContentName: Annotated[
        VolumeSnapshotContentName, Ref("VolumeSnapshotContent", group="snapshot.storage.k8s.io")
    ]
    """Snapshot that is there already."""


class VolumeSnapshotSpec(TypedDict, total=False):
    """The state of a volume at one moment."""

    source: Required[
        Annotated[
            Source,
            Cel(
                "!has(oldSelf.persistentVolumeClaimName) || has(self.persistentVolumeClaimName)",
                "persistentVolumeClaimName can't be taken away",
            ),
            Cel(
                "!has(oldSelf.volumeSnapshotContentName) || has(self.volumeSnapshotContentName)",
                "volumeSnapshotContentName can't be taken away",
            ),
            Cel(
                "(has(self.volumeSnapshotContentName) && !has(self.persistentVolumeClaimName)) || (!has(self.volumeSnapshotContentName) && has(self.persistentVolumeClaimName))",
                "volumeSnapshotContentName or persistentVolumeClaimName, and not both",
            ),
        ]
    ]
    """What is snapshotted."""
    volumeSnapshotClassName: Annotated[
        str,
        Ref("VolumeSnapshotClass", group="snapshot.storage.k8s.io"),
        Cel("size(self) > 0", "empty: leave it out instead"),
    ]
    """Class; the default one if left out."""


class Error(TypedDict, total=False):
    """What went wrong."""

    message: str
    time: Time


class VolumeSnapshotStatus(TypedDict, total=False):
    """What the controller reports."""

    boundVolumeSnapshotContentName: str
    creationTime: Time
    error: Error
    readyToUse: bool
    restoreSize: RestoreSize
    volumeGroupSnapshotName: str


class VolumeSnapshotV1beta1Source(TypedDict, total=False):
    """What is snapshotted, as v1beta1 writes it."""

    persistentVolumeClaimName: Annotated[str, Ref("PersistentVolumeClaim")]
    volumeSnapshotContentName: Annotated[str, Ref("VolumeSnapshotContent", group="snapshot.storage.k8s.io")]


class VolumeSnapshotV1beta1Spec(TypedDict, total=False):
    """A snapshot, as v1beta1 writes it."""

    source: Required[VolumeSnapshotV1beta1Source]
    volumeSnapshotClassName: Annotated[str, Ref("VolumeSnapshotClass", group="snapshot.storage.k8s.io")]


class VolumeSnapshotV1beta1Status(TypedDict, total=False):
    """What the controller reports."""

    boundVolumeSnapshotContentName: str
    creationTime: Time
    error: Error
    readyToUse: bool
    restoreSize: RestoreSize


class VolumeSnapshotContentSource(TypedDict, total=False):
    """What the snapshot is made of: one of the two."""

    snapshotHandle: VolumeSnapshotContentName
    """Handle of a snapshot that the storage has already."""
    volumeHandle: VolumeSnapshotContentName
    """Handle of the volume to take a snapshot of; the controller writes it."""


class VolumeSnapshotRef(TypedDict, total=False):
    """The snapshot that a content belongs to."""

    apiVersion: str
    """Not read."""
    fieldPath: str
    """Not read."""
    kind: str
    """Not read."""
    name: Annotated[str, Ref("VolumeSnapshot", group="snapshot.storage.k8s.io", namespace="namespace", optional=True)]
    """Name of the VolumeSnapshot; it may come later."""
    namespace: str
    """Its namespace."""
    resourceVersion: str
    """Not read."""
    uid: str
    """Written by the controller when the two are bound."""


class VolumeSnapshotContentSpec(TypedDict, total=False):
    """A snapshot as the storage has it; the controller makes it, or people do for one that is there."""

    deletionPolicy: Required[Literal["Delete", "Retain"]]
    """Delete or Retain: what becomes of the snapshot in the storage."""
    driver: Required[Annotated[str, Ref("CSIDriver", group="storage.k8s.io", optional=True)]]
    """CSI driver that has it."""
    source: Required[
        Annotated[
            VolumeSnapshotContentSource,
            Cel("!has(oldSelf.volumeHandle) || has(self.volumeHandle)", "volumeHandle can't be taken away"),
            Cel("!has(oldSelf.snapshotHandle) || has(self.snapshotHandle)", "snapshotHandle can't be taken away"),
            Cel(
                "(has(self.volumeHandle) && !has(self.snapshotHandle)) || (!has(self.volumeHandle) && has(self.snapshotHandle))",
                "volumeHandle or snapshotHandle, and not both",
            ),
        ]
    ]
    """What it is made of."""
    sourceVolumeMode: VolumeSnapshotContentName
    """Filesystem or Block: mode of the volume that was snapshotted."""
    volumeSnapshotClassName: Annotated[str, Ref("VolumeSnapshotClass", group="snapshot.storage.k8s.io", weak=True)]
    """Class that it was made with."""
    volumeSnapshotRef: Required[
        Annotated[
            VolumeSnapshotRef,
            MapType("atomic"),
            Cel("has(self.name) && has(self.__namespace__)", "needs a name and a namespace"),
        ]
    ]
    """The VolumeSnapshot that it belongs to."""


class VolumeSnapshotContentStatus(TypedDict, total=False):
    """What the controller reports."""

    creationTime: Int64
    error: Error
    readyToUse: bool
    restoreSize: Annotated[Int64, Minimum(0)]
    snapshotHandle: str
    volumeGroupSnapshotHandle: str


class VolumeSnapshotContent(TypedDict, total=False):
    """A snapshot as the storage has it."""

    spec: Required[
        Annotated[
            VolumeSnapshotContentSpec,
            Cel("!has(oldSelf.sourceVolumeMode) || has(self.sourceVolumeMode)", "sourceVolumeMode can't be taken away"),
        ]
    ]
    status: VolumeSnapshotContentStatus


class VolumeSnapshotContentV1beta1Source(TypedDict, total=False):
    """What the snapshot is made of, as v1beta1 writes it."""

    snapshotHandle: str
    volumeHandle: str


class VolumeSnapshotContentV1beta1Spec(TypedDict, total=False):
    """A snapshot as the storage has it, as v1beta1 writes it."""

    deletionPolicy: Required[Literal["Delete", "Retain"]]
    driver: Required[str]
    source: Required[VolumeSnapshotContentV1beta1Source]
    volumeSnapshotClassName: str
    volumeSnapshotRef: Required[VolumeSnapshotRef]


class VolumeSnapshotContentV1beta1Status(TypedDict, total=False):
    """What the controller reports."""

    creationTime: Int64
    error: Error
    readyToUse: bool
    restoreSize: Annotated[Int64, Minimum(0)]
    snapshotHandle: str


_SECRETS = {
    f"parameters.csi.storage.k8s.io/{use}-secret-name": Ref(
        "Secret", namespace=f"csi.storage.k8s.io/{use}-secret-namespace", weak=True
    )
    for use in ("snapshotter", "snapshotter-list")
}

VOLUME_SNAPSHOT_CLASS = Api(
    group="snapshot.storage.k8s.io",
    version="v1",
    kind="VolumeSnapshotClass",
    plural="volumesnapshotclasses",
    namespaced=False,
    spec=VolumeSnapshotClass,
    top_level=True,
    columns=(Column("Driver", ".driver"), Column("DeletionPolicy", ".deletionPolicy"), AGE),
    doc="How snapshots are made.",
    references=_SECRETS,
)

VOLUME_SNAPSHOT_CLASS_V1BETA1 = Api(
    group="snapshot.storage.k8s.io",
    version="v1beta1",
    kind="VolumeSnapshotClass",
    plural="volumesnapshotclasses",
    namespaced=False,
    spec=VolumeSnapshotClassV1beta1,
    top_level=True,
    columns=(Column("Driver", ".driver"), Column("DeletionPolicy", ".deletionPolicy"), AGE),
    served=False,
    storage=False,
    deprecated=True,
    deprecation_warning="snapshot.storage.k8s.io/v1beta1 VolumeSnapshotClass is on its way out: write v1",
)

VOLUME_SNAPSHOT = Api(
    group="snapshot.storage.k8s.io",
    version="v1",
    kind="VolumeSnapshot",
    plural="volumesnapshots",
    spec=VolumeSnapshotSpec,
    status=VolumeSnapshotStatus,
    required=("spec",),
    status_subresource=True,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", type="boolean"),
        Column("SourcePVC", ".spec.source.persistentVolumeClaimName"),
        Column("SourceSnapshotContent", ".spec.source.volumeSnapshotContentName"),
        Column("RestoreSize", ".status.restoreSize"),
        Column("SnapshotClass", ".spec.volumeSnapshotClassName"),
        Column("SnapshotContent", ".status.boundVolumeSnapshotContentName"),
        Column("CreationTime", ".status.creationTime", type="date"),
        AGE,
    ),
    doc="The state of a volume at one moment.",
    health=StateHealth("status.readyToUse", ready=(True,)),
)

VOLUME_SNAPSHOT_V1BETA1 = Api(
    group="snapshot.storage.k8s.io",
    version="v1beta1",
    kind="VolumeSnapshot",
    plural="volumesnapshots",
    spec=VolumeSnapshotV1beta1Spec,
    status=VolumeSnapshotV1beta1Status,
    required=("spec",),
    status_subresource=True,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", type="boolean"),
        Column("SourcePVC", ".spec.source.persistentVolumeClaimName"),
        Column("SourceSnapshotContent", ".spec.source.volumeSnapshotContentName"),
        Column("RestoreSize", ".status.restoreSize"),
        Column("SnapshotClass", ".spec.volumeSnapshotClassName"),
        Column("SnapshotContent", ".status.boundVolumeSnapshotContentName"),
        Column("CreationTime", ".status.creationTime", type="date"),
        AGE,
    ),
    served=False,
    storage=False,
    deprecated=True,
    deprecation_warning="snapshot.storage.k8s.io/v1beta1 VolumeSnapshot is on its way out: write v1",
    health=StateHealth("status.readyToUse", ready=(True,)),
)

VOLUME_SNAPSHOT_CONTENT = Api(
    group="snapshot.storage.k8s.io",
    version="v1",
    kind="VolumeSnapshotContent",
    plural="volumesnapshotcontents",
    namespaced=False,
    spec=VolumeSnapshotContentSpec,
    top=VolumeSnapshotContent,
    status_subresource=True,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", type="boolean"),
        Column("RestoreSize", ".status.restoreSize", type="integer"),
        Column("DeletionPolicy", ".spec.deletionPolicy"),
        Column("Driver", ".spec.driver"),
        Column("VolumeSnapshotClass", ".spec.volumeSnapshotClassName"),
        Column("VolumeSnapshot", ".spec.volumeSnapshotRef.name"),
        Column("VolumeSnapshotNamespace", ".spec.volumeSnapshotRef.namespace"),
        AGE,
    ),
    health=StateHealth("status.readyToUse", ready=(True,)),
)

VOLUME_SNAPSHOT_CONTENT_V1BETA1 = Api(
    group="snapshot.storage.k8s.io",
    version="v1beta1",
    kind="VolumeSnapshotContent",
    plural="volumesnapshotcontents",
    namespaced=False,
    spec=VolumeSnapshotContentV1beta1Spec,
    status=VolumeSnapshotContentV1beta1Status,
    required=("spec",),
    status_subresource=True,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", type="boolean"),
        Column("RestoreSize", ".status.restoreSize", type="integer"),
        Column("DeletionPolicy", ".spec.deletionPolicy"),
        Column("Driver", ".spec.driver"),
        Column("VolumeSnapshotClass", ".spec.volumeSnapshotClassName"),
        Column("VolumeSnapshot", ".spec.volumeSnapshotRef.name"),
        Column("VolumeSnapshotNamespace", ".spec.volumeSnapshotRef.namespace"),
        AGE,
    ),
    served=False,
    storage=False,
    deprecated=True,
    deprecation_warning="snapshot.storage.k8s.io/v1beta1 VolumeSnapshotContent is on its way out: write v1",
    health=StateHealth("status.readyToUse", ready=(True,)),
)

CRDS = (
    Definition(
        (VOLUME_SNAPSHOT_CLASS, VOLUME_SNAPSHOT_CLASS_V1BETA1),
        short_names=("vsclass", "vsclasses"),
        annotations={"api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/814"},
    ),
    Definition(
        (VOLUME_SNAPSHOT, VOLUME_SNAPSHOT_V1BETA1),
        short_names=("vs",),
        annotations={"api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/814"},
    ),
    Definition(
        (VOLUME_SNAPSHOT_CONTENT, VOLUME_SNAPSHOT_CONTENT_V1BETA1),
        short_names=("vsc", "vscs"),
        annotations={"api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/955"},
    ),
)
