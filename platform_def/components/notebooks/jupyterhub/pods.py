"""Pods of the hub, of its proxy, and those that bring images to nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec, Volume, VolumeMount
from platform_def.components.notebooks.jupyterhub.releases import (
    HUB,
    HUB_FACTS,
    PAUSE_FACTS,
    PROXY_FACTS,
    PULLER,
)
from platform_def.components.notebooks.jupyterhub.settings import API_PORT, HUB_PORT, PATH, PROXY_PORT
from platform_def.config.pools import NodePool
from platform_def.constructs import (
    DaemonSet,
    Database,
    SecretUse,
    env,
    from_field,
    http_probe,
    mounts,
    secured,
    tolerations_of,
)
from platform_def.constructs.gpu_nodes import gpu_affinity
from platform_def.constructs.pool_names import per_pool

if TYPE_CHECKING:
    from platform_def.components.notebooks.jupyterhub.config import AnyJupyterhub

FOLDER, DATA = "/etc/platform", "/srv/jupyterhub"
CONFIGURATION = f"{FOLDER}/jupyterhub_config.py"
TOKEN = "proxy-token"  # noqa: S105 - a key's name


def hub_pod(
    component: AnyJupyterhub, secrets: Mapping[str, tuple[SecretUse, Sequence[str]]], database: Database | None
) -> PodSpec:
    """The hub with its files; `secrets` are the Secrets that it reads, with their keys, by the volume's name."""
    data: Volume = {"name": "data", "emptyDir": {}}
    if database is None:
        data = {"name": "data", "persistentVolumeClaim": {"claimName": "hub-db-dir"}}
    projected: Volume = {
        "name": "secrets",
        "projected": {
            "defaultMode": 0o440,
            "sources": [
                {"secret": {"name": use.name, "items": [{"key": use.key(key), "path": key} for key in keys]}}
                for use, keys in secrets.values()
            ],
        },
    }
    return {
        "serviceAccountName": HUB,
        "enableServiceLinks": False,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "securityContext": {"fsGroup": 1000, "runAsGroup": 1000, "fsGroupChangePolicy": "OnRootMismatch"},
        "containers": [_hub(component, database)],
        "volumes": [data, {"name": "files", "configMap": {"name": HUB}}, projected],
    }


def _hub(component: AnyJupyterhub, database: Database | None) -> Container:
    variables: list[EnvVar] = env({"POD_NAMESPACE": from_field("metadata.namespace"), "PYTHONUNBUFFERED": "1"})
    if database:
        variables += database.env(DATABASE_USER="username", DATABASE_PASSWORD="password")  # noqa: S106 - a key's name
    folders: list[VolumeMount] = [
        {"name": "data", "mountPath": DATA},
        *mounts({"files": FOLDER, "secrets": f"{FOLDER}-secrets"}, read_only=True),
    ]
    health = f"{PATH}hub/health"
    return {
        "name": HUB,
        "image": component.release.image,
        "args": ["jupyterhub", f"--config={CONFIGURATION}", "--upgrade-db"],
        "env": variables,
        "ports": [{"name": "http", "containerPort": HUB_PORT, "protocol": "TCP"}],
        "volumeMounts": folders,
        # A database of years takes minutes to be brought to a new schema.
        "startupProbe": http_probe(health, "http", period=5, failures=120),
        "livenessProbe": http_probe(health, "http", period=10, timeout=3, failures=30),
        "readinessProbe": http_probe(health, "http", period=2, timeout=1),
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
        "securityContext": secured(HUB_FACTS),
    }


def proxy_pod(component: AnyJupyterhub, secrets: SecretUse) -> PodSpec:
    """configurable-http-proxy: it learns routes from the hub and keeps them in memory."""
    hub = f"http://{component.service_host(HUB)}:{HUB_PORT}"
    flags = [
        f"--port={PROXY_PORT}",
        "--ip=",
        f"--api-port={API_PORT}",
        "--api-ip=",
        f"--default-target={hub}",
        f"--error-target={hub}{PATH}hub/error",
    ]
    health = "/_chp_healthz"
    container: Container = {
        "name": "chp",
        "image": component.release.proxy,
        "command": ["configurable-http-proxy", *flags],
        "env": [secrets.env("CONFIGPROXY_AUTH_TOKEN", TOKEN)],
        "ports": [
            {"name": "http", "containerPort": PROXY_PORT, "protocol": "TCP"},
            {"name": "api", "containerPort": API_PORT, "protocol": "TCP"},
        ],
        "livenessProbe": http_probe(health, "http", delay=30, period=10, timeout=3, failures=30),
        "readinessProbe": http_probe(health, "http", period=2, timeout=1),
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": secured(PROXY_FACTS),
    }
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "terminationGracePeriodSeconds": 60,
        "containers": [container],
    }


def pullers(component: AnyJupyterhub, wanted: Mapping[str, Sequence[str]]) -> None:
    """A DaemonSet for each pool on which servers may start, with the images that are offered there; "": anywhere."""
    for name, images in wanted.items():
        pool = component.platform.pool(name) if name else None
        called = per_pool(PULLER, name) if name else PULLER
        DaemonSet(component, called, role=PULLER, pod=_puller(component, images, pool))


def _puller(component: AnyJupyterhub, images: Sequence[str], pool: NodePool | None) -> PodSpec:
    pulled: list[Container] = [
        {
            "name": f"image-pull-{name}",
            "image": component.config.notebooks[name].image,
            "command": ["/bin/sh", "-c", "true"],
            "resources": {"requests": {"cpu": "1m", "memory": "8Mi"}, "limits": {"memory": "64Mi"}},
            "securityContext": secured(PAUSE_FACTS),
        }
        for name in images
    ]
    pause: Container = {
        "name": "pause",
        "image": component.release.images["pause"],
        "resources": {"requests": {"cpu": "1m", "memory": "8Mi"}, "limits": {"memory": "32Mi"}},
        "securityContext": secured(PAUSE_FACTS),
    }
    pod: PodSpec = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "initContainers": pulled,
        "containers": [pause],
    }
    if pool and pool.selector:
        pod["nodeSelector"] = dict(pool.selector)
    elif pool and pool.gpu:
        pod["affinity"] = {"nodeAffinity": gpu_affinity([pool])}
    if pool and pool.taints:
        pod["tolerations"] = tolerations_of(pool)
    return pod
