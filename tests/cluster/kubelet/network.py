"""The network of pods and nodes: a bridge in the sandbox, and for each pod, and each node, a namespace of its own with one
end of a veth pair. Pods with `hostNetwork` share that of their node, its name and one set of ports.
"""

from __future__ import annotations

import subprocess
import threading
from dataclasses import dataclass
from itertools import count

GATEWAY = "10.244.0.1"
"""Address of the bridge, where the name server and the kubelet of all nodes listen."""
PODS, NODES = "10.244", "10.245"
"""How addresses begin."""
PREFIX = 15

# Waits for its end of the pair, which only somebody outside of the namespace can put there.
_HOLD = (
    'echo here && hostname "$1" && until ip link show eth0 >/dev/null 2>&1; do sleep 0.02; done'
    f' && ip link set lo up && ip addr add "$2/{PREFIX}" dev eth0 && ip link set eth0 up'
    f" && ip route add default via {GATEWAY} && echo ready && exec sleep infinity"
)


@dataclass(frozen=True)
class Place:
    """The network namespace of a pod or a node, for as long as its holder lives."""

    address: str
    hostname: str
    outside: str
    """The end of its pair that is at the bridge."""
    holder: subprocess.Popen[str]

    @property
    def namespace(self) -> str:
        """Path of the namespace."""
        return f"/proc/{self.holder.pid}/ns/net"

    def entered(self) -> list[str]:
        """The words that a command begins with to run there."""
        return ["nsenter", f"--target={self.holder.pid}", "--net", "--uts", "--"]

    def close(self) -> None:
        """Give the namespace up; what still runs there keeps it."""
        self.holder.kill()
        self.holder.wait()
        assert self.holder.stdout is not None
        self.holder.stdout.close()


class Network:
    """Places on one bridge; addresses are given once."""

    def __init__(self) -> None:
        self._numbers, self._lock = count(2), threading.Lock()
        self._nodes: dict[str, Place] = {}
        # Without the delay each new port would be silent for 15 seconds.
        _ip("link", "add", "br0", "type", "bridge", "forward_delay", "0")
        _ip("addr", "add", f"{GATEWAY}/{PREFIX}", "dev", "br0")
        _ip("link", "set", "br0", "up")

    def node(self, name: str) -> Place:
        """The network of a node, which stays."""
        with self._lock:
            if name not in self._nodes:
                self._nodes[name] = self._place(name, NODES)
            return self._nodes[name]

    def place(self, hostname: str) -> Place:
        """A namespace with an address, joined to the others."""
        with self._lock:
            return self._place(hostname, PODS)

    def _place(self, hostname: str, network: str) -> Place:
        number = next(self._numbers)
        address, outside = f"{network}.{number // 256}.{number % 256}", f"veth{number}"
        command = ["unshare", "--net", "--uts", "sh", "-c", _HOLD, "sh", hostname, address]
        holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert holder.stdout is not None
        assert holder.stdout.readline() == "here\n", f"no namespace for {hostname}"
        _ip("link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        _ip("link", "set", outside, "master", "br0", "up")
        assert holder.stdout.readline() == "ready\n", f"no network for {hostname}"
        return Place(address, hostname, outside, holder)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
