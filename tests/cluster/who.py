"""Who decides, for a gateway, whether a request may pass: a real oauth2-proxy with an issuer, or a stand-in for both.

The stand-in is `echo.py` called `who`, which knows one token, for where the program of oauth2-proxy cannot be had.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from platform_def.yaml import dump
from tests.cluster import issuer
from tests.cluster.control_plane import until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import ECHO, SERVERS, Door
from tests.cluster.sandbox import Sandbox

PLACE = SERVERS["auth", "who"]
"""Where the gateway asks: behind the Service `who`."""
PORT = 8054
ISSUER = f"http://127.0.0.1:{PORT}"
CLIENT = "gateway"
USER = "kubeflow-userid"


@dataclass(frozen=True)
class Who:
    """Who is asked, and what makes somebody known."""

    token: str = field(repr=False)
    """Of somebody who is known."""
    key: bytes = field(default=b"", repr=False)
    """What the issuer signs with; empty where the stand-in is asked."""
    issuer: Path = Path()
    """The issuer's socket, for browsers."""

    @property
    def is_real(self) -> bool:
        """Whether oauth2-proxy is asked."""
        return bool(self.key)


def start_who(sandbox: Sandbox, folder: Path, *, program: Path | None, refused: Sequence[str]) -> Who:
    """Start whoever is asked. Below the paths of `refused` nobody is sent to the issuer's page, as programs want it."""
    if program is None:
        token = secrets.token_urlsafe(16)
        argv = [sys.executable, "-I", str(ECHO), "who", PLACE[0], str(PLACE[1]), token]
        sandbox.start("server-who", argv, log=folder / "server-who.log")
        return Who(token)
    key, secret = issuer.new_key(), secrets.token_urlsafe(16)
    file = folder / "issuer.key"
    file.write_bytes(key)
    file.chmod(0o600)
    argv = [sys.executable, "-I", issuer.__file__, str(PORT), ISSUER, CLIENT, secret, str(file)]
    sandbox.start("issuer", argv, log=folder / "issuer.log")
    page = folder / "issuer.sock"
    sandbox.forward(page, port=PORT)
    until(lambda: _answers(page, "/keys"), seconds=START_SECONDS, what="the issuer answers")
    _start_oauth2_proxy(sandbox, folder, program, secret=secret, refused=refused)
    return Who(issuer.token(key, issuer=ISSUER, client=CLIENT), key, page)


def _start_oauth2_proxy(sandbox: Sandbox, folder: Path, program: Path, *, secret: str, refused: Sequence[str]) -> None:
    """As an authorization service runs it: it answers 200 itself, with a header that names the person."""
    config = folder / "oauth2-proxy.yaml"
    named = {"name": USER, "values": [{"claimSource": {"claim": "preferred_username"}}]}
    provider = {
        "id": "house",
        "provider": "oidc",
        "clientID": CLIENT,
        "clientSecret": secret,
        "oidcConfig": {
            "issuerURL": ISSUER,
            "audienceClaims": ["aud"],
            "emailClaim": "email",
            "insecureSkipNonce": False,
            "userIDClaim": "email",
        },
    }
    settings = {
        "upstreamConfig": {"upstreams": [{"id": "yes", "path": "/", "static": True, "staticCode": 200}]},
        "injectResponseHeaders": [named],
        "server": {"bindAddress": f"0.0.0.0:{PLACE[1]}"},
        "providers": [provider],
    }
    config.write_text(dump(settings))
    flags = [
        f"--alpha-config={config}",
        "--email-domain=*",
        "--skip-jwt-bearer-tokens",
        "--skip-provider-button",
        "--reverse-proxy",
        "--cookie-secure=false",  # of the tests' plain port
        f"--cookie-secret={secrets.token_hex(16)}",
        # No --redirect-url, as where a stack has further hosts: the callback is at the host of the request.
        *(f"--api-route=^{each}" for each in refused),
    ]
    log, socket = folder / "oauth2-proxy.log", folder / "oauth2-proxy.sock"
    sandbox.start("oauth2-proxy", [str(program), *flags], log=log)
    sandbox.forward(socket, port=PLACE[1])

    def answers() -> bool:
        assert "oauth2-proxy" not in sandbox.ended(), log.read_text(errors="replace")
        return _answers(socket, "/ping")

    until(answers, seconds=START_SECONDS, what="oauth2-proxy answers")


def _answers(socket: Path, path: str) -> bool:
    try:
        return Door(socket, "").get(path, known=False).status == 200
    except OSError:
        return False
