"""Multus: the thin plugin on the nodes that need it, with a configuration that goes when it goes."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.components.fabrics.multus.component import Multus, MultusConfig
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.render import render
from tests.unit.built import setting, stack_of, told

RAILS = NodePool.from_file(
    {
        "name": "rails",
        "selector": {"pool": "rails"},
        "rdma": {
            "kind": "roce",
            "mode": "sriov",
            "functions": 2,
            "networks": [{"name": "rail0", "interface": "ens1", "range": "10.56.0.0/24"}],
        },
    }
)


def objects(config: dict[str, Any] | None = None, **facts: Any) -> dict[str, Any]:
    chosen, platform = MultusConfig.from_file(config or {}), Platform(**facts)
    build = render(lambda scope: Multus(scope, config=chosen, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def pod(config: dict[str, Any] | None = None, **facts: Any) -> dict[str, Any]:
    spec: dict[str, Any] = objects(config, **facts)["DaemonSet/kube-multus-ds"]["spec"]["template"]["spec"]
    return spec


def arguments(config: dict[str, Any] | None = None, **facts: Any) -> list[str]:
    found: list[str] = pod(config, **facts)["containers"][0]["args"]
    return found


def test_its_configuration_is_removed_and_its_token_renewed() -> None:
    assert "--cleanup-config-on-exit=true" in arguments()


def test_it_runs_where_pods_get_functions() -> None:
    affinity = pod(node_pools=(RAILS, NodePool(name="cpu")))["affinity"]["nodeAffinity"]
    (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert term["matchExpressions"] == [{"key": "pool", "operator": "In", "values": ["rails"]}]
    assert "affinity" not in pod({"everyNode": True}, node_pools=(RAILS,))
    assert "affinity" not in pod()


def test_pods_may_name_networks_of_the_platform_and_their_own() -> None:
    home = stack_of({"sriov-cni": {"namespace": "fabric"}}).provisions

    assert "--namespace-isolation=true" in arguments(provisions=home)
    assert arguments(provisions=home)[-1] == "--global-namespaces=fabric"
    assert arguments({"sharedNamespaces": ["a"]}, provisions=home)[-1] == "--global-namespaces=a,fabric"
    assert not any("namespace" in each for each in arguments({"isolated": False}))


def test_the_namespace_default_is_not_shared_by_default() -> None:
    assert arguments()[-1] == "--global-namespaces=multus"


def test_the_folders_are_those_of_the_distribution() -> None:
    spec = pod(distribution="k3s")

    assert [volume["hostPath"]["path"] for volume in spec["volumes"]] == [
        "/var/lib/rancher/k3s/agent/etc/cni/net.d",
        "/var/lib/rancher/k3s/data/cni",
    ]
    assert (
        "--multus-kubeconfig-file-host=/var/lib/rancher/k3s/agent/etc/cni/net.d/multus.d/multus.kubeconfig"
        in spec["containers"][0]["args"]
    )


def test_it_may_read_networks_and_write_the_status_of_pods_alone() -> None:
    rules = objects()["ClusterRole/multus"]["rules"]
    writes = {
        resource
        for rule in rules
        for resource in rule["resources"]
        if {"update", "patch", "create"} & set(rule["verbs"])
    }

    assert writes == {"pods/status", "events"}
    assert not any("*" in rule["verbs"] + rule["resources"] for rule in rules)


def test_the_cluster_network_can_be_named() -> None:
    assert "--multus-master-cni-file-name=10-calico.conflist" in arguments({"masterConfig": "10-calico.conflist"})
    with pytest.raises(ValueError, match="masterConfig"):
        MultusConfig.from_file({"masterConfig": "../calico.conf"})


def test_a_second_one_on_openshift_is_refused() -> None:
    (problem,) = Multus.problems(setting(Multus, distribution="openshift"))

    assert problem.hint == "write `multus: {provided: true}`"
    assert told(Multus) == []
