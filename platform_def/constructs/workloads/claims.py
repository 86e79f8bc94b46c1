"""Claims of workloads, sized and placed as the stack says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from platform_def.apis.core.core_v1 import PersistentVolumeClaimSpec
from platform_def.config.storage import StorageKind
from platform_def.config.workloads import WorkloadConfig
from platform_def.constructs.component import AnyComponent


@dataclass(frozen=True)
class Claim:
    """A volume that a workload keeps data on."""

    name: str
    size: str
    mode: Literal["ReadWriteOnce", "ReadWriteMany"] = "ReadWriteOnce"
    kind: StorageKind | None = None
    """What it needs of its storage; None: what the cluster's default class gives. One of many nodes is `shared`."""


def claim_spec(component: AnyComponent, claim: Claim, chosen: WorkloadConfig | None) -> PersistentVolumeClaimSpec:
    """The spec of a claim: the component's size and kind of storage, unless the stack says otherwise."""
    wanted = chosen.volumes.get(claim.name) if chosen else None
    spec: PersistentVolumeClaimSpec = {
        "accessModes": [claim.mode],
        "resources": {"requests": {"storage": (wanted and wanted.size) or claim.size}},
    }
    asked = (wanted and wanted.storage) or claim.kind
    if asked:
        who = f"components.{component.name}.workloads: volume {claim.name}"
        chosen_storage = component.platform.storage_for(asked, mode=claim.mode, who=who)
        if chosen_storage:
            spec["storageClassName"] = chosen_storage.class_name
    return spec
