"""Pods of NVIDIA's DRA driver: the kubelet plugin on each node, the controller, and the webhook.

Source: the charts of k8s-dra-driver-gpu 25.12.0 and dra-driver-nvidia-gpu 0.4.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec, Probe, ResourceRequirements, Volume, VolumeMount
from platform_def.components.gpu.nvidia_dra_driver.releases import DraRelease
from platform_def.constructs import env, from_field

HostPath = Annotated[str, Field(pattern=r"^/[^\s:]*$", max_length=200)]

Kind = Literal["gpus", "compute-domains"]
PROGRAMS: dict[Kind, str] = {"gpus": "gpu-kubelet-plugin", "compute-domains": "compute-domain-kubelet-plugin"}
HEALTH_PORTS: dict[Kind, int] = {"gpus": 51516, "compute-domains": 51515}
METRICS_PORTS: dict[Kind, int] = {"gpus": 8080, "compute-domains": 8081}
LIVENESS_SECONDS: dict[Kind, int] = {"gpus": 30, "compute-domains": 10}

# The runtime must not give the driver's own pods GPUs: they reach them by the host's folders.
NO_GPUS: EnvVar = {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}
NODE_NAME: EnvVar = {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
NAMESPACE: EnvVar = {"name": "NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}
POD_NAME: EnvVar = {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}

# Upstream sets none. A CPU limit would only delay pods that start.
PLUGIN_RESOURCES: ResourceRequirements = {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}}
SMALL_RESOURCES: ResourceRequirements = {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}}


@dataclass(frozen=True, kw_only=True)
class PluginSettings:
    """What the plugin's containers share."""

    image: str
    mirrored_image: str
    """The same as the cluster pulls it, for pods that the plugin starts itself."""
    driver_root: str
    cdi_hook: str | None
    plugins: str
    """The kubelet's folder of plugins: the same path inside the container, since the kubelet is given paths in it."""
    registry: str
    log_level: int
    gates: str
    passthrough: bool
    release: DraRelease


@dataclass(frozen=True, kw_only=True)
class ControllerSettings:
    """The controller's settings."""

    image: str
    mirrored_image: str
    name: str
    log_level: int
    gates: str
    release: DraRelease
    several: bool


def plugin_pod(settings: PluginSettings, *, gpus: bool, compute_domains: bool) -> PodSpec:
    """Containers and volumes of the kubelet plugin: one container for each kind of devices."""
    root = settings.driver_root.rstrip("/") or "/"
    containers = [_plugin("compute-domains", settings)] if compute_domains else []
    containers += [_plugin("gpus", settings)] if gpus else []
    volumes: list[Volume] = [
        _host_path("plugins-registry", settings.registry),
        _host_path("plugins", settings.plugins),
        _host_path("cdi", "/var/run/cdi"),
        _host_path("driver-root-parent", str(PurePosixPath(root).parent), "DirectoryOrCreate"),
        _host_path("driver-root", root, "DirectoryOrCreate"),
    ]
    if gpus and settings.passthrough:
        volumes += [_host_path(name, path, "Directory") for name, path, _ in PASSTHROUGH]
    return {"initContainers": [_check(settings)], "containers": containers, "volumes": volumes}


def _check(settings: PluginSettings) -> Container:
    """Says in its log what is missing of the driver, and waits for it."""
    mount: VolumeMount = {"name": "driver-root-parent", "mountPath": "/driver-root-parent"}
    if settings.driver_root == "/":
        mount["readOnly"] = True
    else:
        # A driver container mounts the driver there, perhaps after this pod has started.
        mount["mountPropagation"] = "HostToContainer"
    return {
        "name": "init-container",
        "image": settings.image,
        "command": ["bash", "/usr/bin/kubelet-plugin-prestart.sh"],
        "env": [_env("NVIDIA_DRIVER_ROOT", settings.driver_root), NO_GPUS, *_folders(settings)],
        "volumeMounts": [mount],
        "securityContext": {"privileged": True},
        "resources": SMALL_RESOURCES,
    }


def _plugin(kind: Kind, settings: PluginSettings) -> Container:
    """One plugin; started directly, without upstream's shell that hides device nodes in tests with several nodes a
    machine."""
    own, seconds = settings.release.deploys_as_itself, settings.release.startup_seconds
    variables = [
        _env("LOG_VERBOSITY", str(settings.log_level)),
        _env("NVIDIA_DRIVER_ROOT", settings.driver_root),
        NO_GPUS,
        _env("CDI_ROOT", "/var/run/cdi"),
        _env("NVIDIA_MIG_CONFIG_DEVICES", "all"),
        NODE_NAME,
        NAMESPACE,
        *_folders(settings),
        _env("HEALTHCHECK_PORT", str(HEALTH_PORTS[kind])),
        *([_env("IMAGE_NAME", settings.mirrored_image)] if kind == "gpus" else []),
        *(env({"SERVICE_ACCOUNT_NAME": from_field("spec.serviceAccountName")}) if own and kind == "gpus" else []),
        *(_metrics(METRICS_PORTS[kind]) if settings.release.measures else []),
        *([_env("NVIDIA_CDI_HOOK_PATH", settings.cdi_hook)] if settings.cdi_hook else []),
        *_gates(settings.gates),
    ]
    mounts: list[VolumeMount] = [
        {"name": "plugins-registry", "mountPath": settings.registry},
        {"name": "plugins", "mountPath": settings.plugins, "mountPropagation": "Bidirectional"},
        {"name": "cdi", "mountPath": "/var/run/cdi"},
        {"name": "driver-root", "mountPath": "/driver-root", "mountPropagation": "HostToContainer"},
    ]
    if kind == "compute-domains":
        mounts[-1]["readOnly"] = True
    elif settings.passthrough:
        mounts += [mount for _, _, mount in PASSTHROUGH]
    return {
        "name": kind,
        "image": settings.image,
        "command": [PROGRAMS[kind], "-v", "$(LOG_VERBOSITY)"],
        "env": variables,
        "volumeMounts": mounts,
        "startupProbe": _probe(kind, failures=600 // seconds, seconds=seconds),
        "livenessProbe": _probe(kind, failures=3, seconds=LIVENESS_SECONDS[kind]),
        "securityContext": {"privileged": True},
        "resources": PLUGIN_RESOURCES,
    }


def controller_container(settings: ControllerSettings) -> Container:
    """The controller of ComputeDomains. Upstream sets no security context, and its image is not known to take one."""
    return {
        "name": "compute-domain",
        "image": settings.image,
        "command": ["compute-domain-controller", "-v", "$(LOG_VERBOSITY)"],
        "env": [
            _env("LOG_VERBOSITY", str(settings.log_level)),
            _env("LOG_VERBOSITY_CD_DAEMON", str(settings.log_level)),
            POD_NAME,
            NAMESPACE,
            _env("IMAGE_NAME", settings.mirrored_image),
            NO_GPUS,
            *(_metrics(8080) if settings.release.measures else []),
            *(_leading(settings) if settings.release.leads else []),
            *_gates(settings.gates),
        ],
        "resources": SMALL_RESOURCES,
    }


def _leading(settings: ControllerSettings) -> list[EnvVar]:
    """Upstream's times."""
    return env(
        {
            "LEADER_ELECTION_ENABLED": str(settings.several).lower(),
            "LEADER_ELECTION_LEASE_LOCK_NAME": settings.name,
            "LEADER_ELECTION_LEASE_LOCK_NAMESPACE": from_field("metadata.namespace"),
            "LEADER_ELECTION_LEASE_DURATION": "15s",
            "LEADER_ELECTION_RENEW_DEADLINE": "10s",
            "LEADER_ELECTION_RETRY_PERIOD": "2s",
        }
    )


def _metrics(port: int) -> list[EnvVar]:
    return env({"HTTP_ENDPOINT": f":{port}", "METRICS_PATH": "/metrics"})


def webhook_pod(image: str, secret: str, *, gates: str) -> PodSpec:
    """The webhook, with its certificate."""
    ready: Probe = {"httpGet": {"path": "/readyz", "port": "webhook", "scheme": "HTTPS"}}
    container: Container = {
        "name": "webhook",
        "image": image,
        "command": ["webhook"],
        "args": ["--tls-cert-file=/cert/tls.crt", "--tls-private-key-file=/cert/tls.key", "--port=443"],
        "ports": [{"name": "webhook", "containerPort": 443, "protocol": "TCP"}],
        "livenessProbe": {**ready, "failureThreshold": 5},
        "readinessProbe": ready,
        "volumeMounts": [{"name": "cert", "mountPath": "/cert", "readOnly": True}],
        "securityContext": {"privileged": False},
        "resources": SMALL_RESOURCES,
    }
    return {
        "priorityClassName": "system-cluster-critical",
        "automountServiceAccountToken": False,
        "containers": [{**container, "env": [NO_GPUS, *_gates(gates)]}],
        "volumes": [{"name": "cert", "secret": {"secretName": secret}}],
    }


def _probe(kind: Kind, *, failures: int, seconds: int) -> Probe:
    return {
        "grpc": {"port": HEALTH_PORTS[kind], "service": "liveness"},
        "failureThreshold": failures,
        "periodSeconds": seconds,
        "timeoutSeconds": 10,
    }


def _folders(settings: PluginSettings) -> list[EnvVar]:
    return [
        _env("KUBELET_REGISTRAR_DIRECTORY_PATH", settings.registry),
        _env("KUBELET_PLUGINS_DIRECTORY_PATH", settings.plugins),
    ]


def _gates(gates: str) -> list[EnvVar]:
    return [_env("FEATURE_GATES", gates)] if gates else []


def _env(name: str, value: str) -> EnvVar:
    return {"name": name, "value": value}


def _host_path(name: str, path: str, kind: str = "") -> Volume:
    return {"name": name, "hostPath": {"path": path, "type": kind} if kind else {"path": path}}


PASSTHROUGH: tuple[tuple[str, str, VolumeMount], ...] = (
    (
        "host-root",
        "/",
        {"name": "host-root", "mountPath": "/host-root", "mountPropagation": "HostToContainer", "readOnly": True},
    ),
    ("sysfs", "/sys/", {"name": "sysfs", "mountPath": "/sys/", "mountPropagation": "Bidirectional"}),
    ("procfs", "/proc/", {"name": "procfs", "mountPath": "/proc/", "mountPropagation": "Bidirectional"}),
)
"""What handing whole cards to virtual machines needs: it binds them to vfio-pci through the host's sysfs."""
