from typing import Any

import pytest

from platform_def import yaml
from platform_def.components.gpu.node_feature_discovery.component import (
    NodeFeatureDiscovery,
    NodeFeatureDiscoveryConfig,
)
from platform_def.components.gpu.pools.node_labels import beside
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.render import render
from tests.unit.built import stack_of, told


def labelled(*pools: NodePool, **manager: Any) -> dict[str, Any]:
    """What is made where MIG manager reads labels."""
    return objects(*pools, provisions=stack_of({"mig-manager": manager}, node_pools=pools).provisions)


def pool(name: str, model: str = "t4", mig: dict[str, int] | None = None, **more: Any) -> NodePool:
    gpu = {"model": model, "perNode": 2, **({"mig": {"layout": mig}} if mig else {})}
    return NodePool.from_file({"name": name, "selector": {"pool": name}, "gpu": gpu, **more})


def objects(*pools: NodePool, config: NodeFeatureDiscoveryConfig | None = None, **facts: Any) -> dict[str, Any]:
    platform = Platform(node_pools=pools, **facts)
    build = render(lambda scope: NodeFeatureDiscovery(scope, config=config, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def pod(made: dict[str, Any], key: str) -> dict[str, Any]:
    spec: dict[str, Any] = made[key]["spec"]["template"]["spec"]
    return spec


def workers(made: dict[str, Any]) -> list[str]:
    return sorted(key.partition("/")[2] for key in made if key.startswith("DaemonSet/"))


def chosen(labels: dict[str, str], spec: dict[str, Any]) -> bool:
    """Whether a node with these labels is one that the pod's node affinity admits."""
    if "affinity" not in spec:
        return True
    terms = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    return any(
        all(
            (labels.get(each["key"]) in each["values"]) == (each["operator"] == "In")
            for each in term["matchExpressions"]
        )
        for term in terms
    )


def test_nobody_asks_for_labels_and_one_worker_does() -> None:
    made = objects(pool("a"), pool("m", "h100-80gb", {"1g.10gb": 7}))

    assert workers(made) == ["nfd-worker"]
    assert "affinity" not in pod(made, "DaemonSet/nfd-worker")


def test_a_pool_with_mig_gets_a_worker_that_reports_its_layout() -> None:
    made = labelled(pool("a"), pool("m", "h100-80gb", {"1g.10gb": 7}))
    file: Any = yaml.load(made["ConfigMap/nfd-worker-conf"]["data"]["m.conf"])

    assert workers(made) == ["nfd-worker", "nfd-worker-m"]
    assert file["sources"]["custom"] == [{"name": "pool", "labels": {"nvidia.com/mig.config": "1g.10gb-7"}}]
    assert pod(made, "DaemonSet/nfd-worker-m")["volumes"][-1]["configMap"]["items"] == [
        {"key": "m.conf", "path": "nfd-worker.conf"}
    ]


def test_a_capable_pool_without_mig_is_told_to_turn_it_off() -> None:
    made = labelled(pool("a", "a100-80gb"))

    assert "nvidia.com/mig.config: all-disabled" in made["ConfigMap/nfd-worker-conf"]["data"]["a.conf"]


@pytest.mark.parametrize(
    ("labels", "worker"),
    [
        ({"pool": "m", "zone": "a"}, "nfd-worker-m"),
        ({"pool": "m", "zone": "b"}, "nfd-worker"),
        ({"pool": "n"}, "nfd-worker-n"),
        ({}, "nfd-worker"),
        ({"pool": "other"}, "nfd-worker"),
    ],
)
def test_every_node_has_exactly_one_worker(labels: dict[str, str], worker: str) -> None:
    pools = (
        pool("m", "h100-80gb", {"1g.10gb": 7}, selector={"pool": "m", "zone": "a"}),
        pool("n", "h100-80gb", {"3g.40gb": 2}),
    )
    made = labelled(*pools)
    running = [name for name in workers(made) if chosen(labels, pod(made, f"DaemonSet/{name}"))]

    assert running == [worker]


def test_labels_that_people_write_or_that_the_clusters_own_manager_reads_are_left_alone() -> None:
    cut = pool("m", "h100-80gb", {"1g.10gb": 7})

    assert workers(labelled(cut, labelledBy="manual")) == ["nfd-worker"]
    assert workers(labelled(cut, provided=True)) == ["nfd-worker"]


def test_a_node_beside_one_pool_is_a_plain_not_in() -> None:
    terms = beside([pool("m")])["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert terms == [{"matchExpressions": [{"key": "pool", "operator": "NotIn", "values": ["m"]}]}]


def test_workers_bear_the_taints_of_all_pools() -> None:
    spec = pod(objects(pool("a", taints=["gpu=a:NoSchedule"])), "DaemonSet/nfd-worker")

    assert {"key": "gpu", "operator": "Equal", "value": "a", "effect": "NoSchedule"} in spec["tolerations"]


def test_a_rule_writes_the_labels_that_gpu_charts_look_for() -> None:
    rules = objects()["NodeFeatureRule/nvidia-devices"]["spec"]["rules"]

    assert rules[0]["labels"]["feature.node.kubernetes.io/pci-10de.present"] == "true"
    assert rules[1]["labels"] == {"feature.node.kubernetes.io/pci-15b3.present": "true"}


def test_high_availability_elects_a_leader() -> None:
    made = objects(availability="ha")

    assert made["Deployment/nfd-master"]["spec"]["replicas"] == 2
    assert pod(made, "Deployment/nfd-master")["containers"][0]["args"] == ["-enable-leader-election"]
    assert "args" not in pod(objects(), "Deployment/nfd-master")["containers"][0]


def test_the_topology_updater_comes_with_its_api_and_the_kubelets_folder() -> None:
    config = NodeFeatureDiscoveryConfig(topology_updater=True, topology_interval_seconds=10)
    made = objects(config=config, distribution="microk8s")
    spec = pod(made, "DaemonSet/nfd-topology-updater")

    assert "CustomResourceDefinition/noderesourcetopologies.topology.node.k8s.io" in made
    assert spec["volumes"][1]["hostPath"]["path"] == "/var/snap/microk8s/common/var/lib/kubelet"
    assert "-sleep-interval=10s" in spec["containers"][0]["args"]
    assert "DaemonSet/nfd-topology-updater" not in objects()


def test_pods_are_scraped_where_there_is_prometheus() -> None:
    made = objects(apis=frozenset({"ServiceMonitor.monitoring.coreos.com"}))

    assert "PodMonitor/nfd-metrics" in made
    assert "PodMonitor/nfd-metrics" not in objects()


def problems(*pools: NodePool) -> list[str]:
    return told(NodeFeatureDiscovery, beside={"mig-manager": {}}, node_pools=pools)


def test_a_labelled_pool_needs_a_selector() -> None:
    (problem,) = problems(pool("m", "h100-80gb", {"1g.10gb": 7}, selector={}))

    assert "pool m has no selector" in problem


def test_two_labelled_pools_on_the_same_nodes_are_refused() -> None:
    (problem,) = problems(
        pool("m", "h100-80gb", {"1g.10gb": 7}, selector={"gpu": "yes"}),
        pool("n", "h100-80gb", selector={"gpu": "yes", "zone": "a"}),
    )

    assert "pools m and n select the same nodes" in problem


def test_pools_without_labels_may_overlap() -> None:
    assert problems(pool("a", selector={"gpu": "yes"}), pool("b", selector={"gpu": "yes"})) == []
