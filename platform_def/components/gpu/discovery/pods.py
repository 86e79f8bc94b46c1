"""Pods of node feature discovery: four programs of one image, each with health and metrics on one port.

Requests, limits and security contexts are upstream's (0.19).
"""

from __future__ import annotations

from collections.abc import Sequence

from platform_def.apis.core.core_v1 import (
    Container,
    EnvVar,
    PodSpec,
    Probe,
    SecurityContext,
    Volume,
    VolumeMount,
)
from platform_def.config.pools import NodePool
from platform_def.constructs.gpu_nodes import gpu_tolerations, prefer_control_plane

UPDATER = "nfd-topology-updater"
CONFIG_FOLDER = "/etc/kubernetes/node-feature-discovery"
FEATURES = f"{CONFIG_FOLDER}/features.d"
"""Folder on the node into which programs such as GPU feature discovery can write labels."""
HOST_PATHS = {
    "boot": "/boot",
    "os-release": "/etc/os-release",
    "sys": "/sys",
    "proc-swaps": "/proc/swaps",
    "usr-lib": "/usr/lib",
    "lib": "/lib",
}
CONFIG_MOUNT: VolumeMount = {"name": "config", "mountPath": CONFIG_FOLDER, "readOnly": True}
HEALTH: Probe = {"httpGet": {"path": "/healthz", "port": "http"}}
UNPRIVILEGED: SecurityContext = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
}


def master_pod(image: str, account: str, config: str, *, leader_election: bool) -> PodSpec:
    """The master, best on a control plane, so that it is not lost with the nodes that it labels."""
    container = _container(image, "nfd-master", cpu="100m", memory="128Mi", limit="4Gi")
    container["volumeMounts"] = [CONFIG_MOUNT]
    if leader_election:
        container["args"] = ["-enable-leader-election"]
    pod: PodSpec = {
        "serviceAccountName": account,
        "enableServiceLinks": False,
        "containers": [container],
        "volumes": [{"name": "config", "configMap": {"name": config}}],
    }
    return prefer_control_plane(pod)


def gc_pod(image: str, account: str) -> PodSpec:
    """What removes reports of nodes that are gone."""
    return {
        "serviceAccountName": account,
        "containers": [_container(image, "nfd-gc", cpu="10m", memory="128Mi", limit="1Gi")],
    }


def worker_pod(image: str, account: str, config: str, *, key: str, pools: Sequence[NodePool]) -> PodSpec:
    """A worker with the file `key` of a ConfigMap; it tolerates the taints of all pools, unlike upstream's: tainted
    GPU nodes are what it is for."""
    container = _container(image, "nfd-worker", cpu="5m", memory="64Mi", limit="512Mi")
    hosts: list[VolumeMount] = [
        {"name": f"host-{name}", "mountPath": f"/host-{path.lstrip('/')}", "readOnly": True}
        for name, path in HOST_PATHS.items()
    ]
    container["volumeMounts"] = [*hosts, {"name": "features-d", "mountPath": FEATURES, "readOnly": True}, CONFIG_MOUNT]
    volumes: list[Volume] = [{"name": f"host-{name}", "hostPath": {"path": path}} for name, path in HOST_PATHS.items()]
    volumes += [
        {"name": "features-d", "hostPath": {"path": FEATURES, "type": "DirectoryOrCreate"}},
        {
            "name": "config",
            "configMap": {"name": config, "items": [{"key": key, "path": "nfd-worker.conf"}]},
        },
    ]
    return {
        "serviceAccountName": account,
        "containers": [container],
        "volumes": volumes,
        "tolerations": gpu_tolerations(pools),
    }


def updater_pod(image: str, pools: Sequence[NodePool], *, kubelet: str, interval_seconds: int) -> PodSpec:
    """The topology updater; root without capabilities, as upstream has it, for the kubelet's socket."""
    container = _container(image, UPDATER, cpu="50m", memory="40Mi", limit="60Mi")
    container["args"] = [
        "-podresources-socket=/host-var/lib/kubelet/pod-resources/kubelet.sock",
        f"-sleep-interval={interval_seconds}s",
    ]
    container["env"] = [*container["env"], _field("NODE_ADDRESS", "status.hostIP")]
    container["securityContext"] = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "runAsUser": 0,
    }
    container["volumeMounts"] = [
        {"name": "host-sys", "mountPath": "/host-sys", "readOnly": True},
        {"name": "kubelet-state-files", "mountPath": "/host-var/lib/kubelet", "readOnly": True},
        CONFIG_MOUNT,
    ]
    return {
        "serviceAccountName": UPDATER,
        "containers": [container],
        "volumes": [
            {"name": "host-sys", "hostPath": {"path": "/sys"}},
            {"name": "kubelet-state-files", "hostPath": {"path": kubelet}},
            {"name": "config", "configMap": {"name": "nfd-topology-updater-conf"}},
        ],
        "tolerations": gpu_tolerations(pools),
    }


def _container(image: str, name: str, *, cpu: str, memory: str, limit: str) -> Container:
    env: list[EnvVar] = [
        {"name": "GOMEMLIMIT", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory"}}},
        _field("NODE_NAME", "spec.nodeName"),
        _field("POD_NAME", "metadata.name"),
        _field("POD_UID", "metadata.uid"),
    ]
    return {
        "name": name,
        "image": image,
        "command": [name],
        "env": env,
        "ports": [{"name": "http", "containerPort": 8080}],
        "livenessProbe": {**HEALTH, "initialDelaySeconds": 10},
        "readinessProbe": {**HEALTH, "initialDelaySeconds": 5, "failureThreshold": 10},
        "resources": {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": limit}},
        "securityContext": UNPRIVILEGED,
    }


def _field(name: str, path: str) -> EnvVar:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}
