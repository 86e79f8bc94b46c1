"""Snapshots of several volumes at one moment (groupsnapshot.storage.k8s.io): snapshot controller 8.6."""

from __future__ import annotations

from pathlib import Path

from platform_def.apis.model import AGE, Api, Column, DataSchema, Definition

_DATA = Path(__file__).with_name("group_snapshot_v1.json")

VOLUME_GROUP_SNAPSHOT_CLASS_V1 = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1",
    kind="VolumeGroupSnapshotClass",
    plural="volumegroupsnapshotclasses",
    namespaced=False,
    spec=dict[str, object],
    top_level=True,
    data=DataSchema(_DATA, "volumegroupsnapshotclasses/v1"),
    columns=(Column("Driver", ".driver"), Column("DeletionPolicy", ".deletionPolicy"), AGE),
    storage=False,
)

VOLUME_GROUP_SNAPSHOT_CLASS_V1BETA1 = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1beta1",
    kind="VolumeGroupSnapshotClass",
    plural="volumegroupsnapshotclasses",
    namespaced=False,
    spec=dict[str, object],
    top_level=True,
    data=DataSchema(_DATA, "volumegroupsnapshotclasses/v1beta1"),
    columns=(Column("Driver", ".driver"), Column("DeletionPolicy", ".deletionPolicy"), AGE),
    storage=False,
    deprecated=True,
)

VOLUME_GROUP_SNAPSHOT_CLASS = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1beta2",
    kind="VolumeGroupSnapshotClass",
    plural="volumegroupsnapshotclasses",
    namespaced=False,
    spec=dict[str, object],
    top_level=True,
    data=DataSchema(_DATA, "volumegroupsnapshotclasses/v1beta2"),
    columns=(Column("Driver", ".driver"), Column("DeletionPolicy", ".deletionPolicy"), AGE),
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
    spec=dict[str, object],
    data=DataSchema(_DATA, "volumegroupsnapshots/v1"),
    status_subresource=True,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", type="boolean"),
        Column("VolumeGroupSnapshotClass", ".spec.volumeGroupSnapshotClassName"),
        Column("VolumeGroupSnapshotContent", ".status.boundVolumeGroupSnapshotContentName"),
        Column("CreationTime", ".status.creationTime", type="date"),
        AGE,
    ),
    storage=False,
)

VOLUME_GROUP_SNAPSHOT_V1BETA1 = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1beta1",
    kind="VolumeGroupSnapshot",
    plural="volumegroupsnapshots",
    spec=dict[str, object],
    data=DataSchema(_DATA, "volumegroupsnapshots/v1beta1"),
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
)

VOLUME_GROUP_SNAPSHOT = Api(
    group="groupsnapshot.storage.k8s.io",
    version="v1beta2",
    kind="VolumeGroupSnapshot",
    plural="volumegroupsnapshots",
    spec=dict[str, object],
    data=DataSchema(_DATA, "volumegroupsnapshots/v1beta2"),
    status_subresource=True,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", type="boolean"),
        Column("VolumeGroupSnapshotClass", ".spec.volumeGroupSnapshotClassName"),
        Column("VolumeGroupSnapshotContent", ".status.boundVolumeGroupSnapshotContentName"),
        Column("CreationTime", ".status.creationTime", type="date"),
        AGE,
    ),
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
