"""Releases of ceph-csi: one image for all its drivers, and the sidecars that each release was tried with."""

from __future__ import annotations

from dataclasses import dataclass, replace

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs import APACHE, READ, Release, Support, Upkeep, allow, releases


@dataclass(frozen=True, kw_only=True)
class CephCsiRelease(Release):
    """What differs between releases of the drivers and of the sidecars that belong to them."""

    provisioner_flags: tuple[str, ...] = ()
    """Feature gates that its csi-provisioner has and that are not on by themselves."""
    group_snapshots: str
    """Flag of its csi-snapshotter that turns group snapshots on or off, up to the value."""
    pod_info: bool = False
    """It reads of a claim's pod what the kubelet tells, for volumes that belong to an account."""
    names_subvolumes: bool = False
    """It has a controller that writes the names of claims on their subvolumes in Ceph."""
    rules: tuple[PolicyRule, ...] = ()
    """Of the controller, beyond those that all need."""


# Upstream maintains its two newest lines, and tests each release with three versions of Kubernetes. 3.12 calls nothing
# that 1.32 and 1.33 lack, so that no version is left without a release; 3.17 brings sidecars that were made for 1.34.
_RELEASES = (
    CephCsiRelease(
        "3.17.1",
        kubernetes="1.34-1.36",
        kubernetes_by="upstream",
        image="quay.io/cephcsi/cephcsi:v3.17.1",
        images={
            "csi-provisioner": "v6.2.0",
            "csi-resizer": "v2.1.0",
            "csi-snapshotter": "v8.5.0",
            "csi-attacher": "v4.11.0",
            "csi-node-driver-registrar": "v2.16.0",
        },
        group_snapshots="--feature-gates=CSIVolumeGroupSnapshot=",
        pod_info=True,
        names_subvolumes=True,
        rules=(allow("storage.k8s.io", "volumeattributesclasses", verbs=READ),),
        upkeep=Upkeep(Support.CURRENT),
    ),
    CephCsiRelease(
        "3.12.2",
        kubernetes="1.29-1.33",
        image="quay.io/cephcsi/cephcsi:v3.12.2",
        images={
            "csi-provisioner": "v5.0.1",
            "csi-resizer": "v1.11.1",
            "csi-snapshotter": "v8.0.1",
            "csi-attacher": "v4.6.1",
            "csi-node-driver-registrar": "v2.11.1",
        },
        provisioner_flags=("--feature-gates=HonorPVReclaimPolicy=true",),
        group_snapshots="--enable-volume-group-snapshots=",
        upkeep=Upkeep(Support.ENDED),
        kept="3.17 is not for Kubernetes 1.29 to 1.33",
    ),
)


def ceph_releases(*, attaches: bool) -> tuple[CephCsiRelease, ...]:
    """The releases of one driver, with the sidecars that it has."""
    return releases(*(replace(each, images=_sidecars(each, attaches=attaches)) for each in _RELEASES), license=APACHE)


def _sidecars(release: CephCsiRelease, *, attaches: bool) -> dict[str, str]:
    return {
        name: f"registry.k8s.io/sig-storage/{name}:{tag}"
        for name, tag in release.images.items()
        if attaches or name != "csi-attacher"
    }
