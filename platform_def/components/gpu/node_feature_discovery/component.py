"""Node feature discovery: labels Nodes by what they have, and by what the pool table says of them.

GitOps owns no Node, so every Node label that a component of the stack reads is written from here.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from platform_def.apis.node_features import resource_topology_v1alpha2
from platform_def.apis.node_features.nfd_v1alpha1 import NODE_FEATURE_RULE
from platform_def.capabilities import NodeWork
from platform_def.components.gpu.discovery.parts import DEVICES, TOPOLOGY, WHY, Discovery, PartNames
from platform_def.components.gpu.discovery.pods import UPDATER, updater_pod
from platform_def.components.gpu.pools.node_labels import indistinct, wanted_labels
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    READ,
    Account,
    Component,
    ComponentConfig,
    Crds,
    DaemonSet,
    Definition,
    Offers,
    PodSecurityNeed,
    Problem,
    Release,
    Resource,
    Setting,
    Support,
    Upkeep,
    allow,
    config_map,
    node_paths,
    releases,
    yaml_file,
)

RELEASES = releases(
    # Upstream says 1.24 and newer, and mends the two newest minor releases (docs/reference/versions.md).
    Release(
        "0.19.0",
        image="registry.k8s.io/nfd/node-feature-discovery:v0.19.0",
        kubernetes="1.25-1.37",
        upkeep=Upkeep(Support.CURRENT),
    ),
    license=APACHE,
)

UPDATER_RULES = (
    allow("", "nodes", verbs="get list"),
    allow("", "nodes/configz namespaces", verbs="get"),
    allow("", "pods", verbs=READ),
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs=READ),
    allow(TOPOLOGY, "noderesourcetopologies", verbs="create get update"),
)

NAMES = PartNames(master="nfd-master", worker="nfd-worker", gc="nfd-gc")


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

    pod_security = PodSecurityNeed("privileged", WHY)
    gives = (NodeWork,)

    @classmethod
    def served_by(cls, at: Setting[NodeFeatureDiscoveryConfig]) -> tuple[Definition, ...]:
        """Features and rules, and topologies where it reports them."""
        topology = () if at.config.topology_updater else resource_topology_v1alpha2.CRDS
        return tuple(each for each in super().served_by(at) if each not in topology)

    @classmethod
    def offers(cls, at: Setting[NodeFeatureDiscoveryConfig]) -> Offers:  # noqa: ARG003 - it is the same in every stack
        """Labels of what nodes have."""
        return Offers(capabilities=(NodeWork(work="features"),))

    @classmethod
    def problems(cls, at: Setting[NodeFeatureDiscoveryConfig]) -> Iterator[Problem]:
        """Pools whose labels would land on other nodes."""
        yield from indistinct(at.platform)
        if at.config.topology_updater and at.platform.kubernetes < "1.33":
            yield Problem(
                "components.node-feature-discovery: its topology updater reads kubelets by nodes/configz, a right that "
                "Kubernetes has from 1.33 on",
                hint="leave `topologyUpdater` out",
            )

    def build(self) -> None:
        """Everything that labels Nodes."""
        Crds(self)
        Resource(self, NODE_FEATURE_RULE, "nvidia-devices", spec={"rules": [*DEVICES]})
        Discovery(
            self,
            NAMES,
            image=self.release.image,
            labels=wanted_labels(self.platform),
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
        DaemonSet(self, UPDATER, pod=pod)

    def monitor(self) -> None:
        """Scrape master and workers where the stack has Prometheus; by pod, since they have no Service."""
        if self.monitored:
            from platform_def.apis.prometheus_operator.v1 import POD_MONITOR  # large, and rarely needed

            Resource(
                self,
                POD_MONITOR,
                "nfd-metrics",
                spec={
                    "selector": {"matchLabels": {"app.kubernetes.io/instance": self.slug}},
                    "podMetricsEndpoints": [{"port": "http", "path": "/metrics", "interval": "30s"}],
                },
            )
