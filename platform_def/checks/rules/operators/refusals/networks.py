"""Configurations of networks that Multus and CNI plugins cannot read.

Facts: Multus 4.2 (a configuration without name gets the object's; one without type, or whose plugins have none, is
refused), CNI 1.1 (its versions), host-local and static (addresses and subnets by Go's net.ParseCIDR; a subnet's
address is the network's), whereabouts 0.9 (`range`, perhaps with a first address and a hyphen in front).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any

import orjson

from platform_def.checks.fault import Fault
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import Manifest

_VERSIONS = ("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0")
_PATH = "spec.config"


def of_attachment(manifest: Manifest) -> Iterator[Fault]:
    """A NetworkAttachmentDefinition; without a configuration a file of its name is on the nodes."""
    written = at(manifest, _PATH)
    if not isinstance(written, str) or not written.strip():
        return
    try:
        config = orjson.loads(written)
    except orjson.JSONDecodeError as error:
        said = f"is not JSON (line {error.lineno}, column {error.colno}: {error.msg}): pods on the network never start"
        yield Fault(_PATH, said, "write JSON: names and texts in double quotes, no comma behind the last")
        return
    if not isinstance(config, dict):
        yield Fault(
            _PATH, "is not a map: pods on the network never start", "write a CNI configuration as a JSON object"
        )
        return
    yield from _version(config)
    plugins = config.get("plugins")
    listed = [(f"plugins[{index}].", mapping(each)) for index, each in enumerate(items(plugins))]
    parts = [("", config)] if plugins is None else listed
    if not parts:
        yield Fault(_PATH, "plugins: is empty: pods on the network never start", "list a plugin, with its type")
    for where, plugin in parts:
        if not text(plugin.get("type")):
            yield Fault(_PATH, f"{where}type: is missing: pods on the network never start", _TYPE)
        for field, said, hint in _addresses(mapping(plugin.get("ipam"))):
            yield Fault(_PATH, f"{where}ipam.{field}: {said}: pods on the network never start", hint)


_TYPE = "name the plugin, such as macvlan, ipvlan, sriov or host-device"


def _version(config: Mapping[str, Any]) -> Iterator[Fault]:
    version = config.get("cniVersion")
    if version is None:
        yield Fault(_PATH, "cniVersion: is missing, and counts as 0.1.0", 'add `"cniVersion": "1.0.0"`', "warning")
    elif version not in _VERSIONS:
        said = f"cniVersion: there is no version '{str(version)[:40]}' of CNI: pods on the network never start"
        yield Fault(_PATH, said, f"write one of {', '.join(_VERSIONS)}")


def _addresses(ipam: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    kind = text(ipam.get("type"))
    if kind == "static":
        for index, each in enumerate(items(ipam.get("addresses"))):
            yield from _wrong(f"addresses[{index}].address", at(each, "address"), network=False)
    if kind == "host-local":
        yield from _subnet("", ipam)
        for index, ranges in enumerate(items(ipam.get("ranges"))):
            for number, each in enumerate(items(ranges)):
                yield from _subnet(f"ranges[{index}][{number}].", mapping(each))
    if kind == "whereabouts":
        further = [(f"ipRanges[{index}].", mapping(each)) for index, each in enumerate(items(ipam.get("ipRanges")))]
        for place, each in [("", ipam), *further]:
            written = each.get("range")
            if isinstance(written, str):
                yield from _wrong(f"{place}range", written.rpartition("-")[2], network=False)
    for index, route in enumerate(items(ipam.get("routes"))):
        yield from _wrong(f"routes[{index}].dst", at(route, "dst"), network=False)


def _subnet(place: str, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    written = given.get("subnet")
    wrong = list(_wrong(f"{place}subnet", written, network=True))
    yield from wrong
    if wrong or not isinstance(written, str):
        return
    network = ip_network(written)
    for field in ("rangeStart", "rangeEnd", "gateway"):
        address = given.get(field)
        if not isinstance(address, str):
            continue
        try:
            inside = ip_address(address) in network or field == "gateway"
        except ValueError:
            yield f"{place}{field}", f"'{address[:60]}' is not an address", f"write an address of {network}"
            continue
        if not inside:
            yield f"{place}{field}", f"{address} is not in {network}", f"write an address of {network}"


def _wrong(field: str, written: object, *, network: bool) -> Iterator[tuple[str, str, str]]:
    if not isinstance(written, str):
        return
    hint = "write `<address>/<length>`, such as 10.56.0.0/24"
    if "/" not in written or "." in written.partition("/")[2]:
        yield field, f"'{written[:60]}' has no length behind a slash", hint
        return
    try:
        ip_interface(written)
    except ValueError as error:
        yield field, str(error)[:120], hint
        return
    if network and ip_interface(written).ip != ip_interface(written).network.network_address:
        own = ip_interface(written).network
        yield field, f"{written} is an address inside of {own}, not the network", f"write {own}"
