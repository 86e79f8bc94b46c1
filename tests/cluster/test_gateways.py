"""Requests to the routes of `test_routes_of_each_gateway.py`, through a real Envoy that a real istiod configures."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest

from platform_def.components.gateways.istio.observation import METRICS as ISTIOD
from platform_def.constructs import Route
from platform_def.manifests.rendered import RenderedStack
from platform_def.yaml import load_all
from tests.cluster import hosts, secure, sign_in
from tests.cluster.client import Applied, Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import SERVERS, Door, envoy_program
from tests.cluster.fed import unfed
from tests.cluster.mesh import SYSTEM, Mesh, admitted, start_mesh, validator
from tests.cluster.pki import serving
from tests.cluster.route_requests import HASTY, HOLDS, LIMITED, holds, lacking, removals, without
from tests.cluster.route_requests import ROUTES as SAID
from tests.cluster.scrape import Page, faults, page_at
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, refusals
from tests.unit.checks.operators.mesh_objects import TAKEN
from tests.unit.checks.operators.mesh_objects import WRONG as REFUSED
from tests.unit.constructs.samples import built

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

ROUTES = {**SAID, **LIMITED, **HASTY}
STACK = """\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
gateway: istio-ingress-gateway
ingress: {ingress}
external:
  authorizationService: {{name: who, host: who.auth.svc.cluster.local, port: 80, adds: [kubeflow-userid]}}
  identity: {{issuer: "https://id.example.com"}}
components:
  istio:
    mtls: permissive
    accessLog: true
    tracing: {{host: a.here.svc.cluster.local, port: 9000, percent: 100}}
    discoverySelectors: {known}
  istio-ingress-gateway: {{api: {api}}}
  {more}
"""
KNOWN = (SYSTEM, *sorted({namespace for namespace, _ in SERVERS} - {"apart"}))
CHOSEN = {"example.com/mesh": "yes"}
"""Which namespaces the mesh knows: by their names, and by a label."""
APART = {"path": "/apart/", "service": "c", "namespace": "apart", "auth": "public"}
"""A route to a namespace that has not the label."""


def rendered(root: Path, api: str, *, ingress: str = "{kind: cloud}") -> RenderedStack:
    """The stack, with routes in one of the APIs."""
    more = "gateway-api: {release: 1.6.1-experimental}" if api == "gateway-api" else ""
    known = json.dumps([*({"kubernetes.io/metadata.name": each} for each in KNOWN), CHOSEN])
    return rendered_stack(root, STACK.format(api=api, ingress=ingress, more=more, known=known), name="mesh")


def serves(api: str, route: str) -> bool:
    """Whether a route can be written in the API; `test_route_fields.py` has those that are refused."""
    return api == "istio" or route not in HASTY


def objects_of(stack: RenderedStack) -> list[Manifest]:
    """The objects of its components."""
    return [item.manifest for each in stack.components.values() for item in each.objects]


MONITORING = 15014
HTTP_SERVER = {"port": {"number": 80, "name": "http", "protocol": "HTTP"}, "hosts": ["a.example.com"]}
RANGES = "traffic.sidecar.istio.io/includeOutboundIPRanges"
UNHEARD = "citadel_* pilot_total_xds_rejects pilot_total_xds_internal_errors"
"""What has not happened to this istiod: no proxy refuses what it gets, and none asks for an identity."""


@pytest.fixture(scope="module", params=["istio", "gateway-api"])
def running(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    binaries: Mapping[str, Path],
    programs: Mapping[str, Path],
    oauth2_proxy: Path | None,
) -> Iterator[Mesh]:
    """A mesh whose gateway serves routes in one of the two APIs."""
    envoy, root = or_skip(envoy_program), tmp_path_factory.mktemp(request.param)
    stack = rendered(root, request.param)
    objects = objects_of(stack)

    def route(name: str, options: Mapping[str, Any]) -> list[Manifest]:
        made = built(lambda self: Route(self, name, **options), platform=stack.platform)
        return [each.manifest for each in made.objects]

    routes = {name: route(name, options) for name, options in ROUTES.items() if serves(request.param, name)}
    further = {**sign_in.ROUTES, **secure.routes(request.param), "apart": APART}
    signed = secure.sign(root / "signed")
    verified = [*secure.services(request.param), *secure.authorities(signed, SYSTEM)]
    beside = [*verified, *(each for name, options in further.items() for each in route(name, options))]
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane, control_plane.explaining():
        mesh = start_mesh(
            control_plane,
            [*objects, *beside],
            routes,
            istiod=programs["istiod"],
            envoy=envoy,
            oauth2_proxy=oauth2_proxy,
        )
        secure.start(control_plane.sandbox, root, signed)
        yield mesh


@pytest.fixture
def mesh(running: Mesh, request: pytest.FixtureRequest) -> Mesh:
    """The shared mesh; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


@pytest.mark.parametrize("route", ROUTES)
def test_requests_reach_the_service_as_the_route_says(mesh: Mesh, route: str) -> None:
    if route not in mesh.routes:
        pytest.skip("refused by synth")
    HOLDS[route](mesh.door)


@pytest.mark.parametrize("route", secure.CASES["istio"])
def test_a_service_that_speaks_https_is_verified(mesh: Mesh, route: str) -> None:
    if route not in secure.CASES[mesh.api]:
        pytest.skip("refused by synth")
    until(lambda: secure.is_served("safe", mesh.door), seconds=START_SECONDS, what="the Service that is verified")
    secure.holds(route, mesh.door.get(f"/{route}/x"))


def test_a_route_for_one_host_is_for_all_of_its_ports(mesh: Mesh) -> None:
    assert mesh.door.get("/page", host="models.example.com:8443").status == 200


def test_nobody_bears_another_name(mesh: Mesh) -> None:
    assert mesh.door.get("/plain/x", headers={"kubeflow-userid": "somebody"}).asked["user"] == "ada"


def test_the_mesh_knows_the_namespaces_that_are_chosen(mesh: Mesh) -> None:
    assert mesh.door.get("/apart/x").status != 200

    metadata = {"name": "apart", "labels": CHOSEN}
    mesh.control_plane.api.apply_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}])
    until(lambda: mesh.door.get("/apart/x").status == 200, seconds=START_SECONDS, what="the mesh knows it now")


def test_the_gateway_writes_a_line_for_each_request(mesh: Mesh) -> None:
    assert mesh.door.get("/plain/written-down").status == 200

    log = mesh.control_plane.folder / "envoy.log"
    until(
        lambda: '"GET /plain/written-down HTTP/1.1" 200' in log.read_text(errors="replace"),
        seconds=START_SECONDS,
        what="the line is there",
    )


def test_the_collector_gets_the_traces(mesh: Mesh) -> None:
    assert mesh.door.get("/plain/traced").status == 200

    until(
        lambda: mesh.counted("tracing.opentelemetry.spans_sent") > 0,
        seconds=START_SECONDS,
        what="the gateway has sent what it traced",
    )
    collector = "outbound|9000||a.here.svc.cluster.local;"
    until(
        lambda: mesh.counted(f"cluster.{collector}.upstream_rq_200") > 0,
        seconds=START_SECONDS,
        what="the collector has answered",
    )


@pytest.fixture
def asked(mesh: Mesh) -> Mesh:
    """The mesh whose gateway asks oauth2-proxy."""
    if not mesh.who.is_real:
        pytest.skip("a stand-in decides here: oauth2-proxy could not be built")
    return mesh


def test_a_token_of_a_stranger_opens_nothing(asked: Mesh) -> None:
    sign_in.refuses_strangers(asked.door, asked.who)


@pytest.mark.parametrize("host", sign_in.HOSTS)
def test_a_browser_is_sent_to_sign_in_and_is_known_then(asked: Mesh, host: str) -> None:
    sign_in.lets_a_browser_sign_in(asked.door, asked.who, host)


def test_a_pod_in_the_mesh_gets_the_rendered_proxy(mesh: Mesh, request: pytest.FixtureRequest) -> None:
    pod: Manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "example.com/web:1", "ports": [{"containerPort": 80}]}]},
    }
    init, proxy = admitted(mesh, "meshed", pod)["spec"]["initContainers"]

    assert (init["name"], proxy["name"], proxy["restartPolicy"]) == ("istio-init", "istio-proxy", "Always")
    variables = {each["name"]: each.get("value") for each in proxy["env"]}
    assert variables["ISTIO_META_APP_CONTAINERS"] == "main"
    assert variables["ISTIO_META_POD_PORTS"] == '[{"containerPort":80,"protocol":"TCP"}]'


def tellings(page: Page) -> float:
    """How often a proxy has been told of a change."""
    return sum(float(each) for each in page.values.get("pilot_proxy_convergence_time_count", []))


def told_after(mesh: Mesh, before: float) -> Page:
    """What istiod counts once it has told the gateway more often."""
    found: list[Page] = []

    def told() -> bool:
        found.append(page_at(mesh.control_plane, MONITORING))
        return tellings(found[-1]) > before

    until(told, seconds=START_SECONDS, what="the gateway has been told of it")
    return found[-1]


def test_istiod_counts_as_its_table_says(mesh: Mesh, programs: Mapping[str, Path]) -> None:
    judges(mesh)
    pages = [told_after(mesh, 0)]
    right = {**WRONG, "metadata": {**WRONG["metadata"], "name": "right"}, "spec": {"servers": [HTTP_SERVER]}}
    containers = [{"name": "main", "image": "example.com/web:1"}]
    pod: Manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": containers}}
    assert "denied the request" in judged(mesh, WRONG).refusal
    assert judged(mesh, right).refusal == ""
    assert admitted(mesh, "counted", pod)["spec"]["initContainers"]
    spoiled = {**pod, "metadata": {"name": "spoiled", "annotations": {RANGES: "any"}}}
    assert mesh.control_plane.api.request("POST", "/api/v1/namespaces/counted/pods", spoiled).status >= 400

    pages.append(told_after(mesh, tellings(pages[0])))
    assert faults(pages[-1], [ISTIOD], program=programs["istiod"], silent=UNHEARD) == []
    assert unfed("istio", {"istiod": pages}, engine=programs["prometheus-engine"]) == []


def test_an_annotation_of_a_pod_stays_one_value_of_its_proxy(mesh: Mesh) -> None:
    odd = 'example.com/proxy:1"\n  env: [{name: "MORE", value: "1'
    pod: Manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "odd", "annotations": {"sidecar.istio.io/proxyImage": odd}},
        "spec": {"containers": [{"name": "main", "image": "example.com/web:1"}]},
    }
    init, proxy = admitted(mesh, "odd", pod)["spec"]["initContainers"]

    assert (init["image"], proxy["image"]) == (odd, odd)
    assert "MORE" not in {each["name"] for each in proxy["env"]}


def test_an_object_that_names_no_revision_is_judged_too(mesh: Mesh) -> None:
    judges(mesh)
    metadata = {key: value for key, value in WRONG["metadata"].items() if key != "labels"}

    assert "denied the request" in judged(mesh, {**WRONG, "metadata": metadata}).refusal


@pytest.mark.parametrize("written", [*TAKEN, *REFUSED])
def test_istiod_judges_as_our_check_does(mesh: Mesh, written: str) -> None:
    judges(mesh)
    (manifest,) = load_all(written)
    metadata = {"name": "asked", "namespace": "here"}

    told = judged(mesh, {**cast(Manifest, manifest), "metadata": metadata}, dry_run=True).refusal
    assert ("denied the request" in told) == (written in REFUSED), told


WRONG: Manifest = {
    "apiVersion": "networking.istio.io/v1",
    "kind": "Gateway",
    "metadata": {"name": "wrong", "namespace": "here", "labels": {"istio.io/rev": "default"}},
    "spec": {"servers": [{"port": {"number": 80, "name": "http", "protocol": "HTTP"}, "hosts": ["a", "a b"]}]},
}


def test_istiod_closes_its_webhook_once_it_answers(mesh: Mesh) -> None:
    assert validator(mesh)["clientConfig"]["caBundle"]
    assert "istio" in mesh.control_plane.api.apply(WRONG, dry_run=True).refusal


def test_istiod_lacks_no_right(mesh: Mesh) -> None:
    assert mesh.istiod.forbidden() == []


NOTICED_SECONDS = 20.0
LONG = [route for route, options in ROUTES.items() if options.get("timeout_seconds") != 1]
LIMIT, MORE = "nobody waits that long; `brief` shows it", "it asks about more, which a test of its own shows"
POLICY = {
    **dict.fromkeys(("AuthorizationPolicy spec.selector.matchLabels.app",), "the other label chooses the same pods"),
    **dict.fromkeys(("AuthorizationPolicy spec.selector.matchLabels.istio",), "the other label chooses the same pods"),
    "AuthorizationPolicy spec.rules.0.to.0.operation.paths": MORE,
    "crossed AuthorizationPolicy spec.rules.1.to.0.operation.paths": MORE,
    "crossed AuthorizationPolicy spec.rules.2.to.0.operation.paths": MORE,
    "hosted AuthorizationPolicy spec.rules.0.to.0.operation.hosts": MORE,
}
RULE = "HTTPRoute spec.rules.0"
SAME: Mapping[str, Mapping[str, str]] = {
    "VirtualService": {
        **POLICY,
        **{
            f"{route} VirtualService spec.http.0.timeout": LIMIT
            for route in LONG
            if ROUTES[route].get("timeout_seconds", 60) and route not in LIMITED
        },
    },
    "HTTPRoute": {
        **POLICY,
        f"carrying {RULE}.matches.0.headers.0.type": "the server fills it in",
        **{f"{route} {RULE}.timeouts.request": LIMIT for route in LONG if route in SAID},
        **{f"HTTPRoute spec.parentRefs.0.{field}": "the server fills it in" for field in ("group", "kind")},
        **{f"{RULE}.backendRefs.0.{field}": "the server fills it in" for field in ("group", "kind")},
        **{f"{RULE}.backendRefs.1.{field}": "the server fills it in" for field in ("group", "kind")},
        **{f"{route} {RULE}.backendRefs.0.weight": "there is one backend" for route in SAID if route != "shared"},
        **{
            f"{route} {RULE}.matches.0.path.type": "the server fills it in"
            for route, options in SAID.items()
            if not options.get("exact")
        },
        f"hosted {RULE}.matches.0.path.value": "the server fills it in",
    },
}
"""Why a route says the same without a field, by the kind that routes are written in."""


def test_a_route_without_one_of_its_fields_is_another(mesh: Mesh) -> None:
    """One field of every route at a time: it is refused, or the route is no longer served as it says."""
    judges(mesh)
    unnoticed = []
    # A filter of Envoy's that lacks a field is refused as a whole, and Envoy keeps what it has.
    routes = {name: objects for name, objects in mesh.routes.items() if name not in LIMITED}
    for found in removals(routes, SAME[mesh.routes["plain"][0]["kind"]]):
        changed = lacking(mesh.routes, found)
        applied = {name: judged(mesh, changed[name][index]) for name, (index, _) in found.items()}
        accepted = [name for name, result in applied.items() if not result.refusal]
        unnoticed += [f"{name} {applied[name].sent['kind']} {found[name][1]}" for name in still_served(mesh, accepted)]
        restore(mesh, {name: mesh.routes[name][found[name][0]] for name in accepted})

    assert not unnoticed, "\n".join(unnoticed)


def judges(mesh: Mesh) -> None:
    """Wait until nothing passes istiod unseen: the API server learns after a while that the webhook is closed."""
    validator(mesh)
    until(lambda: "denied" in judged(mesh, WRONG).refusal, seconds=START_SECONDS, what="istiod is always asked")


def judged(mesh: Mesh, manifest: Manifest, *, dry_run: bool = False) -> Applied:
    """What became of an object that istiod is asked about; it closes connections now and then, and is asked again."""
    results: list[Applied] = []

    def answered() -> bool:
        results[:] = [mesh.control_plane.api.apply(manifest, dry_run=dry_run)]
        return "failed calling webhook" not in results[0].refusal

    until(answered, seconds=START_SECONDS, what="istiod judges an object")
    return results[0]


@pytest.mark.parametrize(("route", "field"), [("plain", "paths"), ("hosted", "hosts")])
def test_a_policy_that_says_less_asks_about_other_routes_too(mesh: Mesh, route: str, field: str) -> None:
    judges(mesh)
    policy = mesh.routes[route][1]
    wider = without(policy, f"spec.rules.0.to.0.operation.{field}")
    if field == "paths":
        wider["spec"]["rules"] = [{}]  # an operation of nothing is refused
    assert not judged(mesh, wider).refusal

    until(lambda: not holds("public", mesh.door), seconds=START_SECONDS, what="nobody passes unasked")
    assert not judged(mesh, policy).refusal
    until(lambda: holds("public", mesh.door), seconds=START_SECONDS, what="the policy is as it was")


def still_served(mesh: Mesh, routes: list[str]) -> list[str]:
    """Those of the routes that go on being served as they say, which takes a while to be sure of."""
    left = list(routes)

    def gone() -> bool:
        left[:] = [name for name in left if holds(name, mesh.door)]
        return not left

    with suppress(TimeoutError):
        until(gone, seconds=NOTICED_SECONDS, what="the routes are others")
    return left


def restore(mesh: Mesh, objects: Mapping[str, Manifest]) -> None:
    """Apply an object of each route as it was, and wait until they are served as they say."""
    refused = refusals(mesh.control_plane.api.apply_all(objects.values()))
    assert not refused, "\n".join(refused)
    left = list(objects)

    def back() -> bool:
        left[:] = [name for name in left if not holds(name, mesh.door)]
        return not left

    until(back, seconds=START_SECONDS, what="the routes are as they were")


@pytest.fixture(scope="module")
def secured(running: Mesh, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Door:
    """The gateway with a certificate: what the stack renders for it in place of what there was."""
    root, api = tmp_path_factory.mktemp("secured"), running.control_plane.api
    made = serving(root / "pki", ("any.example.com", "models.example.com"))
    stack = rendered(root / "stack", running.api, ingress="{kind: cloud, tls: {secret: door}}")
    changed = [item.manifest for item in stack.components["istio-ingress-gateway"].objects]
    refused = refusals(apply_in_waves(api, [hosts.secret("door", SYSTEM, made), *changed]))
    assert not refused, "\n".join(refused)
    door = running.secured(ssl.create_default_context(cafile=str(made.authority)))
    until(lambda: holds("plain", door), seconds=START_SECONDS, what="the gateway answers over HTTPS")
    until(lambda: running.door.get("/plain/x").status == 301, seconds=START_SECONDS, what="HTTP is sent there")
    return door


@pytest.mark.parametrize("route", ROUTES)
def test_requests_over_https_reach_the_service_as_the_route_says(secured: Door, mesh: Mesh, route: str) -> None:
    if route not in mesh.routes:
        pytest.skip("refused by synth")
    HOLDS[route](secured)


def test_a_client_that_negotiates_is_served_by_http_2(secured: Door) -> None:
    assert secured.negotiated() == "h2"


def test_plain_requests_are_sent_to_https(secured: Door, mesh: Mesh) -> None:
    found = mesh.door.get("/plain/x?y=1", headers={"x-forwarded-proto": "https"})

    assert (found.status, found.headers["location"]) == (301, "https://any.example.com/plain/x?y=1")
    assert not found.asked


@pytest.fixture(scope="module")
def housed(secured: Door, running: Mesh, tmp_path_factory: pytest.TempPathFactory) -> tuple[Door, hosts.Certificates]:
    """The gateway with several hosts, in place of the one certificate."""
    root, api = tmp_path_factory.mktemp("housed"), running.control_plane.api
    made = hosts.certificates(root / "pki")
    stack = rendered(root / "stack", running.api, ingress=hosts.INGRESS)
    changed = [item.manifest for item in stack.components["istio-ingress-gateway"].objects]
    route = built(lambda self: Route(self, "plain", **ROUTES["plain"]), platform=stack.platform)
    objects = [*hosts.secrets(made, SYSTEM), *changed, *(each.manifest for each in route.objects)]
    refused = refusals(apply_in_waves(api, objects))
    assert not refused, "\n".join(refused)
    return secured, made


def test_each_host_shows_its_own_certificate(housed: tuple[Door, hosts.Certificates], mesh: Mesh) -> None:
    door, made = housed

    until(
        lambda: hosts.served(door, made, "/plain/x") == hosts.ALL,
        seconds=START_SECONDS,
        what="each host answers under its certificate, and no other host",
    )
    assert mesh.door.get("/plain/x", host="hub.apps.example.com").status == 301
