"""The CNI plugins of virtual functions: each fabric's own, and networks that say what the pool says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from platform_def.components.fabrics.sriov_cni.component import SriovCni, SriovCniConfig
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.render import render
from tests.unit.built import setting

RAIL = {"name": "rail0", "interface": "ens1f0np0", "range": "10.56.0.0/16"}
PORT = {"name": "ib0", "interface": "ibs1"}


def pool(name: str, kind: str, *networks: dict[str, Any], **rdma: Any) -> NodePool:
    fabric = {"kind": kind, "mode": "sriov", "functions": 8, "networks": list(networks), **rdma}
    return NodePool.from_file({"name": name, "selector": {"pool": name}, "rdma": fabric})


ROCE, QUANTUM = pool("rails", "roce", RAIL), pool("quantum", "infiniband", PORT)


def objects(*pools: NodePool, config: dict[str, Any] | None = None, **facts: Any) -> dict[str, Any]:
    chosen, platform = SriovCniConfig.from_file(config or {}), Platform(node_pools=pools, **facts)
    build = render(lambda scope: SriovCni(scope, config=chosen, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def network(made: dict[str, Any], name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(made[f"NetworkAttachmentDefinition/{name}"]["spec"]["config"])
    return content


def refusals(*pools: NodePool, config: dict[str, Any] | None = None, **facts: Any) -> list[str]:
    found = SriovCni.problems(setting(SriovCni, config, node_pools=pools, **facts))
    return [problem.text for problem in found]


def images(made: dict[str, Any]) -> dict[str, str]:
    return {
        item["metadata"]["name"]: item["spec"]["template"]["spec"]["containers"][0]["image"].rpartition("/")[2]
        for item in made.values()
        if item["kind"] == "DaemonSet"
    }


def test_each_fabric_has_its_own_plugin() -> None:
    assert images(objects(ROCE)) == {"kube-sriov-cni-ds": "sriov-cni:v2.10.0", "kube-rdma-cni-ds": "rdma-cni:v1.6.0"}
    assert images(objects(QUANTUM)) == {"kube-ib-sriov-cni-ds": "ib-sriov-cni:v1.3.0"}


def test_ethernet_moves_the_rdma_device_by_a_second_plugin() -> None:
    assert network(objects(ROCE), "rails-rail0") == {
        "cniVersion": "0.3.1",
        "name": "rails-rail0",
        "plugins": [
            {"type": "sriov", "ipam": {"type": "whereabouts", "range": "10.56.0.0/16"}},
            {"type": "rdma"},
        ],
    }


def test_infiniband_moves_it_itself_and_needs_no_addresses() -> None:
    (plugin,) = network(objects(QUANTUM), "quantum-ib0")["plugins"]

    assert plugin["type"] == "ib-sriov"
    assert plugin["rdmaIsolation"] is True
    assert "ipam" not in plugin


def test_in_the_kernels_shared_mode_nothing_is_moved() -> None:
    made = objects(pool("a", "roce", RAIL, netns="shared"), pool("b", "infiniband", PORT, netns="shared"))

    assert [each["type"] for each in network(made, "a-rail0")["plugins"]] == ["sriov"]
    assert network(made, "b-ib0")["plugins"][0]["rdmaIsolation"] is False
    assert "DaemonSet/kube-rdma-cni-ds" not in made


def test_a_network_names_the_resource_that_its_functions_are() -> None:
    metadata = objects(ROCE)["NetworkAttachmentDefinition/rails-rail0"]["metadata"]

    assert metadata["annotations"]["k8s.v1.cni.cncf.io/resourceName"] == "rdma/sriov_rail0"
    assert metadata["namespace"] == "sriov-cni"


def test_router_routes_and_vlan_reach_the_network() -> None:
    rail = {**RAIL, "exclude": ["10.56.0.0/28"], "gateway": "10.56.0.100", "routes": ["10.48.0.0/12"], "vlan": 7}
    first = network(objects(pool("a", "roce", rail)), "a-rail0")["plugins"][0]

    assert first["vlan"] == 7
    assert first["ipam"] == {
        "type": "whereabouts",
        "range": "10.56.0.0/16",
        "exclude": ["10.56.0.0/28", "10.56.0.100/32"],
        "gateway": "10.56.0.100",
        "routes": [{"dst": "10.48.0.0/12"}],
    }


def test_where_the_cni_folder_is_elsewhere_whereabouts_is_told() -> None:
    made = objects(ROCE, distribution="k3s")
    ipam = network(made, "rails-rail0")["plugins"][0]["ipam"]
    (volume,) = made["DaemonSet/kube-sriov-cni-ds"]["spec"]["template"]["spec"]["volumes"]

    assert ipam["configuration_path"] == ("/var/lib/rancher/k3s/agent/etc/cni/net.d/whereabouts.d/whereabouts.conf")
    assert volume["hostPath"]["path"] == "/var/lib/rancher/k3s/data/cni"


def test_plugins_that_the_nodes_have_are_not_installed() -> None:
    made = objects(ROCE, QUANTUM, config={"install": False})

    assert {name.partition("/")[0] for name in made} == {"NetworkAttachmentDefinition"}
    assert SriovCni.offered(setting(SriovCni, {"install": False})).namespaces[0].pod_security == "restricted"


@pytest.mark.parametrize("pools", [(ROCE,), (QUANTUM,), (ROCE, QUANTUM)])
def test_installers_run_without_privileges_on_the_nodes_of_their_fabric(pools: tuple[NodePool, ...]) -> None:
    for item in objects(*pools).values():
        if item["kind"] == "DaemonSet":
            spec = item["spec"]["template"]["spec"]

            assert spec["containers"][0]["securityContext"]["privileged"] is False
            assert "hostNetwork" not in spec


def test_addresses_are_waited_for_where_networks_have_some() -> None:
    def parts(pool: NodePool) -> list[str]:
        return [each.where["part"] for each in SriovCni.needs_of(setting(SriovCni, node_pools=(pool,)))]

    assert parts(ROCE) == ["attach", "addresses"]
    assert parts(QUANTUM) == ["attach"]


def test_two_networks_of_one_name_are_refused() -> None:
    (text,) = refusals(
        pool("a-b", "infiniband", {**PORT, "name": "c"}), pool("a", "infiniband", {**PORT, "name": "b-c"})
    )

    assert text == "nodePools: pool and network make the name a-b-c twice"


def test_a_stack_without_virtual_functions_is_refused() -> None:
    assert refusals(NodePool(name="a")) == ["components.sriov-cni: no node pool has virtual functions"]
    assert refusals(ROCE) == []


def test_openshift_keeps_its_own_plugins() -> None:
    assert "from its SR-IOV operator" in refusals(ROCE, distribution="openshift")[0]
    assert refusals(ROCE, config={"install": False}, distribution="openshift") == []
