"""Whether pods get devices of a DRA driver by naming an extended resource, as if a device plugin offered them.

Kubernetes 1.34 and 1.35 have it behind the feature gate DRAExtendedResource, from 1.36 on it is on (KEP-5004).
Where the gate is off the server drops the field of DeviceClasses that says which resource they stand for.
"""

from __future__ import annotations

from platform_def.config.platform import Platform

GATE = "DRAExtendedResource"
ON_FROM = 36

DRA_DRIVER = "nvidia-dra-driver"
_PLUGINS = ("nvidia-device-plugin", "gpu-operator")


def by_extended_resource(platform: Platform) -> bool:
    """Whether the cluster turns requests for extended resources into claims of devices."""
    return platform.feature_gates.get(GATE, int(platform.kubernetes.split(".")[1]) >= ON_FROM)


def gpus_by_claim(platform: Platform) -> bool:
    """Whether NVIDIA's DRA driver is the only one in the stack that can give out whole GPUs."""
    return DRA_DRIVER in platform.components and not any(name in platform.components for name in _PLUGINS)
