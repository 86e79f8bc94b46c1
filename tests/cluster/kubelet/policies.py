"""NetworkPolicies: which addresses may begin a TCP connection with a pod, and with which it may begin one.

As networks of clusters have it, pods on the network of a node have its address and no policy, and a pod and its own node
always reach each other. Enforced where packets pass, on both ends of a pod's veth pair, at the first packet of a connection.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, ip_network
from pathlib import Path
from typing import Any, NamedTuple

from platform_def.manifests.admission import selects
from tests.cluster.client import Api, Manifest
from tests.cluster.kubelet.network import GATEWAY, Place

SECONDS = 0.5
"""After which connections that were refused are counted again, and whether policies have changed is looked at."""
_FIRST, _MASK = "0x02", "0x12"
"""SYN without ACK, among the flags of TCP."""
_CLASSES = """\
qdisc replace dev {end} root handle 1: htb default 1
class replace dev {end} parent 1: classid 1:1 htb rate 10gbit quantum 60000
class replace dev {end} parent 1: classid 1:2 htb rate 1mbit quantum 60000
qdisc replace dev {end} parent 1:2 handle 20: pfifo limit 0
filter replace dev {end} parent 1: protocol ip prio 2 u32 match ip protocol 6 0xff match u8 {first} {mask} at 33 flowid 1:2
"""
"""What is not the first packet of a connection passes, and such a packet has no room unless it is let through before."""


class Peer(NamedTuple):
    """Addresses, at one port or at all."""

    network: IPv4Network
    port: int | None = None


@dataclass(frozen=True)
class Cluster:
    """What policies are read with."""

    policies: Sequence[Manifest]
    pods: Sequence[Manifest]
    namespaces: Mapping[str, Mapping[str, str]]
    """Labels by name."""

    @staticmethod
    def read(api: Api) -> Cluster:
        """As it is now; nothing is asked for where there is no policy."""
        policies = api.get("/apis/networking.k8s.io/v1/networkpolicies").body["items"]
        if not policies:
            return Cluster((), (), {})
        found = [each["metadata"] for each in api.get("/api/v1/namespaces").body["items"]]
        labels = {each["name"]: each.get("labels", {}) for each in found}
        return Cluster(policies, api.get("/api/v1/pods").body["items"], labels)

    def peers(self, pod: Manifest, direction: str) -> set[Peer] | None:
        """Who may connect to a pod (`Ingress`), or whom it may connect to (`Egress`); None where no policy says."""
        said = [each for each in self._of(pod) if direction in each["spec"].get("policyTypes", ["Ingress"])]
        if not said or pod["spec"].get("hostNetwork"):
            return None
        own = {Peer(IPv4Network(each)) for each in (GATEWAY, pod["status"]["hostIP"])}
        # A port that a name stands for is one of the pod's own: what it may connect to is told by numbers alone here.
        ports = _named(pod) if direction == "Ingress" else {}
        return own.union(*(self._rule(rule, policy, ports) for policy in said for rule in _rules(policy, direction)))

    def _of(self, pod: Manifest) -> Iterator[Manifest]:
        for policy in self.policies:
            here = policy["metadata"]["namespace"] == pod["metadata"]["namespace"]
            if here and selects(policy["spec"].get("podSelector", {}), pod["metadata"].get("labels", {})):
                yield policy

    def _rule(self, rule: Manifest, policy: Manifest, own: Mapping[str, int]) -> Iterator[Peer]:
        named = [*rule.get("from", ()), *rule.get("to", ())]
        networks = (
            [each for peer in named for each in self._networks(peer, policy)] if named else [IPv4Network("0.0.0.0/0")]
        )
        said = [each["port"] for each in rule.get("ports", ()) if each.get("protocol", "TCP") == "TCP"]
        ports = [own[each] if isinstance(each, str) else each for each in said]
        for network in networks:
            yield from (Peer(network, port) for port in (ports if "ports" in rule else [None]))

    def _networks(self, peer: Manifest, policy: Manifest) -> Iterator[IPv4Network]:
        if block := peer.get("ipBlock"):
            yield from _without(block)
            return
        for pod in self.pods:
            metadata = pod["metadata"]
            home = metadata["namespace"] == policy["metadata"]["namespace"]
            if "namespaceSelector" in peer:
                home = selects(peer["namespaceSelector"], self.namespaces[metadata["namespace"]])
            named = home and selects(peer.get("podSelector", {}), metadata.get("labels", {}))
            address = pod.get("status", {}).get("podIP")
            if named and address and not pod["spec"].get("hostNetwork"):
                yield IPv4Network(address)


def _named(pod: Manifest) -> dict[str, int]:
    """The ports of a pod's containers that have names."""
    ports = (each for container in pod["spec"]["containers"] for each in container.get("ports", ()))
    return {each["name"]: each["containerPort"] for each in ports if "name" in each}


def _rules(policy: Manifest, direction: str) -> Sequence[Manifest]:
    found: Sequence[Manifest] = policy["spec"].get(direction.lower(), ())
    return found


def _without(block: Mapping[str, Any]) -> list[IPv4Network]:
    """The networks of a block without those that it leaves out."""
    whole = ip_network(block["cidr"])
    if not isinstance(whole, IPv4Network):
        return []
    found = [whole]
    for each in map(IPv4Network, block.get("except", ())):
        found = [part for one in found for part in (one.address_exclude(each) if each.subnet_of(one) else [one])]
    return found


class Policies:
    """The policies of a cluster, at the places of its pods."""

    def __init__(self, api: Api, told: Path) -> None:
        """`told` is the file in which connections that were refused are counted, by the addresses of the pods; null where this
        machine's kernel cannot refuse any."""
        self._api, self._told = api, told
        self._places: dict[str, tuple[Manifest, Place]] = {}
        self._lock = threading.Lock()
        self._laid: dict[tuple[str, str], set[Peer]] = {}
        self.held = _can_hold()
        """Whether this machine's kernel can refuse packets so."""

    def join(self, pod: Manifest, place: Place) -> None:
        """Have them hold for a pod, when this returns."""
        with self._lock:
            self._places[pod["metadata"]["uid"]] = pod, place
            self._lay(Cluster.read(self._api))

    def leave(self, pod: Manifest) -> None:
        """The pod's place is no more."""
        with self._lock:
            if found := self._places.pop(pod["metadata"]["uid"], None):
                for direction in ("Ingress", "Egress"):
                    self._laid.pop((found[1].outside, direction), None)

    def look(self) -> None:
        """See which hold now, for whom, and whom they refused."""
        with self._lock:
            self._lay(Cluster.read(self._api))
            arriving = self._told.with_suffix(".arriving")
            arriving.write_text(json.dumps(self._refused() if self.held else None))
            arriving.replace(self._told)

    def _lay(self, cluster: Cluster) -> None:
        if not self.held:
            return
        for pod, place in self._places.values():
            for direction, end, entered in (("Ingress", place.outside, []), ("Egress", "eth0", place.entered())):
                peers, key = cluster.peers(pod, direction), (place.outside, direction)
                if peers == self._laid.get(key):
                    continue
                before = self._laid.pop(key, None)
                lines = [] if before is not None else [_CLASSES.format(end=end, first=_FIRST, mask=_MASK)]
                if peers is None:
                    _tc(entered, f"qdisc del dev {end} root\n")
                    continue
                # Between both nobody new is let in, which is tried again a second later.
                lines += [f"filter del dev {end} parent 1: prio 1\n"] if before else []
                lines += [_passes(end, "src" if direction == "Ingress" else "dst", each) for each in peers]
                _tc(entered, "".join(lines))
                self._laid[key] = peers

    def _refused(self) -> dict[str, int]:
        shown = subprocess.run(["tc", "-s", "-j", "qdisc"], capture_output=True, text=True, check=True)
        dropped = {each["dev"]: each["drops"] for each in json.loads(shown.stdout) if each["kind"] == "pfifo"}
        return {place.address: dropped.get(place.outside, 0) for _, place in self._places.values()}


def _passes(end: str, side: str, peer: Peer) -> str:
    port = "" if peer.port is None else f" match ip dport {peer.port} 0xffff"
    return f"filter add dev {end} parent 1: protocol ip prio 1 u32 match ip {side} {peer.network}{port} flowid 1:1\n"


def _can_hold() -> bool:
    """Whether the filters can be laid, at the bridge."""
    lines = _CLASSES.format(end="br0", first=_FIRST, mask=_MASK) + "qdisc del dev br0 root\n"
    done = subprocess.run(["tc", "-batch", "-"], input=lines, text=True, capture_output=True, check=False)
    return done.returncode == 0


def _tc(entered: Sequence[str], batch: str) -> None:
    subprocess.run([*entered, "tc", "-batch", "-"], input=batch, text=True, check=True)
