"""The WorkspaceKind of the stack: JupyterLab on what its pools, its mirror and its storage have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from platform_def.components.notebooks.server_images import RELEASES
from platform_def.config.devices import devices
from platform_def.config.pools import NodePool
from platform_def.constructs import tolerations_of

PORT = "jupyterlab"
SERVERS = RELEASES[0]
LOGO = "https://jupyter.org/assets/favicons/apple-touch-icon-152x152.png"
"""The browser of the person who looks at the list fetches it."""
SIZES = (("small", "1", "2Gi"), ("medium", "4", "16Gi"))
PROBE_SECONDS = 300


def jupyterlab(
    pools: Sequence[NodePool], *, images: Sequence[str], mirror: Callable[[str], str], idle_seconds: int | None
) -> dict[str, Any]:
    """Its specification; an idle workspace is paused after `idle_seconds`, None: never."""
    servers = [*_images(images, mirror)]
    sizes = [*_sizes(pools)]
    probe = {
        "jupyter": {"lastActivity": True, "portId": PORT},
        "probeIntervalSeconds": PROBE_SECONDS,
        "minProbeIntervalSeconds": PROBE_SECONDS,
    }
    rule = {"config": {"secondsSinceActive": idle_seconds}, "match": {}, "effect": {"pauseWorkspace": True}}
    context = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    return {
        "spawner": {
            "displayName": "JupyterLab",
            "description": "JupyterLab in a pod of its own",
            "icon": {"url": LOGO},
            "logo": {"url": LOGO},
        },
        **({"activityRules": [rule]} if idle_seconds else {}),
        "podTemplate": {
            **({"activityProbe": probe} if idle_seconds else {}),
            "volumeMounts": {"home": "/home/jovyan"},
            "ports": [{"id": PORT, "defaultDisplayName": "JupyterLab", "protocol": "HTTP"}],
            "extraEnv": [{"name": "NB_PREFIX", "value": f"{{{{ httpPathPrefix '{PORT}' }}}}"}],
            "extraVolumes": [{"name": "dshm", "emptyDir": {"medium": "Memory"}}],
            "extraVolumeMounts": [{"name": "dshm", "mountPath": "/dev/shm"}],  # noqa: S108 - in the pod
            "securityContext": {"fsGroup": 100, "seccompProfile": {"type": "RuntimeDefault"}},
            "containerSecurityContext": context,
            "options": {
                "imageConfig": {"spawner": {"default": servers[0]["id"]}, "values": servers},
                "podConfig": {"spawner": {"default": sizes[0]["id"]}, "values": sizes},
            },
        },
    }


def _images(images: Sequence[str], mirror: Callable[[str], str]) -> Iterator[dict[str, Any]]:
    for each in images:
        name = each.rpartition("/")[2].partition("@")[0]
        spec = {"image": mirror(each), "ports": [{"id": PORT, "port": 8888}]}
        yield {"id": name, "spawner": {"displayName": name}, "spec": spec}


def _sizes(pools: Sequence[NodePool]) -> Iterator[dict[str, Any]]:
    """Two without devices, then one of each device of each pool, with the pool's selector and tolerations."""
    for name, cpu, memory in SIZES:
        requests = {"requests": {"cpu": cpu, "memory": memory}}
        yield _size(name, f"{cpu} cores and {memory}", {"resources": requests})
    for pool in pools:
        for device in devices(pool):
            limits = {name: str(amount) for name, amount in device.resources.items()}
            resources = {"requests": {"cpu": "4", "memory": "16Gi"}, "limits": limits}
            spec: dict[str, Any] = {"resources": resources, "nodeSelector": {**pool.selector}}
            if pool.taints:
                spec["tolerations"] = tolerations_of(pool)
            name = "-".join(filter(None, (pool.name, device.profile.replace(".", "-"))))
            yield _size(name, f"4 cores, 16Gi and one {device.title} of pool {pool.name}", spec)


def _size(name: str, title: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "spawner": {"displayName": title}, "spec": {k: v for k, v in spec.items() if v}}
