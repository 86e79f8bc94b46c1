"""Files of NVIDIA's programs in ConfigMaps, known by their shape: the device plugin's, and the layouts of mig-parted.

Facts: k8s-device-plugin 0.20 (api/config/v1: unknown fields are ignored, `rename` and `devices` as well), mig-parted
0.15 (api/spec/v1: everything unknown is refused). Each value of a ConfigMap is a file; the operator reads them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.apis.nvidia.device_plugin_v1 import LISTINGS, PluginFile
from platform_def.apis.nvidia.mig_cards import SIZES, bare, nowhere
from platform_def.apis.nvidia.mig_parted_v1 import MigFile
from platform_def.checks.fault import Fault, Severity
from platform_def.checks.rules.operators.refusals.shapes import UNKNOWN, mismatches
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted, steps
from platform_def.manifests.rendered import Manifest
from platform_def.yaml import YamlError, load

_TOP = re.compile(r"^(sharing|flags):", re.M)
_WORDS = re.compile(
    r"^\s+(timeSlicing|mps|renameByDefault|failRequestsGreaterThanOne|migStrategy|failOnInitError):", re.M
)
"""Keys that no other file has below `sharing:` or `flags:`."""
_LAYOUTS = re.compile(r"^[\"']?mig-configs[\"']?:", re.M)
_RESOURCE = re.compile(r"(nvidia\.com/)?(gpu|mig-[1-7]g\.\d+gb[a-z.-]*)")
_PROFILE = re.compile(r"([1-7]c\.)?(?P<slices>\d+)g\.\d+gb([+-][a-z.,]+)?")
_SLICES = ("1", "2", "3", "4", "7")
_MANY = 1000
"""More containers than a node runs."""


class _Wrong(NamedTuple):
    """What is wrong in a file."""

    path: str
    text: str
    hint: str
    severity: Severity


def of_config_map(manifest: Manifest) -> Iterator[Fault]:
    """What is wrong in the files of a ConfigMap that are NVIDIA's."""
    for key, value in mapping(manifest.get("data")).items():
        judge = _judge(value) if isinstance(value, str) else None
        for wrong in _judged(value, judge) if judge else ():
            said = f"{wrong.path}: {wrong.text}" if wrong.path else wrong.text
            yield Fault(dotted(("data", key)), said, wrong.hint, wrong.severity)


def _judge(written: str) -> Callable[[Mapping[str, Any]], Iterator[_Wrong]] | None:
    if _LAYOUTS.search(written):
        return _layouts
    return _plugin if _TOP.search(written) and _WORDS.search(written) else None


def _judged(written: str, judge: Callable[[Mapping[str, Any]], Iterator[_Wrong]]) -> Iterator[_Wrong]:
    try:
        value = load(written)
    except YamlError as error:
        first = error.problems[0]
        line = first.where.line if first.where else 0
        tab = any(row.lstrip(" ").startswith("\t") for row in written.splitlines())
        hint = "indent with spaces: YAML knows no tabs there" if tab else first.hint
        yield _Wrong("", f"line {line} of this file is not YAML ({first.text}): its program stops", hint, "error")
        return
    yield from judge(mapping(value))


def _plugin(file: Mapping[str, Any]) -> Iterator[_Wrong]:
    for path, said, hint in mismatches(PluginFile, file):
        if said == UNKNOWN:
            yield _Wrong(path, "the device plugin knows no such field and ignores it", hint, "warning")
        else:
            program = "MPS daemon" if path.startswith("sharing.mps") and "at most" in said else "device plugin"
            yield _Wrong(path, f"{said}: the {program} does not start", hint, "error")
    listing = at(file, "flags.plugin.deviceListStrategy")
    for way in listing if isinstance(listing, list) else [listing]:
        if way is not None and way not in LISTINGS:
            said = f"'{str(way)[:60]}' is none of {', '.join(LISTINGS)}: the device plugin does not start"
            yield _Wrong("flags.plugin.deviceListStrategy", said, _meant(str(way), LISTINGS), "error")
    if at(file, "sharing.mps") and at(file, "flags.migStrategy") == "mixed":
        said = "MPS cannot be combined with migStrategy: mixed: the device plugin does not start"
        yield _Wrong("sharing.mps", said, "write migStrategy: single, or timeSlicing", "error")
    for mode in ("timeSlicing", "mps"):
        shared = mapping(at(file, f"sharing.{mode}"))
        for index, each in enumerate(items(shared.get("resources"))):
            yield from _shared(f"sharing.{mode}.resources[{index}]", mapping(each), shared)


def _shared(path: str, resource: Mapping[str, Any], shared: Mapping[str, Any]) -> Iterator[_Wrong]:
    name, replicas = text(resource.get("name")), resource.get("replicas")
    if name and not _RESOURCE.fullmatch(name):
        said = f"no device is called '{name[:60]}', so none is shared"
        yield _Wrong(f"{path}.name", said, _meant(name, ("nvidia.com/gpu",)) or "write nvidia.com/gpu", "warning")
    if isinstance(replicas, int) and replicas > _MANY:
        said = f"{replicas} shares of each card are more than a node runs containers"
        hint = f"write at most {_MANY}: the list of all shares must fit into one message of 4 MiB to the kubelet"
        yield _Wrong(f"{path}.replicas", said, hint, "warning")
    default = f"{name}.shared" if shared.get("renameByDefault") is True else ""
    if resource.get("rename") not in (None, "", default):
        hint = "write renameByDefault: true for the name with .shared behind it, or leave it out"
        yield _Wrong(f"{path}.rename", "the device plugin ignores it", hint, "warning")
    if resource.get("devices") not in (None, "all"):
        yield _Wrong(f"{path}.devices", "the device plugin ignores it, and shares all", "leave it out", "warning")


def _layouts(file: Mapping[str, Any]) -> Iterator[_Wrong]:
    for path, said, hint in mismatches(MigFile, file):
        yield _Wrong(path, f"{said}: mig-parted reads nothing of the file", hint, "error")
    for name, specs in mapping(file.get("mig-configs")).items():
        path = dotted(("mig-configs", name))
        seen: dict[str, set[object]] = {}
        for index, spec in enumerate(map(mapping, items(specs))):
            yield from _spec(f"{path}[{index}]", spec)
            taken = seen.setdefault(str(spec.get("device-filter")), set())
            cards = spec.get("devices")
            own = {"all"} if cards == "all" else {*filter(_number, items(cards))}
            twice = own & taken or ({"all"} & (own | taken) and own and taken)
            if twice:
                said = f"cards of an earlier entry are in this one too ({_cards(own)}), and the later one wins"
                yield _Wrong(f"{path}[{index}].devices", said, "name each card once in a layout", "warning")
            taken |= own


def _number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _cards(cards: set[object]) -> str:
    return ", ".join(sorted(map(str, cards)))


def _spec(path: str, spec: Mapping[str, Any]) -> Iterator[_Wrong]:
    cards = spec.get("devices")
    if cards is not None and cards != "all" and not (isinstance(cards, list) and all(map(_number, cards))):
        said = "must be all, or a list of numbers: mig-parted reads nothing of the file"
        yield _Wrong(f"{path}.devices", said, "write `devices: all`, or `devices: [0, 1]`", "error")
    enabled, devices = spec.get("mig-enabled"), spec.get("mig-devices")
    if enabled is False and devices:
        said = "has devices, and mig-enabled is false: mig-parted reads nothing of the file"
        yield _Wrong(f"{path}.mig-devices", said, "write mig-enabled: true, or leave the devices out", "error")
    if enabled is True and devices is None:
        said = "is missing, and mig-enabled is true: mig-parted reads nothing of the file"
        yield _Wrong(f"{path}.mig-devices", said, "write `mig-devices: {}` for a card without devices", "error")
    layout = {name: count for name, count in mapping(devices).items() if _number(count)}
    for profile, count in layout.items():
        yield from _profile(dotted((*steps(path), "mig-devices", profile)), profile, count)
    if layout and not any(count > 0 for count in layout.values()):
        yield _Wrong(f"{path}.mig-devices", "has no device: mig-parted reads nothing of the file", "", "error")
    if all(_PROFILE.fullmatch(profile) and "c." not in profile and count >= 0 for profile, count in layout.items()):
        said = nowhere(layout)
        if said:
            yield _Wrong(f"{path}.mig-devices", f"no card can have this layout: {said}", _TABLE, "error")


_TABLE = "see NVIDIA's table of MIG profiles"


def _profile(path: str, profile: str, count: int) -> Iterator[_Wrong]:
    found = _PROFILE.fullmatch(profile)
    if not found:
        said = f"'{profile[:40]}' is not a MIG profile: mig-parted reads nothing of the file"
        yield _Wrong(path, said, _meant(profile, SIZES) or "write <compute>g.<memory>gb, such as 1g.10gb", "error")
    elif found["slices"] not in _SLICES:
        yield _Wrong(path, f"no card has devices of {found['slices']} compute slices", _meant(profile, SIZES), "error")
    elif bare(profile).partition("c.")[2] not in SIZES and bare(profile) not in SIZES:
        yield _Wrong(path, "no card is known to have this profile", _meant(profile, SIZES) or _TABLE, "warning")
    if count < 0:
        yield _Wrong(path, f"{count} is less than none: mig-parted reads nothing of the file", "", "error")


def _meant(name: str, known: Iterable[str]) -> str:
    near = nearest(name, known)
    return near if near.startswith("did you mean") else ""
