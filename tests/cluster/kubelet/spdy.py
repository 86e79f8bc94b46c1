"""SPDY 3.1 as API servers speak it to kubelets: streams that one side opens, each with headers, and bytes on them.

No stream has a window here: neither side of Kubernetes' keeps to one.
"""

from __future__ import annotations

import socket
import ssl
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

_CONTROL, _OPEN, _REPLY, _PING = 0x8003, 1, 2, 6
_LAST = 1
_MOST = (1 << 24) - 1
"""Bytes of a frame."""
_WORDS = """\
options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow
authorization cache-control connection content-base content-encoding content-language content-length content-location
content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match
if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range
referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get
status"""
_MORE = ("200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin")
_CODES = (100, 101, 201, 202, 205, 206, 300, *range(302, 308), 402, *range(405, 418), 502, 504, 505)
_REST = (
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden"
    "404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept"
    " Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,"
    "application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdch"
    "charset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)
DICTIONARY = b"".join(
    [
        *(struct.pack("!I", len(each)) + each.encode() for each in chain(_WORDS.split(), _MORE)),
        "".join(map(str, _CODES)).encode(),
        _REST.encode(),
    ]
)
"""What headers are packed with, from the beginning of a session."""


@dataclass(frozen=True)
class Frame:
    """What the other side has said: a stream that it opens, with its headers, or bytes on one, the last ones perhaps."""

    stream: int = 0
    headers: Mapping[str, str] | None = None
    body: bytes = b""
    last: bool = False


@dataclass
class Session:
    """A connection that both sides have agreed to speak it on. One thread alone may use it: OpenSSL bears no second one."""

    connection: ssl.SSLSocket
    _packed: zlib._Compress = field(default_factory=zlib.compressobj)
    _unpacked: zlib._Decompress = field(default_factory=lambda: zlib.decompressobj(zdict=DICTIONARY))

    def fileno(self) -> int:
        """For `select`; `waits` says whether something is here already."""
        return self.connection.fileno()

    def waits(self) -> bool:
        """Whether bytes have been read from the network that no frame has taken."""
        return self.connection.pending() > 0

    def frame(self) -> Frame:
        """The next one; ConnectionError where there is no more. Frames that say nothing of streams are empty."""
        first, rest = struct.unpack("!II", self._read(8))
        body, flags = self._read(rest & _MOST), rest >> 24
        if first >> 16 != _CONTROL:
            return Frame(first, body=body, last=bool(flags & _LAST))
        kind = first & 0xFFFF
        if kind == _PING:
            self._control(_PING, body)
        if kind != _OPEN:
            return Frame()
        (stream,) = struct.unpack("!I", body[:4])
        no_headers = self._packed.compress(struct.pack("!I", 0)) + self._packed.flush(zlib.Z_SYNC_FLUSH)
        self._control(_REPLY, body[:4] + no_headers)
        return Frame(stream, headers_of(self._unpacked.decompress(body[10:])), last=bool(flags & _LAST))

    def send(self, stream: int, body: bytes, *, last: bool = False) -> None:
        """Say bytes on a stream."""
        self.connection.sendall(struct.pack("!II", stream, (_LAST if last else 0) << 24 | len(body)) + body)

    def _control(self, kind: int, body: bytes) -> None:
        self.connection.sendall(struct.pack("!HHI", _CONTROL, kind, len(body)) + body)

    def _read(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            if not (chunk := self.connection.recv(size - len(found))):
                raise ConnectionError("the client has gone")
            found += chunk
        return found


def session(connection: socket.socket) -> Session:
    """One on a connection that TLS is spoken on."""
    assert isinstance(connection, ssl.SSLSocket)
    return Session(connection)


def headers_of(block: bytes) -> dict[str, str]:
    """Names, in small letters, with their values."""
    (count,) = struct.unpack("!I", block[:4])
    texts, at = [], 4
    for _ in range(2 * count):
        (size,) = struct.unpack("!I", block[at : at + 4])
        texts.append(block[at + 4 : at + 4 + size].decode())
        at += 4 + size
    return {name.lower(): value for name, value in zip(texts[::2], texts[1::2], strict=True)}
