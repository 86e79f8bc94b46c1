"""Whether pods get devices of a DRA driver by naming an extended resource, as if a device plugin offered them.

Kubernetes 1.34 and 1.35 have it behind the feature gate DRAExtendedResource, from 1.36 on it is on (KEP-5004).
Where the gate is off the server drops the field of DeviceClasses that says which resource they stand for.
"""

from __future__ import annotations

from platform_def.capabilities import Devices
from platform_def.config.platform import Platform
from platform_def.config.pools import WHOLE_GPU

GATE = "DRAExtendedResource"
ON_FROM = "1.36"


def by_extended_resource(platform: Platform) -> bool:
    """Whether the cluster turns requests for extended resources into claims of devices."""
    return platform.feature_gates.get(GATE, platform.kubernetes >= ON_FROM)


def gpus_by_claim(platform: Platform) -> bool:
    """Whether whole GPUs are given out by claims alone: by a DRA driver, and by no device plugin."""
    giving = [given.value for given in platform.all(Devices) if WHOLE_GPU in given.value.resources]
    return bool(giving) and all(each.by_claim for each in giving)
