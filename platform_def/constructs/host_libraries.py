"""NVIDIA's libraries from folders of the node, for containers on pools whose nodes have no container toolkit.

Device files come from the device plugin; this brings the rest of what the toolkit would put into a container.
"""

from __future__ import annotations

from collections.abc import Sequence

from platform_def.apis.core.core_v1 import Container, EnvVar, Volume, VolumeMount
from platform_def.config.accelerators import CUDA_MOUNT, DRIVER_MOUNT, HostLibraries

SEARCH_PATH = "LD_LIBRARY_PATH"
DRIVER_VOLUME, CUDA_VOLUME = "nvidia-driver", "cuda"


def with_libraries(container: Container, libraries: HostLibraries) -> Container:
    """The container with the libraries mounted, and found before those of its image."""
    mounts: list[VolumeMount] = [{"name": DRIVER_VOLUME, "mountPath": DRIVER_MOUNT, "readOnly": True}]
    if libraries.cuda:
        mounts.append({"name": CUDA_VOLUME, "mountPath": CUDA_MOUNT, "readOnly": True})
    made = container.copy()
    made["volumeMounts"] = [*container.get("volumeMounts", []), *mounts]
    made["env"] = _with_search_path(container.get("env", []), libraries.search_path)
    return made


def library_volumes(libraries: HostLibraries) -> list[Volume]:
    """The folders. A node without them says so in an event of the pod, which would otherwise run without a driver."""
    volumes: list[Volume] = [
        {"name": DRIVER_VOLUME, "hostPath": {"path": libraries.driver, "type": "Directory"}},
    ]
    if libraries.cuda:
        volumes.append({"name": CUDA_VOLUME, "hostPath": {"path": libraries.cuda, "type": "Directory"}})
    return volumes


def _with_search_path(env: Sequence[EnvVar], path: str) -> list[EnvVar]:
    """A path that the container has already is looked at after the node's."""
    given = next((each["value"] for each in env if each["name"] == SEARCH_PATH and "value" in each), "")
    others = [each for each in env if each["name"] != SEARCH_PATH]
    return [*others, {"name": SEARCH_PATH, "value": f"{path}:{given}" if given else path}]
