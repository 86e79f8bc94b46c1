"""What a pod needs to use its pool's RDMA fabric, and what it cannot have: all that follows from `rdma: true`.

Adapters that pods share are used through the node's network where packets carry its addresses; virtual functions are
interfaces of the pod's own, beside that of the cluster's network.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.core.core_v1 import EnvVar, PodSpec
from platform_def.config.fabrics import network_name, networks_namespace
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.rdma import Rdma
from platform_def.config.teams import Team
from platform_def.jobs.template import JobProblem

NETWORKS = "k8s.v1.cni.cncf.io/networks"
"""Annotation of a pod that names the networks it is attached to, in the order of its interfaces `net1`, `net2` …"""
CLUSTER_INTERFACE = "eth0"
"""A pod's interface in the cluster's own network, where names of Services and pods lead."""


def fabric_limits(rdma: Rdma) -> dict[str, str]:
    """Extended resources of one pod: its access to the shared adapters, or a function of each network."""
    return dict.fromkeys(rdma.resources(), "1")


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


def fabric_env(rdma: Rdma) -> Iterator[EnvVar]:
    """NCCL's and UCX' choice of transport.

    RoCE needs the GID of RoCE v2 by address, index 3 of ports and functions of NVIDIA's adapters; newer NCCL finds it.
    """
    if rdma.kind == "none":
        return
    yield {"name": "NCCL_IB_DISABLE", "value": "0"}
    yield {"name": "NCCL_NET_GDR_LEVEL", "value": "PHB"}
    if rdma.kind == "roce":
        yield {"name": "NCCL_IB_GID_INDEX", "value": "3"}
    if rdma.sriov:
        # NCCL would prefer an interface of InfiniBand to meet at, where the other pods' names do not lead.
        yield {"name": "NCCL_SOCKET_IFNAME", "value": CLUSTER_INTERFACE}
        if len(rdma.networks) > 1 and not all(network.gateway for network in rdma.networks):
            # No router leads from one network to the other.
            yield {"name": "NCCL_CROSS_NIC", "value": "0"}
    yield {"name": "UCX_NET_DEVICES", "value": "all"}


def fabric_demand_problems(pool: NodePool, pods: int, team: Team | None, platform: Platform) -> Iterator[JobProblem]:
    """Why so many pods of a job cannot use the pool's fabric."""
    rdma = pool.rdma
    if rdma.kind == "none":
        text = f"pool {pool.name} has no RDMA fabric"
        yield JobProblem("rdma", text, "leave `rdma` out, or say which fabric the pool has")
        return
    missing = [name for name in rdma.resources() if not platform.offers_resource(name)]
    if missing:
        component = "sriov-network-device-plugin" if rdma.sriov else "rdma-shared-device-plugin"
        hint = f"add `{component}: {{}}` under components, or `{{provided: true}}` when the cluster has it"
        yield JobProblem("rdma", f"nothing in the stack offers {', '.join(missing)}", hint)
    if rdma.sriov and pods > pool.nodes * (rdma.functions or 0):
        there = pool.nodes * (rdma.functions or 0)
        yield JobProblem("workers", f"{pods} pods use the fabric, and pool {pool.name} has functions for {there}")
    if rdma.in_host_network and pods > pool.nodes:
        # The operators give every pod of a job one port, which is the node's then.
        text = f"{pods} pods use the fabric through the network of their node, one a node, and there are {pool.nodes}"
        yield JobProblem("workers", text, "use fewer pods with more GPUs each, or give the pool virtual functions")
    if team and team.pod_security != "privileged":
        why = "the node's network" if rdma.in_host_network else "IPC_LOCK" if not pool.memlock_unlimited else ""
        if why:
            text = f"RDMA needs {why}, which Pod Security level '{team.pod_security}' of team {team.name} forbids"
            yield JobProblem("team", text, "set `podSecurity: privileged` for the team")
