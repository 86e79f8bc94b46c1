"""Node feature discovery: labels Nodes by what they have, and by what the pool table says of them.

GitOps owns no Node, so every Node label that a component of the stack reads is written from here.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from platform_def.apis import nfd_v1alpha1, node_resource_topology_v1alpha2
from platform_def.apis.model import Definition
from platform_def.apis.nfd_v1alpha1 import NODE_FEATURE_RULE
from platform_def.components.gpu.gpu_operator_stack import cluster_rivals
from platform_def.components.gpu.node_feature_discovery_parts import DEVICES, TOPOLOGY, WHY, Discovery, Names
from platform_def.components.gpu.node_feature_discovery_pods import UPDATER, updater_pod
from platform_def.components.gpu.node_feature_discovery_pools import indistinct, labels_of
from platform_def.config.component import ComponentConfig
from platform_def.config.model import Name
from platform_def.config.platform import NamespaceNeed, Offers, Platform
from platform_def.constructs.component import Component
from platform_def.constructs.config_map import config_map, yaml_file
from platform_def.constructs.crds import Crds
from platform_def.constructs.node_paths import node_paths
from platform_def.constructs.rbac import Account, allow
from platform_def.constructs.release import Release, releases
from platform_def.constructs.resource import Resource
from platform_def.constructs.workload import DaemonSet
from platform_def.errors import Problem

RELEASES = releases(
    Release(version="0.19.0", image="registry.k8s.io/nfd/node-feature-discovery:v0.19.0", apis=nfd_v1alpha1.CRDS)
)

UPDATER_RULES = (
    allow("", "nodes", verbs="get list"),
    allow("", "nodes/configz namespaces", verbs="get"),
    allow("", "pods", verbs="get list watch"),
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs="get list watch"),
    allow(TOPOLOGY, "noderesourcetopologies", verbs="create get update"),
)

NAMES = Names(master="nfd-master", worker="nfd-worker", gc="nfd-gc")


class NodeFeatureDiscoveryConfig(ComponentConfig):
    """What a stack may choose about node feature discovery; labels of pools follow from `nodePools`."""

    releases = RELEASES

    namespace: Name = "node-feature-discovery"
    """Namespace, as upstream has it; it needs the privileged Pod Security level."""
    interval_seconds: int = Field(default=60, ge=1)
    """How often workers look at their node, as upstream has it."""
    taints: bool = False
    """Let NodeFeatureRules taint Nodes; off as upstream has it, since a rule then can empty the cluster."""
    topology_updater: bool = False
    """Report what each NUMA zone has left (NodeResourceTopology), for schedulers that place by it. Off: it asks every
    kubelet, and writes an object for each node."""
    topology_interval_seconds: int = Field(default=60, ge=1)
    """How often it does; upstream's example has 3, which is a lot of writes in a large cluster."""


class NodeFeatureDiscovery(Component[NodeFeatureDiscoveryConfig]):
    """CRDs, master, workers, garbage collector, rules, and the topology updater where it is asked for."""

    @classmethod
    def offers(cls, config: NodeFeatureDiscoveryConfig) -> Offers:
        """Its namespace, and the APIs of features and rules."""
        kinds = [definition.api for definition in (*cls.release_of(config).apis, *_topology(config))]
        return Offers(
            namespaces=(NamespaceNeed(config.namespace, "privileged", why=WHY),),
            apis=tuple(f"{api.kind}.{api.group}" for api in kinds),
        )

    @classmethod
    def problems(cls, config: NodeFeatureDiscoveryConfig, platform: Platform) -> Iterator[Problem]:  # noqa: ARG003
        """Pools whose labels would land on other nodes, and another discovery."""
        yield from cluster_rivals("node-feature-discovery", platform)
        yield from indistinct(platform.node_pools, _rendered(platform))

    def build(self) -> None:
        """Everything that labels Nodes."""
        Crds(self, apis=(*self.release.apis, *_topology(self.config)))
        Resource(self, NODE_FEATURE_RULE, "nvidia-devices", spec={"rules": [*DEVICES]})
        Discovery(
            self,
            NAMES,
            image=self.release.image,
            labels={pool.name: labels_of(pool, _rendered(self.platform)) for pool in self.platform.node_pools},
            interval_seconds=self.config.interval_seconds,
            taints=self.config.taints,
        )
        if self.config.topology_updater:
            self.topology_updater()
        self.monitor()

    def topology_updater(self) -> None:
        """What reports NUMA zones."""
        Account(self, UPDATER).allow(UPDATER_RULES)
        config_map(self, "nfd-topology-updater-conf", {f"{UPDATER}.conf": yaml_file({"excludeList": {}})})
        pod = updater_pod(
            self.release.image,
            self.platform.node_pools,
            kubelet=node_paths(self.platform.distribution).kubelet,
            interval_seconds=self.config.topology_interval_seconds,
        )
        DaemonSet(self, UPDATER, pod=pod, every_node=True)

    def monitor(self) -> None:
        """Scrape master and workers where the stack has Prometheus; by pod, since they have no Service."""
        if self.monitored:
            from platform_def.apis.prometheus_operator_v1 import POD_MONITOR  # large, and rarely needed

            Resource(
                self,
                POD_MONITOR,
                "nfd-metrics",
                spec={
                    "selector": {"matchLabels": {"app.kubernetes.io/instance": self.slug}},
                    "podMetricsEndpoints": [{"port": "http", "path": "/metrics", "interval": "30s"}],
                },
            )


def _rendered(platform: Platform) -> set[str]:
    """Components that are made here: one that the cluster has does not know what the pools call things."""
    return {name for name, fact in platform.components.items() if not fact.provided}


def _topology(config: NodeFeatureDiscoveryConfig) -> tuple[Definition, ...]:
    return node_resource_topology_v1alpha2.CRDS if config.topology_updater else ()
