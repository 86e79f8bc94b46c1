"""Volumes and mounts, many at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from platform_def.apis.core.core_v1 import Volume, VolumeMount

HostPathType = Literal["", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", "CharDevice"]


@dataclass(frozen=True)
class Mounted:
    """A volume, and where one container sees it."""

    volume: Volume
    mount: VolumeMount


def mounted(
    name: str, path: str, *, secret: str = "", config_map: str = "", file: str = "", optional: bool = False
) -> Mounted:
    """A volume at `path`: a Secret, a ConfigMap, or an empty one that the container may write.

    `file` mounts this file of it instead of the folder; with `optional` the pod starts before the Secret exists.
    """
    source: dict[str, object] = {"emptyDir": {}}
    if secret:
        source = {"secret": {"secretName": secret, "defaultMode": 0o644, **({"optional": True} if optional else {})}}
    elif config_map:
        source = {"configMap": {"name": config_map}}
    mount: VolumeMount = {"name": name, "mountPath": path}
    if file:
        mount["subPath"] = file
    if secret or config_map:
        mount["readOnly"] = True
    return Mounted(cast(Volume, {"name": name, **source}), mount)


def host_paths(paths: Mapping[str, str], kind: HostPathType = "") -> list[Volume]:
    """Volumes by name, each a path of the node; `kind` is what the kubelet asks of the path before it starts a pod."""
    return [
        {"name": name, "hostPath": {"path": path, "type": kind} if kind else {"path": path}}
        for name, path in paths.items()
    ]


def memory(*names: str) -> list[Volume]:
    """Empty volumes that live in memory: sockets, keys."""
    return [{"name": name, "emptyDir": {"medium": "Memory"}} for name in names]


def scratch(*names: str) -> list[Volume]:
    """Empty volumes that live as long as the pod, such as /tmp beside a read-only root."""
    return [{"name": name, "emptyDir": {}} for name in names]


def config_files(*names: str) -> list[Volume]:
    """Volumes of ConfigMaps, under the ConfigMaps' names."""
    return [{"name": name, "configMap": {"name": name}} for name in names]


def mounts(
    paths: Mapping[str, str],
    *,
    read_only: bool = False,
    propagation: Literal["", "Bidirectional", "HostToContainer"] = "",
) -> list[VolumeMount]:
    """Mounts by the volume's name."""
    more = {**({"readOnly": True} if read_only else {}), **({"mountPropagation": propagation} if propagation else {})}
    return [cast(VolumeMount, {"name": name, "mountPath": path, **more}) for name, path in paths.items()]
