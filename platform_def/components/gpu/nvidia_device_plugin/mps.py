"""The MPS daemon's containers, and the folders that it shares with the device plugin of the same node."""

from __future__ import annotations

from collections.abc import Sequence

from platform_def.apis.core.core_v1 import Container, EnvVar, ResourceRequirements, Volume, VolumeMount

# No limit: shared memory of all clients of a card is charged to the daemon.
RESOURCES: ResourceRequirements = {"requests": {"cpu": "10m", "memory": "64Mi"}}

MPS_MOUNTS: tuple[VolumeMount, ...] = (
    {"name": "mps-shm", "mountPath": "/dev/shm"},  # noqa: S108 - the mount point inside the container
    {"name": "mps-root", "mountPath": "/mps"},
)
CONFIG_MOUNTS: tuple[VolumeMount, ...] = ({"name": "config", "mountPath": "/config", "readOnly": True},)


def host_path(name: str, path: str, kind: str = "") -> Volume:
    """A folder of the node."""
    return {"name": name, "hostPath": {"path": path, "type": kind} if kind else {"path": path}}


def mps_containers(image: str, environment: Sequence[EnvVar]) -> tuple[Container, Container]:
    """What mounts the shared memory on the node first, and the daemon; both privileged, as upstream has them."""
    mounts: Container = {
        "name": "mps-control-daemon-mounts",
        "image": image,
        "command": ["mps-control-daemon", "mount-shm"],
        "volumeMounts": [{"name": "mps-root", "mountPath": "/mps", "mountPropagation": "Bidirectional"}],
        "securityContext": {"privileged": True},
        "resources": RESOURCES,
    }
    node_name: EnvVar = {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
    daemon: Container = {
        "name": "mps-control-daemon-ctr",
        "image": image,
        "command": ["mps-control-daemon"],
        "env": [node_name, *environment],
        "volumeMounts": [*MPS_MOUNTS, *CONFIG_MOUNTS],
        "securityContext": {"privileged": True},
        "resources": RESOURCES,
    }
    return mounts, daemon
