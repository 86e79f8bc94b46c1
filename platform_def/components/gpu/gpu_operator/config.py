"""What a stack may choose about the GPU Operator, its releases, and the programs that it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    ComponentConfig,
    Release,
    Support,
    Upkeep,
    releases,
)

NAME = "gpu-operator"
CLOUD = "nvcr.io/nvidia/cloud-native"
OPERANDS: Mapping[str, str] = {
    "toolkit": "nvcr.io/nvidia/k8s/container-toolkit:v1.20.0",
    "devicePlugin": "nvcr.io/nvidia/k8s-device-plugin:v0.20.0",
    "gfd": "nvcr.io/nvidia/k8s-device-plugin:v0.20.0",
    "dcgmExporter": "nvcr.io/nvidia/k8s/dcgm-exporter:4.6.0-4.8.3-distroless",
    "dcgm": f"{CLOUD}/dcgm:4.6.0-1-ubuntu24.04",
    "migManager": f"{CLOUD}/k8s-mig-manager:v0.15.0",
    "driverManager": f"{CLOUD}/k8s-driver-manager:v0.12.0",
    "gds": f"{CLOUD}/nvidia-fs:2.29.4",
    "gdrcopy": f"{CLOUD}/gdrdrv:v2.6",
}
"""Images by the part of the policy that names them."""
DISCOVERY = "node-feature-discovery"
RELEASES = releases(
    Release(
        "26.7.0",
        image="nvcr.io/nvidia/gpu-operator:v26.7.0",
        images={DISCOVERY: "registry.k8s.io/nfd/node-feature-discovery:v0.19.0"},
        runtime_images=tuple(dict.fromkeys(OPERANDS.values())),
        # What NVIDIA has validated; on Ubuntu 24.04 also 1.32.
        kubernetes="1.32-1.36",
        kubernetes_by="upstream",
        upkeep=Upkeep(Support.CURRENT),  # NVIDIA's table of platform support; the line before the newest gets fixes too
    ),
    license=APACHE,
)
DRIVER = "nvcr.io/nvidia/driver"
"""The tag is the version, or the version, a hyphen and the node's operating system."""


class OperatorProgram(NamedTuple):
    """A program of the operator's that a component can stand for."""

    work: Literal["devices", "labels", "metrics", "partitions", "features"]
    operand: str = ""
    """Its part of the policy."""
    app: str = ""
    """Label `app` of its pods, where they hold cards."""


PROGRAMS: Mapping[str, OperatorProgram] = {
    "nvidia-device-plugin": OperatorProgram("devices", "devicePlugin", "nvidia-device-plugin-daemonset"),
    "gpu-feature-discovery": OperatorProgram("labels", "gfd", "gpu-feature-discovery"),
    "dcgm-exporter": OperatorProgram("metrics", "dcgmExporter", "nvidia-dcgm-exporter"),
    "mig-manager": OperatorProgram("partitions", "migManager"),
    DISCOVERY: OperatorProgram("features"),
}
Version = Annotated[str, Field(pattern=r"^\d{3}\.\d+(\.\d+)?$")]


class GpuOperatorConfig(ComponentConfig):
    """What a stack may choose about the GPU Operator; how GPUs are shared is said in `nodePools`."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace of the operator and of all it runs, as upstream's instructions have it."""
    driver: Literal["container", "host"] = "container"
    """Who installs NVIDIA's driver: the operator, in a container that builds kernel modules, or the node's owner."""
    driver_version: Version = "595.91.07"
    """The driver of all pools that `drivers` does not name; upstream's default. It has no Volta or older any more."""
    drivers: dict[Name, Version] = Field(default_factory=dict)
    """Drivers by pool: `v100: 580.105.08`."""
    kernel_modules: Literal["auto", "open", "proprietary"] = "auto"
    """Which kernel modules; `auto` chooses by card."""
    driver_upgrades: bool = True
    """Let a changed driver version roll over the nodes, one at a time, evicting pods with GPUs; as upstream has it.
    Otherwise nodes keep the driver until their pod is deleted."""
    node_systems: list[Annotated[str, Field(pattern=r"^[a-z0-9.]+$")]] = Field(default_factory=list)
    """Operating systems of the nodes as tags of driver images have them (`ubuntu24.04`), so that a mirror can hold
    those; the operator finds out by itself which one a node needs."""
    toolkit: Literal["container", "host"] = "container"
    """Who installs the container toolkit and sets up containerd for it."""
    toolkit_environment: dict[Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$")], str] = Field(default_factory=dict)
    """More variables of the toolkit, such as `CONTAINERD_CONFIG`, where containerd is set up in another place."""
    gds: bool = False
    """GPUDirect Storage: the kernel module nvidia-fs beside the driver."""
    gdrcopy: bool = False
    """GDRCopy: its kernel module beside the driver."""
    beside: list[
        Literal[
            "nvidia-device-plugin", "gpu-feature-discovery", "dcgm-exporter", "mig-manager", "node-feature-discovery"
        ]
    ] = Field(default_factory=list)
    """Components of the stack that do this work instead of the operator's own program."""

    @property
    def own(self) -> Mapping[str, OperatorProgram]:
        """Programs that the operator runs itself."""
        return {name: program for name, program in PROGRAMS.items() if name not in self.beside}

    @property
    def driver_versions(self) -> list[str]:
        """Versions of drivers in containers."""
        return sorted({self.driver_version, *self.drivers.values()}) if self.driver == "container" else []
