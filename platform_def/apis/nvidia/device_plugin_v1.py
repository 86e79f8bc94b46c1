"""The file of NVIDIA's device plugin, GPU feature discovery and MPS daemon, format v1.

Source: k8s-device-plugin 0.20, api/config/v1. A field that it does not know it ignores; a null counts as left out.
"""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.schema import AnyValue, Maximum, MaxItems, Minimum, MinItems
from platform_def.crds.typed_dict import TypedDict

VERSION = "v1"
FEWEST_SHARES = 2
"""The plugin refuses fewer replicas."""
MOST_CLIENTS = 48
"""Of an MPS server, from Volta on; the MPS daemon refuses more replicas."""
LISTINGS = ("envvar", "volume-mounts", "cdi-annotations", "cdi-cri")
"""How the plugin may tell the container runtime which devices a container gets."""

MigStrategy = Literal["none", "single", "mixed"]


class ReplicatedResource(TypedDict, total=False):
    """One resource of which each device is offered several times."""

    name: Required[str]
    """The resource, such as nvidia.com/gpu."""
    rename: str
    """Another name; the plugin ignores it."""
    devices: AnyValue
    """Which devices; the plugin ignores it and takes all."""
    replicas: Required[Annotated[int, Minimum(FEWEST_SHARES)]]
    """Shares of each device."""


class Replicated(TypedDict, total=False):
    """How the devices of a node are shared."""

    renameByDefault: bool
    """True: the shares are called `<name>.shared`."""
    failRequestsGreaterThanOne: bool
    """True: a container may ask for one share alone."""
    resources: Required[Annotated[list[ReplicatedResource], MinItems(1)]]
    """What is shared."""


class ServedResource(TypedDict, total=False):
    """ReplicatedResource of an MPS daemon."""

    name: Required[str]
    """The resource, such as nvidia.com/gpu."""
    rename: str
    """Another name; the plugin ignores it."""
    devices: AnyValue
    """Which devices; the plugin ignores it and takes all."""
    replicas: Required[Annotated[int, Minimum(FEWEST_SHARES), Maximum(MOST_CLIENTS)]]
    """Shares of each device."""


class ServedReplicas(TypedDict, total=False):
    """How the devices of a node are shared by MPS."""

    renameByDefault: bool
    """True: the shares are called `<name>.shared`."""
    failRequestsGreaterThanOne: bool
    """True, as it is if left out: a container may ask for one share alone."""
    resources: Required[Annotated[list[ServedResource], MinItems(1)]]
    """What is shared."""


class SharingFile(TypedDict, total=False):
    """How devices are shared; MPS holds where both are said."""

    timeSlicing: Replicated
    """Processes take turns."""
    mps: ServedReplicas
    """NVIDIA's Multi-Process Service."""


class PluginFlags(TypedDict, total=False):
    """Flags of the device plugin alone."""

    passDeviceSpecs: bool
    deviceListStrategy: AnyValue
    """One of LISTINGS, or a list of them."""
    deviceIDStrategy: Literal["uuid", "index"]
    cdiAnnotationPrefix: str
    nvidiaCTKPath: str
    containerDriverRoot: str
    sharedDevicesAllocationPolicy: Literal["distributed", "packed"]


class DiscoveryFlags(TypedDict, total=False):
    """Flags of GPU feature discovery alone."""

    oneshot: bool
    noTimestamp: bool
    sleepInterval: AnyValue
    outputFile: str
    machineTypeFile: str


class Flags(TypedDict, total=False):
    """What may stand on the command line instead, which wins."""

    migStrategy: MigStrategy
    failOnInitError: bool
    mpsRoot: str
    nvidiaDriverRoot: str
    nvidiaDevRoot: str
    gdrcopyEnabled: bool
    gdsEnabled: bool
    mofedEnabled: bool
    useNodeFeatureAPI: bool
    deviceDiscoveryStrategy: Literal["auto", "nvml", "tegra"]
    plugin: PluginFlags
    gfd: DiscoveryFlags


class Imex(TypedDict, total=False):
    """Channels of multi-node NVLink."""

    channelIDs: Annotated[list[Annotated[int, Minimum(0), Maximum(0)]], MaxItems(1)]
    """None, or channel 0."""
    required: bool


class PluginFile(TypedDict, total=False):
    """The file."""

    version: Literal["v1"]
    flags: Flags
    resources: AnyValue
    """Names of devices; the plugin ignores it."""
    sharing: SharingFile
    imex: Imex
