"""Where the API server reaches the kubelet: to read a container's log (`kubectl logs`), to run a command in one (`kubectl exec`,
`kubectl cp`), or to carry connections to a pod's ports (`kubectl port-forward`).

Commands by version 4 of Kubernetes' protocol over SPDY 3.1, which API servers speak to every kubelet. A terminal is not played.
"""

from __future__ import annotations

import json
import os
import queue
import select
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.cluster.client import Manifest
from tests.cluster.kubelet import forwarding, spdy
from tests.cluster.kubelet.processes import among

PORT = 10250
PROTOCOL = "v4.channel.k8s.io"
STREAMS = {"input": "stdin", "output": "stdout", "error": "stderr"}
"""What a client asks for, by the name that it then opens the stream under; `error` tells how the command ended."""

FOLLOW_SECONDS = 0.1


@dataclass(frozen=True)
class Inside:
    """How a command gets into a container that runs: words before its own, and its variables."""

    entered: Sequence[str]
    variables: Mapping[str, str]
    processes: str
    """Path of the namespace of its processes."""


@dataclass(frozen=True)
class Log:
    """What a container says in one of its tries, whatever comes in the place of its pod."""

    read: Callable[[], bytes]
    runs: Callable[[], bool]


Find = Callable[[str, str, str], Inside | None]
"""A container, by namespace, pod and name."""
Logs = Callable[[str, str, str, bool], Log | None]
"""The log of a container, by namespace, pod and name, of its last try or of the one before; None without such a try."""
Address = Callable[[str, str], str | None]
"""Where a pod's ports are, by its namespace and name."""


def serve(address: str, find: Find, logs: Logs, reach: Address, *, certificate: Path, key: Path) -> None:
    """Answer the API server for ever."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    asked = {"find": staticmethod(find), "logs": staticmethod(logs), "reach": staticmethod(reach)}
    server = ThreadingHTTPServer((address, PORT), type("Handler", (_Handler,), asked))
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


class _Handler(BaseHTTPRequestHandler):
    """One log, one command, or one way to a pod's ports."""

    protocol_version = "HTTP/1.1"
    find: Find
    logs: Logs
    reach: Address

    def do_GET(self) -> None:
        """The log of a container, as far as it goes by now."""
        asked = urlsplit(self.path)
        verb, namespace, pod, container = [*asked.path.lstrip("/").split("/"), "", "", ""][:4]
        query = parse_qs(asked.query)
        log = self.logs(namespace, pod, container, query.get("previous") == ["true"])
        if verb != "containerLogs" or log is None:
            self.send_error(404)
            return
        said = log.read()
        whole, follows = len(said), query.get("follow") == ["true"]
        if "tailLines" in query:
            said = b"".join(said.splitlines(keepends=True)[-int(query["tailLines"][0]) :])
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header(*(("Connection", "close") if follows else ("Content-Length", str(len(said)))))
        self.end_headers()
        self.wfile.write(said)
        if follows:
            self._follow(log, told=whole)

    def _follow(self, log: Log, *, told: int) -> None:
        """What it says after so many bytes, until its program ends."""
        runs = True
        while runs:
            runs = log.runs()
            said = log.read()
            self.wfile.write(said[told:])
            told = len(said)
            time.sleep(FOLLOW_SECONDS)

    def do_POST(self) -> None:
        """Run a command, or carry connections, if the pod is here."""
        asked = urlsplit(self.path)
        verb, namespace, pod, container = [*asked.path.lstrip("/").split("/"), "", ""][:4]
        if verb == "portForward" and (place := self.reach(namespace, pod)):
            forwarding.carry(self._agreed(forwarding.PROTOCOL), place)
        elif verb == "exec" and (inside := self.find(namespace, pod, container)):
            query = parse_qs(asked.query)
            wanted = {"error", *(name for asked_for, name in STREAMS.items() if asked_for in query)}
            run(self._agreed(PROTOCOL), inside, query["command"], wanted)
        else:
            self.send_error(404)

    def _agreed(self, protocol: str) -> spdy.Session:
        """The connection, once both sides speak SPDY on it."""
        self.send_response(101)
        for name, value in (
            ("Connection", "Upgrade"),
            ("Upgrade", "SPDY/3.1"),
            ("X-Stream-Protocol-Version", protocol),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        return spdy.session(self.connection)

    def log_message(self, *_: object) -> None:
        """Nothing: the pods' own logs tell what matters."""


def run(session: spdy.Session, inside: Inside, command: Sequence[str], wanted: set[str]) -> None:
    """Run a command to its end, once the client has opened all streams, and say how it ended."""
    streams: dict[str, int] = {}
    with suppress(OSError):
        while streams.keys() < wanted:
            if (opened := session.frame()).headers is not None:
                streams[opened.headers["streamtype"]] = opened.stream
        with among(inside.processes):
            started = subprocess.Popen(
                [*inside.entered, *command],
                env=dict(inside.variables),
                stdin=subprocess.PIPE if "stdin" in streams else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        with started as process:
            try:
                _converse(session, process, streams)
            except OSError:
                process.terminate()  # a client that goes takes the command with it
                raise
            session.send(streams["error"], json.dumps(ended(process.wait())).encode())
        for stream in streams.values():
            session.send(stream, b"", last=True)
        while True:
            session.frame()


def _converse(session: spdy.Session, process: subprocess.Popen[bytes], streams: Mapping[str, int]) -> None:
    """Carry what goes in, and what comes out until nothing more does."""
    assert process.stdout is not None
    assert process.stderr is not None
    out = {process.stdout.fileno(): streams.get("stdout"), process.stderr.fileno(): streams.get("stderr")}
    given: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    if process.stdin is not None:
        # A command may say much before it reads on: nobody waits here for what it takes.
        threading.Thread(target=_feed, args=(process, given), daemon=True).start()
    try:
        while out:
            for ready in select.select([session.fileno(), *out], [], [])[0]:
                if ready == session.fileno():
                    _take(session, streams.get("stdin"), given)
                    while session.waits():
                        _take(session, streams.get("stdin"), given)
                elif not (chunk := os.read(ready, 1 << 14)):
                    del out[ready]
                elif (stream := out[ready]) is not None:
                    session.send(stream, chunk)
    finally:
        given.put(None)


def _take(session: spdy.Session, stream: int | None, given: queue.SimpleQueue[bytes | None]) -> None:
    said = session.frame()
    if said.headers is None and said.stream and said.stream == stream:
        if said.body:
            given.put(said.body)
        if said.last:
            given.put(None)


def _feed(process: subprocess.Popen[bytes], given: queue.SimpleQueue[bytes | None]) -> None:
    assert process.stdin is not None
    with suppress(OSError), process.stdin as into:  # it may end before it has read all
        while chunk := given.get():
            into.write(chunk)
            into.flush()


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
