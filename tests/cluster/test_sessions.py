"""Sessions in Redis: they hold what a cookie cannot, every pod of oauth2-proxy finds them, and the issuer is asked again.

Real: oauth2-proxy with the files, Secrets and variables that a stack renders, read from a real API server, and Debian's Redis
behind TLS and a password. Played: the identity provider and a browser. The minutes after which the issuer is asked again are
a second here.
"""

from __future__ import annotations

import json
import secrets
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cluster import issuer
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import Answer, Door
from tests.cluster.issuer import PERSON, new_key
from tests.cluster.mounted import Mounted
from tests.cluster.people import PROXY
from tests.cluster.pki import Serving, serving
from tests.cluster.stacks import rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

SERVER = Path("/usr/bin/redis-server")
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.own_network,
    pytest.mark.skipif(not SERVER.exists(), reason="no Redis: apt-get install redis-server"),
]

HERE, HOME, ASKED = "ml.example.com", "oauth2-proxy", 4180
ISSUER, REDIS, ISSUED, KEPT = "id.example.com", "redis.example.com", 8054, 6379
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
ingress: {{kind: cloud, host: {HERE}, tls: {{secret: door}}}}
gateway: istio-ingress-gateway
components:
  istio: {{}}
  istio-ingress-gateway: {{}}
  oauth2-proxy:
    clientSecret: {{existing: people}}
    cookieSecret: {{existing: cookies}}
    refreshMinutes: 60
    passToken: true
    redis: {{host: {REDIS}, password: {{existing: sessions}}, ca: {{configMap: redis-ca}}}}
external:
  identity:
    issuer: "https://{ISSUER}"
    groupsHeader: kubeflow-groups
    authorizationUrl: "https://{ISSUER}/authorize"
    tokenUrl: "http://{ISSUER}:{ISSUED}/token"
    keysUrl: "http://{ISSUER}:{ISSUED}/keys"
"""
GROUPS = [f"course-{number:03}-of-the-faculty-of-physics" for number in range(200)]
"""Of a person in so many groups that no cookie holds their token."""
COOKIE_BYTES = 4096
"""What browsers keep of a cookie."""
ENDS_SECONDS = 5


@dataclass(frozen=True)
class Sessions:
    """oauth2-proxy at work, and who it asks."""

    control_plane: ControlPlane
    proxy: Mounted
    programs: Mapping[str, Path]
    server: Serving
    password: str = field(repr=False)

    @property
    def claims(self) -> Path:
        """What the identity provider says of the person; without it they are no longer known there."""
        return self.control_plane.folder / "claims.json"

    def start_redis(self, password: str) -> None:
        """Start an empty Redis, which takes connections by TLS alone."""
        folder = self.control_plane.folder
        settings = {
            "bind": "127.0.0.1",
            "port": "0",
            "tls-port": str(KEPT),
            "tls-cert-file": str(self.server.certificate),
            "tls-key-file": str(self.server.key),
            "tls-ca-cert-file": str(self.server.authority),
            "tls-auth-clients": "no",
            "requirepass": password,
            "dir": str(folder),
            "save": '""',
        }
        file = folder / "redis.conf"
        file.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        self.control_plane.sandbox.start("redis", [str(SERVER), str(file)], log=folder / "redis.log")

    def start(self) -> None:
        """Start oauth2-proxy, as another pod of it."""
        self.proxy.start(self.programs[PROXY], self.proxy.spec["args"])
        until(lambda: self.probed("readinessProbe") == 200, seconds=START_SECONDS, what="oauth2-proxy is ready")

    def probed(self, probe: str) -> int:
        """How a probe of its container is answered; 0 where it is not."""
        assert self.proxy.name not in self.control_plane.sandbox.ended(), self.proxy.log.read_text()
        try:
            return self.door(ASKED).get(self.proxy.spec[probe]["httpGet"]["path"], known=False).status
        except OSError:
            return 0

    def issuing(self) -> bool:
        """Whether the identity provider answers."""
        try:
            return self.door(ISSUED).get("/keys", host=ISSUER, known=False).status == 200
        except OSError:
            return False

    def door(self, port: int) -> Door:
        """A port of the sandbox."""
        path = self.control_plane.folder / f"port-{port}.sock"
        if not path.exists():
            self.control_plane.sandbox.forward(path, port=port)
        return Door(path, "")

    def asked(self, cookies: Mapping[str, str], path: str = "/") -> Answer:
        """What it answers about a request of a browser with these cookies."""
        shown = "; ".join(f"{name}={value}" for name, value in cookies.items())
        headers = {"accept": "text/html", **({"cookie": shown} if shown else {})}
        return self.door(ASKED).get(path, host=HERE, known=False, headers=headers)

    def sign_in(self) -> dict[str, str]:
        """The cookies of a browser that comes back from the identity provider."""
        sent = self.asked({})
        page = urlsplit(sent.headers["location"])
        back = self.door(ISSUED).get(f"{page.path}?{page.query}", host=ISSUER, known=False).headers["location"]
        known = self.asked(cookies_of(sent), back.removeprefix(f"https://{HERE}"))

        assert (sent.status, page.netloc, known.status) == (302, ISSUER, 302), known.text
        return cookies_of(known)


def cookies_of(answer: Answer) -> dict[str, str]:
    """Those that an answer sets."""
    return {name: each.value for line in answer.cookies for name, each in SimpleCookie(line).items() if each.value}


def given(server: Serving, password: str, client_secret: str) -> Iterator[Manifest]:
    """What the stack says exists."""
    for name, data in (
        ("people", {"client-secret": client_secret}),
        ("cookies", {"cookie-secret": secrets.token_hex(16)}),
        ("sessions", {"password": password}),
    ):
        metadata = {"name": name, "namespace": HOME}
        yield {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": data}
    authority = {"ca.crt": server.authority.read_text()}
    yield {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "redis-ca", "namespace": HOME},
        "data": authority,
    }


def objects(root: Path) -> list[Manifest]:
    """Of oauth2-proxy, which asks the issuer again after a second."""
    made = [item.manifest for item in rendered_stack(root, STACK, name="sessions").components[PROXY].objects]
    (files,) = (each for each in made if each["kind"] == "ConfigMap" and each["metadata"]["name"] == PROXY)
    settings = files["data"]["oauth2_proxy.cfg"]
    assert 'cookie_refresh = "60m"' in settings
    files["data"]["oauth2_proxy.cfg"] = settings.replace('cookie_refresh = "60m"', 'cookie_refresh = "1s"')
    return [each for each in made if each["kind"] in ("ConfigMap", "ServiceAccount", "Deployment", "Service")]


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory, binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Sessions]:
    """oauth2-proxy, ready."""
    root = tmp_path_factory.mktemp("sessions")
    password, shared, every = secrets.token_urlsafe(16), secrets.token_urlsafe(16), objects(root / "stack")
    server, key = serving(root / "redis", [REDIS]), root / "issuer.key"
    key.write_bytes(new_key())
    with ControlPlane(binaries) as control_plane, control_plane.explaining():
        home = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}}
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": HOME}}
        refused = refusals(apply_in_waves(control_plane.api, [home, account, *every, *given(server, password, shared)]))
        assert not refused, "\n".join(refused)
        proxy = Mounted(control_plane, every, PROXY, PROXY, hosts=(ISSUER, REDIS))
        found = Sessions(control_plane, proxy, programs, server, password)
        argv = [sys.executable, "-I", issuer.__file__, str(ISSUED), f"https://{ISSUER}", PROXY, shared, str(key)]
        control_plane.sandbox.start("issuer", [*argv, str(found.claims)], log=control_plane.folder / "issuer.log")
        found.start_redis(password)
        until(found.issuing, seconds=START_SECONDS, what="the identity provider answers")
        found.start()
        yield found


@pytest.fixture
def sessions(running: Sessions, request: pytest.FixtureRequest) -> Sessions:
    """The shared proxy; the person is in all groups, and logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    running.claims.write_text(json.dumps({"groups": GROUPS}))
    return running


def test_a_session_that_no_cookie_holds_is_in_redis_and_a_small_cookie_leads_to_it(sessions: Sessions) -> None:
    cookies = sessions.sign_in()
    found = sessions.asked(cookies)

    assert sum(map(len, cookies.values())) < COOKIE_BYTES
    assert found.status == 200
    assert found.headers["kubeflow-userid"] == f"{PERSON}@example.com"
    assert found.headers["kubeflow-groups"].split(",") == ["system:authenticated", *GROUPS]
    assert len(found.headers["authorization"]) > COOKIE_BYTES
    assert sessions.asked({name: f"{value[:-4]}AAAA" for name, value in cookies.items()}).status == 302


def test_another_pod_knows_the_session(sessions: Sessions) -> None:
    cookies = sessions.sign_in()
    sessions.control_plane.sandbox.stop(sessions.proxy.name)
    sessions.start()

    assert sessions.asked(cookies).status == 200


def test_the_issuer_is_asked_again_and_a_group_that_is_gone_there_is_gone_here(sessions: Sessions) -> None:
    cookies = sessions.sign_in()
    sessions.claims.write_text(json.dumps({"groups": GROUPS[:1]}))

    def groups() -> list[str]:
        return sessions.asked(cookies).headers["kubeflow-groups"].split(",")

    until(lambda: groups() == ["system:authenticated", GROUPS[0]], seconds=START_SECONDS, what="one group is left")


def test_who_left_passes_until_their_last_token_ends(sessions: Sessions) -> None:
    """The issuer refuses another one; what it said before holds for as long as it said."""
    sessions.claims.write_text(json.dumps({"exp": int(time.time()) + ENDS_SECONDS}))
    cookies = sessions.sign_in()
    assert sessions.asked(cookies).status == 200
    sessions.claims.unlink()

    until(lambda: sessions.asked(cookies).status == 302, seconds=START_SECONDS, what="the session has ended")


def test_a_redis_that_has_lost_everything_signs_people_out_and_serves_again(sessions: Sessions) -> None:
    cookies = sessions.sign_in()
    sessions.control_plane.sandbox.stop("redis")
    until(lambda: sessions.probed("readinessProbe") != 200, seconds=START_SECONDS, what="it is not ready without Redis")

    assert sessions.probed("livenessProbe") == 200
    assert sessions.asked(cookies).status != 200
    sessions.start_redis(sessions.password)
    until(lambda: sessions.probed("readinessProbe") == 200, seconds=START_SECONDS, what="it is ready again")
    assert sessions.asked(cookies).status == 302
    assert sessions.asked(sessions.sign_in()).status == 200
