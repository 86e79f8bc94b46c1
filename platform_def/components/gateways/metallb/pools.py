"""Pools of addresses: those of the stack's `ingress` and of gateways with an ingress of their own, and further ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import ip_address, ip_network
from itertools import combinations
from typing import Annotated, Literal

from pydantic import Field

from platform_def.capabilities import AddressPool
from platform_def.config.cluster import refuse_no_range
from platform_def.config.model import Model
from platform_def.constructs import Platform, Problem

OF_THE_STACK = "ingress"
"""Pool of the stack's `ingress.addresses`."""


Way = Literal["l2", "bgp"]
Ways = Literal[Way, "both"]


class Pool(Model):
    """Further addresses, for Services that name the pool in the annotation `metallb.io/address-pool`."""

    addresses: Annotated[list[str], Field(min_length=1)]
    """Ranges (`10.0.1.10-10.0.1.20`) or networks (`10.0.1.16/28`)."""
    automatic: bool = False
    """Give them to Services that name no pool too."""
    advertise: Way | None = None
    """How they are announced where the component says `advertise: both`; by default in both ways."""

    def announced(self, way: Way, ways: Ways) -> bool:
        """Whether they are announced in one way, of those that the component has."""
        return ways in (way, "both") and self.advertise in (way, None)

    def model_post_init(self, _: object, /) -> None:
        """Refuse what is no address; what the stack's own addresses are held to."""
        for address in self.addresses:
            refuse_no_range(address)


def asked_for(platform: Platform) -> dict[str, Pool]:
    """Pools of the stack's gateways. Only the stack's own is for every Service; the others are for those that name
    them. Gateways that name one pool share the addresses of all of them."""
    found: dict[str, Pool] = {}
    if platform.ingress.addresses:
        found[OF_THE_STACK] = Pool(addresses=platform.ingress.addresses, automatic=True)
    for given in platform.all(AddressPool):
        known = found.setdefault(given.value.pool, Pool(addresses=given.value.addresses))
        known.addresses.extend(each for each in given.value.addresses if each not in known.addresses)
    return found


def of(further: Mapping[str, Pool], platform: Platform) -> dict[str, Pool]:
    """All pools by name: those of gateways, then the further ones."""
    return {**asked_for(platform), **further}


def taken(knob: str, further: Mapping[str, Pool], platform: Platform) -> Iterator[Problem]:
    """Further pools called as one of a gateway is."""
    owners = {given.value.pool: f"components.{given.by}.ingress.addresses" for given in platform.all(AddressPool)}
    if platform.ingress.addresses:
        owners[OF_THE_STACK] = "ingress.addresses"
    for name in further:
        if owner := owners.get(name):
            yield Problem(f"{knob}.pools.{name}: that is the pool of `{owner}`", hint="give it another name")


def overlaps(knob: str, pools: Mapping[str, Pool]) -> Iterator[Problem]:
    """Addresses in two pools, or twice in one: MetalLB's webhook refuses the second pool."""
    every = [(name, address) for name, pool in pools.items() for address in pool.addresses]
    for (one, first), (other, second) in combinations(every, 2):
        if _shared(first, second):
            text = f"{knob}: {first} of pool {one} and {second} of pool {other} have addresses in common"
            yield Problem(text, hint="give each gateway addresses of its own")


def _shared(one: str, other: str) -> bool:
    (family, first, last), (other_family, other_first, other_last) = _span(one), _span(other)
    return family == other_family and first <= other_last and other_first <= last


def _span(text: str) -> tuple[int, int, int]:
    """Version of the addresses, the first and the last."""
    start, dash, end = text.partition("-")
    if dash:
        first, last = ip_address(start.strip()), ip_address(end.strip())
        return first.version, int(first), int(last)
    network = ip_network(text)
    return network.version, int(network[0]), int(network[-1])
