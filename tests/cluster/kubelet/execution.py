"""Where the API server reaches the kubelet, to read a container's log (`kubectl logs`), or to run a command in one
(`kubectl exec`).

Commands by SPDY 3.1 and version 4 of Kubernetes' protocol over it, which API servers speak to every kubelet. Its streams are told
apart by their order: how the command ended, what goes in, what comes out, its errors. Nothing goes in here.
"""

from __future__ import annotations

import json
import os
import select
import socket
import ssl
import struct
import subprocess
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.cluster.client import Manifest

PORT = 10250
PROTOCOL = "v4.channel.k8s.io"
STREAMS = ("input", "output", "error")
"""By the names under which they are asked for, after the one that says how the command ended."""
_CONTROL, _OPEN, _REPLY, _PING = 0x8003, 1, 2, 6
_LAST = 1


@dataclass(frozen=True)
class Inside:
    """How a command gets into a container that runs: words before its own, and its variables."""

    entered: Sequence[str]
    variables: Mapping[str, str]


Find = Callable[[str, str, str], Inside | None]
"""A container, by namespace, pod and name."""
Logs = Callable[[str, str, str, bool], bytes | None]
"""What a container has said, by namespace, pod and name, in its last try or in the one before; None without such a try."""


def serve(address: str, find: Find, logs: Logs, *, certificate: Path, key: Path) -> None:
    """Answer the API server for ever."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    asked = {"find": staticmethod(find), "logs": staticmethod(logs)}
    server = ThreadingHTTPServer((address, PORT), type("Handler", (_Handler,), asked))
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


class _Handler(BaseHTTPRequestHandler):
    """One log, or one command."""

    protocol_version = "HTTP/1.1"
    find: Find
    logs: Logs

    def do_GET(self) -> None:
        """The log of a container, as far as it goes by now."""
        asked = urlsplit(self.path)
        verb, namespace, pod, container = [*asked.path.lstrip("/").split("/"), "", "", ""][:4]
        query = parse_qs(asked.query)
        said = self.logs(namespace, pod, container, query.get("previous") == ["true"])
        if verb != "containerLogs" or said is None:
            self.send_error(404)
            return
        if "tailLines" in query:
            said = b"".join(said.splitlines(keepends=True)[-int(query["tailLines"][0]) :])
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def do_POST(self) -> None:
        """Run it, if the pod is here."""
        asked = urlsplit(self.path)
        verb, namespace, pod, container = asked.path.lstrip("/").split("/")[:4]
        inside = self.find(namespace, pod, container)
        if verb != "exec" or inside is None:
            self.send_error(404)
            return
        self.send_response(101)
        for name, value in (
            ("Connection", "Upgrade"),
            ("Upgrade", "SPDY/3.1"),
            ("X-Stream-Protocol-Version", PROTOCOL),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        query = parse_qs(asked.query)
        Session(self.connection).run(inside, query["command"], ["", *(each for each in STREAMS if each in query)])

    def log_message(self, *_: object) -> None:
        """Nothing: the pods' own logs tell what matters."""


class Session:
    """A command's way out to its client, for as long as both are there."""

    def __init__(self, connection: socket.socket) -> None:
        assert isinstance(connection, ssl.SSLSocket)
        # One thread alone reads and writes: OpenSSL bears no second one.
        self._connection = connection
        self._packed = zlib.compressobj()

    def run(self, inside: Inside, command: Sequence[str], names: Sequence[str]) -> None:
        """Run it to its end, once the client has opened all streams, and say how it ended."""
        streams: dict[str, int] = {}
        with suppress(OSError):
            while len(streams) < len(names):
                if opened := self._look():
                    streams[names[len(streams)]] = opened
            with subprocess.Popen(
                [*inside.entered, *command],
                env=dict(inside.variables),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            ) as process:
                try:
                    assert process.stdout is not None
                    assert process.stderr is not None
                    told = {
                        process.stdout.fileno(): streams.get("output"),
                        process.stderr.fileno(): streams.get("error"),
                    }
                    self._carry(told)
                except OSError:
                    process.terminate()  # a client that goes takes the command with it
                    raise
                self._data(streams[""], json.dumps(ended(process.wait())).encode())
            for stream in streams.values():
                self._data(stream, b"", flags=_LAST)
            while True:
                self._look()

    def _carry(self, streams: dict[int, int | None]) -> None:
        """What comes out of pipes, until nothing more does."""
        connection = self._connection.fileno()
        while streams:
            for ready in select.select([connection, *streams], [], [])[0]:
                if ready == connection:
                    self._look()
                    while self._connection.pending():
                        self._look()
                elif not (chunk := os.read(ready, 1 << 14)):
                    del streams[ready]
                elif (stream := streams[ready]) is not None:
                    self._data(stream, chunk)

    def _look(self) -> int:
        """Read a frame; the number of the stream that it opens, or 0. Raises OSError where there is no more."""
        first, rest = struct.unpack("!II", self._read(8))
        body = self._read(rest & 0xFFFFFF)
        if first >> 16 != _CONTROL:
            return 0
        kind = first & 0xFFFF
        if kind == _PING:
            self._control(_PING, body)
        if kind != _OPEN:
            return 0
        (stream,) = struct.unpack("!I", body[:4])
        no_headers = self._packed.compress(struct.pack("!I", 0)) + self._packed.flush(zlib.Z_SYNC_FLUSH)
        self._control(_REPLY, body[:4] + no_headers)
        return int(stream)

    def _read(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            if not (chunk := self._connection.recv(size - len(found))):
                raise ConnectionError("the client has gone")
            found += chunk
        return found

    def _control(self, kind: int, body: bytes) -> None:
        self._connection.sendall(struct.pack("!HHI", _CONTROL, kind, len(body)) + body)

    def _data(self, stream: int, body: bytes, *, flags: int = 0) -> None:
        self._connection.sendall(struct.pack("!II", stream, flags << 24 | len(body)) + body)


def ended(code: int) -> Manifest:
    """What the client is told of an exit code."""
    if code == 0:
        return {"metadata": {}, "status": "Success"}
    causes = [{"reason": "ExitCode", "message": str(code if code > 0 else 128 - code)}]
    said = f"command terminated with exit code {causes[0]['message']}"
    return {
        "metadata": {},
        "status": "Failure",
        "reason": "NonZeroExitCode",
        "message": said,
        "details": {"causes": causes},
    }
