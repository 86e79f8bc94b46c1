"""Storage classes of a stack, by driver."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from platform_def.config.model import Model, Name, Subdomain

AccessMode = Literal["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany", "ReadWriteOncePod"]


class SecretRef(Model):
    """A Secret that exists in the cluster; its content is never in the repository."""

    existing: Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?/[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")]
    """`namespace/name` of the Secret."""

    @property
    def namespace(self) -> str:
        """Namespace of the Secret."""
        return self.existing.split("/")[0]

    @property
    def name(self) -> str:
        """Name of the Secret."""
        return self.existing.split("/")[1]


class _Storage(Model):
    class_name: Subdomain | None = None
    """Name of the StorageClass; by default the key in `storage:`."""
    default: bool = False
    """Claims that name no class get this one. At most one is the default."""


class _Provisioned(_Storage):
    reclaim_policy: Literal["Delete", "Retain"] = "Delete"
    """What becomes of a volume when its claim goes."""
    allow_expansion: bool = True
    """Claims may grow."""
    mount_options: list[str] = Field(default_factory=list)
    """Options of the mount on the node."""


class CephFs(_Provisioned):
    """A shared file system on Ceph: ReadWriteMany."""

    driver: Literal["cephfs"]
    cluster_id: Annotated[str, Field(min_length=1, max_length=36)]
    """Ceph's fsid, or any name of at most 36 bytes that stands for the cluster in ceph-csi's configuration."""
    monitors: Annotated[list[str], Field(min_length=1)]
    """Addresses of the monitors, `host:port`."""
    filesystem: str
    """Name of the CephFS file system."""
    pool: str | None = None
    """Data pool; by default the file system's first."""
    mounter: Literal["kernel", "fuse"] = "kernel"
    """Client on the nodes."""
    subvolume_group: str | None = None
    """Subvolume group that holds the volumes; ceph-csi's default is `csi`."""
    secret: SecretRef
    """Secret with the keys adminID and adminKey."""

    @property
    def modes(self) -> tuple[AccessMode, ...]:
        """Access modes that claims of this class may ask for."""
        return ("ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")


class ExistingStorage(_Storage):
    """A StorageClass that the cluster has already."""

    driver: Literal["existing"]
    access_modes: Annotated[list[AccessMode], Field(min_length=1)] = ["ReadWriteOnce"]  # noqa: RUF012 - pydantic copies it
    """What its driver can do."""
    binding: Literal["Immediate", "WaitForFirstConsumer"] = "WaitForFirstConsumer"
    """When a claim is bound; decides what a delivery engine may wait for."""

    @property
    def modes(self) -> tuple[AccessMode, ...]:
        """Access modes that claims of this class may ask for."""
        return tuple(self.access_modes)


Storage = Annotated[CephFs | ExistingStorage, Field(discriminator="driver")]
StorageMap = dict[Name, Storage]
