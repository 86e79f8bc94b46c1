"""Requests to the same routes through a real Envoy, with the configuration that Emissary's own compiler makes.

Real: the objects of a stack at each release, the compiler of that release (`compiler.py` says where that of 4.1.0 is to be
had), Envoy, oauth2-proxy. Played: DNS and kube-proxy, the issuer, and Emissary's other programs, which hand objects and
configuration on.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from platform_def.constructs import Route
from tests.cluster import hosts, secure, sign_in
from tests.cluster.client import Manifest
from tests.cluster.compiler import IN_CHECKOUT, IN_MODULE, compiled, envoy_beside, located, obtain_compiler
from tests.cluster.conftest import or_skip
from tests.cluster.control_plane import until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import CALLS, SERVERS, Door, start_servers
from tests.cluster.pki import serving
from tests.cluster.route_requests import HASTY, HOLDS, REFUSED, holds, lacking, removals
from tests.cluster.route_requests import ROUTES as SAID
from tests.cluster.sandbox import Sandbox
from tests.cluster.stacks import rendered_stack
from tests.cluster.who import Who, start_who
from tests.unit.constructs.samples import built

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
gateway: emissary
ingress: {ingress}
external:
  authorizationService: {{name: who, host: who.auth.svc.cluster.local, port: 80, adds: [kubeflow-userid]}}
  identity: {{issuer: "https://id.example.com"}}
components:
  emissary: {{release: "{release}"}}
"""
INGRESS = "{kind: cloud, tls: {secret: door}}"
NAMES = (*sign_in.HOSTS, "models.example.com")
HTTP, HTTPS = 8080, 8443
ROUTES = {**SAID, **HASTY}
Routes = Mapping[str, Sequence[Manifest]]


@dataclass(frozen=True)
class Gateway:
    """Envoy behind a socket for each port, and what its configuration is made of."""

    sandbox: Sandbox
    folder: Path
    envoy: Path
    compiler: Path
    release: str
    objects: Sequence[Manifest]
    routes: Routes
    trust: ssl.SSLContext
    who: Who
    _running: list[str] = field(default_factory=list)

    @property
    def plain(self) -> Door:
        """The port for HTTP."""
        return Door(self.folder / "http.sock", self.who.token)

    @property
    def door(self) -> Door:
        """The port for HTTPS."""
        return Door(self.folder / "https.sock", self.who.token, self.trust)

    def compiled(self, sets: Sequence[Routes]) -> list[dict[str, Any]]:
        """Envoy's configuration for sets of routes."""
        every = [[*self.objects, *(each for made in routes.values() for each in made)] for routes in sets]
        return [located(each, PLACES) for each in compiled(self.compiler, every, certificates=self.folder)]

    def serve(self, configuration: Mapping[str, Any], *, trust: ssl.SSLContext | None = None) -> None:
        """Start Envoy anew with a configuration, and wait until it answers."""
        door = replace(self.door, tls=trust or self.trust)
        if self._running:
            self.sandbox.stop(self._running.pop())
        file, log = self.folder / "envoy.json", self.folder / "envoy.log"
        file.write_text(json.dumps(configuration))
        argv = [str(self.envoy), "-c", str(file), "--log-level", "error", "--concurrency", "1"]
        self.sandbox.start("envoy", argv, log=log)
        self._running.append("envoy")

        def answers() -> bool:
            assert "envoy" not in self.sandbox.ended(), log.read_text(errors="replace")
            try:
                return self.plain.get("/").status != 0 and door.get("/").status != 0
            except OSError:
                return False

        until(answers, seconds=START_SECONDS, what="the gateway answers")


PLACES = {
    **{(f"{name}.{namespace}", 80): place for (namespace, name), place in SERVERS.items()},
    **{(f"{name}.{secure.HOME}", 80): secure.PLACE for name in secure.CASES["emissary"]},
    ("a.here", CALLS): (SERVERS["here", "a"][0], CALLS),
}


def _is_read(manifest: Manifest) -> bool:
    return str(manifest["apiVersion"]).startswith("getambassador.io/") or manifest["kind"] == "Service"


@pytest.fixture(scope="module", params=[IN_MODULE, IN_CHECKOUT])
def gateway(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, oauth2_proxy: Path | None
) -> Iterator[Gateway]:
    """A gateway that serves the routes over HTTPS."""
    release = str(request.param)
    compiler = or_skip(lambda: obtain_compiler(release))
    envoy = envoy_beside(compiler)
    root = tmp_path_factory.mktemp("emissary")
    stack = rendered_stack(root, STACK.format(release=release, ingress=INGRESS), name="edge")
    made = serving(root / "pki", NAMES)
    own = [item.manifest for each in stack.components.values() for item in each.objects]
    # Its own health has the path of a route below.
    objects = [each for each in own if _is_read(each) and each["metadata"]["name"] != "emissary-health"]

    def route(name: str, options: Mapping[str, Any]) -> list[Manifest]:
        found = built(lambda self: Route(self, name, **options), platform=stack.platform)
        return [each.manifest for each in found.objects]

    routes = {name: route(name, options) for name, options in ROUTES.items()}
    further = {**sign_in.ROUTES, **secure.routes("emissary")}
    signed = secure.sign(root / "signed")
    beside = [
        *secure.emissary_secrets(signed),
        *(each for name, options in further.items() for each in route(name, options)),
    ]
    secret, trust = hosts.secret("door", "emissary", made), ssl.create_default_context(cafile=str(made.authority))
    with Sandbox() as sandbox:
        start_servers(sandbox, root, envoy=envoy)
        secure.start(sandbox, root, signed)
        who = start_who(sandbox, root, program=oauth2_proxy, refused=REFUSED)
        found = Gateway(sandbox, root, envoy, compiler, release, [*objects, *beside, secret], routes, trust, who)
        sandbox.forward(root / "http.sock", port=HTTP)
        sandbox.forward(root / "https.sock", port=HTTPS)
        found.serve(found.compiled([routes])[0])
        until(lambda: holds("plain", found.door), seconds=START_SECONDS, what="a route is served")
        yield found


@pytest.mark.parametrize("route", ROUTES)
def test_requests_reach_the_service_as_the_route_says(gateway: Gateway, route: str) -> None:
    HOLDS[route](gateway.door)


@pytest.mark.parametrize("route", secure.CASES["emissary"])
def test_who_signed_for_a_service_that_speaks_https_is_verified(gateway: Gateway, route: str) -> None:
    secure.holds(route, gateway.door.get(f"/{route}/x"), unverified=True)


def test_a_service_is_shown_the_certificate_without_which_emissary_verifies_none(gateway: Gateway) -> None:
    assert secure.GATEWAY in gateway.door.get("/safe/x").asked["shown"]


@pytest.fixture
def asked(gateway: Gateway) -> Gateway:
    """The gateway that asks oauth2-proxy."""
    if not gateway.who.is_real:
        pytest.skip("a stand-in decides here: oauth2-proxy could not be built")
    return gateway


def test_a_token_of_a_stranger_opens_nothing(asked: Gateway) -> None:
    sign_in.refuses_strangers(asked.door, asked.who)


@pytest.mark.parametrize("host", sign_in.HOSTS)
def test_a_browser_is_sent_to_sign_in_and_is_known_then(asked: Gateway, host: str) -> None:
    sign_in.lets_a_browser_sign_in(asked.door, asked.who, host)


def test_plain_requests_are_sent_to_https(gateway: Gateway) -> None:
    found = gateway.plain.get("/plain/x?y=1")

    assert (found.status, found.headers["location"]) == (301, "https://any.example.com/plain/x?y=1")
    assert gateway.plain.get("/plain/x", headers={"x-forwarded-proto": "https"}).status == 301


def test_a_client_that_negotiates_is_served_by_http_2(gateway: Gateway) -> None:
    assert gateway.door.negotiated() == "h2"


def test_envoy_ends_no_stream_of_a_route_without_a_limit(gateway: Gateway) -> None:
    """It would after five minutes in which nothing moves."""
    configuration = json.dumps(gateway.compiled([{"socket": gateway.routes["socket"]}])[0])

    assert '"idle_timeout": "0.000s"' in configuration


def test_what_takes_longer_than_emissarys_own_limit_is_waited_for(gateway: Gateway) -> None:
    assert gateway.door.get("/slow?wait=4").status == 200


LONG = [route for route, options in ROUTES.items() if options.get("timeout_seconds") != 1]
SAME: Mapping[str, str] = {
    **dict.fromkeys(("Mapping spec.prefix", "Mapping spec.service"), "the API server refuses the Mapping"),
    **dict.fromkeys(("rewritten Mapping spec.rewrite", "hosted Mapping spec.rewrite"), "`/` is Emissary's own"),
    **{
        f"{route} Mapping spec.timeout_ms": "`brief` shows a limit, a test of its own that another is not Emissary's"
        for route in LONG
    },
    "Mapping spec.idle_timeout_ms": "no test waits five minutes; one of its own shows that Envoy is told",
}
"""Why a route says the same without a field, or is none."""
NAMED = {"Mapping spec.ambassador_id": "the gateway called `default` reads what names none"}
"""At 3.10, where the older versions that it also serves have the field."""


def test_a_route_without_one_of_its_fields_is_another(gateway: Gateway) -> None:
    named = "ambassador_id" in gateway.routes["plain"][0]["spec"]
    rounds = removals(gateway.routes, {**SAME, **(NAMED if named else {})})
    unnoticed = []
    for found, configuration in zip(
        rounds, gateway.compiled([lacking(gateway.routes, found) for found in rounds]), strict=True
    ):
        gateway.serve(configuration)
        unnoticed += [f"{name} {path}" for name, (_, path) in found.items() if holds(name, gateway.door)]

    assert not unnoticed, "\n".join(unnoticed)


def test_each_host_shows_its_own_certificate(gateway: Gateway, tmp_path: Path) -> None:
    stack = rendered_stack(tmp_path, STACK.format(release=gateway.release, ingress=hosts.INGRESS), name="edge")
    own = [item.manifest for each in stack.components.values() for item in each.objects if _is_read(item.manifest)]
    route = built(lambda self: Route(self, "plain", **ROUTES["plain"]), platform=stack.platform)
    made = hosts.certificates(tmp_path / "pki")
    objects = [*own, *hosts.secrets(made, "emissary"), *(each.manifest for each in route.objects)]
    (configuration,) = compiled(gateway.compiler, [objects], certificates=gateway.folder)
    gateway.serve(located(configuration, PLACES), trust=hosts.unverified())

    assert hosts.served(gateway.door, made, "/plain/x") == hosts.ALL
    assert gateway.plain.get("/plain/x", host="hub.apps.example.com").status == 301
