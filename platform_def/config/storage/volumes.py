"""Volumes that hold data already: directories that a driver mounts as they are, and what pods read as a dataset."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from platform_def.config.model import Model, Name, Quantity
from platform_def.config.storage.entries import HostFolder, SecretRef

_FOLDER = r"^/[^\s:]*$"


class StaticVolume(Model):
    """A directory that is there already, as a volume and a claim for it; it is never made, grown or removed."""

    storage: Name
    """Entry of the stack's `storage:` whose cluster or server it lies on."""
    namespace: Name | None = None
    """Namespace of the claim, which is called as the volume is here."""
    teams: Literal["all"] | list[Name] = Field(default_factory=list)
    """Teams that get a claim of that name each, in all of their namespaces, where no `namespace` is said."""
    path: Annotated[str, Field(pattern=_FOLDER)]
    """The directory: on CephFS from the file system's root (`ceph fs subvolume getpath`), on NFS below the share."""
    size: Quantity = "1Ti"
    """Size that claim and volume tell; nothing is held to it."""
    mode: Literal["ReadOnlyMany", "ReadWriteMany"] = "ReadOnlyMany"
    """Whether pods may write; a directory that is read alone is mounted so."""
    secret: SecretRef | None = None
    """Secret with the keys userID and userKey, for CephFS: who is to mount it needs a client of its own in Ceph, which
    is not that of the entry."""

    @model_validator(mode="after")
    def _for_someone(self) -> StaticVolume:
        if bool(self.namespace) == bool(self.teams):
            raise ValueError("say whose it is: `namespace:`, or `teams:` with names or `all`")
        return self


class LocalDisk(Model):
    """A disk that each node of a pool has, mounted at the same place."""

    path: HostFolder
    """Folder for copies, such as `/mnt/nvme/datasets`. Its content may be deleted at any time: it is copied again."""
    size: Quantity | None = None
    """How much fits on it; a dataset that is larger is refused."""


class LocalCopy(Model):
    """A copy of the data on the node's disk, made by the first pod there and used by those that follow."""

    generation: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,40}$")] = "1"
    """Change this value after the data changed, to have it copied again."""


class DatasetConfig(Model):
    """Data that pods read, such as images to train on."""

    claim: Name | None = None
    """A claim that the namespace has; without one it is made."""
    storage: Name = "shared"
    """Entry of the stack's `storage:` that it is made from, or a kind of it; many nodes must be able to mount it."""
    size: Quantity = "1Ti"
    """Size of the claim that is made: on CephFS a quota, on NFS a number."""
    read_only: bool = False
    """Pods cannot change the data."""
    local_copy: LocalCopy | None = None
    """Read from a copy on the node's disk, where the node pool has a `localDisk`."""
