"""A websocket through a gateway, as far as a test needs one: text in both directions."""

from __future__ import annotations

import base64
import os
import socket
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from tests.cluster.door import Door

_TEXT, _CLOSE = 1, 8


@dataclass
class Websocket:
    """An open one."""

    connection: socket.socket
    _left: bytes = b""

    def say(self, text: str) -> None:
        """Send a text, masked as browsers do."""
        body, mask = text.encode(), os.urandom(4)
        assert len(body) < 126
        masked = bytes(each ^ mask[index % 4] for index, each in enumerate(body))
        self.connection.sendall(bytes((0x80 | _TEXT, 0x80 | len(body))) + mask + masked)

    def heard(self) -> str:
        """The next text; ConnectionError where the other side has closed."""
        while True:
            first, size = self._read(2)
            if size in (126, 127):
                form = "!H" if size == 126 else "!Q"
                (size,) = struct.unpack(form, self._read(struct.calcsize(form)))
            body = self._read(size)
            if first & 0xF == _CLOSE:
                raise ConnectionError(body[2:].decode(errors="replace"))
            if first & 0xF == _TEXT:
                return body.decode()

    def _read(self, size: int) -> bytes:
        while len(self._left) < size:
            more = self.connection.recv(1 << 16)
            if not more:
                raise ConnectionError("the other side has gone")
            self._left += more
        found, self._left = self._left[:size], self._left[size:]
        return found


@contextmanager
def websocket(door: Door, path: str, *, host: str, headers: Mapping[str, str]) -> Iterator[Websocket]:
    """Open one; AssertionError with the answer where it is refused."""
    key = base64.b64encode(os.urandom(16)).decode()
    asked = {"connection": "upgrade", "upgrade": "websocket", "sec-websocket-version": "13", "sec-websocket-key": key}
    with door.connected(path, host, {**asked, **headers}) as connection:
        head = b""
        while b"\r\n\r\n" not in head:
            more = connection.recv(1 << 16)
            assert more, head
            head += more
        line, _, left = head.partition(b"\r\n\r\n")
        assert line.startswith(b"HTTP/1.1 101"), head.decode(errors="replace")
        yield Websocket(connection, left)
