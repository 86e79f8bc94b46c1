"""A place to run servers in: a network namespace of their own where the system allows it, else this machine's loopback.

In a namespace nothing can leave, ports never clash, and Kubernetes' Service addresses are as unreachable as they
should be. The way in is a Unix socket, which namespaces of the network do not part. No server outlives the tests.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

# The namespace of processes is what ends the servers when the supervisor is killed without warning.
_OWN_NETWORK = ("unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child")

LEAST_MIB, MOST_MIB, OF_MEMORY = 2000, 4000, 6
"""Limits of one program, and the share of the machine's memory between them: two workers have an API server and an engine each."""


def _limit() -> int:
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    return max(LEAST_MIB, min(MOST_MIB, whole // OF_MEMORY))


FEWER_COLLECTIONS = {"GOGC": "200", "GOMEMLIMIT": f"{_limit()}MiB"}
"""For programs in Go: collecting garbage takes 28% of what an API server computes with Go's own value, which spares memory
that servers of a minute's life never need. With all definitions at once it would take 4.7 GiB; held to 2 it computes a
quarter more there, and elsewhere nothing. Where an engine compares the objects of a large stack meanwhile, a server held to
2 does little but collect: requests time out for minutes that end in seconds with 4."""


@cache
def own_network_allowed() -> bool:
    """Whether this system lets an ordinary process have a network namespace."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*_OWN_NETWORK, "true"], capture_output=True, check=False).returncode == 0


class Sandbox:
    """Servers under one supervisor; as a context it leaves none behind."""

    def __init__(self, *, own_network: bool | None = None) -> None:
        self.own_network = own_network_allowed() if own_network is None else own_network
        command = [sys.executable, "-I", str(Path(__file__).with_name("supervisor.py"))]
        if self.own_network:
            command = [*_OWN_NETWORK, *command, "--own-network"]
        self._process = subprocess.Popen(
            command,
            env={**FEWER_COLLECTIONS, **os.environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._asking = Lock()
        """Each question is followed by its answer, whichever thread asks."""

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, name: str, argv: list[str], *, log: Path, env: Mapping[str, str] | None = None) -> None:
        """Start a program; its output is appended to `log`."""
        self._ask("start", name=name, argv=argv, log=str(log), env=dict(env or {}))

    def stop(self, name: str, *, seconds: float = 10.0) -> int:
        """Ask a program to end, kill it after `seconds`; returns its exit code."""
        return int(self._ask("stop", name=name, seconds=seconds))

    def pause(self, name: str) -> None:
        """Have a program do nothing, and answer nobody, until `resume`."""
        self._ask("send", name=name, number=int(signal.SIGSTOP))

    def resume(self, name: str) -> None:
        """Let a program go on."""
        self._ask("send", name=name, number=int(signal.SIGCONT))

    def ended(self) -> dict[str, int]:
        """Exit codes of the programs that ended by themselves."""
        return dict(self._ask("ended"))

    def forward(self, path: Path, *, port: int, host: str = "127.0.0.1") -> None:
        """Make a port of the sandbox, on loopback or another address there, reachable as a Unix socket."""
        self._ask("forward", path=str(path), port=port, host=host)

    def relay(self, host: str, port: int, *, target: int) -> None:
        """Make a loopback port of the sandbox reachable at another address there; low ports need `own_network`."""
        self._ask("relay", host=host, port=port, target=target)

    def reach(self, path: Path, *, port: int) -> None:
        """Make a Unix socket, such as one that `forward` of another sandbox made, reachable as a loopback port here."""
        self._ask("reach", path=str(path), port=port)

    def remove(self, folder: Path) -> None:
        """Remove a folder when this ends, even where the tests were killed and nobody else is left to do so."""
        self._ask("remove", folder=str(folder))

    def free_ports(self, count: int) -> list[int]:
        """Loopback ports of the sandbox that nothing listens on."""
        return list(self._ask("ports", count=count))

    def close(self) -> None:
        """Kill everything that runs here."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _ask(self, verb: str, **arguments: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._asking:
            self._process.stdin.write(json.dumps({"do": verb, **arguments}) + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline() or '{"error": "the supervisor has ended"}')
        if "error" in answer:
            raise OSError(f"{verb} {arguments.get('name', '')}: {answer['error']}")
        return answer["value"]
