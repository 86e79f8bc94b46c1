"""Releases of NVIDIA's DRA driver, and what differs between them.

Since 0.4 the driver is Kubernetes SIG Node's (kubernetes-sigs/dra-driver-nvidia-gpu) and its versions restart: 25.12 is
its 0.3. Objects keep the names that an upgraded cluster has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from platform_def.constructs import APACHE, Release, releases

Gate = Literal[
    "TimeSlicingSettings",
    "MPSSupport",
    "IMEXDaemonsWithDNSNames",
    "PassthroughSupport",
    "DynamicMIG",
    "NVMLDeviceHealthCheck",
    "ComputeDomainCliques",
    "CrashOnNVLinkFabricErrors",
    "DeviceMetadata",
]
ON_BY_DEFAULT: frozenset[Gate] = frozenset(
    ("IMEXDaemonsWithDNSNames", "ComputeDomainCliques", "CrashOnNVLinkFabricErrors")
)


@dataclass(frozen=True, kw_only=True)
class DraRelease(Release):
    """What differs."""

    unknown_gates: frozenset[Gate] = frozenset()
    """Feature gates that it does not have: it would not start."""
    needed_gates: Mapping[Gate, Gate]
    """What must be on for a gate to be on, as the driver checks it when it starts."""
    excluded_gates: tuple[tuple[Gate, Gate], ...]
    """Gates that may not be on together, likewise."""
    leads: bool
    """Its controllers agree on a leader, so that there may be several."""
    measures: bool
    """Controller and plugins serve metrics."""
    deploys_as_itself: bool
    """Its plugin runs MPS daemons under the account that a variable names."""
    startup_seconds: int
    """How often the kubelet asks a plugin that starts, for ten minutes."""


CUTS: tuple[tuple[Gate, Gate], ...] = (
    ("DynamicMIG", "PassthroughSupport"),
    ("DynamicMIG", "NVMLDeviceHealthCheck"),
    ("DynamicMIG", "MPSSupport"),
)
NAMES: Mapping[Gate, Gate] = {"ComputeDomainCliques": "IMEXDaemonsWithDNSNames"}
NEW_HOME = "registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.4.1"
OLD_HOME = "nvcr.io/nvidia/k8s-dra-driver-gpu:v25.12.0"

RELEASES = releases(
    DraRelease(
        "0.4.1",
        image=NEW_HOME,
        # The controller and the plugin start pods of the same image (IMEX daemons, MPS), by the variable IMAGE_NAME.
        runtime_images=(NEW_HOME,),
        # Upstream asks for 1.34.2 and tests up to 1.36; what it calls is served by 1.37 too.
        kubernetes="1.34-1.37",
        needed_gates={**NAMES, "DeviceMetadata": "PassthroughSupport"},
        excluded_gates=(*CUTS, ("PassthroughSupport", "NVMLDeviceHealthCheck")),
        leads=True,
        measures=True,
        deploys_as_itself=True,
        startup_seconds=1,
    ),
    DraRelease(
        "25.12.0",
        image=OLD_HOME,
        runtime_images=(OLD_HOME,),
        # Upstream's chart takes 1.32 and newer; what is rendered here is of resource.k8s.io/v1, that of 1.34.
        kubernetes="1.34-1.37",
        unknown_gates=frozenset(("DeviceMetadata",)),
        needed_gates=NAMES,
        excluded_gates=CUTS,
        leads=False,
        measures=False,
        deploys_as_itself=False,
        startup_seconds=10,
    ),
    license=APACHE,
)
