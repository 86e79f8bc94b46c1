"""Reads a configuration of the shared RDMA device plugin as the plugin does, and says why it would not take it.

The plugin drops unknown fields without a word; those are problems here, since nobody means to write what has no effect.
Source: k8s-rdma-shared-dev-plugin 1.5.3, pkg/types, pkg/resources.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

SELECTORS = ("vendors", "deviceIDs", "drivers", "ifNames", "linkTypes")
_FIELDS = {"resourceName", "resourcePrefix", "rdmaHcaMax", "devices", "selectors"}
_NAME = re.compile(r"[a-zA-Z0-9_]+")


def problems(config: object) -> list[str]:
    """All that is wrong with the content of `config.json`, each with its path; empty when the plugin takes it."""
    return list(_file(config))


def _file(config: object) -> Iterator[str]:
    if not isinstance(config, Mapping):
        yield "a map is wanted"
        return
    yield from _unknown("", config, {"periodicUpdateInterval", "configList"})
    interval = config.get("periodicUpdateInterval")
    if interval is not None and not _whole(interval):
        yield f"periodicUpdateInterval: seconds are wanted, 0 for never, not {interval!r}"
    resources = config.get("configList")
    if not isinstance(resources, list) or not resources:
        yield "configList: no resources configuration found"
        return
    seen: set[str] = set()
    for index, resource in enumerate(resources):
        at = f"configList[{index}]"
        if not isinstance(resource, Mapping):
            yield f"{at}: a map is wanted"
            continue
        yield from _resource(at, resource)
        name = str(resource.get("resourceName"))
        if name in seen:
            yield f"{at}.resourceName: {name} is listed twice, and the prefix does not count"
        seen.add(name)


def _resource(at: str, resource: Mapping[str, object]) -> Iterator[str]:
    yield from _unknown(at, resource, _FIELDS)
    name = resource.get("resourceName")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield f"{at}.resourceName: letters, digits and '_' are wanted, not {name!r}"
    prefix = resource.get("resourcePrefix", "")
    if not isinstance(prefix, str):
        yield f"{at}.resourcePrefix: text is wanted, not {prefix!r}"
    most = resource.get("rdmaHcaMax", 0)
    if not _whole(most):
        yield f"{at}.rdmaHcaMax: 0 or more is wanted, not {most!r}"
    elif most == 0:
        yield f"{at}.rdmaHcaMax: is 0, so nothing is offered"
    yield from _devices(at, resource)


def _devices(at: str, resource: Mapping[str, object]) -> Iterator[str]:
    selectors = resource.get("selectors") or {}
    if not isinstance(selectors, Mapping):
        yield f"{at}.selectors: a map is wanted"
        return
    yield from _unknown(f"{at}.selectors", selectors, set(SELECTORS))
    for key, values in ((f"selectors.{key}", selectors.get(key)) for key in SELECTORS):
        yield from _texts(f"{at}.{key}", values)
    yield from _texts(f"{at}.devices", resource.get("devices"))
    chosen = any(selectors.get(key) for key in SELECTORS)
    if chosen and resource.get("devices"):
        yield f"{at}: either selectors or devices, not both"
    elif not chosen and not resource.get("devices"):
        yield f"{at}: selectors are missing"


def _texts(at: str, values: object) -> Iterator[str]:
    if values is not None and not (isinstance(values, list) and all(isinstance(value, str) for value in values)):
        yield f"{at}: a list of texts is wanted, not {values!r}"


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _unknown(at: str, values: Mapping[str, object], known: set[str]) -> Iterator[str]:
    for name in values:
        if name not in known:
            yield f"{at}.{name}: unknown field, the plugin ignores it".lstrip(".")
