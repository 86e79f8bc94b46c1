"""Reads a configuration of the SR-IOV network device plugin as the plugin does, and says why it would not take it.

The plugin drops unknown fields, and pools whose selectors it cannot read, with no more than a line in its log; those
are problems here, since nobody means to write what has no effect. Source: sriov-network-device-plugin 3.11,
cmd/sriovdp, pkg/types, pkg/factory, pkg/resources. `tests/cluster/test_readers.py` asks upstream's own packages, which can be
had of November 2022 alone; this one knows 3.11, and what the program refuses beyond its packages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

DEFAULT_PREFIX = "intel.com"
"""Of pools that name none, unless the plugin's argument says otherwise."""

_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_CODE = re.compile(r"[0-9a-f]{4}")
_PCI = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_PART = re.compile(r"\d+(-\d+)?")

_DEVICES = frozenset({"vendors", "devices", "drivers"})
_NET = frozenset({"pfNames", "rootDevices", "linkTypes", "isRdma", "acpiIndexes", "needVhostNet"})
SELECTORS: Mapping[str, frozenset[str]] = {
    "netDevice": _DEVICES | _NET | {"pciAddresses", "ddpProfiles", "vdpaType", "pKeys"},
    "accelerator": _DEVICES | {"pciAddresses"},
    "auxNetDevice": _DEVICES | _NET | {"auxTypes"},
}
"""Selectors by type of device; the first type is the default."""
_FLAGS = frozenset({"isRdma", "needVhostNet"})
_RESOURCE = frozenset(
    {"resourceName", "resourcePrefix", "deviceType", "excludeTopology", "selectors", "additionalInfo"}
)


def problems(config: object) -> list[str]:
    """All that is wrong with the content of `config.json`, each with its path; empty when the plugin takes it."""
    return list(_file(config))


def _file(config: object) -> Iterator[str]:
    if not isinstance(config, Mapping):
        yield "a map is wanted"
        return
    yield from _unknown("", config, frozenset({"resourceList"}))
    resources = config.get("resourceList")
    if not isinstance(resources, list) or not resources:
        yield "resourceList: no resource configuration; exiting"
        return
    seen: set[str] = set()
    for index, resource in enumerate(resources):
        at = f"resourceList[{index}]"
        if not isinstance(resource, Mapping):
            yield f"{at}: a map is wanted"
            continue
        yield from _resource(at, resource)
        name = f"{resource.get('resourcePrefix') or DEFAULT_PREFIX}/{resource.get('resourceName')}"
        if name in seen:
            yield f"{at}.resourceName: {name} already exists"
        seen.add(name)


def _resource(at: str, resource: Mapping[str, object]) -> Iterator[str]:
    yield from _unknown(at, resource, _RESOURCE)
    name = resource.get("resourceName")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield f"{at}.resourceName: letters, digits, '_' and '-' are wanted, not {name!r}"
    if not isinstance(resource.get("resourcePrefix", ""), str):
        yield f"{at}.resourcePrefix: text is wanted, not {resource['resourcePrefix']!r}"
    if not isinstance(resource.get("excludeTopology", False), bool):
        yield f"{at}.excludeTopology: true or false is wanted, not {resource['excludeTopology']!r}"
    kind = resource.get("deviceType") or "netDevice"
    if not isinstance(kind, str) or kind not in SELECTORS:
        yield f"{at}.deviceType: unsupported deviceType {kind!r}, one of {', '.join(SELECTORS)} is wanted"
        return
    yield from _extra(f"{at}.additionalInfo", resource.get("additionalInfo"))
    yield from _selectors(f"{at}.selectors", resource.get("selectors"), kind)


def _extra(at: str, info: object) -> Iterator[str]:
    inner = info.values() if isinstance(info, Mapping) else ()
    texts = all(isinstance(each, Mapping) and all(isinstance(v, str) for v in each.values()) for each in inner)
    if info is not None and not (isinstance(info, Mapping) and texts):
        yield f"{at}: a map of maps of texts is wanted"


def _selectors(at: str, selectors: object, kind: str) -> Iterator[str]:
    """One selector or a list of them; a device belongs to the first pool and selector that match it."""
    if isinstance(selectors, Mapping):
        yield from _selector(at, selectors, kind)
    elif isinstance(selectors, list) and selectors:
        for index, selector in enumerate(selectors):
            if isinstance(selector, Mapping):
                yield from _selector(f"{at}[{index}]", selector, kind)
            else:
                yield f"{at}[{index}]: a map is wanted"
    else:
        # The plugin stops with a nil pointer when there are none, and leaves the pool out when the list is empty.
        yield f"{at}: need at least one selector"


def _selector(at: str, selector: Mapping[str, object], kind: str) -> Iterator[str]:
    known = SELECTORS[kind]
    yield from _unknown(at, selector, known, f" for deviceType {kind}")
    for name, value in selector.items():
        if name not in known:
            continue
        if name in _FLAGS:
            if not isinstance(value, bool):
                yield f"{at}.{name}: true or false is wanted, not {value!r}"
        elif name == "vdpaType":
            if value not in ("vhost", "virtio"):
                yield f"{at}.vdpaType: vhost or virtio is wanted, not {value!r}"
        elif not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            yield f"{at}.{name}: a list of texts is wanted, not {value!r}"
        else:
            yield from _values(f"{at}.{name}", name, value)
    if selector.get("isRdma") and selector.get("vdpaType"):
        yield f"{at}: vdpaType and isRdma are mutually exclusive options"


def _values(at: str, name: str, values: list[str]) -> Iterator[str]:
    for value in values:
        if name in ("vendors", "devices") and not _CODE.fullmatch(value):
            yield f"{at}: four hexadecimal digits in lower case are wanted, not '{value}'"
        if name == "pciAddresses" and not _PCI.fullmatch(value):
            yield f"{at}: '{value}' is no PCI address such as 0000:3b:00.0"
        if name in ("pfNames", "rootDevices"):
            yield from _port(at, value, address=name == "rootDevices")
    if name == "linkTypes" and len(values) > 1:
        yield f"{at}: link type selector should have a single value"


def _port(at: str, value: str, *, address: bool) -> Iterator[str]:
    """A port, and behind '#' the numbers of its functions: `ens1f0#0-3,7`."""
    port, hash_sign, numbers = value.partition("#")
    if address and not _PCI.fullmatch(port):
        yield f"{at}: '{port}' is no PCI address such as 0000:3b:00.0"
    if not port:
        yield f"{at}: '{value}' names no port"
    for part in numbers.split(",") if hash_sign else ():
        first, _, last = part.partition("-")
        if not _PART.fullmatch(part):
            yield f"{at}: '{part}' of '{value}' is neither a number nor a range such as 0-7"
        elif last and int(first) > int(last):
            yield f"{at}: the range {part} of '{value}' is empty"


def _unknown(at: str, values: Mapping[str, object], known: frozenset[str], where: str = "") -> Iterator[str]:
    for name in values:
        if name not in known:
            yield f"{at}.{name}: unknown field{where}, the plugin ignores it".lstrip(".")
