"""Connections that a client of the API server has carried to ports of a pod (`kubectl port-forward`).

For each the client opens two streams: one for what goes wrong, one for the bytes.
"""

from __future__ import annotations

import select
import socket
from contextlib import suppress
from dataclasses import dataclass, field

from tests.cluster.kubelet import spdy
from tests.cluster.kubelet.services import connection

PROTOCOL = "portforward.k8s.io"
_CHUNK = 1 << 14


@dataclass
class _Carried:
    """The connections of a session, by their streams."""

    session: spdy.Session
    namespace: str
    errors: dict[str, int] = field(default_factory=dict)
    """Streams for what goes wrong, by the number of their connection."""
    open: dict[int, socket.socket] = field(default_factory=dict)

    def take(self) -> None:
        """What the client says next."""
        said = self.session.frame()
        if said.headers is not None:
            self._open(said.stream, said.headers["streamtype"], said.headers["requestid"], int(said.headers["port"]))
        elif there := self.open.get(said.stream):
            with suppress(OSError):
                there.sendall(said.body)
                if said.last:
                    there.shutdown(socket.SHUT_WR)

    def give(self, stream: int) -> None:
        """What a pod's program says next, or that it says no more."""
        chunk = b""
        with suppress(OSError):
            chunk = self.open[stream].recv(_CHUNK)
        if not chunk:
            self.open.pop(stream).close()
        self.session.send(stream, chunk, last=not chunk)

    def _open(self, stream: int, kind: str, request: str, port: int) -> None:
        if kind == "error":
            self.errors[request] = stream
            return
        error = self.errors.pop(request)
        try:
            self.open[stream] = connection(self.namespace, port)
        except OSError as refused:
            self.session.send(error, f"port {port}: {refused}".encode(), last=True)
            self.session.send(stream, b"", last=True)
        else:
            self.session.send(error, b"", last=True)


def carry(session: spdy.Session, namespace: str) -> None:
    """Carry connections into a network namespace until the client goes."""
    carried = _Carried(session, namespace)
    try:
        with suppress(OSError):
            while True:
                streams = {each.fileno(): stream for stream, each in carried.open.items()}
                for ready in select.select([session.fileno(), *streams], [], [])[0]:
                    if ready == session.fileno():
                        carried.take()
                        while session.waits():
                            carried.take()
                    elif streams[ready] in carried.open:
                        carried.give(streams[ready])
    finally:
        for each in carried.open.values():
            each.close()
