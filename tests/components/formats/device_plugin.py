"""Reads a configuration of NVIDIA's device plugin as the plugin does, and says why it would not take it.

The plugin drops unknown fields, custom `rename` and `devices`, and time-slicing beside MPS without an error; those are
problems here, since nobody means to write what has no effect. Source: k8s-device-plugin 0.20, api/config/v1, main.go.
`tests/cluster/test_readers.py` asks upstream's own package, which can be had of 0.19.3; this one knows 0.20, and what the
program refuses beyond its package.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from platform_def.config.pools import WHOLE_GPU

Check = Callable[[object], str]
"""Why a value is not taken; empty when it is."""

MPS_CLIENTS = 48
_DURATION = re.compile(r"infinite|0|[-+]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+")
_RESOURCE = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_GPU_ID = re.compile(r"\d+(:\d+)?|(GPU|MIG|MIG-GPU)-[0-9a-fA-F-]{36}(/\d+/\d+)?")


def problems(config: object) -> list[str]:
    """All that is wrong with a configuration file's content, each with its path; empty when the plugin takes it."""
    return list(_file(config))


def _file(config: object) -> Iterator[str]:
    if not isinstance(config, Mapping):
        yield "a map is wanted"
        return
    if config.get("version") not in (None, "", "v1"):
        yield f"version: unknown version '{config['version']}', only v1 is known"
    if config.get("resources"):
        yield "resources: the plugin ignores it"
    yield from _unknown("", config, {"version", "flags", "resources", "sharing", "imex"})
    flags = _given(config, "flags")
    yield from _fields("flags", flags, _FLAGS)
    strategy = str(flags.get("migStrategy", "none")) if isinstance(flags, Mapping) else "none"
    yield from _sharing(_given(config, "sharing"), strategy)
    yield from _fields("imex", _given(config, "imex"), _IMEX)


def _given(values: Mapping[str, object], name: str) -> object:
    """A section; absent and null are both empty."""
    section = values.get(name)
    return {} if section is None else section


def _sharing(sharing: object, strategy: str) -> Iterator[str]:
    if not isinstance(sharing, Mapping):
        yield "sharing: a map is wanted"
        return
    yield from _unknown("sharing", sharing, {"timeSlicing", "mps"})
    for mode in ("timeSlicing", "mps"):
        if mode in sharing:
            yield from _replicated(f"sharing.{mode}", sharing[mode], strategy, mps=mode == "mps")
    if "mps" in sharing and "timeSlicing" in sharing:
        yield "sharing: timeSlicing is ignored beside mps; keep one of them"
    if "mps" in sharing and strategy != "none":
        yield f"sharing.mps: MPS is not supported with migStrategy {strategy}"


def _replicated(path: str, shared: object, strategy: str, *, mps: bool) -> Iterator[str]:
    if not isinstance(shared, Mapping):
        yield f"{path}: a map is wanted"
        return
    yield from _fields(path, {key: value for key, value in shared.items() if key != "resources"}, _REPLICATED)
    resources = shared.get("resources")
    if not isinstance(resources, list) or not resources:
        yield f"{path}.resources: no resources specified"
        return
    seen: set[str] = set()
    for index, resource in enumerate(resources):
        at = f"{path}.resources[{index}]"
        yield from _resource(at, resource, strategy, mps=mps)
        name = _full_name(resource)
        if name and name in seen:
            yield f"{at}.name: {name} is listed twice"
        seen.add(name)


def _resource(path: str, resource: object, strategy: str, *, mps: bool) -> Iterator[str]:
    if not isinstance(resource, Mapping):
        yield f"{path}: a map is wanted"
        return
    yield from (f"{path}.{field}: is missing" for field in ("name", "replicas") if field not in resource)
    yield from _fields(path, resource, _RESOURCE_FIELDS)
    name, replicas = _full_name(resource), resource.get("replicas")
    if mps and isinstance(replicas, int) and replicas > MPS_CLIENTS:
        yield f"{path}.replicas: MPS serves at most {MPS_CLIENTS} clients a GPU, not {replicas}"
    if mps and name not in ("", WHOLE_GPU):
        yield f"{path}.name: MPS shares {WHOLE_GPU} alone, not {name}"
    elif name.startswith("nvidia.com/mig-") and strategy != "mixed":
        yield f"{path}.name: {name} exists with migStrategy mixed alone, not {strategy}"
    for field in ("rename", "devices"):
        if resource.get(field) not in (None, "", "all"):
            yield f"{path}.{field}: the plugin ignores it"


def _full_name(resource: object) -> str:
    name = resource.get("name") if isinstance(resource, Mapping) else None
    if not isinstance(name, str):
        return ""
    return name if name.startswith("nvidia.com/") else f"nvidia.com/{name}"


def _fields(path: str, values: object, known: Mapping[str, Check]) -> Iterator[str]:
    if not isinstance(values, Mapping):
        yield f"{path}: a map is wanted"
        return
    yield from _unknown(path, values, known)
    for name, value in values.items():
        if name in ("plugin", "gfd") and name in known:
            yield from _fields(f"{path}.{name}", _given(values, name), _PLUGIN if name == "plugin" else _GFD)
        elif name in known and value is not None:
            why = known[name](value)
            if why:
                yield f"{path}.{name}: {why}"


def _unknown(path: str, values: Mapping[str, object], known: Mapping[str, Check] | set[str]) -> Iterator[str]:
    for name in values:
        if name not in known:
            yield f"{path}.{name}: unknown field, the plugin ignores it".lstrip(".")


def _text(value: object) -> str:
    return "" if isinstance(value, str) else f"text is wanted, not {value!r}"


def _flag(value: object) -> str:
    return "" if isinstance(value, bool) else f"true or false is wanted, not {value!r}"


def _choice(*known: str) -> Check:
    return lambda value: "" if value in known else f"one of {', '.join(known)} is wanted, not {value!r}"


def _strategies(value: object) -> str:
    """A string is one strategy: unlike the command line, the file does not split it at commas."""
    known = ("envvar", "volume-mounts", "cdi-annotations", "cdi-cri")
    chosen = value if isinstance(value, list) else [value]
    wrong = [item for item in chosen if item not in known]
    return f"a list of {', '.join(known)} is wanted, not {wrong[0]!r}" if wrong else ""


def _duration(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return f"a duration is wanted, not {value!r}"
    return (
        "" if not isinstance(value, str) or _DURATION.fullmatch(value) else f"'{value}' is not a duration such as 60s"
    )


def _replicas(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        return f"a whole number is wanted, not {value!r}"
    return "" if value >= 2 else f"number of replicas must be >= 2, not {value}"


def _resource_name(value: object) -> str:
    name = _full_name({"name": value})
    if not name:
        return _text(value)
    if len(name) > 63:
        return f"'{name}' is longer than 63 characters"
    return "" if _RESOURCE.fullmatch(name.partition("/")[2]) else f"'{name}' is not a resource name"


def _devices(value: object) -> str:
    if isinstance(value, str):
        return "" if value == "all" else f"the only text it takes is 'all', not '{value}'"
    if isinstance(value, int) and not isinstance(value, bool):
        return "" if value > 0 else f"a count of devices must be > 0, not {value}"
    if not isinstance(value, list):
        return f"'all', a count or a list is wanted, not {value!r}"
    wrong = [item for item in value if not _GPU_ID.fullmatch(str(item))]
    return f"{wrong[0]!r} is neither an index nor a UUID" if wrong else ""


def _channels(value: object) -> str:
    return "" if value in ([], [0]) else f"channelIDs must be [] or [0], not {value!r}"


def _nested(value: object) -> str:
    return ""


_FLAGS: Mapping[str, Check] = {
    "migStrategy": _choice("none", "single", "mixed"),
    "deviceDiscoveryStrategy": _choice("auto", "nvml", "tegra"),
    **dict.fromkeys(("failOnInitError", "gdrcopyEnabled", "gdsEnabled", "mofedEnabled", "useNodeFeatureAPI"), _flag),
    **dict.fromkeys(("mpsRoot", "nvidiaDriverRoot", "nvidiaDevRoot"), _text),
    **dict.fromkeys(("plugin", "gfd"), _nested),
}
_PLUGIN: Mapping[str, Check] = {
    "passDeviceSpecs": _flag,
    "deviceListStrategy": _strategies,
    "deviceIDStrategy": _choice("uuid", "index"),
    "sharedDevicesAllocationPolicy": _choice("distributed", "packed"),
    **dict.fromkeys(("cdiAnnotationPrefix", "nvidiaCTKPath", "containerDriverRoot"), _text),
}
_GFD: Mapping[str, Check] = {
    "oneshot": _flag,
    "noTimestamp": _flag,
    "sleepInterval": _duration,
    "outputFile": _text,
    "machineTypeFile": _text,
}
_REPLICATED: Mapping[str, Check] = {"renameByDefault": _flag, "failRequestsGreaterThanOne": _flag}
_RESOURCE_FIELDS: Mapping[str, Check] = {
    "name": _resource_name,
    "rename": _resource_name,
    "devices": _devices,
    "replicas": _replicas,
}
_IMEX: Mapping[str, Check] = {"channelIDs": _channels, "required": _flag}
