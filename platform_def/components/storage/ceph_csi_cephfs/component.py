"""ceph-csi's CephFS driver: shared volumes (ReadWriteMany) on a Ceph cluster that exists, one class a storage entry.

Ceph's credentials stay in Secrets that the stack names; none is ever written.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from platform_def.components.storage.ceph_csi.config import CephCsiConfig, DriverKind
from platform_def.components.storage.ceph_csi.driver import SECURITY, CephDriver
from platform_def.components.storage.ceph_csi.releases import CephCsiRelease, ceph_releases
from platform_def.config.model import Name
from platform_def.config.storage import CephFs, StaticVolume
from platform_def.constructs import Component, Problem, Setting
from platform_def.constructs.static_volume import static_volume
from platform_def.constructs.storage_entries import static_problems

CEPHFS = DriverKind(
    "cephfs",
    slug="ceph-csi-cephfs",
    driver="cephfs.csi.ceph.com",
    entries=CephFs,
    metrics_port=8681,
    section="cephFS",
    shared="subvolume_group",
)


class CephCsiCephFsConfig(CephCsiConfig):
    """What a stack may choose about the driver; clusters and classes are said in `storage`."""

    releases = ceph_releases(attaches=False)

    namespace: Name = "ceph-csi-cephfs"
    """Namespace of the driver, as upstream's chart has it; it needs the privileged Pod Security level."""
    volumes: dict[Name, StaticVolume] = Field(default_factory=dict)
    """Directories that are there already, each as a volume with a claim of its name."""


class CephCsiCephFs(Component[CephCsiCephFsConfig, CephCsiRelease]):
    """Driver, accounts, configuration, controller, node plugin, metrics, and the classes of the stack's entries."""

    several = True
    pod_security = SECURITY

    @classmethod
    def problems(cls, at: Setting[CephCsiCephFsConfig]) -> Iterator[Problem]:
        """Storage entries that ceph-csi cannot serve, or none at all."""
        yield from CEPHFS.problems(at)
        yield from static_problems(at, CEPHFS.slug, CephFs, at.config.volumes)
        for name in (name for name, volume in at.config.volumes.items() if not volume.secret):
            text = f"components.{at.name}.volumes.{name}.secret: is missing"
            hint = "mounting needs one with the keys userID and userKey: `secret: {existing: namespace/name}`"
            yield Problem(text, hint=hint)

    def build(self) -> None:
        """Everything that makes and mounts CephFS volumes."""
        # Upstream's chart attaches since 3.15, for fencing alone, which is off; the field can never be changed.
        told = self.release.pod_info
        driver = CephDriver(
            self,
            CEPHFS,
            {"attachRequired": False, "podInfoOnMount": told, "fsGroupPolicy": "File", "seLinuxMount": True},
        )
        driver.controller(names=self.release.names_subvolumes)
        driver.node_plugin(
            folders={"ceph-csi-mountinfo": "mountinfo"},
            drained=any(entry.mounter == "fuse" for entry in driver.entries.values()),
        )
        for name, entry in driver.entries.items():
            driver.classes(name, entry, class_parameters(entry))
        for name, volume in self.config.volumes.items():
            self.there(driver, name, volume)

    def there(self, driver: CephDriver[CephFs], name: str, volume: StaticVolume) -> None:
        """A directory of a file system as it is."""
        entry = self.platform.storage[volume.storage]
        if isinstance(entry, CephFs):
            where = {"clusterID": entry.cluster_id, "fsName": entry.filesystem, "mounter": entry.mounter}
            attributes = {**where, **client_options(entry), "staticVolume": "true", "rootPath": volume.path}
            static_volume(
                driver.csi, name, volume, attributes=attributes, secret=volume.secret, options=entry.mount_options
            )


def class_parameters(entry: CephFs) -> dict[str, str]:
    """What the class says beside cluster and Secrets."""
    pool = {"pool": entry.pool} if entry.pool else {}
    return {"fsName": entry.filesystem, "mounter": entry.mounter, **pool, **client_options(entry)}


def client_options(entry: CephFs) -> dict[str, str]:
    """Options of the client on the nodes, of a class and of a volume that is there already alike."""
    return {f"{entry.mounter}MountOptions": entry.client_options} if entry.client_options else {}
