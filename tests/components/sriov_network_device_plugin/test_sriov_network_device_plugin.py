"""The SR-IOV network device plugin: a configuration that it takes, and functions alone, never a port."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from platform_def.components.fabrics.sriov_network_device_plugin.component import (
    SriovNetworkDevicePlugin,
    SriovNetworkDevicePluginConfig,
)
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.render import render
from tests.components.formats.sriov_network_device_plugin import problems
from tests.unit.built import setting, stack_of, told

RAIL = {"name": "rail0", "interface": "ens1f0np0", "range": "10.56.0.0/16"}
BY_ADDRESS = {"name": "rail-1", "pciAddress": "0000:86:00.0", "range": "10.57.0.0/16"}


def pool(name: str, *networks: dict[str, Any], kind: str = "roce", functions: int = 8, **more: Any) -> NodePool:
    fabric = {"kind": kind, "mode": "sriov", "functions": functions, "networks": list(networks or (RAIL,))}
    return NodePool.from_file({"name": name, "selector": {"pool": name}, "rdma": fabric, **more})


def objects(*pools: NodePool, config: dict[str, Any] | None = None, **facts: Any) -> dict[str, Any]:
    chosen = SriovNetworkDevicePluginConfig.from_file(config or {})
    platform = Platform(node_pools=pools, **facts)
    build = render(lambda scope: SriovNetworkDevicePlugin(scope, config=chosen, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def file(made: dict[str, Any], name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(made[f"ConfigMap/sriovdp-config-{name}"]["data"]["config.json"])
    return content


def pod(made: dict[str, Any], name: str) -> dict[str, Any]:
    spec: dict[str, Any] = made[f"DaemonSet/kube-sriov-device-plugin-{name}"]["spec"]["template"]["spec"]
    return spec


@pytest.mark.parametrize("kind", ["roce", "infiniband"])
@pytest.mark.parametrize("topology", [True, False])
@pytest.mark.parametrize("functions", [1, 127])
def test_every_pool_gives_a_file_that_the_plugin_takes(kind: str, topology: bool, functions: int) -> None:
    made = objects(pool("a", RAIL, BY_ADDRESS, kind=kind, functions=functions), config={"topology": topology})

    assert problems(file(made, "a")) == []


def test_functions_are_chosen_by_number_so_that_a_port_is_never_given_away() -> None:
    first, second = file(objects(pool("a", RAIL, BY_ADDRESS)), "a")["resourceList"]

    assert first["selectors"] == [{"pfNames": ["ens1f0np0#0-7"], "linkTypes": ["ether"], "isRdma": True}]
    assert second["selectors"][0]["rootDevices"] == ["0000:86:00.0#0-7"]


def test_a_port_of_the_other_fabric_is_not_offered() -> None:
    (resource,) = file(objects(pool("a", kind="infiniband")), "a")["resourceList"]

    assert resource["selectors"][0]["linkTypes"] == ["infiniband"]


def test_the_pool_names_the_resources_that_the_plugin_offers() -> None:
    nodes = pool("a", RAIL, BY_ADDRESS)
    offered = [f"{each['resourcePrefix']}/{each['resourceName']}" for each in file(objects(nodes), "a")["resourceList"]]
    platform = stack_of({"sriov-network-device-plugin": {}})

    assert tuple(offered) == nodes.rdma.resources()
    assert all(map(platform.offers_resource, offered))
    assert not platform.offers_resource("rdma/hca_shared")


def test_each_pool_has_a_plugin_on_its_own_nodes() -> None:
    shared = NodePool.from_file({"name": "c", "rdma": "roce"})
    made = objects(pool("a", taints=["gpu=a:NoSchedule"]), pool("b"), shared)
    affinity = pod(made, "a")["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]

    assert sorted(made) == [
        "ConfigMap/sriovdp-config-a",
        "ConfigMap/sriovdp-config-b",
        "DaemonSet/kube-sriov-device-plugin-a",
        "DaemonSet/kube-sriov-device-plugin-b",
    ]
    assert affinity["nodeSelectorTerms"] == [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a"]}]}]
    assert {"key": "gpu", "operator": "Equal", "value": "a", "effect": "NoSchedule"} in pod(made, "a")["tolerations"]


def test_a_long_pool_name_still_makes_a_label() -> None:
    made = objects(pool("p" * 63))

    assert max(len(item["metadata"]["name"]) for item in made.values()) <= 63


def test_the_registry_is_hidden_where_its_path_would_be_wrong() -> None:
    moved = pod(objects(pool("a"), distribution="microk8s"), "a")

    assert "plugins-registry" in [volume["name"] for volume in pod(objects(pool("a")), "a")["volumes"]]
    assert "plugins-registry" not in [volume["name"] for volume in moved["volumes"]]


def test_a_changed_file_restarts_the_plugin() -> None:
    before, after = (
        objects(pool("a", functions=count))["DaemonSet/kube-sriov-device-plugin-a"]["spec"]["template"]["metadata"]
        for count in (4, 8)
    )

    assert before["annotations"] != after["annotations"]


def test_pods_get_no_token() -> None:
    assert pod(objects(pool("a")), "a")["automountServiceAccountToken"] is False


def test_a_stack_without_virtual_functions_is_refused() -> None:
    shared = NodePool.from_file({"name": "c", "rdma": "roce"})
    (problem,) = SriovNetworkDevicePlugin.problems(setting(SriovNetworkDevicePlugin, node_pools=(shared,)))

    assert problem.text == "components.sriov-network-device-plugin: no node pool has virtual functions"
    assert told(SriovNetworkDevicePlugin, node_pools=(pool("a"),)) == []


ONE = {"resourceName": "a", "selectors": [{"pfNames": ["ens1"]}]}


def one(**changes: object) -> dict[str, object]:
    return {"resourceList": [{**ONE, **changes}]}


def selector(**fields: object) -> dict[str, object]:
    return one(selectors=[fields])


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ([], "a map is wanted"),
        ({}, "resourceList: no resource configuration"),
        ({"resourceList": []}, "resourceList: no resource configuration"),
        ({"resourceList": [ONE], "resources": []}, "resources: unknown field"),
        ({"resourceList": ["x"]}, "resourceList[0]: a map is wanted"),
        ({"resourceList": [ONE, ONE]}, "resourceList[1].resourceName: intel.com/a already exists"),
        ({"resourceList": [ONE, {**ONE, "resourcePrefix": "intel.com"}]}, "resourceList[1].resourceName: intel.com/a"),
        (one(resourceName="a b"), "resourceList[0].resourceName: letters, digits"),
        (one(resourceName=None), "resourceList[0].resourceName: letters, digits"),
        (one(resourcePrefix=1), "resourceList[0].resourcePrefix: text is wanted"),
        (one(rdmaHcaMax=1), "resourceList[0].rdmaHcaMax: unknown field"),
        (one(excludeTopology="yes"), "resourceList[0].excludeTopology: true or false"),
        (one(deviceType="netdevice"), "resourceList[0].deviceType: unsupported deviceType"),
        (one(additionalInfo={"*": {"token": 1}}), "resourceList[0].additionalInfo: a map of maps of texts"),
        (one(selectors=None), "resourceList[0].selectors: need at least one selector"),
        (one(selectors=[]), "resourceList[0].selectors: need at least one selector"),
        (one(selectors=["ens1"]), "resourceList[0].selectors[0]: a map is wanted"),
        (one(selectors={"names": ["x"]}), "resourceList[0].selectors.names: unknown field for deviceType netDevice"),
        (selector(auxTypes=["sf"]), "resourceList[0].selectors[0].auxTypes: unknown field for deviceType netDevice"),
        (one(deviceType="accelerator"), "resourceList[0].selectors[0].pfNames: unknown field for deviceType accel"),
        (selector(pfNames="ens1"), "resourceList[0].selectors[0].pfNames: a list of texts"),
        (selector(pfNames=["ens1#"]), "resourceList[0].selectors[0].pfNames: '' of 'ens1#' is neither"),
        (selector(pfNames=["ens1#a"]), "resourceList[0].selectors[0].pfNames: 'a' of 'ens1#a' is neither"),
        (selector(pfNames=["ens1#7-0"]), "resourceList[0].selectors[0].pfNames: the range 7-0"),
        (selector(pfNames=["#0"]), "resourceList[0].selectors[0].pfNames: '#0' names no port"),
        (selector(rootDevices=["86:00.0"]), "resourceList[0].selectors[0].rootDevices: '86:00.0' is no PCI address"),
        (selector(pciAddresses=["x"]), "resourceList[0].selectors[0].pciAddresses: 'x' is no PCI address"),
        (selector(vendors=["0x15b3"]), "resourceList[0].selectors[0].vendors: four hexadecimal digits"),
        (selector(devices=["101E"]), "resourceList[0].selectors[0].devices: four hexadecimal digits in lower case"),
        (selector(linkTypes=["ether", "infiniband"]), "resourceList[0].selectors[0].linkTypes: link type selector"),
        (selector(isRdma="true"), "resourceList[0].selectors[0].isRdma: true or false"),
        (selector(vdpaType="x"), "resourceList[0].selectors[0].vdpaType: vhost or virtio"),
        (selector(isRdma=True, vdpaType="vhost"), "resourceList[0].selectors[0]: vdpaType and isRdma are mutually"),
    ],
)
def test_the_format_refuses(config: object, why: str) -> None:
    found = problems(config)

    assert any(problem.startswith(why) for problem in found), found


@pytest.mark.parametrize(
    "config",
    [
        one(selectors={"vendors": ["15b3"], "devices": ["101e"], "drivers": ["mlx5_core"], "isRdma": True}),
        selector(pfNames=["ens1#0-3,7", "ens2"], needVhostNet=True),
        one(deviceType="auxNetDevice", selectors=[{"auxTypes": ["sf"], "pfNames": ["p0#1-5"]}]),
        {"resourceList": [ONE, {**ONE, "resourcePrefix": "nvidia.com"}]},
    ],
)
def test_the_documented_forms_are_taken(config: object) -> None:
    assert problems(config) == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["resourceList", "selectors", "pfNames", "resourceName", "deviceType", "isRdma"]), inner
            )
        ),
        max_leaves=10,
    )
)
def test_the_format_always_has_an_answer(config: object) -> None:
    assert all(isinstance(problem, str) for problem in problems(config))
