"""external-dns, as a stack renders it, writes records for the hosts of three gateways.

Real: the program of release 0.22.0 with the rendered flags, account and rights (0.23.0 wants a newer Go); the objects of the
gateways, of which it reads hosts and addresses. Played: PowerDNS' HTTP API, which holds the zone; what gives Services
their addresses, and istiod's part, which writes those of a Gateway of Gateway API into its status.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from platform_def.constructs import Route
from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.pods import Program
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, refusals
from tests.unit.constructs.samples import built

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

NAME, PORT, ZONE = "external-dns", 8053, "example.com."
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.35", existing: [Secret external-dns/zones]}
gateway: shared-gateway
components:
  emissary: {ingress: {kind: cloud, host: edge.example.com}}
  istio: {}
  istio-ingress-gateway: {ingress: {kind: cloud, host: mesh.example.com}}
  shared-gateway:
    {component: istio-ingress-gateway, api: gateway-api, ingress: {kind: cloud, host: shared.example.com}}
  gateway-api: {}
  external-dns:
    release: "0.22.0"
    provider: {pdns: {server: "http://127.0.0.1:8053", credentials: {existing: zones}}}
    policy: sync
    intervalSeconds: 5
"""
ADDRESSES = {
    ("emissary", "emissary-ingress"): "192.0.2.1",
    ("istio-system", "istio-ingressgateway"): "192.0.2.2",
    ("istio-system", "shared-gateway"): "192.0.2.3",
}
"""Of the gateways' Services."""
WANTED = {"edge.example.com.": "192.0.2.1", "mesh.example.com.": "192.0.2.2", "shared.example.com.": "192.0.2.3"}
REFUSALS = 3
READ = "list watch"
"""It has a watch list objects first, or lists them itself where it may not."""
NEEDED = {
    ("", "services", "get"): {"edge.example.com."},
    ("getambassador.io", "hosts", READ): {*WANTED},
    ("networking.istio.io", "gateways", READ): {*WANTED},
    ("gateway.networking.k8s.io", "httproutes", READ): {*WANTED},
}
"""Rights, and the hosts that get no record without each: where a source cannot be read at all, none does."""


@dataclass
class Names:
    """A cluster with gateways, the program and the zone."""

    control_plane: ControlPlane
    program: Program
    binary: Path
    stored: Path
    route: Manifest

    def start(self, *flags: str) -> None:
        """Start it anew, with nothing said yet; `flags` come beside the rendered ones."""
        self.program.start(self.binary, [*self.program.spec["args"], *flags])

    def stop(self) -> None:
        """Stop it, and forget what it said."""
        self.control_plane.sandbox.stop(self.program.deployment)
        self.program.log.write_text("")

    def is_refused(self) -> bool:
        """Whether it was told so often that it may not that it would have written records long since."""
        return len(self.program.forbidden()) >= REFUSALS

    def records(self, kind: str = "A") -> dict[str, str]:
        """What the zone says, by name."""
        found = [each for each in json.loads(self.stored.read_text()) if each["type"] == kind]
        return {each["name"]: ",".join(one["content"] for one in each["records"]) for each in found}


@pytest.fixture(scope="module")
def running(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Names]:
    """The cluster with the objects of the gateways, and the program."""
    binary, root = programs[NAME], tmp_path_factory.mktemp(NAME)
    stack = rendered_stack(root / "repository", STACK, name="names")
    objects = [item.manifest for each in stack.components.values() for item in each.objects]
    made = built(lambda self: Route(self, "models", path="/models/", service="a"), platform=stack.platform)
    (route,) = (each.manifest for each in made.objects)
    stored = root / "sets.json"
    stored.write_text("[]")
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        key = secrets.token_urlsafe(16)
        zones = [sys.executable, "-I", str(Path(__file__).with_name("zones.py")), str(PORT), key, ZONE, str(stored)]
        control_plane.sandbox.start("zones", zones, log=control_plane.folder / "zones.log")
        home: Manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "here"}}
        results = apply_in_waves(
            control_plane.api, [*(each for each in objects if _stays(each)), _secret(key), home, route]
        )
        assert not refusals(results), "\n".join(refusals(results))
        _give_addresses(control_plane, route)
        names = Names(control_plane, Program(control_plane, objects, NAME, NAME), binary, stored, route)
        names.start()
        yield names


@pytest.fixture
def names(running: Names, request: pytest.FixtureRequest) -> Names:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def _stays(manifest: Manifest) -> bool:
    """Nothing answers for the webhooks of gateways here."""
    return not manifest["kind"].endswith("WebhookConfiguration")


def _secret(key: str) -> Manifest:
    metadata = {"name": "zones", "namespace": NAME}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"apiKey": key}}


def _give_addresses(control_plane: ControlPlane, route: Manifest) -> None:
    """What a load balancer tells of Services, and istiod of a Gateway and the routes that it takes."""
    for (namespace, name), address in ADDRESSES.items():
        service: Manifest = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": namespace}}
        _tell(control_plane, service, {"loadBalancer": {"ingress": [{"ip": address}]}})
    gateway: Manifest = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": "shared-gateway", "namespace": "istio-system"},
    }
    address = ADDRESSES["istio-system", "shared-gateway"]
    _tell(control_plane, gateway, {"addresses": [{"type": "IPAddress", "value": address}]})
    conditions = [
        {
            "type": kind,
            "status": "True",
            "reason": kind,
            "message": "",
            "observedGeneration": 1,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        for kind in ("Accepted", "ResolvedRefs")
    ]
    (parent,) = route["spec"]["parentRefs"]
    taken = {"parentRef": parent, "controllerName": "istio.io/gateway-controller", "conditions": conditions}
    _tell(control_plane, route, {"parents": [taken]})


def _tell(control_plane: ControlPlane, manifest: Manifest, status: Manifest) -> None:
    api = control_plane.api
    path = f"{api.path(manifest)}/status"
    reply = api.request("PATCH", path, {"status": status}, content="application/merge-patch+json")
    assert reply.status == 200, reply.message


def test_hosts_of_every_gateway_get_a_record(names: Names) -> None:
    names.program.wait(lambda: names.records() == WANTED, "the hosts have records")

    assert names.program.forbidden() == []


def test_a_record_bears_the_mark_of_its_cluster(names: Names) -> None:
    names.program.wait(lambda: len(names.records("TXT")) == len(WANTED), "records are marked")

    assert all("external-dns/owner=names" in text for text in names.records("TXT").values())


def test_the_record_of_a_host_that_is_gone_goes(names: Names) -> None:
    api = names.control_plane.api
    names.program.wait(lambda: names.records() == WANTED, "the hosts have records")
    reply = api.request("DELETE", api.path(names.route) or "")
    assert reply.status == 200, reply.message
    names.program.wait(lambda: "shared.example.com." not in names.records(), "its record is gone")

    assert {*names.records()} == {"edge.example.com.", "mesh.example.com."}
    assert not api.apply(names.route).refusal
    _give_addresses(names.control_plane, names.route)
    names.program.wait(lambda: names.records() == WANTED, "it is back")


@pytest.mark.parametrize("right", NEEDED, ids=lambda right: f"{right[2]} {right[1]}.{right[0]}")
def test_without_one_of_its_rights_hosts_get_no_record(names: Names, right: tuple[str, str, str]) -> None:
    names.stop()
    names.stored.write_text("[]")
    with rights.withheld(names.program, right):
        # What its reads of sources are told it says to nobody otherwise, and gives up after a minute.
        names.start("--log-level=debug")
        until(names.is_refused, seconds=START_SECONDS, what="it lacks the right")
        names.stop()

    assert not {*names.records()} & NEEDED[right]
    names.start()
    until(lambda: names.records() == WANTED, seconds=START_SECONDS, what="with it the hosts have records")
