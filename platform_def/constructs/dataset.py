"""Data that pods read: a claim that many nodes can mount, and where the node pool has a disk for it, a copy on nodes.

The copy is made by an init container of the first pod on a node, under a lock, and found complete by those that follow.
Pods see it through a claim, never a path of the node, so that their namespace needs no Pod Security level for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from platform_def.apis.core.core_v1 import (
    PERSISTENT_VOLUME_CLAIM,
    Container,
    PersistentVolumeClaimSpec,
    PersistentVolumeSpec,
    ResourceRequirements,
    SecurityContext,
    Volume,
    VolumeMount,
)
from platform_def.config.objects import Part
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.storage import DatasetConfig, LocalDisk
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.environment import env
from platform_def.constructs.resource import Resource
from platform_def.constructs.static_volume import bound
from platform_def.constructs.volumes import mounts
from platform_def.crds.quantity import amount
from platform_def.errors import ConfigError, Problem

COPY_IMAGE = "docker.io/library/busybox:1.37.0"
FROM, TO = "/from", "/to"
SCRIPT = """set -eu
exec 9> "$TO/.lock"
flock 9
[ ! -e "$TO/$GENERATION" ] || exit 0
rm -rf "$TO/.partial"
needed=$(du -sk "$FROM" | cut -f 1)
free=$(df -Pk "$TO" | awk 'NR == 2 { print $4 }')
if [ "$needed" -ge "$free" ]; then
  echo "the data has $needed KiB, and the disk of the node $free KiB left" >&2
  exit 1
fi
mkdir "$TO/.partial"
cp -a "$FROM/." "$TO/.partial/"
mv "$TO/.partial" "$TO/$GENERATION"
"""
"""The first pod copies, the others wait; an interrupted copy is started again, and a copy appears as a whole."""
# Root alone may write the folder that the kubelet makes, and keeps whose the files are: all of it within `baseline`.
COPYING: SecurityContext = {
    "runAsUser": 0,
    "runAsNonRoot": False,
    "allowPrivilegeEscalation": False,
    "capabilities": {"add": ["CHOWN", "DAC_OVERRIDE", "FOWNER"], "drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}
RESOURCES: ResourceRequirements = {"requests": {"cpu": "1", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}


@dataclass(frozen=True)
class Reading:
    """What a pod needs to read a dataset on the nodes of a pool."""

    name: str
    """The dataset's name, and that of its claim where it is made."""
    config: DatasetConfig
    pool: NodePool | None = None
    volume: str = "data"
    """Name of the pod's volume."""

    @property
    def claim(self) -> str:
        """The claim with the data."""
        return self.config.claim or self.name

    @property
    def disk(self) -> LocalDisk | None:
        """Where the copies are; None where pods read the claim itself."""
        return self.pool.local_disk if self.pool and self.config.local_copy else None

    @property
    def copy(self) -> str:
        """The claim of the copies on the pool's nodes."""
        return f"{self.name}-copy-{self.pool.name}" if self.pool else ""

    def volumes(self) -> list[Volume]:
        """Volumes of the pod."""
        made: list[Volume] = [{"name": self.volume, "persistentVolumeClaim": {"claimName": self.claim}}]
        if self.disk:
            made.append({"name": f"{self.volume}-copy", "persistentVolumeClaim": {"claimName": self.copy}})
        return made

    def mounts(self, path: str) -> list[VolumeMount]:
        """Where a container finds the data."""
        copy = self.config.local_copy
        if self.disk and copy:
            return [
                {"name": f"{self.volume}-copy", "mountPath": path, "subPath": copy.generation, "readOnly": True},
            ]
        return mounts({self.volume: path}, read_only=self.config.read_only)

    def init_containers(self, image: Callable[[str], str]) -> list[Container]:
        """What must end before the pod's containers start; `image` is the way through the stack's mirrors."""
        copy = self.config.local_copy
        if not (self.disk and copy):
            return []
        return [
            {
                "name": f"copy-{self.volume}",
                "image": image(COPY_IMAGE),
                "imagePullPolicy": "IfNotPresent",
                "command": ["/bin/sh", "-c", SCRIPT],
                "env": env({"FROM": FROM, "TO": TO, "GENERATION": copy.generation}),
                "volumeMounts": [
                    {"name": self.volume, "mountPath": FROM, "readOnly": True},
                    {"name": f"{self.volume}-copy", "mountPath": TO},
                ],
                "securityContext": COPYING,
                "resources": RESOURCES,
            }
        ]


class Dataset(Piece):
    """The claim of a dataset, and a volume for its copies on the nodes of each pool that has a disk for them."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        config: DatasetConfig,
        *,
        pools: Sequence[NodePool] = (),
        namespace: str = "",
        part: Part = "main",
    ):
        """`name` is that of the claim, where none is named; by default all is in the owner's namespace."""
        # Neither may hold a dot: `b-c` of team-a is not `c` of team-a-b.
        super().__init__(scope, f"{namespace}.{name}" if namespace else name)
        self.name, self.config, self.part = name, config, part
        self.namespace = namespace or self.owner.namespace
        if not config.claim:
            Resource(self, PERSISTENT_VOLUME_CLAIM, name, spec=self._claim(), namespace=self.namespace, part=self.part)
        for pool in pools:
            reading = Reading(name, config, pool)
            if reading.disk:
                self._copies(pool, reading, f"{reading.disk.path}/{self.namespace}/{reading.claim}")

    def _claim(self) -> PersistentVolumeClaimSpec:
        chosen = self.owner.platform.storage_for(self.config.storage, mode="ReadWriteMany", who=f"dataset {self.name}")
        spec: PersistentVolumeClaimSpec = {
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": self.config.size}},
        }
        if chosen:
            spec["storageClassName"] = chosen.class_name
        return spec

    def _copies(self, pool: NodePool, reading: Reading, path: str) -> None:
        """One volume for the folder on every node of the pool: each pod sees that of its own node."""
        labels = [{"key": key, "operator": "In", "values": [value]} for key, value in sorted(pool.selector.items())]
        spec: PersistentVolumeSpec = {
            "accessModes": ["ReadWriteMany"],
            "hostPath": {"path": path, "type": "DirectoryOrCreate"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": labels}]}},  # type: ignore[typeddict-item]
        }
        bound(
            self,
            reading.copy,
            called=f"{self.namespace}-{reading.copy}",
            namespace=self.namespace,
            size=self.config.size,
            spec=spec,
            part=self.part,
        )


def dataset_problems(
    config: DatasetConfig, platform: Platform, *, pool: NodePool | None, namespace: str, who: str
) -> Iterator[Problem]:
    """What of a dataset the stack cannot give; `who` is the path of the dataset, such as `jobs[0].dataset`."""
    if not config.claim:
        try:
            platform.storage_for(config.storage, mode="ReadWriteMany", who=who)
        except ConfigError as error:
            yield from error.problems
    if not config.local_copy:
        return
    where = f"{who}.localCopy"
    if pool is None:
        yield Problem(f"{where}: no node pool says where the disks are", hint="name one: `pool: …`")
    elif pool.local_disk is None:
        hint = f"write `nodePools: [{{name: {pool.name}, localDisk: {{path: /mnt/nvme}}}}]`, or leave localCopy out"
        yield Problem(f"{where}: the nodes of pool {pool.name} have no local disk", hint=hint)
    elif not pool.selector:
        hint = f"give it one: `nodePools: [{{name: {pool.name}, selector: {{…}}}}]`"
        yield Problem(f"{where}: pool {pool.name} has no selector, and copies are bound to nodes by that", hint=hint)
    else:
        disk, data = amount(pool.local_disk.size or ""), amount(config.size)
        if not config.claim and disk is not None and data is not None and data > disk:
            text = f"{config.size} of data do not fit on a disk of {pool.local_disk.size} of pool {pool.name}"
            yield Problem(f"{where}: {text}", hint="leave localCopy out, or say what the data needs in `size`")
    team = next((each for each in platform.teams if each.home == namespace), None)
    if team and team.pod_security == "restricted":
        text = f"who copies is root, which team {team.name}'s Pod Security level keeps out"
        yield Problem(f"{where}: {text}", hint="leave localCopy out, or give the team `podSecurity: baseline`")
