"""The small models that parameters of jobs are made of: variables, volumes, code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.config.model import Image, Model, Name, Quantity, Subdomain, Url, conflict
from platform_def.config.secrets import KeyName

AbsolutePath = Annotated[str, Field(pattern=r"^(/[A-Za-z0-9._+-]+)+$", max_length=400)]
"""A path in the container, from its root: `/data/models`."""
RelativePath = Annotated[str, Field(pattern=r"^[A-Za-z0-9_+-][A-Za-z0-9._+-]*(/[A-Za-z0-9_+-][A-Za-z0-9._+-]*)*$")]
"""A path below the root of a volume: `vision/faces`."""
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=253)]

DATASETS_FOLDER = "/datasets"
"""Where jobs read datasets of their team, each by its name."""
GIT_IMAGE = "docker.io/alpine/git:2.43.0"
"""An image with git and a shell."""


class Variable(Model):
    """The content of a variable that stands elsewhere."""

    secret: Subdomain | None = None
    """Secret in the job's namespace that holds it under `key`."""
    config_map: Subdomain | None = None
    """ConfigMap in the job's namespace that holds it under `key`."""
    key: KeyName | None = None
    """Key of the Secret or the ConfigMap."""
    field: Annotated[str, Field(pattern=r"^(metadata|spec|status)\.[A-Za-z0-9.'\[\]/_-]+$")] | None = None
    """Field of the pod: `metadata.name`, `spec.nodeName`, `status.podIP`."""
    resource: Annotated[str, Field(pattern=r"^(limits|requests)\.(cpu|memory|ephemeral-storage)$")] | None = None
    """What the container asks for: `requests.cpu`, `limits.memory`."""

    @conflict
    def _one_way(self) -> Iterator[ValueError]:
        ways = [way for way in (self.secret, self.config_map, self.field, self.resource) if way is not None]
        if len(ways) != 1:
            raise ValueError("name one of secret, configMap, field, resource")
        if bool(self.key) != bool(self.secret or self.config_map):
            yield ValueError("`key` goes with secret or configMap, and they with it")


class CsiVolume(Model):
    """A volume that a CSI driver makes for each pod, such as a bucket that is mounted as a folder."""

    driver: Subdomain
    """Name of the driver: `gcsfuse.csi.storage.gke.io`, `secrets-store.csi.k8s.io`."""
    attributes: dict[str, str] = Field(default_factory=dict)
    """Parameters of the driver (`volumeAttributes`)."""
    secret: Subdomain | None = None
    """Secret in the job's namespace that the driver gets (`nodePublishSecretRef`)."""


class Volume(Model):
    """A volume that all pods of the job mount.

    A claim that is there or one that the job makes and leaves behind, a Secret or a ConfigMap as files, a folder of the
    node, a volume of a CSI driver's, or room that goes with the pod.
    """

    claim: Subdomain | None = None
    """An existing PersistentVolumeClaim in the job's namespace."""
    storage: Name | None = None
    """Storage class of the stack, by its key in `storage:`: the job makes a claim, named after job and volume."""
    ephemeral: bool = False
    """With `storage`: each pod gets a claim of its own, which goes with it."""
    secret: Subdomain | None = None
    """A Secret in the job's namespace, a file for each key."""
    config_map: Subdomain | None = None
    """A ConfigMap in the job's namespace, a file for each key."""
    scratch: Quantity | None = None
    """Room of this size on the node's disk, which goes with the pod; a pod that writes more is evicted."""
    host_path: AbsolutePath | None = None
    """A folder of the node: a disk of its own, or a file system that all nodes mount. The team needs
    `podSecurity: privileged`."""
    csi: CsiVolume | None = None
    """A volume that a CSI driver makes for the pod."""
    size: Quantity = "500Gi"
    """Size of the claim that the job makes."""
    mount: AbsolutePath | None = None
    """Where it is mounted; by default `/` and the volume's name."""
    path: RelativePath | None = None
    """Folder of the volume that is mounted instead of its root."""
    read_only: bool = False
    """Whether the job may only read it."""

    @conflict
    def _one_source(self) -> Iterator[ValueError]:
        kinds = (self.claim, self.storage, self.secret, self.config_map, self.scratch, self.host_path, self.csi)
        if len([kind for kind in kinds if kind is not None]) != 1:
            raise ValueError(
                "name either `claim:`, one that exists, or `storage:`, where the job makes one, "
                "or one of `secret:`, `configMap:`, `scratch:`, `hostPath:`, `csi:`"
            )
        if self.ephemeral and not self.storage:
            yield ValueError("`ephemeral` goes with `storage:`")

    @property
    def claimed(self) -> bool:
        """Whether it is a claim that outlives the job."""
        return self.claim is not None or (self.storage is not None and not self.ephemeral)

    @property
    def lasting(self) -> bool:
        """Whether what is written to it is there after the pod."""
        return self.claimed or self.host_path is not None or self.csi is not None


class VariableSource(Model):
    """A Secret or a ConfigMap in the job's namespace, all of whose keys become variables."""

    secret: Subdomain | None = None
    """The Secret."""
    config_map: Subdomain | None = None
    """The ConfigMap."""
    prefix: VariableName | None = None
    """What the names of the variables begin with."""

    @conflict
    def _one_source(self) -> Iterator[ValueError]:
        if (self.secret is None) == (self.config_map is None):
            yield ValueError("name either `secret:` or `configMap:`")


class Companion(Model):
    """A container beside the program; it has the job's volumes, variables, user and pull policy."""

    name: Name
    """Name of the container."""
    image: Image | None = None
    """Its image; by default the job's."""
    command: list[str] = Field(default_factory=list)
    """What it runs; by default the image's own."""
    args: list[str] = Field(default_factory=list)
    """Arguments."""
    env: dict[VariableName, str | Variable] = Field(default_factory=dict)
    """Variables beside those of the job."""
    cpu: Quantity = "100m"
    """Cores that it asks for."""
    memory: Quantity = "256Mi"
    """Memory, request and limit."""


class Code(Model):
    """Training code that is not in the image: it lies in /code, which is the working folder then."""

    git: Url | None = None
    """Repository to clone, without user or password."""
    revision: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$", max_length=200)] | None = None
    """Commit, tag or branch; a commit makes a run repeatable."""
    secret: Subdomain | None = None
    """Secret of type kubernetes.io/basic-auth in the job's namespace, for a private repository over https."""
    image: Image | None = None
    """Image that holds the code instead; it needs a shell and `cp`."""
    path: AbsolutePath | None = None
    """Folder of that image with the code."""
    git_image: Image = GIT_IMAGE
    """Image with git and a shell, which clones."""

    @conflict
    def _one_source(self) -> Iterator[ValueError]:
        if (self.git is None) == (self.image is None):
            raise ValueError("name either `git:` or `image:`")
        if (self.git is None) != (self.revision is None):
            yield ValueError("`git` goes with `revision`: a commit, a tag or a branch")
        if (self.image is None) != (self.path is None):
            yield ValueError("`image` goes with `path`: the folder with the code")
        if self.secret and not self.git:
            yield ValueError("`secret` is for a git repository")


PullPolicy = Literal["Always", "IfNotPresent", "Never"]
CleanPods = Literal["None", "Running", "All"]
Arrangement = Literal["pack", "spread"]
ShareMode = Literal["none", "time-slicing", "mps", "vgpu"]
