"""Mutual TLS of Istio as the stack's one word has it: between a real gateway and a real sidecar, by a real istiod's identities.

Real: istiod and its webhook, pilot-agent and Envoy of both pods, certificates that istiod signs, PeerAuthentication and
routes as objects. Played: see `proxies.py`.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from platform_def.capabilities import Identity
from platform_def.components.people.kubeflow_roles.component import KubeflowRoles
from platform_def.config.capability import Provision
from platform_def.config.teams import Team
from platform_def.constructs import Route
from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import Door, envoy_program, give_pods_addresses
from tests.cluster.proxies import HEALTH, STATUS, Proxy
from tests.cluster.shop import HOME, LED, QUIET, Shop, around, pod
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.unit.built import built as built_component
from tests.unit.constructs.samples import built

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.35"}}
gateway: istio-ingress-gateway
ingress: {{kind: cloud}}
components:
  istio: {{mtls: {mtls}, inject: [shop]}}
  istio-ingress-gateway: {{}}
"""
DOOR, WEB, MOVED = "10.99.0.1", "10.99.3.1", 100
MEMBER, USER = "ada@example.com", "kubeflow-userid"
CALLER = "spiffe://cluster.local/ns/istio-system/sa/istio-ingressgateway-service-account"
SERVER = "spiffe://cluster.local/ns/shop/sa/default"


def rendered(root: Path, mtls: str) -> RenderedStack:
    """The stack with one of the two words."""
    return rendered_stack(root / mtls, STACK.format(mtls=mtls), name="mesh")


def objects_of(stack: RenderedStack) -> list[Manifest]:
    """The objects of its components, and a route to the Service."""
    made = built(lambda self: Route(self, "web", path="/web/", service="web", namespace=HOME), platform=stack.platform)
    routes = [each.manifest for each in made.objects]
    for each in routes:
        each["metadata"]["namespace"] = HOME
    return [*(item.manifest for each in stack.components.values() for item in each.objects), *routes]


def policy_of(stack: RenderedStack) -> Manifest:
    """What the mesh says of connections."""
    (found,) = (each for each in objects_of(stack) if each["kind"] == "PeerAuthentication")
    return found


def members_of(stack: RenderedStack) -> Manifest:
    """What lets a team's one member in, where the team's namespace is that of the pod."""
    team = Team.from_file({"name": "shop", "namespace": HOME, "members": [{"name": MEMBER}]})
    given = (*stack.platform.provisions, Provision.of(Identity(issuer="https://id.example.com"), "external"))
    made = built_component(KubeflowRoles, stack.platform.model_copy(update={"teams": (team,), "provisions": given}))
    return made.one("AuthorizationPolicy")


@dataclass
class Secured:
    """The shop, with the proxies of the gateway and of its pod."""

    shop: Shop
    gateway: Proxy
    sidecar: Proxy
    policies: Mapping[str, Manifest]

    @property
    def direct(self) -> Door:
        """The pod's own port, as somebody outside the mesh finds it."""
        return Door(self.shop.control_plane.folder / "direct.sock", "")

    def port(self, number: int) -> Door:
        """A port that the kubelet or Prometheus asks."""
        path = self.shop.control_plane.folder / f"{number}.sock"
        if not path.exists():
            self.shop.control_plane.sandbox.forward(path, port=number)
        return Door(path, "")

    def plain(self, headers: Mapping[str, str] | None = None) -> int:
        """The answer to a plain request that goes around the gateway; 0 where the connection is closed."""
        try:
            return self.direct.get("/web/", headers=headers).status
        except OSError:
            return 0


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory, binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Secured]:
    """The mesh with the word `strict`."""
    envoy, root = or_skip(envoy_program), tmp_path_factory.mktemp("mutual-tls")
    stacks = {word: rendered(root, word) for word in ("strict", "permissive")}
    objects = objects_of(stacks["strict"])
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane, control_plane.explaining():
        shop = Shop(control_plane, programs, envoy)
        give_pods_addresses(control_plane.sandbox, control_plane.folder)
        shop.store([*objects, *around({"web-1": WEB}), QUIET])
        shop.serve()
        program = shop.rule(objects, "istiod")
        gateway = shop.gateway(objects, "door", DOOR)
        sidecar = shop.run(shop.admitted(program, pod("web-1")), WEB, moved=MOVED)
        shop.wait([gateway, sidecar])
        control_plane.sandbox.forward(control_plane.folder / "direct.sock", port=LED, host=WEB)
        policies = {word: policy_of(stack) for word, stack in stacks.items()}
        yield Secured(shop, gateway, sidecar, {**policies, "members": members_of(stacks["strict"])})


@pytest.fixture
def secured(running: Secured, request: pytest.FixtureRequest) -> Iterator[Secured]:
    """The shared mesh, strict again afterwards; its logs are shown when the test fails."""
    show_logs(request, running.shop.control_plane)
    yield running
    running.shop.store([running.policies["strict"]])
    until(lambda: running.plain() == 0, seconds=START_SECONDS, what="plain requests are refused")


def test_the_gateway_proves_to_the_pod_who_it_is(secured: Secured) -> None:
    found = secured.shop.door.get("/web/x")

    assert (found.status, found.asked["path"]) == (200, "/web/x")
    assert f"URI={CALLER}" in found.asked["peer"]
    assert f"By={SERVER}" in found.asked["peer"]


def test_a_plain_request_is_refused_where_the_mesh_is_strict(secured: Secured) -> None:
    assert secured.plain() == 0
    assert secured.shop.asked("/web/") == 200


def test_nobody_gets_in_by_tls_without_an_identity_of_the_mesh(secured: Secured) -> None:
    anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anybody.check_hostname = False
    anybody.verify_mode = ssl.CERT_NONE
    # Before 1.3 the server says within the handshake that it wants a certificate.
    anybody.maximum_version = ssl.TLSVersion.TLSv1_2

    with pytest.raises(ssl.SSLError, match="alert"):
        Door(secured.direct.path, "", anybody).get("/web/")


def test_the_word_permissive_lets_plain_requests_in_as_well(secured: Secured) -> None:
    secured.shop.store([secured.policies["permissive"]])

    until(lambda: secured.plain() == 200, seconds=START_SECONDS, what="plain requests are answered")
    assert f"URI={CALLER}" in secured.shop.door.get("/web/x").asked["peer"]


def test_a_user_that_a_pod_names_is_refused_and_the_gateways_is_not(secured: Secured) -> None:
    """By the policy of a team's members: the header counts only from the gateway's own identity."""
    members, api = secured.policies["members"], secured.shop.control_plane.api
    secured.shop.store([secured.policies["permissive"], members])
    forged = {USER: MEMBER}
    try:
        until(lambda: secured.plain(forged) == 403, seconds=START_SECONDS, what="a forged user is refused")

        found = secured.shop.door.get("/web/x", headers=forged)
        assert (found.status, found.asked["user"]) == (200, MEMBER)
        assert secured.shop.door.get("/web/x", headers={USER: "eve@example.com"}).status == 403
        assert secured.direct.get("/healthz").status == 200
    finally:
        api.request("DELETE", api.path(members) or "")


def test_without_the_policy_plain_requests_get_in(secured: Secured) -> None:
    api = secured.shop.control_plane.api
    reply = api.request("DELETE", api.path(secured.policies["strict"]) or "")

    assert reply.status == 200, reply.message
    until(lambda: secured.plain() == 200, seconds=START_SECONDS, what="plain requests are answered")


def test_the_kubelets_probes_pass_a_strict_mesh(secured: Secured) -> None:
    """istiod has rewritten the probe of the pod: pilot-agent asks in the kubelet's place."""
    (main,) = secured.sidecar.pod["spec"]["containers"]
    probe = main["readinessProbe"]["httpGet"]

    assert (probe["port"], probe["path"]) == (STATUS, "/app-health/main/readyz")
    assert secured.port(STATUS + MOVED).get(probe["path"]).status == 200


@pytest.mark.parametrize("moved", [0, MOVED], ids=["gateway", "sidecar"])
def test_proxies_are_ready_by_the_probe_that_dist_has(secured: Secured, moved: int) -> None:
    proxy = secured.sidecar if moved else secured.gateway
    probe = proxy.container["readinessProbe"]["httpGet"]

    assert (probe["port"], probe["path"]) == (HEALTH, "/healthz/ready")
    assert secured.port(HEALTH + moved).get(probe["path"]).status == 200


def test_metrics_are_read_past_a_strict_mesh(secured: Secured) -> None:
    noted = secured.sidecar.pod["metadata"]["annotations"]
    path, number = noted["prometheus.io/path"], int(noted["prometheus.io/port"])

    assert number == STATUS
    assert secured.port(number + MOVED).get(path).status == 200
