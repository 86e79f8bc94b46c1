"""Node feature discovery: master, workers and garbage collector, under names that the component chooses.

The GPU Operator brings the same programs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from platform_def.apis.node_features.nfd_v1alpha1 import Rule
from platform_def.components.gpu.discovery.pods import gc_pod, master_pod, worker_pod
from platform_def.components.gpu.pools.node_labels import beside, on
from platform_def.config.pools import NodePool
from platform_def.constructs import (
    READ,
    Account,
    DaemonSet,
    Deployment,
    Piece,
    Scope,
    allow,
    config_map,
    restart_on_change,
    yaml_file,
)

NFD, TOPOLOGY = "nfd.k8s-sigs.io", "topology.node.k8s.io"
MASTER_RULES = (
    allow("", "namespaces", verbs="list watch"),
    allow("", "nodes nodes/status", verbs="get list patch update"),
    allow(NFD, "nodefeatures nodefeaturerules nodefeaturegroups", verbs=READ),
    allow(NFD, "nodefeaturegroups/status", verbs="patch update"),
    allow("coordination.k8s.io", "leases", verbs="create"),
    allow("coordination.k8s.io", "leases", verbs="get update", names="nfd-master.nfd.kubernetes.io"),
)
WORKER_RULES = (allow("", "pods", verbs="get"), allow(NFD, "nodefeatures", verbs="create get update delete"))
GC_RULES = (
    allow("", "nodes", verbs="list watch"),
    allow(NFD, "nodefeatures", verbs="delete list"),
    allow(TOPOLOGY, "noderesourcetopologies", verbs="delete list"),
)
WHY = "workers read the node's /sys, /boot, /lib and /usr/lib"


def _devices(name: str, vendor: str, classes: list[str], labels: dict[str, str]) -> Rule:
    expressions = {"vendor": [vendor], "class": classes}
    return {
        "name": name,
        "labels": labels,
        "matchFeatures": [
            {
                "feature": "pci.device",
                "matchExpressions": {key: {"op": "In", "value": values} for key, values in expressions.items()},
            }
        ],
    }


PRESENT = "feature.node.kubernetes.io/pci-{}.present"
DEVICES = (
    _devices(
        "nvidia-gpu", "10de", ["0300", "0302"], {PRESENT.format("10de"): "true", "nvidia.com/gpu.present": "true"}
    ),
    _devices("mellanox-network", "15b3", ["0200", "0207"], {PRESENT.format("15b3"): "true"}),
)
"""Labels that NVIDIA's and Mellanox' charts look for; discovery by itself writes `pci-<class>_<vendor>.present`."""


@dataclass(frozen=True)
class PartNames:
    """What the programs are called; accounts, roles and bindings are called after them."""

    master: str
    worker: str
    gc: str

    @property
    def master_conf(self) -> str:
        """ConfigMap of the master."""
        return f"{self.master}-conf"

    @property
    def worker_conf(self) -> str:
        """ConfigMap of all workers."""
        return f"{self.worker}-conf"


class Discovery(Piece):
    """What turns reports and rules into labels, what reports, and what removes reports of nodes that are gone."""

    def __init__(
        self,
        scope: Scope,
        names: PartNames,
        *,
        image: str,
        labels: Mapping[str, Mapping[str, str]],
        interval_seconds: int = 60,
        taints: bool = False,
    ):
        """`labels` by name of the pool."""
        super().__init__(scope, names.master)
        self.names = names
        self.image = image
        self.interval_seconds = interval_seconds
        self.pools = self.component.platform.node_pools
        self.labels = labels
        self.master(taints)
        self.workers([pool for pool in self.pools if labels.get(pool.name)])
        Account(self, names.gc).allow(GC_RULES)
        Deployment(self, names.gc, pod=gc_pod(image, names.gc))

    def master(self, taints: bool) -> None:
        """The master, two of them where availability is asked for."""
        names = self.names
        Account(self, names.master).allow(MASTER_RULES)
        file = yaml_file({"enableTaints": taints})
        config_map(self, names.master_conf, {"nfd-master.conf": file})
        pod = master_pod(self.image, names.master, names.master_conf, leader_election=self.component.highly_available)
        Deployment(self, names.master, pod=pod, ha_replicas=2, pod_annotations=restart_on_change(file))

    def workers(self, own: Sequence[NodePool]) -> None:
        """A worker on every node: one DaemonSet for each pool that has labels of its own, and one for all other nodes.

        Two workers on a node would overwrite each other's report.
        """
        names = self.names
        Account(self, names.worker).allow_in(self.component.namespace, WORKER_RULES)
        files = {"nfd-worker.conf": self.file({})}
        files |= {f"{pool.name}.conf": self.file(self.labels[pool.name]) for pool in own}
        config_map(self, names.worker_conf, files)
        placed = {names.worker: ("nfd-worker.conf", beside(own) if own else None)}
        placed |= {_of_pool(pool): (f"{pool.name}.conf", on(pool)) for pool in own}
        for name, (key, nodes) in placed.items():
            pod = worker_pod(self.image, names.worker, names.worker_conf, key=key, pools=self.pools)
            if nodes:
                pod["affinity"] = {"nodeAffinity": nodes}
            DaemonSet(self, name, pod=pod, pod_annotations=restart_on_change(files[key]))

    def file(self, labels: Mapping[str, str]) -> str:
        """The configuration of a worker; a custom rule without conditions holds wherever the worker runs."""
        core = {"core": {"sleepInterval": f"{self.interval_seconds}s"}}
        custom = {"sources": {"custom": [{"name": "pool", "labels": dict(labels)}]}} if labels else {}
        return yaml_file({**core, **custom})


def _of_pool(pool: NodePool) -> str:
    """Name of a pool's worker; it is a label's value too, so it has at most 63 characters."""
    name = f"nfd-worker-{pool.name}"
    return name if len(name) <= 63 else f"{name[:54].rstrip('-')}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
