"""The process that the servers of one test cluster are children of, usually alone in a network namespace of its own.

It takes JSON lines on stdin and answers each with one on stdout; when stdin ends (its parent is gone, however) it kills
every child. Run as a script by `sandbox.py`; standard library only.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import sys
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from itertools import count, repeat
from pathlib import Path
from typing import Any

Opened = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
"""Opens a connection."""

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1

OF_CONNECTIONS, GIVEN = (52000, 60999), 33000
"""Ports of connections in a network of its own, above all that programs listen at: the system's own choice begins at 32768,
and now and then a connection had the port of a server that was about to start. The first of those given to programs."""


class Supervisor:
    """The children by name, and the verbs that a line on stdin may ask for."""

    def __init__(self, *, own_network: bool) -> None:
        self._ports = count(GIVEN) if own_network else repeat(0)
        self.children: dict[str, Process] = {}
        self.forwards: set[asyncio.Server] = set()
        self.folders: list[str] = []

    async def start(self, name: str, argv: list[str], log: str, env: dict[str, str] | None = None) -> None:
        """Start a program with its output appended to `log`."""
        with Path(log).open("ab") as output:
            self.children[name] = await asyncio.create_subprocess_exec(
                *argv, stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=output, env={**os.environ, **(env or {})}
            )

    async def stop(self, name: str, seconds: float) -> int:
        """Ask a program to end, kill it after `seconds`, and return its exit code."""
        child = self.children.pop(name)
        if child.returncode is None:
            child.send_signal(signal.SIGTERM)
        try:
            return await asyncio.wait_for(child.wait(), seconds)
        except TimeoutError:
            child.kill()
            return await child.wait()

    async def send(self, name: str, number: int) -> None:
        """Send a program a signal."""
        self.children[name].send_signal(number)

    async def ended(self) -> dict[str, int]:
        """Exit codes of the programs that ended by themselves."""
        return {name: child.returncode for name, child in self.children.items() if child.returncode is not None}

    async def forward(self, path: str, port: int, host: str) -> None:
        """Carry connections to a Unix socket, which every network namespace can reach, on to a port of this one."""
        self.forwards.add(await asyncio.start_unix_server(_carrier(partial(asyncio.open_connection, host, port)), path))

    async def relay(self, host: str, port: int, target: int) -> None:
        """Carry connections to a Service's address on to a loopback port, as kube-proxy would to a pod."""
        self.forwards.add(await asyncio.start_server(_carrier(_loopback(target)), host, port))

    async def reach(self, path: str, port: int) -> None:
        """Carry connections to a loopback port on to a Unix socket: the way into another network namespace."""
        opened = partial(asyncio.open_unix_connection, path)
        self.forwards.add(await asyncio.start_server(_carrier(opened), "127.0.0.1", port))

    async def ports(self, count: int) -> list[int]:
        """Ports that are free on loopback now; in a network of its own no connection takes them, and none is given twice."""
        free: list[socket.socket] = []
        while len(free) < count:
            try:
                free.append(socket.create_server(("127.0.0.1", next(self._ports))))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
        found = [item.getsockname()[1] for item in free]
        for item in free:
            item.close()
        return found

    async def remove(self, folder: str) -> None:
        """Remove a folder in the end."""
        self.folders.append(folder)

    async def end(self) -> None:
        """Kill every child that is left, and remove what they wrote."""
        for child in self.children.values():
            if child.returncode is None:
                child.kill()
        await asyncio.gather(*(child.wait() for child in self.children.values()))
        for folder in self.folders:
            shutil.rmtree(folder, ignore_errors=True)


def _loopback(port: int) -> Opened:
    return partial(asyncio.open_connection, "127.0.0.1", port)


def _carrier(opened: Opened) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner = await opened()
        except OSError:
            writer.close()
            return
        await asyncio.gather(_copy(reader, inner[1]), _copy(inner[0], writer))

    return carry


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while chunk := await reader.read(1 << 16):
            writer.write(chunk)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


def raise_loopback() -> None:
    """Switch `lo` on, which a new network namespace starts without."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))


def keep_ports() -> None:
    """Give connections ports of their own, where the system lets a namespace say so."""
    with suppress(OSError):
        Path("/proc/sys/net/ipv4/ip_local_port_range").write_text(" ".join(map(str, OF_CONNECTIONS)))


async def serve(*, own_network: bool) -> None:
    """Answer the lines on stdin until it ends."""
    supervisor = Supervisor(own_network=own_network)
    lines = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    try:
        while line := await lines.readline():
            request: dict[str, Any] = json.loads(line)
            try:
                answer = {"value": await getattr(supervisor, request.pop("do"))(**request)}
            except OSError as error:
                answer = {"error": str(error)}
            print(json.dumps(answer), flush=True)
    finally:
        await supervisor.end()


if __name__ == "__main__":
    # Control-C is the parent's to handle: it ends this process by closing stdin, after its fixtures have been undone.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    own = "--own-network" in sys.argv
    if own:
        raise_loopback()
        keep_ports()
    asyncio.run(serve(own_network=own))
