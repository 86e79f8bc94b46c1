"""MetalLB, as a stack renders it, gives Services addresses of the stack's pools, and tells which node answers for them.

Real: controller and speaker with the rendered flags, files, accounts and rights, and the controller's webhooks. Played:
the node, the endpoints of Services, a router, and the network, in which nobody asks for an address.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster import rights
from tests.cluster.addresses import NODE, Member, start_metallb
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import START_SECONDS, ControlPlane, until
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.35"}
ingress: {kind: metallb, addresses: ["192.0.2.10-192.0.2.11"]}
components:
  metallb:
    pools: {models: {addresses: ["198.51.100.8/30"]}}
"""
ROUTED = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.35"}
ingress: {kind: metallb, addresses: ["192.0.2.10-192.0.2.11"]}
components:
  metallb:
    advertise: bgp
    peers: {rack-2: {address: 127.0.0.2, asn: 64513, ownAsn: 64512}}
"""
ROUTER = "127.0.0.2"
HOME = "metallb-system"
API = "/apis/metallb.io/v1beta1"
NEEDED = {
    ("", "services/status", "update"): ("ClusterRole", f"{HOME}:controller"),
    ("metallb.io", "ipaddresspools/status", "update"): ("Role", "controller"),
}
"""Rights of the controller without which it is refused, and the role that grants each."""


@dataclass
class Addresses:
    """A cluster with MetalLB, and the Services of a test."""

    control_plane: ControlPlane
    controller: Member
    speaker: Member
    made: list[Manifest] = field(default_factory=list)

    def serve(self, name: str, *, pool: str = "") -> Manifest:
        """Store a Service that wants an address, with a pod behind it; it goes when the test is over."""
        metadata: Manifest = {"name": name, "namespace": "default"}
        if pool:
            metadata["annotations"] = {"metallb.io/address-pool": pool}
        spec = {"type": "LoadBalancer", "ports": [{"port": 80}]}
        service: Manifest = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
        for each in (service, behind(name)):
            self.control_plane.api.store(each)
            self.made.append(each)
        return service

    def remove(self, manifest: Manifest) -> None:
        """Take an object away."""
        api = self.control_plane.api
        self.made.remove(manifest)
        assert api.request("DELETE", api.path(manifest) or "").status == 200

    def address(self, service: Manifest) -> str:
        """What it was given; empty before that."""
        status = self.control_plane.api.read(service).body["status"]["loadBalancer"]
        return ",".join(each["ip"] for each in status.get("ingress", []))

    def wait(self, service: Manifest) -> str:
        """Its address, once it has one."""
        self.controller.wait(lambda: bool(self.address(service)), f"{service['metadata']['name']} has an address")
        return self.address(service)

    def list(self, path: str) -> list[Manifest]:
        """Objects of the API server, once it is ready to give those of a kind that came a moment ago."""
        api = self.control_plane.api
        until(lambda: api.get(path).status == 200, seconds=START_SECONDS, what=f"{path} is served")
        found: list[Manifest] = api.get(path).body["items"]
        return found


def behind(name: str) -> Manifest:
    """A pod on the node that is ready to answer for a Service."""
    labels = {"kubernetes.io/service-name": name}
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": name, "namespace": "default", "labels": labels},
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["203.0.113.1"], "conditions": {"ready": True}, "nodeName": NODE}],
        "ports": [{"port": 8080}],
    }


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("metallb"), STACK, name="addresses")


@pytest.fixture(scope="module")
def running(rendered: RenderedStack, binaries: Mapping[str, Path], programs: Mapping[str, Path]) -> Iterator[Addresses]:
    """The cluster with both programs."""
    parts = [item for each in rendered.components.values() for item in each.objects]
    objects, told = ([each.manifest for each in parts if (each.part == "after") is last] for last in (False, True))
    wanted = {name: programs[name] for name in ("metallb-controller", "metallb-speaker")}
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        with control_plane.explaining():
            both = start_metallb(control_plane, wanted, objects, told)
        yield Addresses(control_plane, *both)


@pytest.fixture
def addresses(running: Addresses, request: pytest.FixtureRequest) -> Iterator[Addresses]:
    """The shared cluster without Services; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    yield running
    while running.made:
        running.remove(running.made[-1])
    running.controller.wait(lambda: not _taken(running), "all addresses are free")


def _taken(running: Addresses) -> int:
    pools = running.list(f"{API}/namespaces/{HOME}/ipaddresspools")
    return sum(each.get("status", {}).get("assignedIPv4", 0) for each in pools)


def test_a_service_gets_an_address_of_the_stacks_pool(addresses: Addresses) -> None:
    service = addresses.serve("web")

    assert addresses.wait(service) in ("192.0.2.10", "192.0.2.11")


def test_a_service_that_names_a_pool_gets_one_of_that(addresses: Addresses) -> None:
    service = addresses.serve("model", pool="models")

    assert addresses.wait(service) in {f"198.51.100.{number}" for number in (8, 9, 10, 11)}


def test_a_service_beyond_the_pool_waits_for_an_address(addresses: Addresses) -> None:
    first, second = addresses.serve("first"), addresses.serve("second")
    given = {addresses.wait(first), addresses.wait(second)}
    third = addresses.serve("third")
    addresses.controller.wait(lambda: "no available IPs" in addresses.controller.log.read_text(), "it has none left")

    assert given == {"192.0.2.10", "192.0.2.11"}
    assert addresses.address(third) == ""


def test_a_node_answers_for_an_address_of_the_stacks_advertisement(addresses: Addresses) -> None:
    addresses.wait(addresses.serve("web"))
    path = f"{API}/namespaces/{HOME}/servicel2statuses"
    addresses.speaker.wait(lambda: bool(addresses.list(path)), "the speaker says who answers")

    (told,) = addresses.list(path)
    assert told["status"]["node"] == NODE
    assert told["status"]["serviceName"] == "web"


def test_a_pool_that_overlaps_another_is_refused(addresses: Addresses) -> None:
    metadata = {"name": "twice", "namespace": HOME}
    spec = {"addresses": ["192.0.2.11-192.0.2.20"]}
    wrong = {"apiVersion": "metallb.io/v1beta1", "kind": "IPAddressPool", "metadata": metadata, "spec": spec}

    assert 'ipaddresspoolvalidationwebhook.metallb.io" denied' in addresses.control_plane.api.apply(wrong).refusal


def test_an_old_peer_is_read_as_a_new_one(addresses: Addresses) -> None:
    api = addresses.control_plane.api
    metadata = {"name": "rack-1", "namespace": HOME}
    spec = {"myASN": 64512, "peerASN": 64513, "peerAddress": "192.0.2.1"}
    old: Manifest = {"apiVersion": "metallb.io/v1beta1", "kind": "BGPPeer", "metadata": metadata, "spec": spec}
    refusal = api.apply(old).refusal

    assert not refusal
    addresses.made.append(old)
    new = api.get(f"/apis/metallb.io/v1beta2/namespaces/{HOME}/bgppeers/rack-1").body
    assert new["apiVersion"] == "metallb.io/v1beta2"
    assert new["spec"]["peerAddress"] == "192.0.2.1"


def test_both_programs_take_what_they_are_told_and_are_refused_nothing(addresses: Addresses) -> None:
    path = f"{API}/namespaces/{HOME}/configurationstates"
    wanted = {"controller": "Valid", f"speaker-{NODE}": "Valid"}

    def states() -> dict[str, str]:
        return {each["metadata"]["name"]: each.get("status", {}).get("result", "") for each in addresses.list(path)}

    addresses.speaker.wait(lambda: states() == wanted, "both have taken their configuration")

    assert addresses.controller.forbidden() == []
    assert addresses.speaker.forbidden() == []


def test_a_router_learns_an_address_by_bgp_and_that_it_has_gone(addresses: Addresses, tmp_path: Path) -> None:
    told, control_plane = tmp_path / "told", addresses.control_plane
    told.touch()
    argv = [sys.executable, "-I", str(Path(__file__).with_name("router.py")), ROUTER, "64513", str(told)]
    control_plane.sandbox.start("router", argv, log=control_plane.folder / "router.log")
    rendered = rendered_stack(tmp_path, ROUTED, name="routed")
    objects = [each.manifest for each in rendered.components["metallb"].objects]
    for each in objects:
        if each["kind"] in ("BGPPeer", "BGPAdvertisement"):
            control_plane.api.store(each)
            addresses.made.append(each)
    service = addresses.serve("web")
    network = f"{addresses.wait(service)}/32"
    addresses.speaker.wait(lambda: network in told.read_text().splitlines(), "the router has learned the address")
    addresses.remove(service)
    addresses.speaker.wait(lambda: f"-{network}" in told.read_text(), "the router knows that it has gone")

    assert told.read_text().splitlines()[0] == "AS64512"


@pytest.mark.parametrize("right", NEEDED, ids=lambda right: right[1])
def test_without_a_right_the_controller_is_refused(addresses: Addresses, right: tuple[str, str, str]) -> None:
    controller, (kind, role) = addresses.controller, NEEDED[right]
    with rights.withheld(controller, right, role=role, kind=kind):
        service = addresses.serve("web")
        controller.wait(lambda: bool(controller.forbidden()), "it is refused")
        assert right[1].partition("/")[0] in controller.forbidden()[0]

    addresses.wait(service)
    controller.wait(lambda: _taken(addresses) == 1, "the pool knows of the address")
    controller.log.write_text("")
