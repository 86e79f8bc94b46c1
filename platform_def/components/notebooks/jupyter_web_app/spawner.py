"""What the form of notebooks offers: `spawner_ui_config.yaml`, read by apps/common/form.py and by the page.

Devices, tolerations and affinities follow from the node pools: a notebook that chooses a pool in both lists runs there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from platform_def.config.devices import devices
from platform_def.config.pools import NodePool
from platform_def.constructs import tolerations_of

HOME = "/home/jovyan"
"""Home folder of upstream's images, which run as user 1000; the controller has volumes belong to group 100."""


@dataclass(frozen=True)
class Offer:
    """Images by how they are reached."""

    jupyter: tuple[str, ...]
    vscode: tuple[str, ...]
    rstudio: tuple[str, ...]

    def through(self, mirror: Callable[[str], str]) -> Offer:
        """The same as the cluster pulls them."""
        return Offer(*(tuple(map(mirror, each)) for each in (self.jupyter, self.vscode, self.rstudio)))


def configuration(
    images: Offer,
    *,
    pools: Sequence[NodePool],
    custom: bool,
    cpu: str,
    memory: str,
    limit_factor: str,
    home_size: str,
    storage_class: str | None,
    configurations: Sequence[str],
) -> dict[str, object]:
    """The file; `storage_class` of None is the cluster's default."""
    vendors = [*_vendors(pools)]
    claim: dict[str, object] = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": home_size}},
        **({"storageClassName": storage_class} if storage_class else {}),
    }
    fields: dict[str, object] = {
        "allowCustomImage": custom,
        "hideRegistry": True,
        "hideTag": False,
        "imagePullPolicy": {"value": "IfNotPresent", "readOnly": False},
        "image": _choice(images.jupyter),
        "imageGroupOne": _choice(images.vscode),
        "imageGroupTwo": _choice(images.rstudio),
        "cpu": {"value": cpu, "limitFactor": limit_factor, "readOnly": False},
        "memory": {"value": memory, "limitFactor": limit_factor, "readOnly": False},
        "gpus": {"readOnly": False, "value": {"vendor": "", "vendors": vendors, "num": "none"}},
        "workspaceVolume": {
            "readOnly": False,
            "value": {
                "mount": HOME,
                "newPvc": {"metadata": {"name": "{notebook-name}-workspace"}, "spec": claim},
            },
        },
        "dataVolumes": {"readOnly": False, "value": []},
        "affinityConfig": {"readOnly": False, "value": "", "options": [*_affinities(pools)]},
        "tolerationGroup": {"readOnly": False, "value": "", "options": [*_tolerations(pools)]},
        "shm": {"readOnly": False, "value": True},
        "configurations": {"readOnly": False, "value": [*configurations]},
        "environment": {"readOnly": False, "value": {}},
    }
    return {"spawnerFormDefaults": fields}


def _choice(images: Sequence[str]) -> dict[str, object]:
    return {"value": images[0] if images else "", "options": [*images]}


def _vendors(pools: Sequence[NodePool]) -> Iterator[dict[str, str]]:
    """What a notebook can ask for: the form sets one limit, so devices that need two, as HAMi's do, are not there."""
    titles: dict[str, list[str]] = {}
    for pool in pools:
        for device in devices(pool):
            if len(device.resources) == 1:
                (resource,) = device.resources
                titles.setdefault(resource, []).append(device.title)
    for resource, names in sorted(titles.items()):
        yield {"limitsKey": resource, "uiName": ", ".join(dict.fromkeys(names))}


def _affinities(pools: Sequence[NodePool]) -> Iterator[dict[str, object]]:
    for pool in pools:
        if pool.selector:
            terms = [{"key": key, "operator": "In", "values": [value]} for key, value in sorted(pool.selector.items())]
            where: Any = {"nodeSelectorTerms": [{"matchExpressions": terms}]}
            affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": where}}
            yield {"configKey": pool.name, "displayName": f"Pool {pool.name}", "affinity": affinity}


def _tolerations(pools: Sequence[NodePool]) -> Iterator[dict[str, object]]:
    for pool in pools:
        if pool.taints:
            yield {"groupKey": pool.name, "displayName": f"Pool {pool.name}", "tolerations": tolerations_of(pool)}
