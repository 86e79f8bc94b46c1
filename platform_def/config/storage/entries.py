"""The entries of a stack's `storage:`, by driver: each is a StorageClass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from platform_def.config.model import Host, LabelKey, LabelValue, Model, Name, Subdomain, conflict

AccessMode = Literal["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany", "ReadWriteOncePod"]
Binding = Literal["Immediate", "WaitForFirstConsumer"]
HostFolder = Annotated[str, Field(pattern=r"^(/[A-Za-z0-9._-]+)+$")]
"""A folder of a node, and not its root."""


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


class Provisioned(_Storage):
    """What entries have in common whose volumes a component makes."""

    example: ClassVar[str]
    """An entry with what it must say, for messages."""
    reclaim_policy: Literal["Delete", "Retain"] | None = None
    """What becomes of a volume when its claim goes: without a word it goes too, as in Kubernetes."""
    allow_expansion: bool = True
    """Claims may grow."""
    binding: Binding = "Immediate"
    """When a volume is made: at once, or where and when the first pod that uses it is to run."""
    mount_options: list[str] = Field(default_factory=list)
    """Options of the mount on the node."""
    topology: dict[LabelKey, list[LabelValue]] = Field(default_factory=dict)
    """Where its volumes may be made, by what the driver tells of nodes: `{topology.rbd.csi.ceph.com/zone: [a, b]}`."""
    served_by: Name | None = None
    """The component that makes its volumes, where the stack has several of the driver; by default the one with the
    name that it has in the catalogue, or else the first by name."""


class Encryption(Model):
    """Volumes whose content Ceph sees encrypted alone."""

    kms: str | None = None
    """Key management service, by its id in the component's `kms`; by default a passphrase in the entry's Secret, under
    the key encryptionPassphrase."""


class Ceph(Provisioned):
    """What entries on a Ceph cluster have in common."""

    cluster_id: Annotated[str, Field(min_length=1, max_length=36)]
    """Ceph's fsid, or any name of at most 36 bytes that stands for the cluster in ceph-csi's configuration."""
    monitors: Annotated[list[str], Field(min_length=1)]
    """Addresses of the monitors, `host:port`."""
    secret: SecretRef
    """Secret with Ceph's credentials: the keys userID and userKey; for CephFS of release 3.12 adminID and adminKey."""
    volume_name_prefix: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")] | None = None
    """Begin the names of images and subvolumes in Ceph so, instead of with `csi-vol-`."""
    encryption: Encryption | None = None
    """Encrypt volumes; on CephFS file by file, with the kernel's client of Linux 6.6 or newer."""


class CephFs(Ceph):
    """A shared file system on Ceph: ReadWriteMany."""

    example: ClassVar[str] = (
        "{driver: cephfs, clusterId: …, monitors: […], filesystem: …, secret: {existing: namespace/name}}"
    )

    driver: Literal["cephfs"]
    filesystem: str
    """Name of the CephFS file system."""
    pool: str | None = None
    """Data pool; by default the file system's first."""
    mounter: Literal["kernel", "fuse"] = "kernel"
    """Client on the nodes."""
    client_options: str | None = None
    """Options of that client, beside those of the mount: `recover_session=clean`, or what ceph-fuse takes."""
    subvolume_group: str | None = None
    """Subvolume group that holds the volumes; ceph-csi's default is `csi`."""

    @conflict
    def _encrypted_by_the_kernel(self) -> Iterator[ValueError]:
        if self.encryption and self.mounter == "fuse":
            yield ValueError("only the kernel's client encrypts: leave `mounter: fuse` or `encryption` out")

    @property
    def modes(self) -> tuple[AccessMode, ...]:
        """Access modes that claims of this class may ask for."""
        return ("ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")


Feature = Literal["layering", "exclusive-lock", "object-map", "fast-diff", "journaling", "deep-flatten"]
_ASKS: Mapping[Feature, Feature] = {
    "object-map": "exclusive-lock",
    "journaling": "exclusive-lock",
    "fast-diff": "object-map",
}


class BlockEncryption(Encryption):
    """Encryption of block devices, or of the files on them."""

    type: Literal["block", "file"] = "block"
    """What is encrypted: the block device, or each file (fscrypt: Linux 6.6 or newer, with ext4)."""


class DomainPool(Model):
    """A pool for the nodes of one domain, such as a zone."""

    pool: str
    """The pool."""
    data_pool: str | None = None
    """Erasure-coded pool for the data of its images."""
    domain: dict[LabelValue, LabelValue]
    """The nodes it serves, by the label's name without its prefix: `{zone: a}`. The component's `domainLabels` tell the
    driver which labels there are."""


class Rbd(Ceph):
    """Block devices on Ceph: one pod at a time, with a file system of its own."""

    example: ClassVar[str] = "{driver: rbd, clusterId: …, monitors: […], pool: …, secret: {existing: namespace/name}}"

    driver: Literal["rbd"]
    pool: str | None = None
    """Pool that the images are in; beside an erasure-coded `dataPool` the replicated one for what describes them."""
    data_pool: str | None = None
    """Erasure-coded pool for the data of images."""
    domain_pools: list[DomainPool] = Field(default_factory=list)
    """Instead of one pool: a pool for each domain of nodes. Needs `binding: WaitForFirstConsumer`."""
    rados_namespace: str | None = None
    """RADOS namespace of the images in all pools; it is one for a clusterId."""
    image_features: list[Feature] = ["layering"]  # noqa: RUF012 - pydantic copies it
    """Features of images. Kernels map all but journaling; fast-diff and object-map need those that they build on."""
    filesystem_type: Literal["ext4", "xfs"] = "ext4"
    """File system that is made on an image."""
    mkfs_options: str | None = None
    """Options for mkfs instead of ceph-csi's own: those skip discarding and initialise ext4's tables later."""
    mounter: Literal["krbd", "rbd-nbd"] = "krbd"
    """How nodes map images: by the kernel, or by a process in the node plugin's pod that ends with it."""
    try_other_mounters: bool = False
    """Map by rbd-nbd where the node's kernel lacks a feature of the image."""
    map_options: str | None = None
    """Options for mapping, by mounter: `krbd:lock_on_read,queue_depth=1024;nbd:try-netlink`."""
    unmap_options: str | None = None
    """Options for unmapping, written in the same way."""
    mount_options: list[str] = ["discard"]  # noqa: RUF012 - pydantic copies it
    """Options of the mount on the node; `discard` gives space back to the pool as files go."""
    encryption: BlockEncryption | None = None
    """Encrypt volumes: the device, or file by file."""

    @conflict
    def _together(self) -> Iterator[ValueError]:
        if bool(self.pool) == bool(self.domain_pools):
            yield ValueError("an rbd entry has either `pool` or `domainPools`")
        if self.domain_pools and self.binding != "WaitForFirstConsumer":
            yield ValueError("domainPools are chosen by the pod's node: write `binding: WaitForFirstConsumer`")
        for feature in self.image_features:
            if (needed := _ASKS.get(feature)) and needed not in self.image_features:
                yield ValueError(f"image feature {feature} builds on {needed}: add it to imageFeatures")
        if "journaling" in self.image_features and self.mounter != "rbd-nbd":
            yield ValueError("no kernel maps images with journaling: write `mounter: rbd-nbd`, or leave journaling out")

    @property
    def modes(self) -> tuple[AccessMode, ...]:
        """Access modes that claims of this class may ask for; several nodes only as a raw block device."""
        return ("ReadWriteOnce", "ReadWriteOncePod")


class Nfs(Provisioned):
    """Directories on an NFS server that exists: ReadWriteMany."""

    example: ClassVar[str] = "{driver: nfs, server: …, share: …}"

    driver: Literal["nfs"]
    server: Host
    """Name or address of the server, as nodes reach it."""
    share: Annotated[str, Field(pattern=r"^/")]
    """Path of the export, below which each volume gets a directory."""
    directory: str | None = None
    """Directory of a volume below the share; `${pvc.metadata.namespace}`, `${pvc.metadata.name}` and
    `${pv.metadata.name}` are filled in. By default the volume's name."""
    mount_permissions: Annotated[str, Field(pattern=r"^0[0-7]{3,4}$")] | None = None
    """Mode of a volume's directory, such as `0770`; by default what the server makes of it."""
    on_delete: Literal["delete", "retain", "archive"] = "delete"
    """What becomes of the directory when the volume goes; `archive` renames it."""
    mount_options: list[str] = ["nfsvers=4.1"]  # noqa: RUF012 - pydantic copies it
    """Options of the mount on the node."""
    secret: SecretRef | None = None
    """Secret whose key `mountOptions` holds the same options, `sec=krb5,nfsvers=4.1`. When it removes a volume, the
    driver mounts the share with these alone: a server that refuses a mount without them needs it, or directories stay.
    """

    @conflict
    def _each_its_own(self) -> Iterator[ValueError]:
        if self.directory and not re.search(r"\$\{pv\.metadata\.name\}|\$\{pvc\.metadata\.name\}", self.directory):
            text = "directory: names neither the claim nor the volume, so that all claims would share one directory"
            yield ValueError(f"{text}; add ${{pvc.metadata.name}} or ${{pv.metadata.name}}")

    @property
    def modes(self) -> tuple[AccessMode, ...]:
        """Access modes that claims of this class may ask for."""
        return ("ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce", "ReadWriteOncePod")


class LocalPath(Provisioned):
    """Directories on a disk of the node: fast, and lost with the node."""

    example: ClassVar[str] = "{driver: local-path}"

    driver: Literal["local-path"]
    path: HostFolder = "/opt/local-path-provisioner"
    """Folder on every node that `nodes` does not name."""
    nodes: dict[Subdomain, list[HostFolder]] = Field(default_factory=dict)
    """Folders by node, one of which is picked for each volume; an empty list: no volumes there."""
    shared: bool = False
    """`path` is one file system on all nodes, so that pods on several nodes may use a volume."""
    permissions: Annotated[str, Field(pattern=r"^0[0-7]{3}$")] = "0777"
    """Mode of a volume's folder; upstream's, for pods of any user. A pod's `fsGroup` does not reach it."""
    binding: Binding = "WaitForFirstConsumer"
    """When a volume is made: where and when the first pod that uses it is to run. At once only with `shared`."""
    allow_expansion: Literal[False] = False
    """No volume has a limit, and none can grow."""

    @conflict
    def _where(self) -> Iterator[ValueError]:
        if self.shared and self.nodes:
            yield ValueError("nodes: a file system that all nodes share has one path; leave `nodes` or `shared` out")
        if self.binding == "Immediate" and not self.shared:
            yield ValueError("binding: a folder of a node can be made once its pod's node is known; leave it out")

    @property
    def modes(self) -> tuple[AccessMode, ...]:
        """Access modes that claims of this class may ask for."""
        if self.shared:
            return ("ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce", "ReadWriteOncePod")
        return ("ReadWriteOnce", "ReadWriteOncePod")


class ExistingStorage(_Storage):
    """A StorageClass that the cluster has already."""

    driver: Literal["existing"]
    access_modes: Annotated[list[AccessMode], Field(min_length=1)] = ["ReadWriteOnce"]  # noqa: RUF012 - pydantic copies it
    """What its driver can do."""
    binding: Binding = "WaitForFirstConsumer"
    """When a claim is bound; decides what a delivery engine may wait for."""

    @property
    def modes(self) -> tuple[AccessMode, ...]:
        """Access modes that claims of this class may ask for."""
        return tuple(self.access_modes)


AnyStorage = CephFs | Rbd | Nfs | LocalPath | ExistingStorage
Storage = Annotated[AnyStorage, Field(discriminator="driver")]
StorageMap = Mapping[Name, Storage]
