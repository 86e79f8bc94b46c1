"""Node feature discovery: labels Nodes by what they have, and by what the pool table says of them.

GitOps owns no Node, so every Node label that a component of the stack reads is written from here.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from platform_def.apis import nfd_v1alpha1, node_resource_topology_v1alpha2
from platform_def.apis.model import Definition
from platform_def.apis.nfd_v1alpha1 import NODE_FEATURE_RULE, Rule
from platform_def.components.gpu.node_feature_discovery_pods import (
    GC,
    MASTER,
    UPDATER,
    WORKER,
    gc_pod,
    master_pod,
    updater_pod,
    worker_pod,
)
from platform_def.components.gpu.node_feature_discovery_pools import beside, indistinct, labels_of, on
from platform_def.config.component import ComponentConfig
from platform_def.config.model import Name
from platform_def.config.platform import NamespaceNeed, Offers, Platform
from platform_def.constructs.component import Component
from platform_def.constructs.config_map import config_map, restart_on_change, yaml_file
from platform_def.constructs.crds import Crds
from platform_def.constructs.node_paths import node_paths
from platform_def.constructs.rbac import Account, allow
from platform_def.constructs.release import Release, releases
from platform_def.constructs.resource import Resource
from platform_def.constructs.workload import DaemonSet, Deployment
from platform_def.errors import Problem

RELEASES = releases(
    Release(version="0.19.0", image="registry.k8s.io/nfd/node-feature-discovery:v0.19.0", apis=nfd_v1alpha1.CRDS)
)

NFD, TOPOLOGY = "nfd.k8s-sigs.io", "topology.node.k8s.io"
LEASE = "nfd-master.nfd.kubernetes.io"
MASTER_RULES = (
    allow("", "namespaces", verbs="list watch"),
    allow("", "nodes nodes/status", verbs="get list patch update"),
    allow(NFD, "nodefeatures nodefeaturerules nodefeaturegroups", verbs="get list watch"),
    allow(NFD, "nodefeaturegroups/status", verbs="patch update"),
    allow("coordination.k8s.io", "leases", verbs="create"),
    allow("coordination.k8s.io", "leases", verbs="get update", names=LEASE),
)
WORKER_RULES = (allow("", "pods", verbs="get"), allow(NFD, "nodefeatures", verbs="create get update delete"))
GC_RULES = (
    allow("", "nodes", verbs="list watch"),
    allow(NFD, "nodefeatures", verbs="delete list"),
    allow(TOPOLOGY, "noderesourcetopologies", verbs="delete list"),
)
UPDATER_RULES = (
    allow("", "nodes", verbs="get list"),
    allow("", "nodes/configz namespaces", verbs="get"),
    allow("", "pods", verbs="get list watch"),
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs="get list watch"),
    allow(TOPOLOGY, "noderesourcetopologies", verbs="create get update"),
)

WHY = "workers read the node's /sys, /boot, /lib and /usr/lib"

# Labels that NVIDIA's and Mellanox' charts look for. Discovery alone would call them pci-<class>_<vendor>.present.
DEVICES: tuple[Rule, ...] = (
    {
        "name": "nvidia-gpu",
        "labels": {"feature.node.kubernetes.io/pci-10de.present": "true", "nvidia.com/gpu.present": "true"},
        "matchFeatures": [
            {
                "feature": "pci.device",
                "matchExpressions": {
                    "vendor": {"op": "In", "value": ["10de"]},
                    "class": {"op": "In", "value": ["0300", "0302"]},
                },
            }
        ],
    },
    {
        "name": "mellanox-network",
        "labels": {"feature.node.kubernetes.io/pci-15b3.present": "true"},
        "matchFeatures": [
            {
                "feature": "pci.device",
                "matchExpressions": {
                    "vendor": {"op": "In", "value": ["15b3"]},
                    "class": {"op": "In", "value": ["0200", "0207"]},
                },
            }
        ],
    },
)


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
        """Pools whose labels would land on other nodes."""
        yield from indistinct(platform.node_pools, platform.components)

    def build(self) -> None:
        """Everything that labels Nodes."""
        Crds(self, apis=(*self.release.apis, *_topology(self.config)))
        Resource(self, NODE_FEATURE_RULE, "nvidia-devices", spec={"rules": [*DEVICES]})
        self.master()
        self.workers()
        Account(self, GC).allow(GC_RULES)
        Deployment(self, GC, pod=gc_pod(self.release.image))
        if self.config.topology_updater:
            self.topology_updater()
        self.monitor()

    def master(self) -> None:
        """What turns reports and rules into labels."""
        Account(self, MASTER).allow(MASTER_RULES)
        file = yaml_file({"enableTaints": self.config.taints})
        config_map(self, "nfd-master-conf", {"nfd-master.conf": file})
        pod = master_pod(self.release.image, leader_election=self.highly_available)
        Deployment(self, MASTER, pod=pod, ha_replicas=2, pod_annotations=restart_on_change(file))

    def workers(self) -> None:
        """A worker on every node: one DaemonSet for each pool that has labels of its own, and one for all other nodes.

        Two workers on a node would overwrite each other's report.
        """
        Account(self, WORKER).allow_in(self.namespace, WORKER_RULES)
        pools = [(pool, labels_of(pool, self.platform.components)) for pool in self.platform.node_pools]
        own = [(pool, labels) for pool, labels in pools if labels]
        files = {"nfd-worker.conf": self.worker_file({})}
        files |= {f"{pool.name}.conf": self.worker_file(labels) for pool, labels in own}
        config_map(self, "nfd-worker-conf", files)
        rest = worker_pod(self.release.image, self.platform.node_pools, "nfd-worker.conf")
        if own:
            rest["affinity"] = {"nodeAffinity": beside([pool for pool, _ in own])}
        DaemonSet(self, WORKER, pod=rest, pod_annotations=restart_on_change(files["nfd-worker.conf"]), every_node=True)
        for pool, _ in own:
            key = f"{pool.name}.conf"
            pod = worker_pod(self.release.image, self.platform.node_pools, key)
            pod["affinity"] = {"nodeAffinity": on(pool)}
            note = restart_on_change(files[key])
            DaemonSet(self, f"{WORKER}-{pool.name}", pod=pod, pod_annotations=note, every_node=True)

    def worker_file(self, labels: dict[str, str]) -> str:
        """The configuration of a worker; a custom rule without conditions holds wherever the worker runs."""
        core = {"core": {"sleepInterval": f"{self.config.interval_seconds}s"}}
        custom = {"sources": {"custom": [{"name": "pool", "labels": labels}]}} if labels else {}
        return yaml_file({**core, **custom})

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


def _topology(config: NodeFeatureDiscoveryConfig) -> tuple[Definition, ...]:
    return node_resource_topology_v1alpha2.CRDS if config.topology_updater else ()
