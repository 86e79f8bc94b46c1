"""What network policies let through, by the API's words: policies add up, and their ports are those of the pod.

Facts: networking.k8s.io/v1. A pod that no policy of a direction chooses is open that way; pods in the node's network
are left to the network plug-in. A rule without peers is for everybody, one without ports for every port.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import Path
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

Direction = Literal["ingress", "egress"]
_PEERS: Mapping[Direction, str] = {"ingress": "from", "egress": "to"}


@dataclass(frozen=True, eq=False)
class PolicyOpening:
    """One rule of a policy."""

    path: Path
    body: Mapping[str, Any]
    direction: Direction

    @property
    def peers(self) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        """Whom it names, with their paths."""
        field = _PEERS[self.direction]
        for index, peer in enumerate(items(self.body.get(field))):
            yield (*self.path, field, index), mapping(peer)

    @property
    def for_everybody(self) -> bool:
        """Whether it names no peer, and so admits everyone."""
        return not items(self.body.get(_PEERS[self.direction]))

    @property
    def ports(self) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        """The ports that it opens, with their paths; none: all."""
        for index, port in enumerate(items(self.body.get("ports"))):
            yield (*self.path, "ports", index), mapping(port)

    def covers(self, number: int, names: Sequence[str] = (), protocol: str = "TCP") -> bool:
        """Whether it opens a port, by number or by one of the names that the pod has for it."""
        ports = [port for _, port in self.ports if port.get("protocol", "TCP") == protocol]
        return not items(self.body.get("ports")) or any(_is(port, number, names) for port in ports)


def _is(port: Mapping[str, Any], number: int, names: Sequence[str]) -> bool:
    said, last = port.get("port"), port.get("endPort")
    if isinstance(said, int):
        return said <= number <= (last if isinstance(last, int) else said)
    return said is None or said in names


def openings(policy: RenderedObject, direction: Direction) -> tuple[PolicyOpening, ...] | None:
    """The rules of a policy for one direction; None: it says nothing of that, and closes nothing."""
    spec = mapping(policy.manifest.get("spec"))
    listed = items(spec.get(direction))
    types = items(spec.get("policyTypes")) or (["Ingress"] + (["Egress"] if listed else []))
    if direction.capitalize() not in types:
        return None
    return tuple(
        PolicyOpening(("spec", direction, index), mapping(each), direction) for index, each in enumerate(listed)
    )


def ports_of(pods: Pods) -> tuple[Mapping[str, Any], ...]:
    """The ports that the containers list."""
    return tuple(mapping(port) for _, container in pods.containers() for port in items(container.get("ports")))


def targets(service: RenderedObject, pods: Pods) -> Iterator[tuple[Mapping[str, Any], int]]:
    """The ports of a Service by TCP, each with that of the pods to which it leads."""
    numbers = {text(port.get("name")): port.get("containerPort") for port in ports_of(pods)}
    for port in map(mapping, items(at(service.manifest, "spec.ports"))):
        target = port.get("targetPort", port.get("port"))
        number = numbers.get(target) if isinstance(target, str) else target
        if isinstance(number, int) and port.get("protocol", "TCP") == "TCP":
            yield port, number
