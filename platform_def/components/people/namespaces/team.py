"""What a team's namespace holds beside the team's own objects: limits, defaults, and who may connect to its pods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from platform_def.apis.core.core_v1 import LimitRangeItem
from platform_def.apis.core.meta_v1 import LabelSelectorRequirement
from platform_def.apis.core.networking_v1 import (
    IPBlock,
    NetworkPolicyEgressRule,
    NetworkPolicyIngressRule,
    NetworkPolicyPeer,
    NetworkPolicySpec,
)
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.storage import DatasetConfig
from platform_def.config.teams import Team
from platform_def.constructs import Problem
from platform_def.constructs.dataset import dataset_problems

NAME = "kubernetes.io/metadata.name"
METADATA_SERVICE = ("169.254.169.254/32", "fd00:ec2::254/128")
"""Where clouds give nodes their credentials: AWS, Azure and Google by IPv4, AWS also by IPv6."""
API_SERVER_PORTS = (443, 6443)
"""Of its Service, and of the server itself as kubeadm has it: which of them a policy sees is up to the network."""


def defaults(team: Team) -> LimitRangeItem | None:
    """What containers ask for that say nothing. Limits stay theirs: one here would be below what others ask for."""
    asked = {"cpu": team.pod_defaults.cpu, "memory": team.pod_defaults.memory}
    item: LimitRangeItem = {
        "type": "Container",
        "defaultRequest": {name: amount for name, amount in asked.items() if amount is not None},
    }
    return item if item["defaultRequest"] else None


def unheld(
    dataset: DatasetConfig, team: Team, platform: Platform, *, place: tuple[str | int, ...]
) -> Iterator[Problem]:
    """Why a dataset cannot be: its storage, or the disks of the pools on whose nodes it is copied."""
    who = f"team {team.name}: {place[-2]}.{place[-1]}"
    pools: list[NodePool | None] = []
    if dataset.local_copy:
        pools += (pool for pool in platform.node_pools if pool.local_disk)
    if dataset.local_copy and not pools:
        hint = "write `nodePools: [{name: …, localDisk: {path: /mnt/nvme}}]`, or leave localCopy out"
        yield Problem(f"{who}.localCopy: no node pool has a local disk", hint=hint, at=place)
        dataset = dataset.model_copy(update={"local_copy": None})
    found = {
        problem.text: problem
        for pool in pools or [None]
        for problem in dataset_problems(dataset, platform, pool=pool, namespace=team.home, who=who)
    }
    for problem in found.values():
        yield replace(problem, at=place)


def network_policy(team: Team, platform: Platform) -> NetworkPolicySpec:
    """Closed to everybody but the namespace itself and components; open to what pods of a team cannot do without."""
    components = {fact.namespace for fact in platform.components.values() if fact.namespace} - {team.home}
    friends: list[NetworkPolicyPeer] = [{"podSelector": {}}, *_peers(sorted(components))]
    ingress: NetworkPolicyIngressRule = {"from": [*friends, *_peers(team.network.ingress_from)]}
    return {
        "podSelector": {},
        "policyTypes": ["Ingress", "Egress"],
        "ingress": [ingress],
        "egress": list(_egress(team, friends, gke=platform.distribution == "gke")),
    }


def _egress(team: Team, friends: Sequence[NetworkPolicyPeer], *, gke: bool) -> Iterator[NetworkPolicyEgressRule]:
    to = team.network.egress_to
    yield {"to": [*friends, *(_peers(to) if isinstance(to, list) else ())]}
    # Everywhere: a cache of names on the node has an address that no selector knows.
    yield {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]}
    if to == "anywhere":
        # Some networks take nodes, and the API server on them, for no part of any block of addresses.
        yield {"ports": [{"port": port, "protocol": "TCP"} for port in API_SERVER_PORTS]}
        kept = () if team.network.node_credentials or gke else METADATA_SERVICE
        yield {"to": [_block("0.0.0.0/0", kept[:1]), _block("::/0", kept[1:])]}


def _block(network: str, kept: Sequence[str]) -> NetworkPolicyPeer:
    block: IPBlock = {"cidr": network}
    if kept:
        block["except"] = [*kept]
    return {"ipBlock": block}


def _peers(named: Sequence[str]) -> Iterator[NetworkPolicyPeer]:
    """Namespaces in one selector, networks one by one."""
    namespaces = [each for each in named if "/" not in each]
    if namespaces:
        name: LabelSelectorRequirement = {"key": NAME, "operator": "In", "values": namespaces}
        yield {"namespaceSelector": {"matchExpressions": [name]}}
    for each in named:
        if "/" in each:
            yield {"ipBlock": {"cidr": each}}
