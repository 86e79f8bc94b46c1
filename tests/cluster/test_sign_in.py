"""People sign in at a stack of dist/, and at the same with other gateways: from no session over Dex's login page to the
header that applications read.

Real: a directory (Debian's slapd) for the stack of dist/ and Dex's own users for the others, Dex and oauth2-proxy with their files, Secrets, accounts and rights, istiod with
pilot-agent and Envoy as the gateway, or Envoy with what Emissary's compiler makes, and the API server. Played: the
kubelet, DNS, kube-proxy, certificates, and the application, which tells what it is asked.
"""

from __future__ import annotations

import base64
import hashlib
import json
import ssl
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from platform_def.capabilities import Identity
from platform_def.components.people.dex.releases import METRICS as DEX_METRICS
from platform_def.components.people.oauth2_proxy.releases import METRICS as PROXY_METRICS
from platform_def.delivery.setup.people import api_server_flags
from tests.cluster.browser import Browser
from tests.cluster.client import Api, Manifest
from tests.cluster.committed import in_dist
from tests.cluster.compiler import compiled, envoy_beside, located, obtain_compiler
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS, start_kubernetes
from tests.cluster.directory import MISSING, SLAPD, Directory
from tests.cluster.door import ECHO, Answer, Door, envoy_program, give_pods_addresses
from tests.cluster.fed import unfed
from tests.cluster.issuer import new_key, token
from tests.cluster.local_users import LocalUsers
from tests.cluster.people import DEX, PROXY, People, asking, endpoints, kid, pem, settings_of
from tests.cluster.pki import certificate, serving
from tests.cluster.scrape import Page, faults, page_at
from tests.cluster.shop import QUIET, Shop
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

PARTS = (
    "namespaces", "gateway-api", "istio", "istio-ingress-gateway", "dex", "oauth2-proxy", "kubeflow-roles",
    "landing-page", "jupyterhub",
)  # fmt: skip
SUFFIX, DOMAIN = "dc=campus,dc=example,dc=com", "campus.example.com"
GROUPS = {"lattice": ["noether"], "course-gpu": ["student"], "course-gpus": ["stranger"]}
DOOR, LANDING, ISSUER, ASKED = "10.99.0.1", "10.99.1.1", "10.99.2.1", "10.99.2.2"
SERVED, HTTPS = 8001, 8443
PLACES = {
    ("landing-page", "landing-page", 80): (LANDING, SERVED),
    ("auth", DEX, 5556): (ISSUER, 5556),
    ("oauth2-proxy", PROXY, 80): (ASKED, 4180),
}
"""Where Services lead, by namespace, name and port."""
SAME = """\
apiVersion: platform-def/v1
cluster:
  kubernetes: "1.36"
  serviceAccountTokens: {issuer: "https://kubernetes.default.svc.cluster.local", audiences: [ml.campus.example.com], TOKENKEYS}
ingress: {kind: nodePort, host: ml.campus.example.com, tls: {secret: door}, httpPort: 30080, httpsPort: 30443}
gateway: GATEWAY
components:
  dex:
    localUsers: [USERS]
    localPasswords: {existing: local-users}
    clients:
      - {id: jupyterhub, redirectUris: ["https://ml.campus.example.com:30443/back"], secret: {existing: notebooks}}
      - {id: kubectl, redirectUris: ["http://localhost:8000"]}
  oauth2-proxy: {}
  kubeflow-roles: {}
  landing-page: {}
  cert-manager: {provided: true}
teams:
  - {name: physics, members: [{name: noether@campus.example.com, role: admin}], groups: [{name: lattice}]}
  - {name: course, groups: [{name: course-gpu}]}
"""
"""The same for other gateways than that of dist/."""
GATEWAYS = {
    "istio": ("istio-ingress-gateway", "  istio: {}\n  istio-ingress-gateway: {}\n"),
    # Which dist/ has at a release whose compiler is in no package.
    "emissary": ("emissary", '  emissary: {release: "3.10.0"}\n'),
}
INLINE = "emissary"
"""The stack that names the keys of ServiceAccount tokens; the others have oauth2-proxy read them at the API server."""
MACHINES, HERE = "https://kubernetes.default.svc.cluster.local", "ml.campus.example.com"
"""Who issues tokens of ServiceAccounts, and for whom they must be."""
KEPT = {
    "gateway-api": ("istio-system", "istio-ingressgateway-tls"),
    "istio": ("istio-system", "door"),
    "emissary": ("emissary", "door"),
}
"""Where the gateway finds its certificate."""
OF_EMISSARY = "getambassador.io"
AGGREGATES = ("clusterrole-aggregation-controller", "serviceaccount-controller")
"""Kubeflow's roles gather their rules from others."""
USER, GROUP = "kubeflow-userid", "kubeflow-groups"
EVERYONE = "system:authenticated"


@dataclass(frozen=True)
class Campus:
    """The stack at work."""

    people: People
    door: Door
    """The gateway's port for HTTPS."""
    signing: Path
    """The key by which the API server signs tokens of ServiceAccounts."""

    def browser(self) -> Browser:
        """Of a person who is not known yet."""
        return Browser(self.door, self.people.address)

    def known(self, name: str) -> Browser:
        """Of a person who has signed in."""
        browser = self.browser()
        directory = self.people.directory
        found = browser.sign_in(browser.follow("/"), directory.login(name), directory.passwords[name])
        assert found.asked.get("path") == "/", (found.status, found.text)
        return browser


def objects() -> list[Manifest]:
    """Of dist/: what people go through. The certificate of the gateway is made by the test."""
    found = in_dist(*(f"campus-gpu/{part}" for part in PARTS))
    return [each for each in found if not each["apiVersion"].startswith("cert-manager.io")]


def service(every: list[Manifest], name: str) -> Manifest:
    """A Service of the stack."""
    (found,) = (each for each in every if each["kind"] == "Service" and each["metadata"]["name"] == name)
    return found


def rendered(root: Path, gateway: str, users: LocalUsers, key: Path) -> list[Manifest]:
    """Of the stack for one of the other gateways, and the API server's public key where that names it."""
    name, components = GATEWAYS[gateway]
    keys = f"keys: inline, jwks: {json.dumps(key_set(key))}" if gateway == INLINE else "keys: cluster"
    text = SAME.replace("GATEWAY", name).replace("TOKENKEYS", keys).replace("USERS", users.stack())
    stack = rendered_stack(root, text.replace("components:\n", f"components:\n{components}"), name="edge")
    every = (item.manifest for each in stack.components.values() for item in each.objects)
    return [each for each in every if not each["apiVersion"].startswith("cert-manager.io")]


def key_set(key: Path) -> dict[str, list[dict[str, str]]]:
    """The public half of the key that signs ServiceAccount tokens, as the API server prints it."""
    public = cast("rsa.RSAPrivateKey", load_pem_private_key(key.read_bytes(), password=None)).public_key()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    numbers = public.public_numbers()
    n, e = (each.to_bytes((each.bit_length() + 7) // 8, "big") for each in (numbers.n, numbers.e))
    parts = {"kid": hashlib.sha256(der).digest(), "n": n, "e": e}
    encoded = {name: base64.urlsafe_b64encode(value).rstrip(b"=").decode() for name, value in parts.items()}
    return {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", **encoded}]}


def flags(every: list[Manifest], authority: Path, key: Path) -> tuple[str, ...]:
    """By which an API server knows people as `platformctl bootstrap` says, and issues tokens as the stack says."""
    known = Identity(issuer=str(settings_of(every)["issuer"]), kubectl_client="kubectl")
    return (
        *api_server_flags(known),
        f"--oidc-ca-file={authority}",
        f"--service-account-issuer={MACHINES}",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--anonymous-auth=true",
    )


def start_istio(
    control_plane: ControlPlane, every: list[Manifest], programs: Mapping[str, Path], secret: Manifest
) -> Callable[[], None]:
    """Start Istio and its gateway; what says whether that still runs."""
    shop = Shop(control_plane, programs, or_skip(envoy_program))
    shop.store([secret, QUIET])
    shop.rule(every, "istiod")
    return shop.gateway(every, "door", DOOR).alive


def start_emissary(control_plane: ControlPlane, every: list[Manifest], secret: Manifest) -> Callable[[], None]:
    """Start the Envoy of Emissary with what its compiler makes; what says whether that still runs."""
    compiler, folder = or_skip(obtain_compiler), control_plane.folder
    read = [each for each in every if OF_EMISSARY in each["apiVersion"] or each["kind"] == "Service"]
    places = {(f"{name}.{home}", asked): place for (home, name, asked), place in PLACES.items()}
    (made,) = compiled(compiler, [[*read, secret]], certificates=folder)
    file, log = folder / "envoy.json", folder / "envoy.log"
    file.write_text(json.dumps(located(made, places)))
    argv = [str(envoy_beside(compiler)), "-c", str(file), "--log-level", "error", "--concurrency", "1"]
    control_plane.sandbox.start("envoy", argv, log=log)

    def alive() -> None:
        assert "envoy" not in control_plane.sandbox.ended(), log.read_text(errors="replace")

    return alive


@pytest.fixture(scope="module", params=["gateway-api", *GATEWAYS])
def running(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    binaries: Mapping[str, Path],
    programs: Mapping[str, Path],
) -> Iterator[Campus]:
    """The stack behind one of the gateways, once a person who is not known is sent to the login page."""
    istio, root = request.param != "emissary", tmp_path_factory.mktemp("sign-in")
    local = LocalUsers(GROUPS, DOMAIN)
    if request.param not in GATEWAYS and not SLAPD.exists():
        pytest.skip(MISSING)
    key = root / "service-accounts.key"
    key.write_bytes(new_key())
    needed = (DEX, PROXY, "kube-controller-manager", *(("istiod", "pilot-agent") if istio else ()))
    wanted = {name: programs[name] for name in needed}
    other = request.param in GATEWAYS
    every = rendered(root / "stack", request.param, local, key) if other else objects()
    stored = [each for each in every if OF_EMISSARY not in json.dumps([each["apiVersion"], each["metadata"]["name"]])]
    home = urlsplit(str(settings_of(every)["issuer"]))
    made = serving(root / "door", [home.hostname or ""])
    secret = certificate(made, *(KEPT[request.param]))
    api_server = asking(binaries["kube-apiserver"], root / "api-server", home.hostname or "")
    servers, told = {**binaries, "kube-apiserver": api_server}, flags(every, made.authority, key)
    with (
        ControlPlane(servers, data=snapshot(binaries, crds_of(stored)), flags=told) as control_plane,
        control_plane.explaining(),
    ):
        folder, sandbox = control_plane.folder, control_plane.sandbox
        known = local if other else Directory(SUFFIX, GROUPS, DOMAIN, folder / "directory")
        people = People(control_plane, every, known)
        if request.param != INLINE:
            sandbox.relay("127.0.0.1", 443, target=control_plane.port)
        give_pods_addresses(sandbox, folder)
        led = [
            endpoints(service(every, "landing-page"), LANDING, {"http": SERVED}),
            endpoints(service(every, DEX), ISSUER, {"dex": 5556, "telemetry": 5558}),
            endpoints(service(every, PROXY), ASKED, {"http": 4180, "metrics": 44180}),
        ]
        refused = refusals(apply_in_waves(control_plane.api, [*stored, *led]))
        assert not refused, "\n".join(refused)
        start_kubernetes(control_plane, programs, controllers=AGGREGATES, kwok=False)
        sandbox.stop("kube-scheduler")  # the gateway's pod has its place, and it would write into its status
        argv = [sys.executable, "-I", str(ECHO), "landing-page", LANDING, str(SERVED)]
        sandbox.start("landing-page", argv, log=folder / "landing-page.log")
        people.start(wanted)
        alive = (
            start_istio(control_plane, every, wanted, secret) if istio else start_emissary(control_plane, every, secret)
        )
        sandbox.forward(folder / "door-tls.sock", port=HTTPS)
        sandbox.relay("127.0.0.1", home.port or HTTPS, target=HTTPS)
        trust = ssl.create_default_context(cafile=str(made.authority))
        campus = Campus(people, Door(folder / "door-tls.sock", "", trust), key)

        def asks() -> bool:
            alive()
            try:
                return "<form" in campus.browser().follow("/").text
            except (OSError, AssertionError):
                return False

        until(asks, seconds=START_SECONDS, what="strangers see the login page")
        yield campus


@pytest.fixture
def campus(running: Campus, request: pytest.FixtureRequest) -> Campus:
    """The shared stack; its logs are shown when the test fails."""
    show_logs(request, running.people.control_plane)
    return running


def test_who_has_no_session_sees_the_login_page_of_dex(campus: Campus) -> None:
    browser = campus.browser()
    sent = browser.get("/")

    assert sent.status == 302
    assert sent.headers["location"].startswith(f"{campus.people.issuer}/auth?")
    page = browser.follow(sent.headers["location"])
    assert (page.status, browser.seen[-1].partition("?")[0]) == (200, campus.people.login_page)


def test_who_signs_in_is_named_to_applications_with_all_groups(campus: Campus) -> None:
    browser = campus.known("noether")
    found = browser.get("/")

    assert (found.status, found.asked["user"]) == (200, "noether@campus.example.com")
    assert found.asked[GROUP] == f"{EVERYONE},lattice"


def test_a_wrong_password_and_a_name_that_is_a_filter_open_nothing(campus: Campus) -> None:
    known = campus.people.directory
    reader = [(name, password) for name, password in known.passwords.items() if name == Directory.READER]
    for name, password in (
        (known.login("noether"), known.passwords["student"]),
        ("*", known.passwords["noether"]),
        *reader,
    ):
        browser = campus.browser()
        page = browser.sign_in(browser.follow("/"), name, password)

        assert "<form" in page.text, (name, page.status)
        assert browser.get("/").status == 302


def test_the_login_page_outlives_the_pod_that_made_it(campus: Campus, programs: Mapping[str, Path]) -> None:
    """Two replicas keep what they know in the cluster: the one that shows the page is not the one that takes the form."""
    browser = campus.browser()
    page = browser.follow("/")
    campus.people.control_plane.sandbox.stop(DEX)
    campus.people.start_dex(programs)

    known = campus.people.directory
    found = browser.sign_in(page, known.login("student"), known.passwords["student"])

    assert found.asked["user"] == "student@campus.example.com"


def test_a_name_or_group_that_a_browser_sends_is_replaced(campus: Campus) -> None:
    forged = {USER: "noether@campus.example.com", GROUP: "lattice"}

    assert campus.browser().get("/", headers=forged).status == 302
    found = campus.known("stranger").get("/", headers=forged)
    assert (found.asked["user"], found.asked[GROUP]) == ("stranger@campus.example.com", f"{EVERYONE},course-gpus")


def test_a_changed_cookie_is_no_session(campus: Campus) -> None:
    browser = campus.known("student")
    browser.cookies.update({name: value[:-9] + "forged-by" for name, value in browser.cookies.items()})

    assert browser.get("/").status == 302


def bearing(campus: Campus, token: str) -> Answer:
    """What a program gets that shows a token."""
    shown = {"authorization": f"Bearer {token}", "accept": "application/json"}
    return campus.door.get("/", host=urlsplit(campus.people.address).netloc, known=False, headers=shown)


def unsigned(payload: str, **more: str) -> str:
    """A token that says the same and that its head says no one signed."""
    head = json.dumps({"alg": "none", **more}).encode()
    return f"{base64.urlsafe_b64encode(head).rstrip(b'=').decode()}.{payload}."


def test_a_token_of_dex_opens_the_door_and_others_do_not(campus: Campus) -> None:
    people = campus.people
    keys, made = people.keys, {"issuer": people.issuer, "client": PROXY}
    good = people.token(campus.door, "noether")
    head, payload, signature = good.split(".")
    refused = {
        "for another client": people.token(campus.door, "noether", client="jupyterhub"),
        "signed by another": token(new_key(), **made),
        "of another issuer": token(pem(keys), kid=kid(keys), **{**made, "issuer": "https://id.example.com"}),
        "expired": token(pem(keys), kid=kid(keys), exp=1, **made),
        "unsigned": unsigned(payload),
        "changed": f"{head}.{payload[:-2]}AA.{signature}",
    }

    assert bearing(campus, good).asked["user"] == "noether@campus.example.com"
    # What is refused below differs from this by one thing.
    assert bearing(campus, token(pem(keys), kid=kid(keys), **made)).status == 200
    found = {what: bearing(campus, each) for what, each in refused.items()}
    assert {what: (each.status, each.asked) for what, each in found.items()} == {what: (401, {}) for what in refused}


def test_keys_rotate_while_people_and_programs_are_known(campus: Campus, programs: Mapping[str, Path]) -> None:
    people, browser = campus.people, campus.known("student")
    old = people.token(campus.door, "student")

    people.rotate(programs)

    new = people.token(campus.door, "student")
    assert new.partition(".")[0] != old.partition(".")[0]
    assert [bearing(campus, each).status for each in (new, old)] == [200, 200]
    assert browser.get("/").status == 200
    assert campus.known("noether").get("/").status == 200


def of_account(campus: Campus, audience: str) -> str:
    """A token of a ServiceAccount of team physics, from the API server."""
    request = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"audiences": [audience], "expirationSeconds": 600},
    }
    path = "/api/v1/namespaces/team-physics/serviceaccounts/default/token"
    reply = campus.people.control_plane.api.request("POST", path, request)
    assert reply.status == 201, reply.message
    return str(reply.body["status"]["token"])


def test_a_token_of_a_service_account_for_the_platform_opens_the_door_and_others_do_not(campus: Campus) -> None:
    good = of_account(campus, HERE)
    head, payload, signature = good.split(".")
    said = {"issuer": MACHINES, "client": HERE, "kid": str(decoded(head)["kid"])}
    signing = campus.signing.read_bytes()
    refused = {
        "for another audience": of_account(campus, "elsewhere"),
        "for the API server": of_account(campus, MACHINES),
        "of another issuer": token(signing, **{**said, "issuer": "https://kubernetes.default.svc"}),
        "signed by another": token(new_key(), **said),
        "expired": token(signing, exp=1, **said),
        "unsigned": unsigned(payload),
        "unsigned, under the name of the key": unsigned(payload, kid=said["kid"]),
        "changed": f"{head}.{payload[:-2]}AA.{signature}",
    }

    found = bearing(campus, good)
    assert (found.status, found.asked["user"]) == (200, "system:serviceaccount:team-physics:default")
    assert found.asked[GROUP] == EVERYONE
    # What is refused below differs from this by one thing.
    assert bearing(campus, token(signing, **said)).status == 200
    answers = {what: bearing(campus, each) for what, each in refused.items()}
    assert {what: (each.status, each.asked) for what, each in answers.items()} == {what: (401, {}) for what in refused}


def decoded(part: str) -> dict[str, object]:
    """A part of a token."""
    return dict(json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))))


TEAMS = ("team-physics", "team-course")


def test_the_api_server_lets_members_and_groups_into_their_own_team_alone(campus: Campus) -> None:
    """By the flags of `platformctl bootstrap` and the roles of `kubeflow-roles`, for whoever a token of Dex for kubectl
    names; a group's name counts as a whole."""
    people, cluster = campus.people, campus.people.control_plane

    def found(token: str) -> list[int]:
        with closing(Api(cluster.api.socket, authority=cluster.pki.authority, token=token)) as api:
            return [api.get(f"/api/v1/namespaces/{team}/pods").status for team in TEAMS]

    tokens = {name: people.token(campus.door, name, client="kubectl") for name in ("noether", "student", "stranger")}
    # The API server asks Dex for its keys after a while.
    until(lambda: found(tokens["noether"]) == [200, 403], seconds=START_SECONDS, what="a member gets in")
    assert {name: found(token) for name, token in tokens.items()} == {
        "noether": [200, 403],
        "student": [403, 200],
        "stranger": [403, 403],
    }
    assert found(people.token(campus.door, "noether")) == [401, 401]


def test_the_programs_answer_the_probes_of_their_pods_and_lack_no_right(campus: Campus) -> None:
    for program in (campus.people.dex, campus.people.proxy):
        assert [campus.people.probed(program, f"{each}Probe") for each in ("readiness", "liveness")] == [200, 200]
        assert program.forbidden() == []


def test_the_programs_count_as_their_tables_say(campus: Campus, programs: Mapping[str, Path]) -> None:
    tables = {DEX: (DEX_METRICS, 5558), PROXY: (PROXY_METRICS, 44180)}

    def read_both() -> dict[str, Page]:
        return {name: page_at(campus.people.control_plane, port) for name, (_, port) in tables.items()}

    campus.known("noether")
    early = read_both()
    campus.known("noether")
    pages = read_both()

    assert {name: faults(pages[name], [table], program=programs[name]) for name, (table, _) in tables.items()} == {
        DEX: [],
        PROXY: [],
    }
    engine = programs["prometheus-engine"]
    assert {name: unfed(name, [early[name], pages[name]], engine=engine) for name in tables} == {DEX: [], PROXY: []}
