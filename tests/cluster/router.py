"""A router that takes BGP sessions (RFC 4271): it writes the number of its peer and the networks that it learns, a line each.

Arguments: address, its own number, and the file that it writes. Networks that are withdrawn have a `-` in front.
"""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

HOST, NUMBER, TOLD = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
PORT, OPEN, UPDATE, KEEPALIVE = 179, 1, 2, 4
WIDE = struct.pack("!BBBBI", 2, 6, 65, 4, NUMBER)
"""A capability: it knows numbers of four bytes (RFC 6793). MetalLB takes no OPEN without one."""


def receive(session: socket.socket, length: int) -> bytes:
    """So many bytes; EOFError when the peer has gone."""
    data = b""
    while len(data) < length:
        more = session.recv(length - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def send(session: socket.socket, kind: int, body: bytes = b"") -> None:
    """One message: a mark, its length, its kind."""
    session.sendall(b"\xff" * 16 + struct.pack("!HB", 19 + len(body), kind) + body)


def networks(data: bytes) -> Iterator[str]:
    """IPv4 networks, each a length in bits and as many bytes as those need."""
    while data:
        bits, size = data[0], (data[0] + 7) // 8
        yield f"{socket.inet_ntoa(data[1 : 1 + size].ljust(4, bytes(1)))}/{bits}"
        data = data[1 + size :]


def learned(body: bytes) -> Iterator[str]:
    """What an UPDATE says: what goes, attributes, what comes."""
    (gone,) = struct.unpack_from("!H", body)
    (attributes,) = struct.unpack_from("!H", body, 2 + gone)
    yield from (f"-{each}" for each in networks(body[2 : 2 + gone]))
    yield from networks(body[4 + gone + attributes :])


def talk(session: socket.socket) -> None:
    """Open the session, keep it, and write what the peer says."""
    with TOLD.open("a", buffering=1) as told:
        while True:
            length, kind = struct.unpack("!HB", receive(session, 19)[16:])
            body = receive(session, length - 19)
            if kind == OPEN:
                told.write(f"AS{struct.unpack_from('!H', body, 1)[0]}\n")
                send(session, OPEN, struct.pack("!BHH4sB", 4, NUMBER, 90, socket.inet_aton(HOST), len(WIDE)) + WIDE)
                send(session, KEEPALIVE)
            elif kind == KEEPALIVE:
                send(session, KEEPALIVE)
            elif kind == UPDATE:
                told.writelines(f"{each}\n" for each in learned(body))


with socket.create_server((HOST, PORT)) as server:
    while True:
        peer, _ = server.accept()
        try:
            talk(peer)
        except (EOFError, ConnectionError):
            peer.close()
