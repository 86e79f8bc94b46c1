"""MetalLB: pools, and how they are announced."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.components.gateways.emissary.component import Emissary, EmissaryConfig
from platform_def.components.gateways.metallb.component import Metallb
from platform_def.config.capability import Provision
from platform_def.config.cluster import Ingress
from platform_def.config.platform import Platform
from platform_def.constructs import Setting
from tests.unit.built import Objects, built, grants, setting, told

INGRESS = Ingress(kind="metallb", addresses=["10.0.0.200-10.0.0.210"])
PEERS: dict[str, Any] = {"rack-1": {"address": "10.0.0.1", "asn": 64513, "own_asn": 64512, "password_secret": "rack"}}


def made(**config: Any) -> Objects:
    """MetalLB in a stack with addresses."""
    return built(Metallb, Platform(ingress=INGRESS), **config)


def test_the_stacks_addresses_are_a_pool() -> None:
    assert made().one("IPAddressPool", "ingress")["spec"] == {
        "addresses": ["10.0.0.200-10.0.0.210"],
        "autoAssign": True,
        "avoidBuggyIPs": True,
    }
    assert made().part("IPAddressPool") == "after"


def test_further_pools_are_for_who_names_them() -> None:
    found = made(pools={"inside": {"addresses": ["10.0.1.0/28"]}})

    assert found.one("IPAddressPool", "inside")["spec"]["autoAssign"] is False
    assert found.one("L2Advertisement")["spec"]["ipAddressPools"] == ["ingress", "inside"]


def test_on_layer_2_interfaces_may_be_named() -> None:
    assert "interfaces" not in made().one("L2Advertisement")["spec"]
    assert made(interfaces=["eno1"]).one("L2Advertisement")["spec"]["interfaces"] == ["eno1"]


def test_routers_are_told_by_bgp() -> None:
    found = made(advertise="bgp", peers=PEERS)

    assert found.names("L2Advertisement") == []
    assert found.one("BGPAdvertisement")["spec"] == {"ipAddressPools": ["ingress"]}
    assert found.one("BGPPeer", "rack-1")["spec"] == {
        "myASN": 64512,
        "peerASN": 64513,
        "peerAddress": "10.0.0.1",
        "passwordSecret": {"name": "rack", "namespace": "metallb-system"},
    }
    at = setting(
        Metallb, {"peers": {"rack-1": {"address": "10.0.0.1", "asn": 1, "ownAsn": 2, "passwordSecret": "rack"}}}
    )
    (secret,) = Metallb.offers(at).existing
    assert (secret.kind, secret.name, secret.namespace) == ("Secret", "rack", "metallb-system")


@pytest.mark.parametrize(
    ("config", "addresses", "why"),
    [
        ({}, [], "it has no address to give out"),
        ({"advertise": "bgp"}, INGRESS.addresses, "peers: `advertise: bgp` needs at least one router"),
        (
            {"peers": {"a": {"address": "10.0.0.1", "asn": 1, "ownAsn": 2}}},
            INGRESS.addresses,
            "peers: layer 2 has no peers",
        ),
        (
            {
                "advertise": "bgp",
                "interfaces": ["eno1"],
                "peers": {"a": {"address": "10.0.0.1", "asn": 1, "ownAsn": 2}},
            },
            INGRESS.addresses,
            "interfaces: BGP asks for none",
        ),
        (
            {"pools": {"ingress": {"addresses": ["10.0.1.0/28"]}}},
            INGRESS.addresses,
            "pools.ingress: that is the pool of `ingress.addresses`",
        ),
    ],
)
def test_what_comes_to_nothing_is_refused(config: dict[str, Any], addresses: list[str], why: str) -> None:
    ingress = Ingress(kind="metallb", addresses=addresses) if addresses else Ingress()
    (found,) = told(Metallb, config, ingress=ingress)

    assert why in found


def test_each_pool_is_announced_in_its_way() -> None:
    pools = {
        "near": {"addresses": ["10.0.1.0/28"], "advertise": "l2"},
        "far": {"addresses": ["10.0.2.0/28"], "advertise": "bgp"},
    }
    found = made(advertise="both", peers=PEERS, pools=pools, nodes={"rack": "a"}, interfaces=["eno1"])

    assert found.one("L2Advertisement")["spec"] == {
        "ipAddressPools": ["ingress", "near"],
        "interfaces": ["eno1"],
        "nodeSelectors": [{"matchLabels": {"rack": "a"}}],
    }
    assert found.one("BGPAdvertisement")["spec"] == {
        "ipAddressPools": ["ingress", "far"],
        "nodeSelectors": [{"matchLabels": {"rack": "a"}}],
    }
    assert found.names("BGPPeer") == ["rack-1"]


def test_a_pool_of_another_way_is_refused() -> None:
    pools = {"far": {"addresses": ["10.0.2.0/28"], "advertise": "bgp"}}
    (found,) = told(Metallb, {"pools": pools}, ingress=INGRESS)
    (lone,) = told(Metallb, {"advertise": "both"}, ingress=INGRESS)

    assert "pools.far.advertise: its pools are announced by l2" in found
    assert "peers: `advertise: both` needs at least one router" in lone


def test_a_session_is_as_the_router_wants_it() -> None:
    peer = {
        "address": "10.0.0.1",
        "asn": 64513,
        "own_asn": 64512,
        "port": 1179,
        "source_address": "10.0.0.2",
        "hold_seconds": 9,
        "keepalive_seconds": 3,
        "multi_hop": True,
        "nodes": {"rack": "a"},
    }

    assert made(advertise="bgp", peers={"rack-1": peer}).one("BGPPeer")["spec"] == {
        "myASN": 64512,
        "peerASN": 64513,
        "peerAddress": "10.0.0.1",
        "peerPort": 1179,
        "sourceAddress": "10.0.0.2",
        "holdTime": "9s",
        "keepaliveTime": "3s",
        "ebgpMultiHop": True,
        "nodeSelectors": [{"matchLabels": {"rack": "a"}}],
    }


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"asn": 1, "own_asn": 1, "multi_hop": True}, "multiHop is for a router of another autonomous system"),
        ({"asn": 1, "own_asn": 2, "keepalive_seconds": 90}, "keepaliveSeconds must be less than holdSeconds, 90"),
        ({"asn": 1, "own_asn": 2, "keepalive_seconds": 9, "hold_seconds": 9}, "less than holdSeconds, 9"),
    ],
)
def test_sessions_that_never_hold_are_refused(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        made(advertise="bgp", peers={"a": {"address": "10.0.0.1", **fields}})


def test_nodes_that_are_excluded_by_label_may_announce() -> None:
    flag = "--ignore-exclude-lb"

    assert flag in made(ignore_exclude_label=True).container("DaemonSet")["args"]
    assert flag not in made().container("DaemonSet")["args"]


def test_a_stack_with_addresses_is_served() -> None:
    assert told(Metallb, ingress=INGRESS) == []


def test_a_pool_holds_addresses() -> None:
    with pytest.raises(ValidationError, match="is no range or network of addresses"):
        made(pools={"odd": {"addresses": ["everything"]}})


def test_old_peers_are_converted_where_the_controller_is() -> None:
    crd = made(namespace="addresses").one("CustomResourceDefinition", "bgppeers.metallb.io")

    client = crd["spec"]["conversion"]["webhook"]["clientConfig"]
    assert client["service"]["namespace"] == "addresses"
    drifts = {(each.kind, each.name) for each in made().build.drifts}
    assert ("CustomResourceDefinition", "bgppeers.metallb.io") in drifts
    assert ("Secret", "metallb-webhook-cert") in drifts


def test_speakers_find_each_other_by_the_labels_of_their_pods() -> None:
    found = made()
    template = found.one("DaemonSet")["spec"]["template"]
    variables = {each["name"]: each.get("value") for each in template["spec"]["containers"][0]["env"]}
    wanted = dict(each.split("=") for each in variables["METALLB_ML_LABELS"].split(","))

    assert wanted.items() <= template["metadata"]["labels"].items()


def test_speakers_have_one_capability_and_the_nodes_network() -> None:
    pod = made().pod("DaemonSet")

    assert pod["hostNetwork"] is True
    assert pod["containers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["NET_RAW"]}


def test_the_controller_writes_no_definition_but_its_own() -> None:
    rules = made().rules("ClusterRole", "metallb-system:controller")

    assert "create" in grants(rules, "apiextensions.k8s.io", "customresourcedefinitions")
    assert all(
        rule.get("resourceNames")
        for rule in rules
        if "customresourcedefinitions" in rule["resources"] and "create" in rule["verbs"]
    )


INSIDE: dict[str, Any] = {
    "component": "emissary",
    "namespace": "inside",
    "ingress": {"kind": "metallb", "addresses": ["10.9.0.10-10.9.0.20"], "host": "inside.example.com"},
}


def two_gateways(**inside: Any) -> Platform:
    """A gateway with the stack's addresses, and another with addresses of its own."""
    own = {**INSIDE["ingress"], **inside}
    given = Emissary.offers(Setting("inside", EmissaryConfig.from_file({**INSIDE, "ingress": own}), Platform()))
    provisions = tuple(Provision.of(each, "inside") for each in given.capabilities)
    return Platform(ingress=INGRESS, gateway="emissary", provisions=provisions)


def test_a_second_gateway_has_a_pool_of_its_own_which_its_service_alone_names() -> None:
    stack = two_gateways()
    pools = built(Metallb, stack)
    service = built(Emissary, stack, name="inside", namespace="inside", ingress=INSIDE["ingress"]).one(
        "Service", "inside-ingress"
    )

    assert pools.names("IPAddressPool") == ["ingress", "inside"]
    assert pools.one("IPAddressPool", "inside")["spec"] == {
        "addresses": ["10.9.0.10-10.9.0.20"],
        "autoAssign": False,
        "avoidBuggyIPs": True,
    }
    assert pools.one("L2Advertisement")["spec"]["ipAddressPools"] == ["ingress", "inside"]
    assert service["metadata"]["annotations"] == {"metallb.io/address-pool": "inside"}
    assert "annotations" not in built(Emissary, stack).one("Service", "emissary-ingress")["metadata"]


def test_the_pool_of_a_gateway_is_called_as_its_annotation_says() -> None:
    stack = two_gateways(annotations={"metallb.io/address-pool": "ingress"})

    assert built(Metallb, stack).names("IPAddressPool") == ["ingress"]
    assert built(Metallb, stack).one("IPAddressPool")["spec"]["addresses"] == [
        *INGRESS.addresses,
        "10.9.0.10-10.9.0.20",
    ]


@pytest.mark.parametrize(
    ("config", "addresses", "why"),
    [
        (
            {},
            ["10.0.0.208/29"],
            "10.0.0.200-10.0.0.210 of pool ingress and 10.0.0.208/29 of pool inside have addresses",
        ),
        ({"pools": {"inside": {"addresses": ["10.1.0.0/28"]}}}, ["10.9.0.10/32"], "pool of `components.inside.ingress"),
    ],
)
def test_pools_have_names_and_addresses_of_their_own(config: dict[str, Any], addresses: list[str], why: str) -> None:
    at = Setting("metallb", Metallb.config_model().from_file(config), two_gateways(addresses=addresses))
    (found,) = map(str, Metallb.problems(at))

    assert why in found


def test_addresses_of_a_further_gateway_are_addresses_to_give_out() -> None:
    at = Setting("metallb", Metallb.config_model()(), two_gateways().with_facts(ingress=Ingress()))

    assert list(Metallb.problems(at)) == []


def test_pools_of_two_families_do_not_meet() -> None:
    at = Setting("metallb", Metallb.config_model()(), two_gateways(addresses=["::a00:c8-::a00:d2", "10.0.0.211/32"]))

    assert list(Metallb.problems(at)) == []
