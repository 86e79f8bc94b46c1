"""How a pool's pods reach its RDMA fabric: they share the node's adapters, or get functions of their own (SR-IOV).

Written short, `rdma: roce` means adapters that all pods share.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from itertools import combinations
from typing import Annotated, Literal

from pydantic import Field, model_validator

from platform_def.config.model import Model, Name, conflict

RDMA_PREFIX, RDMA_NAME = "rdma", "hca_shared"
RDMA_RESOURCE = f"{RDMA_PREFIX}/{RDMA_NAME}"
"""What the shared RDMA device plugin offers; one stands for a pod's access to all of the node's adapters."""
FUNCTION_NAME = "sriov_"
"""How the names of resources begin that stand for virtual functions; `rdma/sriov_rail0` is one of network `rail0`."""

EFA = "vpc.amazonaws.com/efa"
"""What AWS' device plugin offers, one for each adapter of the node."""

Addresses = IPv4Network | IPv6Network
InterfaceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$")]
Adapter = Annotated[str, Field(pattern=r"^[a-z0-9_]+(:\d+)?$")]
GidIndex = Annotated[int, Field(ge=0, le=255)]


class Network(Model):
    """One port of each node's adapters, as a network; a pod gets a virtual function of every network of its pool."""

    name: Annotated[Name, Field(max_length=32)]
    """Name of the network, such as `rail0`; pods ask for `rdma/sriov_rail0`. Ports that one switch connects, across
    nodes and pools, have one name."""
    interface: InterfaceName | None = None
    """Name of the port's own interface (its physical function) on the nodes, such as `ens1f0np0`."""
    pci_address: Annotated[str, Field(pattern=r"^[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]$")] | None = None
    """The port's PCI address (`0000:3b:00.0`), where the name of its interface differs from node to node."""
    range: str | None = None
    """Addresses of the pods' interfaces, such as `10.56.0.0/16`. RoCE needs them; InfiniBand does without, unless
    programs name each other by address (rdma_cm)."""
    exclude: list[str] = Field(default_factory=list)
    """Parts of the range that others use, such as `10.56.0.0/28`."""
    gateway: str | None = None
    """Router of the network, where there is one; it is never given to a pod."""
    routes: list[str] = Field(default_factory=list)
    """Networks behind the router, such as the other racks' `10.56.0.0/12`."""
    vlan: Annotated[int, Field(ge=1, le=4094)] | None = None
    """VLAN that the adapter puts functions into. Ethernet alone: InfiniBand's partitions are its subnet manager's."""

    @conflict
    def _port(self) -> Iterator[ValueError]:
        if (self.interface is None) == (self.pci_address is None):
            yield ValueError(f"network {self.name} needs either `interface:` or `pciAddress:`, the port on the nodes")

    @conflict
    def _addresses(self) -> Iterator[ValueError]:
        if self.range is None:
            if self.exclude or self.gateway or self.routes:
                yield ValueError("exclude, gateway and routes belong to a `range:`")
            return
        addresses = _network(self.range)
        for part in map(_network, self.exclude):
            if part.version != addresses.version or not part.subnet_of(addresses):  # type: ignore[arg-type]
                yield ValueError(f"exclude: {part} is not in the range {addresses}")
        for route in self.routes:
            _network(route)
        if self.gateway and not _within(self.gateway, addresses):
            yield ValueError(f"gateway: {self.gateway[:40]} is no address in the range {addresses}")
        if self.routes and not self.gateway:
            yield ValueError("routes lead through a `gateway:`")

    @property
    def port(self) -> str:
        """The port as the nodes call it."""
        return self.interface or self.pci_address or ""

    @property
    def resource(self) -> str:
        """Extended resource of which one is a virtual function of this network."""
        return f"{RDMA_PREFIX}/{self.resource_name}"

    @property
    def resource_name(self) -> str:
        """The resource without its prefix."""
        # The device plugin makes a variable's name of it.
        return FUNCTION_NAME + self.name.replace("-", "_")

    def kept(self) -> list[str]:
        """Parts of the range that no pod may get: those excluded, and the router."""
        return [*self.exclude, *([str(ip_network(self.gateway))] if self.gateway else [])]

    def free(self) -> int:
        """How many addresses the range has for pods; parts that are excluded twice count twice."""
        if self.range is None:
            return 0
        return max(
            _network(self.range).num_addresses - 2 - sum(_network(part).num_addresses for part in self.kept()), 0
        )


class Rdma(Model):
    """The RDMA fabric of a pool's nodes, and how pods reach it."""

    kind: Literal["none", "infiniband", "roce", "efa"] = "none"
    """The fabric; `efa` is AWS' Elastic Fabric Adapter, whose device plugin the cluster has."""
    mode: Literal["shared", "sriov"] = "shared"
    """`shared`: pods see all adapters of their node; `sriov`: each pod gets virtual functions of its own, as interfaces
    beside the cluster's."""
    host_network: bool | None = None
    """With `shared`: pods run in the node's network. By default for RoCE, whose packets have the addresses of
    interfaces that only the node has; InfiniBand needs it for programs that name each other by address (rdma_cm)."""
    resource: Annotated[str, Field(pattern=r"^[a-z0-9.-]+\.[a-z]+/[A-Za-z0-9._-]+$", max_length=120)] | None = None
    """With `shared`: the extended resource of another device plugin, which the cluster has, such as
    `openshift.io/mlnx_rdma`; by default that of the component for it, and `vpc.amazonaws.com/efa` with `efa`."""
    devices: Annotated[int, Field(ge=1, le=128)] = 1
    """With `efa` or `resource`: how many of it a node offers; a pod gets the share of them that its GPUs are."""
    interface: InterfaceName | None = None
    """Interface of the nodes that processes of a job meet at, such as `ens1f0np0`; a job may name another. Pods in the
    node's network need one: libraries would take the first that is up, or the address that the node's name has."""
    hca: list[Adapter] = Field(default_factory=list)
    """RDMA adapters for jobs, such as `[mlx5_0, mlx5_1]`, where nodes have others too; by default all."""
    gid_index: GidIndex | None = None
    """GID of RoCE ports for jobs, where their NCCL is older than 2.21, which finds it: often 3."""
    functions: Annotated[int, Field(ge=1, le=127)] | None = None
    """With `sriov`: virtual functions of each port, so at most as many pods a node. The nodes' owner makes them."""
    networks: list[Network] = Field(default_factory=list)
    """With `sriov`: the ports that pods get functions of, usually all that GPUs sit near, in a fixed order."""
    netns: Literal["exclusive", "shared"] = "exclusive"
    """With `sriov`: mode of the nodes' RDMA subsystem. `exclusive`: a pod sees the adapters of its own functions alone;
    `shared`, the kernel's own choice, shows it the names and counters of all."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: object) -> object:
        if isinstance(data, bool):
            raise ValueError("which fabric? write none, infiniband, roce or efa")
        return {"kind": data} if isinstance(data, str) else data

    @conflict
    def _belonging(self) -> Iterator[ValueError]:
        functions = bool(self.functions or self.networks or self.netns == "shared")
        said = bool(functions or self.interface or self.hca or self.gid_index is not None or self.resource)
        if self.kind == "none" and (said or self.mode == "sriov" or self.host_network is not None):
            raise ValueError("say which fabric it is: `kind: roce`, `kind: infiniband` or `kind: efa`")
        if self.kind == "efa" and (self.mode == "sriov" or self.hca or self.gid_index is not None or self.host_network):
            raise ValueError("pods reach EFA by its device plugin alone: leave out mode, hostNetwork, hca and gidIndex")
        if self.mode == "sriov" and self.resource:
            yield ValueError("with sriov each network is a resource: leave out `resource`, or mode")
        if self.devices > 1 and not self.elsewhere:
            yield ValueError("`devices` goes with `kind: efa` or `resource:`; adapters that all pods share are one")
        if self.mode == "shared" and functions:
            yield ValueError("functions, networks and netns belong to `mode: sriov`")
        if self.mode == "sriov" and self.host_network:
            yield ValueError("a pod in the node's network gets no interface of its own: leave out hostNetwork, or mode")
        if self.mode == "sriov" and not (self.functions and self.networks):
            yield ValueError("sriov needs `functions:`, how many each port has, and `networks:`, the ports")

    @conflict
    def _networks(self) -> Iterator[ValueError]:
        for one, other in combinations(self.networks, 2):
            if one.resource_name == other.resource_name:
                yield ValueError(f"two networks are called '{one.name}'")
            elif one.port == other.port:
                yield ValueError(f"networks {one.name} and {other.name} are one port, {one.port}")
            elif one.range and other.range and _network(one.range).overlaps(_network(other.range)):
                yield ValueError(
                    f"networks {one.name} and {other.name} have addresses in common: a pod would have two interfaces "
                    "in one network, and answer through either"
                )
        for network in self.networks:
            if self.kind == "roce" and not network.range:
                yield ValueError(f"network {network.name} needs `range:`: RoCE packets carry IP addresses")
            if self.kind == "infiniband" and network.vlan:
                yield ValueError(
                    f"network {network.name} has a vlan, which InfiniBand has not: its partitions are the "
                    "subnet manager's"
                )

    @property
    def shared(self) -> bool:
        """Whether pods share the adapters of their node."""
        return self.kind != "none" and self.mode == "shared"

    @property
    def sriov(self) -> bool:
        """Whether each pod gets functions of its own."""
        return self.mode == "sriov"

    @property
    def in_host_network(self) -> bool:
        """Whether pods that use the fabric run in the node's network."""
        return self.shared and (self.kind == "roce" if self.host_network is None else self.host_network)

    @property
    def elsewhere(self) -> bool:
        """Whether a device plugin that is the cluster's own offers the adapters."""
        return self.shared and (self.kind == "efa" or self.resource is not None)

    @property
    def pinned(self) -> bool:
        """Whether programs lock the memory that they register, for which they need the right."""
        return self.kind in ("infiniband", "roce")

    def resources(self) -> tuple[str, ...]:
        """Extended resources that a pod asks for, one of each unless the pool says how many."""
        if self.sriov:
            return tuple(network.resource for network in self.networks)
        if not self.shared:
            return ()
        return (self.resource or (EFA if self.kind == "efa" else RDMA_RESOURCE),)


def range_problem(rdma: Rdma, nodes: int) -> str:
    """Why the networks' ranges are too small for all functions of so many nodes; empty where they are not."""
    wanted = nodes * (rdma.functions or 0)
    for network in rdma.networks:
        if network.range and network.free() < wanted:
            return (
                f"network {network.name} has {network.free()} addresses for pods, and {nodes} nodes with "
                f"{rdma.functions} functions may need {wanted}"
            )
    return ""


def _network(text: str) -> Addresses:
    try:
        return ip_network(text)
    except ValueError as error:
        why = "has bits set beyond its prefix" if "host bits" in str(error) else "is no network"
        raise ValueError(f"'{text[:60]}' {why}: write it as 10.56.0.0/16") from None


def _within(text: str, addresses: Addresses) -> bool:
    try:
        return ip_address(text) in addresses
    except ValueError:
        return False
