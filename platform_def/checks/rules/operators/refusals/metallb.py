"""Pools of addresses that MetalLB cannot read, or of which two hold one address.

Facts: MetalLB 0.15 (internal/config/config.go: ParseCIDR, and that pools do not overlap); its webhook refuses them.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple, cast

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.manifests.loose import at, items, text
from platform_def.manifests.rendered import Manifest, RenderedObject

GROUP = "metallb.io"
_DOTS = re.compile(r"(\d{1,3}(?:\.\d{1,3}){3})\s*(?:\.{2,3}|to|–|—|_)\s*(\d{1,3}(?:\.\d{1,3}){3})")
_REFUSED = "MetalLB's webhook refuses the pool"


class _Range(NamedTuple):
    """First and last address."""

    family: int
    first: int
    last: int


class _Named(NamedTuple):
    """A range of another pool."""

    pool: str
    written: str
    range: _Range
    sure: bool = True
    """Whether both pools are of one cluster; manifests of several folders may be of several."""


def reads(context: Context, item: RenderedObject) -> Hashable:
    """The ranges of the pools that come before."""
    found: list[_Named] = []
    for other in context.index.by_kind.get((GROUP, "IPAddressPool"), ()):
        if other.key == item.key:
            break
        for written in map(text, items(at(other.manifest, "spec.addresses"))):
            read = _read(written)
            if isinstance(read, _Range):
                sure = not context.stack.foreign or _folder(other) == _folder(item)
                found.append(_Named(other.name, written, read, sure))
    return tuple(found)


def _folder(item: RenderedObject) -> str:
    return item.origin.rpartition("/")[0]


def of_pool(manifest: Manifest, given: Hashable) -> Iterator[Fault]:
    """An IPAddressPool, next to the others."""
    taken = list(cast(tuple[_Named, ...], given or ()))
    name = text(at(manifest, "metadata.name"))
    for index, written in enumerate(map(text, items(at(manifest, "spec.addresses")))):
        path, read = f"spec.addresses[{index}]", _read(written)
        if isinstance(read, Fault):
            yield read._replace(path=path, text=f"'{written[:80]}' {read.text}: {_REFUSED}")
            continue
        for pool, other, its, sure in taken:
            if read.family == its.family and read.first <= its.last and its.first <= read.last:
                whose = "of this pool" if pool == name else f"of pool {pool}"
                said = f"'{written}' overlaps with '{other}' {whose}: {_REFUSED}"
                yield Fault(path, said, "give each address to one pool", None if sure else "warning")
                break
        taken.append(_Named(name, written, read))


def _read(written: str) -> _Range | Fault:
    if "-" not in written:
        return _network(written)
    ends = [each.strip() for each in written.split("-", 1)]
    try:
        first, last = map(ip_address, ends)
    except ValueError as error:
        return Fault(
            "", f"is not a range of addresses ({error})", "write `<first>-<last>`, such as 10.0.0.200-10.0.0.210"
        )
    if first.version != last.version:
        return Fault("", "begins and ends in different families", "write both ends as IPv4, or both as IPv6")
    if int(first) > int(last):
        return Fault("", "ends before it begins", f"write {last}-{first}")
    return _Range(first.version, int(first), int(last))


def _network(written: str) -> _Range | Fault:
    dots = _DOTS.fullmatch(written.strip())
    if dots:
        return Fault("", "is neither a network nor a range", f"write {dots[1]}-{dots[2]}")
    try:
        if "/" not in written:
            alone: IPv4Address | IPv6Address = ip_address(written)
            return Fault("", "is one address, not a network", f"write {alone}/{alone.max_prefixlen}")
        if "." in written.partition("/")[2]:
            raise ValueError(f"'{written}' has a mask of dots where a length belongs")
        found: IPv4Network | IPv6Network = ip_network(written, strict=False)
    except ValueError as error:
        return Fault("", f"is not a network ({error})", "write `<address>/<length>`, such as 10.0.0.192/28")
    return _Range(found.version, int(found[0]), int(found[-1]))
