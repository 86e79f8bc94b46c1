"""The process that the servers of one test cluster are children of, usually alone in a network namespace of its own.

It takes JSON lines on stdin and answers each with one on stdout; when stdin ends (its parent is gone, however) it kills
every child. Run as a script by `sandbox.py`; standard library only.
"""

from __future__ import annotations

import asyncio
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
from functools import partial
from pathlib import Path
from typing import Any

Opened = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
"""Opens a connection."""

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1


class Supervisor:
    """The children by name, and the verbs that a line on stdin may ask for."""

    def __init__(self) -> None:
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
        """Ports that are free on loopback now."""
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
        found = [item.getsockname()[1] for item in sockets]
        for item in sockets:
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


async def serve() -> None:
    """Answer the lines on stdin until it ends."""
    supervisor = Supervisor()
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
    if "--own-network" in sys.argv:
        raise_loopback()
    asyncio.run(serve())
