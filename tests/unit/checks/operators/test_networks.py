"""MetalLB's pools, Multus' attachments, and who asks for them."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from platform_def.checks.rules.operators.choice_exists import CHOICE_EXISTS
from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from platform_def.config.platform import Platform
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack
from platform_def.yaml import load_all
from tests.unit.checks.operators.judged import findings, told
from tests.unit.checks.samples import found

_POOL = """---
apiVersion: metallb.io/v1beta1
kind: IPAddressPool
metadata: {{name: {name}, namespace: metallb-system}}
spec: {{addresses: {addresses}}}
"""


@pytest.mark.parametrize(
    ("written", "text", "hint"),
    [
        ("10.0.0.200...10.0.0.210", "is neither a network nor a range", "write 10.0.0.200-10.0.0.210"),
        ("10.0.0.210-10.0.0.200", "ends before it begins", "write 10.0.0.200-10.0.0.210"),
        ("10.0.0.200-fd00::1", "begins and ends in different families", "write both ends as IPv4, or both as IPv6"),
        ("10.0.0.7", "is one address, not a network", "write 10.0.0.7/32"),
    ],
)
def test_a_range_that_cannot_be_read(written: str, text: str, hint: str) -> None:
    (finding,) = findings(VALUE_REFUSED, _POOL.format(name="a", addresses=f'["{written}"]'))

    assert (finding.severity, finding.path) == ("error", "spec.addresses[0]")
    assert finding.text == f"'{written}' {text}: MetalLB's webhook refuses the pool"
    assert finding.hint == hint
    if hint.startswith("write 10"):
        assert told(VALUE_REFUSED, _POOL.format(name="a", addresses=f'["{hint[6:]}"]')) == []


@pytest.mark.parametrize(
    "written", ["10.0.0.0/33", "10.0.0.260/28", "10.0.0.200-10.0.0.260", "10.0.0.0/255.255.255.0", ""]
)
def test_addresses_that_are_none(written: str) -> None:
    (finding,) = findings(VALUE_REFUSED, _POOL.format(name="a", addresses=f'["{written}"]'))

    assert " is not a " in finding.text


def test_pools_hold_different_addresses() -> None:
    first = _POOL.format(name="a", addresses='["10.0.0.0/28", "fd00::/120"]')
    second = _POOL.format(name="b", addresses='["10.0.0.14-10.0.0.20"]')
    (finding,) = findings(VALUE_REFUSED, first + second)

    assert finding.object == "IPAddressPool metallb-system/b"
    assert finding.text == (
        "'10.0.0.14-10.0.0.20' overlaps with '10.0.0.0/28' of pool a: MetalLB's webhook refuses the pool"
    )
    assert told(VALUE_REFUSED, first + second.replace("10.0.0.14", "10.0.0.16")) == []
    assert "of this pool: MetalLB" in told(VALUE_REFUSED, first.replace("fd00::/120", "10.0.0.4/32"))[0][2]


def test_pools_of_two_folders_may_be_of_two_clusters() -> None:
    pools = load_all(
        _POOL.format(name="a", addresses='["10.0.0.0/28"]') + _POOL.format(name="b", addresses="[10.0.0.1/32]")
    )
    objects = tuple(
        RenderedObject(cast(Manifest, each), "app", "main", f"{folder}/pool.yaml")
        for each, folder in zip(pools, "xy", strict=True)
    )
    stack = RenderedStack("test", Platform(), {"app": RenderedComponent("app", objects)}, foreign=True)

    assert [each.severity for each in found(VALUE_REFUSED, stack)] == ["warning"]
    assert [each.severity for each in found(VALUE_REFUSED, replace(stack, foreign=False))] == ["error"]


@pytest.mark.parametrize("prefix", ["metallb.io", "metallb.universe.tf"])
def test_a_service_asks_for_a_pool_that_is_there(prefix: str) -> None:
    service = (
        f"apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: a, annotations: {{{prefix}/address-pool: %s}}}}\n"
        "spec: {type: LoadBalancer, ports: [{port: 80}]}\n"
    )
    pool = _POOL.format(name="public", addresses='["10.0.0.0/28"]')
    (finding,) = findings(CHOICE_EXISTS, service % "publik" + pool)

    assert (finding.severity, finding.path) == ("error", f'metadata.annotations["{prefix}/address-pool"]')
    assert finding.text == "there is no IPAddressPool 'publik': the Service gets no address"
    assert finding.hint == "did you mean 'public'?"
    assert told(CHOICE_EXISTS, service % "public" + pool) == []
    assert told(CHOICE_EXISTS, service % "publik") == []


def test_an_announcement_names_pools_that_are_there() -> None:
    announced = (
        "apiVersion: metallb.io/v1beta1\nkind: L2Advertisement\nmetadata: {name: a, namespace: metallb-system}\n"
        "spec: {ipAddressPools: [publik]}\n"
    )
    pool = _POOL.format(name="public", addresses='["10.0.0.0/28"]')

    assert told(CHOICE_EXISTS, announced + pool) == [
        ("warning", "spec.ipAddressPools[0]", "there is no IPAddressPool 'publik': nothing of it is announced")
    ]


_NETWORK = """---
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {{name: rail, namespace: a, annotations: {{k8s.v1.cni.cncf.io/resourceName: example.com/rail}}}}
spec: {{config: '{config}'}}
"""
_START = "pods on the network never start"


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ('{"cniVersion": "1.0.0",}', "is not JSON (line 1, column 23:"),
        ("[]", f"is not a map: {_START}"),
        ('{"cniVersion": "1.0.0"}', f"type: is missing: {_START}"),
        ('{"cniVersion": "1.0.0", "plugins": []}', f"plugins: is empty: {_START}"),
        ('{"cniVersion": "1.0.0", "plugins": [{"name": "a"}]}', f"plugins[0].type: is missing: {_START}"),
        ('{"cniVersion": "1.0", "type": "sriov"}', f"cniVersion: there is no version \\'1.0\\' of CNI: {_START}"),
        ('{"type": "sriov"}', "cniVersion: is missing, and counts as 0.1.0"),
        (
            '{"cniVersion": "1.0.0", "type": "sriov", "ipam": {"type": "host-local", "subnet": "10.1.0.0/33"}}',
            "ipam.subnet: \\'10.1.0.0/33\\' does not appear to be an IPv4 or IPv6 interface",
        ),
        (
            '{"cniVersion": "1.0.0", "type": "sriov", "ipam": {"type": "host-local", "subnet": "10.1.0.7/24"}}',
            f"ipam.subnet: 10.1.0.7/24 is an address inside of 10.1.0.0/24, not the network: {_START}",
        ),
        (
            (
                '{"cniVersion": "1.0.0", "type": "a", "ipam": {"type": "host-local", "subnet": "10.1.0.0/24", '
                '"rangeStart": "10.2.0.1"}}'
            ),
            f"ipam.rangeStart: 10.2.0.1 is not in 10.1.0.0/24: {_START}",
        ),
        (
            '{"cniVersion": "1.0.0", "type": "a", "ipam": {"type": "static", "addresses": [{"address": "10.1.0.7"}]}}',
            f"ipam.addresses[0].address: \\'10.1.0.7\\' has no length behind a slash: {_START}",
        ),
        (
            '{"cniVersion": "1.0.0", "type": "a", "ipam": {"type": "whereabouts", "range": "10.1.0.0/255.255.0.0"}}',
            f"ipam.range: \\'10.1.0.0/255.255.0.0\\' has no length behind a slash: {_START}",
        ),
    ],
)
def test_a_configuration_that_cni_cannot_read(config: str, text: str) -> None:
    (finding,) = findings(VALUE_REFUSED, _NETWORK.format(config=config))

    assert finding.path == "spec.config"
    assert finding.text.startswith(text.replace("\\'", "'"))


@pytest.mark.parametrize(
    "config",
    [
        '{"cniVersion": "0.3.1", "name": "rail", "type": "sriov", "ipam": {}}',
        (
            '{"cniVersion": "1.0.0", "plugins": [{"type": "macvlan", "ipam": {"type": "host-local", "ranges": '
            '[[{"subnet": "10.1.0.0/24", "rangeStart": "10.1.0.9", "gateway": "10.9.0.1"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}'
        ),
        '{"cniVersion": "1.0.0", "type": "a", "ipam": {"type": "whereabouts", "range": "10.1.0.8-10.1.0.20/24"}}',
        "",
    ],
)
def test_a_configuration_that_it_reads(config: str) -> None:
    assert told(VALUE_REFUSED, _NETWORK.format(config=config)) == []


_POD = """---
apiVersion: v1
kind: Pod
metadata: {{name: train, namespace: a, annotations: {{k8s.v1.cni.cncf.io/networks: "{networks}"}}}}
spec: {{containers: [{{name: main, image: "a:1", resources: {{limits: {limits}}}}}]}}
"""


def test_a_pod_asks_for_the_devices_of_its_networks() -> None:
    network = _NETWORK.format(config='{"cniVersion": "1.0.0", "type": "sriov"}')
    twice = _POD.format(networks="rail, a/rail@net2", limits="{example.com/rail: 1}")
    (finding,) = findings(CHOICE_EXISTS, network + twice)
    injector = (
        "---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\n"
        "metadata: {name: network-resources-injector-config}\nwebhooks: []\n"
    )

    assert (finding.severity, finding.path) == ("warning", 'metadata.annotations["k8s.v1.cni.cncf.io/networks"]')
    assert finding.text == (
        "its networks need 2 of example.com/rail, and its containers ask for 1: no device is attached"
    )
    assert told(CHOICE_EXISTS, network + twice.replace("rail: 1", "rail: 2")) == []
    assert told(CHOICE_EXISTS, network + twice + injector) == []


def test_networks_may_be_listed_as_json() -> None:
    network = _NETWORK.format(config='{"cniVersion": "1.0.0", "type": "sriov"}')
    named = _POD.replace('"{networks}"', "'{networks}'").format(networks='[{"name": "rail"}]', limits="{cpu: 1}")

    assert "need 1 of example.com/rail, and its containers ask for 0" in told(CHOICE_EXISTS, network + named)[0][2]
    assert told(CHOICE_EXISTS, network + named.replace('{"name"', '{{"name"')) == []


def test_a_network_is_on_a_device_that_a_policy_makes() -> None:
    kinds = (
        "apiVersion: sriovnetwork.openshift.io/v1\nkind: SriovNetworkNodePolicy\nmetadata: {name: a, namespace: a}\n"
        "spec: {resourceName: rail}\n---\napiVersion: sriovnetwork.openshift.io/v1\nkind: SriovNetwork\n"
        "metadata: {name: b, namespace: a}\nspec: {resourceName: rails}\n"
    )
    (finding,) = findings(CHOICE_EXISTS, kinds)

    assert (finding.path, finding.hint) == ("spec.resourceName", "did you mean 'rail'?")
    assert finding.text == "no SriovNetworkNodePolicy makes 'rails': pods on the network never start"
    assert told(CHOICE_EXISTS, kinds.replace("rails", "rail")) == []
