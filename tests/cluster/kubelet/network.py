"""The pods' network: a bridge in the sandbox, and for each pod a namespace of its own with one end of a veth pair.

The sandbox's own is that of all nodes: pods with `hostNetwork` share it, whatever their node, and one set of ports.
"""

from __future__ import annotations

import subprocess
import threading
from dataclasses import dataclass
from itertools import count

from tests.cluster.kubelet.services import OWN

GATEWAY = "10.244.0.1"
"""Address of the bridge, where the name server listens, and of all nodes."""
PREFIX = 16

# Waits for its end of the pair, which only somebody outside of the namespace can put there.
_HOLD = (
    'echo here && hostname "$1" && until ip link show eth0 >/dev/null 2>&1; do sleep 0.02; done'
    f' && ip link set lo up && ip addr add "$2/{PREFIX}" dev eth0 && ip link set eth0 up'
    f" && ip route add default via {GATEWAY} && echo ready && exec sleep infinity"
)


@dataclass(frozen=True)
class Place:
    """The network namespace of a pod, for as long as its holder lives; that of the nodes has none."""

    address: str
    holder: subprocess.Popen[str] | None

    @property
    def namespace(self) -> str:
        """Path of the namespace."""
        return f"/proc/{self.holder.pid}/ns/net" if self.holder else OWN

    def entered(self) -> list[str]:
        """The words that a command begins with to run there."""
        if self.holder is None:
            return []
        return ["nsenter", f"--target={self.holder.pid}", "--net", "--uts", "--"]

    def close(self) -> None:
        """Give the namespace up; what still runs there keeps it."""
        if self.holder is None:
            return
        self.holder.kill()
        self.holder.wait()
        assert self.holder.stdout is not None
        self.holder.stdout.close()


NODES = Place(GATEWAY, None)
"""Where pods with `hostNetwork` are."""


class Network:
    """Places on one bridge; addresses are given once."""

    def __init__(self) -> None:
        self._numbers = count(2)
        self._lock = threading.Lock()
        # Without the delay each new port would be silent for 15 seconds.
        _ip("link", "add", "br0", "type", "bridge", "forward_delay", "0")
        _ip("addr", "add", f"{GATEWAY}/{PREFIX}", "dev", "br0")
        _ip("link", "set", "br0", "up")

    def place(self, hostname: str) -> Place:
        """A namespace with an address, joined to the others."""
        with self._lock:
            number = next(self._numbers)
        address = f"10.244.{number // 256}.{number % 256}"
        command = ["unshare", "--net", "--uts", "sh", "-c", _HOLD, "sh", hostname, address]
        holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert holder.stdout is not None
        assert holder.stdout.readline() == "here\n", f"no namespace for {hostname}"
        _ip("link", "add", f"veth{number}", "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        _ip("link", "set", f"veth{number}", "master", "br0", "up")
        assert holder.stdout.readline() == "ready\n", f"no network for {hostname}"
        return Place(address, holder)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
