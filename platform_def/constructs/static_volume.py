"""Volumes of data that is there already, and claims for them: each other's alone, never made, grown or removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from platform_def.apis.core.core_v1 import (
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    CSIPersistentVolumeSource,
    PersistentVolumeSpec,
)
from platform_def.config.objects import Part
from platform_def.config.storage import SecretRef, StaticVolume
from platform_def.config.teams import Team
from platform_def.constructs.component import Scope
from platform_def.constructs.csi import CsiDriver
from platform_def.constructs.resource import Resource


def static_volume(
    driver: CsiDriver,
    name: str,
    volume: StaticVolume,
    *,
    attributes: Mapping[str, str],
    secret: SecretRef | None = None,
    options: Sequence[str] = (),
) -> None:
    """A volume that `driver` mounts as it is, and the claim `name` for it, in each of its namespaces.

    `attributes` are by which the driver finds the data, `secret` is what it mounts it with, `options` are the mount's.
    """
    for namespace in namespaces_of(volume, driver.platform.teams):
        called = f"{namespace}-{name}"
        source: CSIPersistentVolumeSource = {
            "driver": driver.name,
            "volumeHandle": called,
            "volumeAttributes": dict(attributes),
        }
        if volume.mode == "ReadOnlyMany":
            source["readOnly"] = True
        if secret:
            source["nodeStageSecretRef"] = {"name": secret.name, "namespace": secret.namespace}
        bound(
            driver,
            name,
            called=called,
            namespace=namespace,
            size=volume.size,
            spec={"accessModes": [volume.mode], "csi": source, **({"mountOptions": [*options]} if options else {})},
            part="after",  # a claim that its team's quota refuses, say, must not hold back who needs the driver
        )


def namespaces_of(volume: StaticVolume, teams: Sequence[Team]) -> list[str]:
    """Where the claims for a volume are: its namespace, or all those of its teams."""
    if volume.namespace:
        return [volume.namespace]
    return [home for team in teams if volume.teams == "all" or team.name in volume.teams for home in team.homes]


def bound(
    scope: Scope,
    name: str,
    *,
    called: str,
    namespace: str,
    size: str,
    spec: PersistentVolumeSpec,
    part: Part,
) -> None:
    """A volume and the claim `name` for it; no class takes part, not even the default one."""
    modes = spec.get("accessModes", [])
    shared: PersistentVolumeSpec = {
        "capacity": {"storage": size},
        "claimRef": {"namespace": namespace, "name": name},
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": "",
    }
    Resource(scope, PERSISTENT_VOLUME, called, spec={**shared, **spec}, part=part)
    Resource(
        scope,
        PERSISTENT_VOLUME_CLAIM,
        name,
        namespace=namespace,
        part=part,
        spec={
            "accessModes": [*modes],
            "resources": {"requests": {"storage": size}},
            "storageClassName": "",
            "volumeName": called,
        },
    )
