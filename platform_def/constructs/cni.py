"""What pods that bring CNI plugins to nodes share: the folders of the node, and that no taint keeps them away.

A plugin that a pod's network names must be on its node before the pod; until then the pod waits and is tried again.
"""

from __future__ import annotations

from platform_def.apis.core.core_v1 import SecurityContext, Toleration, Volume, VolumeMount
from platform_def.config.cluster import Distribution
from platform_def.constructs.node_paths import node_paths

PLUGINS_MOUNT: VolumeMount = {"name": "cnibin", "mountPath": "/host/opt/cni/bin"}
"""Where every upstream image writes its plugin, whatever the folder is called on the node."""
CONFIG_MOUNT = "/host/etc/cni/net.d"

EVERYWHERE: tuple[Toleration, ...] = (
    {"operator": "Exists", "effect": "NoSchedule"},
    {"operator": "Exists", "effect": "NoExecute"},
)
"""Multus' and whereabouts' own tolerations: a node without its network plugins has no pods."""

COPIES: SecurityContext = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "privileged": False,
    "readOnlyRootFilesystem": True,
}
"""sriov-cni's security context: root, who owns the folder, copies one file into it and sleeps."""


def plugins_volume(distribution: Distribution) -> Volume:
    """The node's folder of CNI plugins."""
    return {"name": "cnibin", "hostPath": {"path": node_paths(distribution).cni_plugins}}


def config_volume(distribution: Distribution, name: str) -> Volume:
    """The node's folder that says which CNI plugin to call."""
    return {"name": name, "hostPath": {"path": node_paths(distribution).cni_config}}
