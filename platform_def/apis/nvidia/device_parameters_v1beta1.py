"""Parameters that claims and device classes hand to NVIDIA's DRA driver (resource.nvidia.com/v1beta1).

Source: NVIDIA's DRA driver 0.4 (api/nvidia.com/resource/v1beta1); it reads them strictly, and refuses unknown fields.
"""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.schema import Maximum, Minimum, MinLength, Quantity
from platform_def.crds.typed_dict import TypedDict

DRIVERS = ("gpu.nvidia.com", "compute-domain.nvidia.com")
API_VERSION = "resource.nvidia.com/v1beta1"
TIME_SLICING, MPS = "TimeSlicing", "MPS"
GATES = {TIME_SLICING: "TimeSlicingSettings", MPS: "MPSSupport"}
"""Strategy → feature gate of the driver, off by default, that it needs."""

Strategy = Literal["TimeSlicing", "MPS"]


class TimeSlicingConfig(TypedDict, total=False):
    """How processes take turns."""

    interval: Literal["Default", "Short", "Medium", "Long"]


class MpsConfig(TypedDict, total=False):
    """What an MPS daemon lets its clients have."""

    defaultActiveThreadPercentage: Annotated[int, Minimum(0), Maximum(100)]
    defaultPinnedDeviceMemoryLimit: Quantity
    defaultPerDevicePinnedMemoryLimit: dict[str, Quantity]
    multiUser: bool


class GpuSharing(TypedDict, total=False):
    """How a card is shared."""

    strategy: Required[Strategy]
    timeSlicingConfig: TimeSlicingConfig
    mpsConfig: MpsConfig


class MigDeviceSharing(TypedDict, total=False):
    """How a MIG device is shared."""

    strategy: Required[Strategy]
    mpsConfig: MpsConfig


class GpuConfig(TypedDict, total=False):
    """Of a whole card."""

    apiVersion: Required[str]
    kind: Required[str]
    sharing: GpuSharing


class MigDeviceConfig(TypedDict, total=False):
    """Of a MIG device."""

    apiVersion: Required[str]
    kind: Required[str]
    sharing: MigDeviceSharing


class Iommu(TypedDict, total=False):
    """How a virtual machine reaches a card."""

    backendPolicy: Literal["LegacyOnly", "PreferIommuFD"]
    enableAPIDevice: bool


class VfioDeviceConfig(TypedDict, total=False):
    """Of a card that is passed to a virtual machine."""

    apiVersion: Required[str]
    kind: Required[str]
    iommu: Iommu


class ChannelConfig(TypedDict, total=False):
    """Of a channel of a compute domain; the driver's own controller writes it."""

    apiVersion: Required[str]
    kind: Required[str]
    domainID: Required[Annotated[str, MinLength(1)]]
    allocationMode: str


class DaemonConfig(TypedDict, total=False):
    """Of a daemon of a compute domain; the driver's own controller writes it."""

    apiVersion: Required[str]
    kind: Required[str]
    domainID: Required[Annotated[str, MinLength(1)]]


PARAMETERS: dict[str, type] = {
    "GpuConfig": GpuConfig,
    "MigDeviceConfig": MigDeviceConfig,
    "VfioDeviceConfig": VfioDeviceConfig,
    "ComputeDomainChannelConfig": ChannelConfig,
    "ComputeDomainDaemonConfig": DaemonConfig,
}
"""By kind."""
