"""Pods that hold cards for good: MIG manager waits until they have left, in one namespace and by labels it knows.

Source: mig-parted 0.15, pkg/mig/reconfigure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.capabilities import GpuClient
from platform_def.config.capability import Given
from platform_def.config.platform import Platform
from platform_def.constructs.component import Setting
from platform_def.errors import Problem

APPS = ("nvidia-device-plugin-daemonset", "gpu-feature-discovery", "nvidia-dcgm-exporter", "nvidia-dcgm")
"""Values of the label `app`."""


def waited_for(platform: Platform) -> tuple[Given[GpuClient], ...]:
    """Clients that must be in the namespace that MIG manager is given; others it finds by their node selector."""
    return tuple(given for given in platform.all(GpuClient) if not given.value.by_node_label)


def elsewhere(at: Setting[Any], home: str = "") -> Iterator[Problem]:
    """Clients that MIG manager does not see, in `home` or in the one namespace of all: it would cut cards in use."""
    clients = waited_for(at.platform)
    namespaces = {each.value.namespace for each in clients} | ({home} if home else set())
    if len(namespaces) > 1:
        where = ", ".join(dict.fromkeys(f"{each.by} in {each.value.namespace}" for each in clients))
        in_one = f"in {home}" if home else "in one namespace"
        yield Problem(
            f"components.{at.name}: MIG manager waits for GPU clients {in_one}, and they are in several ({where})",
            hint=f"give them `namespace: {home}`" if home else "give them one `namespace:`",
        )
    for each in clients:
        if each.value.labels.get("app") not in APPS:
            yield Problem(
                f"components.{at.name}: MIG manager does not know the labels of {each.by}'s pods, which hold cards",
                hint=f"label them `app: …` with one of {', '.join(APPS)}, or choose nodes by the label "
                "`nvidia.com/gpu.deploy.client` and say `byNodeLabel: true`",
            )
