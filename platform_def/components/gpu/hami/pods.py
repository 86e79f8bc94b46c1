"""Pods of HAMi: the device plugin with its monitor on each node, and the scheduler with its extender.

Source: HAMi 2.10.0, its chart.
"""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec, ResourceRequirements, Volume, VolumeMount
from platform_def.components.gpu.hami.words import SCHEDULER
from platform_def.constructs import port

HAMI_SCHEDULER = SCHEDULER.word
"""Name of the scheduler, and of what it consists of."""
LIBRARY = "/usr/local/vgpu"
"""Folder on the node for the library that keeps containers to their part; containers mount it from there."""
CONTAINERS = f"{LIBRARY}/containers"
DEVICE_CONFIG: VolumeMount = {
    "name": "device-config",
    "mountPath": "/device-config.yaml",
    "subPath": "device-config.yaml",
}
SCHEDULER_PORTS = (port("http", 443), port("monitor", 31993, 9395))
NODE_NAME: EnvVar = {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
POD_NAME: EnvVar = {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
POD_NAMESPACE: EnvVar = {"name": "POD_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}

# Upstream sets none.
PLUGIN_RESOURCES: ResourceRequirements = {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}}
SCHEDULER_RESOURCES: ResourceRequirements = {
    "requests": {"cpu": "100m", "memory": "128Mi"},
    "limits": {"memory": "1Gi"},
}

FOLDERS: Mapping[str, str] = {
    "ctrs": CONTAINERS,
    "hosttmp": "/tmp",  # noqa: S108 - containers share locks with the plugin there
    "dockers": "/run/docker",
    "containerds": "/run/containerd",
    "lib": LIBRARY,
    "usrbin": "/usr/bin",
    "sysinfo": "/sys",
    "hostvar": "/var",
}
MONITOR_MOUNTS: Mapping[str, str] = {
    "ctrs": CONTAINERS,
    "dockers": "/run/docker",
    "containerds": "/run/containerd",
    "sysinfo": "/sysinfo",
    "hostvar": "/hostvar",
    "hosttmp": "/tmp",  # noqa: S108 - as above
}


def plugin_pod(image: str, sockets: str, *, topology: bool) -> PodSpec:
    """The device plugin and the monitor; `sockets` is the kubelet's folder of device plugins."""
    volumes: list[Volume] = [{"name": name, "hostPath": {"path": path}} for name, path in FOLDERS.items()]
    volumes += [
        {"name": "device-plugin", "hostPath": {"path": sockets}},
        {"name": "cdi-root", "hostPath": {"path": "/var/run/cdi", "type": "DirectoryOrCreate"}},
        {"name": "deviceconfig", "configMap": {"name": "hami-device-plugin"}},
        {"name": "device-config", "configMap": {"name": f"{HAMI_SCHEDULER}-device"}},
    ]
    return {
        "serviceAccountName": "hami-device-plugin",
        "priorityClassName": "system-node-critical",
        "hostPID": True,
        "containers": [_plugin(image, topology=topology), _monitor(image)],
        "volumes": volumes,
    }


def _plugin(image: str, *, topology: bool) -> Container:
    values = {"NVIDIA_MIG_MONITOR_DEVICES": "all", "DEVICE_LIST_STRATEGY": "envvar", "HOOK_PATH": "/usr/local"}
    values |= {"PASS_DEVICE_SPECS": "false", **({"ENABLE_TOPOLOGY_SCORE": "true"} if topology else {})}
    env: list[EnvVar] = [NODE_NAME, *_values(values)]
    return {
        "name": "device-plugin",
        "image": image,
        "command": [
            "nvidia-device-plugin",
            "--config-file=/device-config.yaml",
            "--mig-strategy=none",
            "--disable-core-limit=false",
            "-v=4",
        ],
        # Puts the library on the node, for containers to mount.
        "lifecycle": {"postStart": {"exec": {"command": ["/bin/sh", "-c", f"/k8s-vgpu/bin/vgpu-init.sh {LIBRARY}/"]}}},
        "env": env,
        "volumeMounts": [
            {"name": "device-plugin", "mountPath": "/var/lib/kubelet/device-plugins"},
            {"name": "lib", "mountPath": LIBRARY},
            {"name": "usrbin", "mountPath": "/usrbin"},
            {"name": "deviceconfig", "mountPath": "/config"},
            {"name": "hosttmp", "mountPath": "/tmp"},  # noqa: S108 - as above
            DEVICE_CONFIG,
            {"name": "cdi-root", "mountPath": "/var/run/cdi"},
        ],
        "securityContext": {"privileged": True},
        "resources": PLUGIN_RESOURCES,
    }


def _monitor(image: str) -> Container:
    values = {
        "NVIDIA_VISIBLE_DEVICES": "all",
        "NVIDIA_MIG_MONITOR_DEVICES": "all",
        "HOOK_PATH": LIBRARY,
        "HAMI_RESYNC_INTERVAL": "5m",
    }
    env: list[EnvVar] = [NODE_NAME, *_values(values)]
    mounts: list[VolumeMount] = [{"name": name, "mountPath": path} for name, path in MONITOR_MOUNTS.items()]
    return {
        "name": "vgpu-monitor",
        "image": image,
        "command": ["vGPUmonitor", "-v=4"],
        "env": env,
        "ports": [{"name": "metrics", "containerPort": 9394, "protocol": "TCP"}],
        "volumeMounts": mounts,
        # Upstream's: SYS_ADMIN for MIG devices.
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"], "add": ["SYS_ADMIN"]},
        },
        "resources": PLUGIN_RESOURCES,
    }


def scheduler_pod(kube_scheduler: str, extender: str, namespace: str, *, policies: Mapping[str, str]) -> PodSpec:
    """kube-scheduler, and the extender that also serves the webhook."""
    return {
        "serviceAccountName": HAMI_SCHEDULER,
        "priorityClassName": "system-node-critical",
        "containers": [_kube_scheduler(kube_scheduler), _extender(extender, namespace, policies)],
        "volumes": [
            {"name": "tls-config", "secret": {"secretName": f"{HAMI_SCHEDULER}-tls"}},
            {"name": "scheduler-config", "configMap": {"name": HAMI_SCHEDULER}},
            {"name": "device-config", "configMap": {"name": f"{HAMI_SCHEDULER}-device"}},
        ],
    }


def _kube_scheduler(image: str) -> Container:
    return {
        "name": "kube-scheduler",
        "image": image,
        "command": ["kube-scheduler", "--config=/config/config.yaml", "-v=2"],
        "volumeMounts": [{"name": "scheduler-config", "mountPath": "/config", "readOnly": True}],
        "livenessProbe": {
            "httpGet": {"path": "/healthz", "port": 10259, "scheme": "HTTPS"},
            "failureThreshold": 8,
            "initialDelaySeconds": 10,
            "timeoutSeconds": 15,
        },
        "resources": SCHEDULER_RESOURCES,
    }


def _extender(image: str, namespace: str, policies: Mapping[str, str]) -> Container:
    return {
        "name": "vgpu-scheduler-extender",
        "image": image,
        "command": [
            "scheduler",
            "--http_bind=0.0.0.0:443",
            "--cert_file=/tls/tls.crt",
            "--key_file=/tls/tls.key",
            f"--scheduler-name={HAMI_SCHEDULER}",
            "--metrics-bind-address=:9395",
            *(f"--{what}-scheduler-policy={policy}" for what, policy in policies.items()),
            "--force-overwrite-default-scheduler=true",
            "--device-config-file=/device-config.yaml",
            "--leader-elect=true",
            f"--leader-elect-resource-name={HAMI_SCHEDULER}",
            f"--leader-elect-resource-namespace={namespace}",
            "-v=4",
        ],
        "env": [POD_NAME, POD_NAMESPACE, {"name": "HAMI_NODELOCK_EXPIRE", "value": "5m"}],
        "ports": [
            {"name": "https", "containerPort": 443, "protocol": "TCP"},
            {"name": "metrics", "containerPort": 9395, "protocol": "TCP"},
        ],
        "readinessProbe": {
            "httpGet": {"path": "/readyz", "port": "https", "scheme": "HTTPS"},
            "initialDelaySeconds": 10,
            "timeoutSeconds": 5,
        },
        "volumeMounts": [DEVICE_CONFIG, {"name": "tls-config", "mountPath": "/tls", "readOnly": True}],
        "resources": SCHEDULER_RESOURCES,
    }


def _values(values: Mapping[str, str]) -> list[EnvVar]:
    return [{"name": name, "value": value} for name, value in values.items()]
