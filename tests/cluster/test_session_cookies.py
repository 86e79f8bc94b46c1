"""Sessions in cookies: as many groups as the rule `session-cookie` allows fit one cookie, and more do not.

Real: oauth2-proxy with the files, Secrets and variables that a stack renders, read from a real API server. Played: the identity
provider and a browser.
"""

from __future__ import annotations

import json
import random
import secrets
import string
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from platform_def.checks.rules.operators.session_cookie import ROOM, room_of
from tests.cluster import issuer
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.issuer import PERSON, new_key
from tests.cluster.mounted import Mounted
from tests.cluster.people import PROXY
from tests.cluster.pki import serving
from tests.cluster.stacks import rendered_stack
from tests.cluster.test_sessions import COOKIE_BYTES, HOME, ISSUED, ISSUER, STACK, Sessions, given
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

NAME = "platform_session"
KEPT_ELSEWHERE = ("    refreshMinutes: 60\n", "    passToken: true\n")
KINDS = ("ConfigMap", "ServiceAccount", "Deployment", "Service")
DRAWN = random.Random(4000)


def in_cookies() -> str:
    """The stack of `test_sessions.py` without Redis, and without the tokens that need it."""
    lines = STACK.splitlines(keepends=True)
    return "".join(each for each in lines if each not in KEPT_ELSEWHERE and not each.startswith("    redis:"))


def groups(size: int, length: int) -> list[str]:
    """Groups with names that no compression makes shorter, of so many bytes in a session at most."""
    made: list[str] = []
    while room_of(more := [*made, "".join(DRAWN.choices(string.ascii_letters + string.digits, k=length))]) <= size:
        made = more
    return made


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory, binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Sessions]:
    """oauth2-proxy, ready."""
    root, shared, key = tmp_path_factory.mktemp("cookies"), secrets.token_urlsafe(16), new_key()
    made = [item.manifest for item in rendered_stack(root, in_cookies(), name="sessions").components[PROXY].objects]
    every: list[Manifest] = [each for each in made if each["kind"] in KINDS]
    server, file = serving(root / "unused", [ISSUER]), root / "issuer.key"
    file.write_bytes(key)
    with ControlPlane(binaries) as control_plane, control_plane.explaining():
        home = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}}
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": HOME}}
        refused = refusals(apply_in_waves(control_plane.api, [home, account, *every, *given(server, "", shared)]))
        assert not refused, "\n".join(refused)
        proxy = Mounted(control_plane, every, PROXY, PROXY, hosts=(ISSUER,))
        found = Sessions(control_plane, proxy, programs, server, "")
        found.claims.write_text("{}")
        argv = [sys.executable, "-I", issuer.__file__, str(ISSUED), f"https://{ISSUER}", PROXY, shared, str(file)]
        control_plane.sandbox.start("issuer", [*argv, str(found.claims)], log=control_plane.folder / "issuer.log")
        until(found.issuing, seconds=START_SECONDS, what="the identity provider answers")
        found.start()
        yield found


@pytest.fixture
def sessions(running: Sessions, request: pytest.FixtureRequest) -> Sessions:
    """The shared programs; their logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


@pytest.mark.parametrize("length", [8, 25, 60])
def test_as_many_groups_as_the_rule_allows_fit_one_cookie(sessions: Sessions, length: int) -> None:
    allowed = groups(ROOM, length)
    sessions.claims.write_text(json.dumps({"groups": allowed}))

    cookies = sessions.sign_in()

    assert [*cookies] == [NAME]
    assert len(NAME) + 1 + len(cookies[NAME]) < COOKIE_BYTES
    found = sessions.asked(cookies)
    assert found.headers["kubeflow-userid"] == f"{PERSON}@example.com"
    assert found.headers["kubeflow-groups"].split(",") == ["system:authenticated", *allowed]


@pytest.mark.parametrize("length", [8, 25, 60])
def test_not_many_more_do(sessions: Sessions, length: int) -> None:
    sessions.claims.write_text(json.dumps({"groups": groups(ROOM * 12 // 10, length)}))

    assert [*sessions.sign_in()] == [f"{NAME}_0", f"{NAME}_1"]
    assert "Multiple cookies are required" in sessions.proxy.log.read_text()
