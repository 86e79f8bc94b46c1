"""What a pod needs to use its pool's RDMA fabric, and what it cannot have: all that follows from `rdma: true`.

Adapters that pods share are used through the node's network where packets carry its addresses; virtual functions are
interfaces of the pod's own, beside that of the cluster's network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from platform_def.apis.core.core_v1 import EnvVar, PodSpec
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool, offered
from platform_def.config.rdma import Rdma
from platform_def.config.teams import Team
from platform_def.constructs.fabrics import network_name, networks_namespace
from platform_def.jobs.problem import JobProblem

NETWORKS = "k8s.v1.cni.cncf.io/networks"
"""Annotation of a pod that names the networks it is attached to, in the order of its interfaces `net1`, `net2` …"""
CLUSTER_INTERFACE = "eth0"
"""A pod's interface in the cluster's own network, where names of Services and pods lead."""


def fabric_limits(pool: NodePool, gpus: int) -> dict[str, str]:
    """Extended resources of one pod: access to all adapters, its share of them, or a function of each network."""
    whole = sum(offered(pool).values())
    part = pool.rdma.devices * gpus // whole if gpus and whole else 0
    return dict.fromkeys(pool.rdma.resources(), str(max(part, 1)))


def fabric_annotations(pool: NodePool, platform: Platform) -> dict[str, str]:
    """Annotations of a pod that gets functions of the pool's networks."""
    if not pool.rdma.sriov:
        return {}
    home = networks_namespace(platform)
    return {NETWORKS: ", ".join(f"{home}/{network_name(pool, network)}" for network in pool.rdma.networks)}


def in_fabric(pod: PodSpec, rdma: Rdma) -> PodSpec:
    """The pod in the node's network, where the fabric asks for it; names of Services still resolve."""
    if not rdma.in_host_network:
        return pod
    return {**pod, "hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}


@dataclass(frozen=True)
class FabricChoice:
    """What a job says of the way to its fabric; its pool says the rest, or libraries find it themselves."""

    interface: str | None = None
    """Network interface that processes meet at."""
    adapters: tuple[str, ...] = ()
    """RDMA adapters to use."""
    gid_index: int | None = None
    """GID of RoCE ports to use; NCCL from 2.21 on finds it, also on VLANs and bonds, unless it is set."""


def fabric_env(rdma: Rdma, choice: FabricChoice | None = None) -> Iterator[EnvVar]:
    """NCCL's and UCX' choice of transport."""
    choice = choice or FabricChoice()
    interface, adapters = choice.interface or rdma.interface, choice.adapters or rdma.hca
    gid_index = rdma.gid_index if choice.gid_index is None else choice.gid_index
    if rdma.sriov and interface is None:
        # NCCL would prefer an interface of InfiniBand to meet at, where the other pods' names do not lead.
        interface = CLUSTER_INTERFACE
    if rdma.pinned:
        if adapters:
            # An equals sign: the names are meant exactly, not as beginnings.
            yield {"name": "NCCL_IB_HCA", "value": f"={','.join(adapters)}"}
        if gid_index is not None:
            yield {"name": "NCCL_IB_GID_INDEX", "value": str(gid_index)}
    if interface:
        yield {"name": "NCCL_SOCKET_IFNAME", "value": interface}
        yield {"name": "GLOO_SOCKET_IFNAME", "value": interface}
    if rdma.kind == "efa":
        # libfabric would take TCP where it finds no adapter, without a word.
        yield {"name": "FI_PROVIDER", "value": "efa"}
    if not rdma.pinned:
        return
    if rdma.sriov and len(rdma.networks) > 1 and not all(network.gateway for network in rdma.networks):
        # No router leads from one network to the other.
        yield {"name": "NCCL_CROSS_NIC", "value": "0"}
    yield {"name": "UCX_NET_DEVICES", "value": ",".join(map(_with_port, adapters)) or "all"}


def _with_port(adapter: str) -> str:
    """UCX names a port of an adapter always; most have one."""
    return adapter if ":" in adapter else f"{adapter}:1"


def meeting_problems(
    pool: NodePool, *, pods: int, interface: str | None, coordinator: str, team: Team | None
) -> Iterator[JobProblem]:
    """Why pods of a job that use the fabric through the network of their node would not find each other."""
    if not pool.rdma.in_host_network:
        return
    if pods > 1 and not (interface or pool.rdma.interface):
        text = "processes would meet at the first interface of their node, or at the address of its name"
        hint = f"name the fabric's once in pool {pool.name}: `rdma: {{kind: {pool.rdma.kind}, interface: ens1f0np0}}`"
        yield JobProblem("interface", text, hint)
    if coordinator and team and team.network.policy == "closed":
        if not any("/" in peer for peer in team.network.ingress_from):
            text = f"workers reach {coordinator} from their nodes' addresses, and team {team.name} lets none of them in"
            hint = "name the nodes' network in the team: `network: {ingressFrom: [10.0.0.0/16]}`"
            yield JobProblem("team", text, hint)
        to = team.network.egress_to
        if to != "anywhere" and not any("/" in peer for peer in to):
            text = f"{coordinator} reaches workers at their nodes' addresses, and team {team.name} lets it reach none"
            hint = "name the nodes' network in the team: `network: {egressTo: [10.0.0.0/16]}`"
            yield JobProblem("team", text, hint)


def fabric_demand_problems(pool: NodePool, pods: int, team: Team | None, platform: Platform) -> Iterator[JobProblem]:
    """Why so many pods of a job cannot use the pool's fabric."""
    rdma = pool.rdma
    if rdma.kind == "none":
        text = f"pool {pool.name} has no RDMA fabric"
        yield JobProblem("rdma", text, "leave `rdma` out, or say which fabric the pool has")
        return
    missing = [name for name in rdma.resources() if not platform.offers_resource(name)]
    if missing:
        yield JobProblem("rdma", f"nothing in the stack offers {', '.join(missing)}", missing=missing[0])
    if rdma.sriov and pods > pool.nodes * (rdma.functions or 0):
        there = pool.nodes * (rdma.functions or 0)
        yield JobProblem("workers", f"{pods} pods use the fabric, and pool {pool.name} has functions for {there}")
    if rdma.in_host_network and pods > pool.nodes:
        # The operators give every pod of a job one port, which is the node's then.
        text = f"{pods} pods use the fabric through the network of their node, one a node, and there are {pool.nodes}"
        yield JobProblem("workers", text, "use fewer pods with more GPUs each, or give the pool virtual functions")
    if team and team.pod_security != "privileged":
        why = (
            "the node's network"
            if rdma.in_host_network
            else "IPC_LOCK"
            if rdma.pinned and not pool.memlock_unlimited
            else ""
        )
        if why:
            text = f"RDMA needs {why}, which Pod Security level '{team.pod_security}' of team {team.name} forbids"
            yield JobProblem("team", text, "set `podSecurity: privileged` for the team")
