"""Data that pods read: a claim that many nodes can mount, and where the node pool has a disk for it, a copy on nodes.

The copy is made by an init container of the first pod on a node, under a lock, and found complete by those that follow.
Pods see it through a claim, never a path of the node, so that their namespace needs no Pod Security level for it.
"""

from __future__ import annotations

from collections.abc import Iterator

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
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.storage import DatasetConfig
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
"""Whoever comes first copies, the others wait; what was interrupted is begun anew, and a copy appears as a whole."""
# Root alone may write the folder that the kubelet makes, and keeps whose the files are: all of it within `baseline`.
COPYING: SecurityContext = {
    "runAsUser": 0,
    "runAsNonRoot": False,
    "allowPrivilegeEscalation": False,
    "capabilities": {"add": ["CHOWN", "DAC_OVERRIDE", "FOWNER"], "drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}
RESOURCES: ResourceRequirements = {"requests": {"cpu": "1", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}


class Dataset(Piece):
    """The claim of a dataset, and what a pod needs to read it: volumes, mounts, init containers."""

    def __init__(self, scope: Scope, name: str, config: DatasetConfig, *, pool: NodePool | None = None):
        """`name` is that of the claim, where none is named; `pool` is where the pods run."""
        super().__init__(scope, name)
        self.name, self.config = name, config
        self.claim = config.claim or name
        self.disk = pool.local_disk if pool and config.local_copy else None
        if not config.claim:
            Resource(self, PERSISTENT_VOLUME_CLAIM, name, spec=self._claim())
        if pool and self.disk:
            self._copies(pool, f"{self.disk.path}/{self.owner.namespace}/{self.claim}")

    def volumes(self) -> list[Volume]:
        """Volumes of a pod that reads it."""
        made: list[Volume] = [{"name": "data", "persistentVolumeClaim": {"claimName": self.claim}}]
        if self.disk:
            made.append({"name": "data-copy", "persistentVolumeClaim": {"claimName": f"{self.name}-copy"}})
        return made

    def mounts(self, path: str) -> list[VolumeMount]:
        """Where a container finds the data."""
        copy = self.config.local_copy
        if self.disk and copy:
            return [{"name": "data-copy", "mountPath": path, "subPath": copy.generation, "readOnly": True}]
        return mounts({"data": path}, read_only=self.config.read_only)

    def init_containers(self) -> list[Container]:
        """What must end before the pod's containers start."""
        copy = self.config.local_copy
        if not (self.disk and copy):
            return []
        return [
            {
                "name": "copy-data",
                "image": self.owner.image(COPY_IMAGE),
                "imagePullPolicy": "IfNotPresent",
                "command": ["/bin/sh", "-c", SCRIPT],
                "env": env({"FROM": FROM, "TO": TO, "GENERATION": copy.generation}),
                "volumeMounts": [
                    {"name": "data", "mountPath": FROM, "readOnly": True},
                    {"name": "data-copy", "mountPath": TO},
                ],
                "securityContext": COPYING,
                "resources": RESOURCES,
            }
        ]

    def _claim(self) -> PersistentVolumeClaimSpec:
        chosen = self.owner.platform.storage_for(self.config.storage, mode="ReadWriteMany", who=f"dataset {self.name}")
        spec: PersistentVolumeClaimSpec = {
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": self.config.size}},
        }
        if chosen:
            spec["storageClassName"] = chosen.class_name
        return spec

    def _copies(self, pool: NodePool, path: str) -> None:
        """One volume for the folder on every node of the pool: each pod sees that of its own node."""
        namespace = self.owner.namespace
        labels = [{"key": key, "operator": "In", "values": [value]} for key, value in sorted(pool.selector.items())]
        spec: PersistentVolumeSpec = {
            "accessModes": ["ReadWriteMany"],
            "hostPath": {"path": path, "type": "DirectoryOrCreate"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": labels}]}},  # type: ignore[typeddict-item]
        }
        called, claim = f"{namespace}-{self.name}-copy", f"{self.name}-copy"
        bound(self, claim, called=called, namespace=namespace, size=self.config.size, spec=spec)


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
