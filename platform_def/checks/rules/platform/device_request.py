"""Containers ask for devices as the API server and the device plugins give them: whole, once a pod, with a limit.

The API server validates amounts in core kinds; in templates of custom resources, and wherever else these say what a
container requests, they are unchecked until the operator makes the pod. Facts: tkestack gpu-manager 1.1 (vcuda-core:
below 100, or whole hundreds), NVIDIA's device plugin 0.17 (several replicas of shared cards may be one card).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, SignWords, reads_nothing
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.manifests.loose import items, mapping
from platform_def.manifests.paths import Path, dotted, pods
from platform_def.manifests.rendered import Manifest
from platform_def.manifests.workloads import is_extended

_CRD = "CustomResourceDefinition"
_WHOLE = re.compile(r"\d{1,18}([kMGTPE]|Ki|Mi|Gi|Ti|Pi|Ei)?")
_CARD = re.compile(
    r"nvidia\.com/(gpu|gpu\.shared|vgpu|mig-.+)|amd\.com/gpu|tencent\.com/vcuda-core|gpu\.intel\.com/.+"
    r"|google\.com/tpu|huawei\.com/Ascend.*"
)
_SHARED = re.compile(r"nvidia\.com/.*\.shared")
_CORES, _MEMORY = "tencent.com/vcuda-core", "tencent.com/vcuda-memory"
_PATHS = ("resources", "limits")
_FIELDS = ("resources", "resourcesPerNode")
"""Fields that hold what a container requests: also KServe's `model:`, and each node of a TrainJob."""
_FOREIGN = ("values", "valuesObject")
"""What a chart makes of its values is not known."""
_PATTERNS = ("kyverno.io", "gatekeeper.sh")
"""Groups of policies, which hold patterns of pods."""
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
_SLIPS = {"mem": "memory", "ram": "memory", "cpus": "cpu", "cores": "cpu"}
_STANDARD = ("cpu", "memory", "ephemeral-storage")
_NAMES = "write cpu, memory, ephemeral-storage, or a name with its domain"


def _check(manifest: Manifest, _: None) -> Iterator[Fault]:
    if _unchecked(manifest):
        for path, resources in _requirements(manifest, ()):
            yield from _amounts(path, mapping(resources.get("limits")), mapping(resources.get("requests")))
    for path, pod in pods(manifest):
        holders: list[tuple[Path, str]] = []
        for group in ("initContainers", "containers"):
            for index, container in enumerate(items(pod.get(group))):
                where: Path = (*path, group, index)
                resources = mapping(mapping(container).get("resources"))
                limits = mapping(resources.get("limits"))
                yield from _shares(where, limits)
                beside = group == "containers" or mapping(container).get("restartPolicy") == "Always"
                if beside and any(_CARD.fullmatch(str(name)) and str(amount) != "0" for name, amount in limits.items()):
                    holders.append((where, str(mapping(container).get("name"))))
        if len(holders) > 1:
            names = " and ".join(name for _, name in holders)
            said = (
                f"the containers {names[:80]} each ask for GPUs: each gets cards of its own, and none sees the other's"
            )
            yield Fault(dotted((*holders[-1][0], *_PATHS)), said, "ask for them in the one that computes", "warning")


def _unchecked(manifest: Manifest) -> bool:
    """Whether it is of a custom kind whose operator makes pods of what it says."""
    group = str(manifest.get("apiVersion")).rpartition("/")[0]
    custom = (manifest.get("apiVersion"), manifest.get("kind")) not in CORE_KINDS and manifest.get("kind") != _CRD
    return custom and not group.endswith(_PATTERNS)


def _requirements(value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """What containers request, with the paths."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key in _FIELDS and isinstance(each, dict) and {"limits", "requests"} & each.keys():
                yield (*path, key), each
            elif key not in _FOREIGN:
                yield from _requirements(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _requirements(each, (*path, index))


def _amounts(path: Path, limits: Mapping[str, Any], requests: Mapping[str, Any]) -> Iterator[Fault]:
    for field, amounts in (("limits", limits), ("requests", requests)):
        for name in amounts:
            meant = _meant(name)
            if meant or (_of_container(path) and not _is_resource(name)):
                said = f"there is no resource '{name[:40]}': the API server refuses the pod"
                hint = (
                    f"did you mean '{meant}'?" if meant else f"write {', '.join(_STANDARD)}, or a name with its domain"
                )
                yield Fault(dotted((*path, field, name)), said, hint)
    for name in filter(is_extended, dict.fromkeys([*limits, *requests])):
        limit, request = limits.get(name), requests.get(name)
        place = (*path, "limits" if limit is not None else "requests", name)
        if limit is None:
            yield Fault(dotted(place), "a device has a limit: the API server refuses the pod", "write it under limits")
        elif request is not None and str(request) != str(limit):
            said = f"asks for {request} and is limited to {limit}: the API server refuses the pod"
            yield Fault(dotted(place), said, "write the same number, or the limit alone")
        elif not _WHOLE.fullmatch(str(limit)):
            yield Fault(
                dotted(place), f"{limit} is no whole number: the API server refuses the pod", "devices are whole"
            )


def _meant(name: str) -> str:
    """The standard resource that a name without a domain is most like; empty for others, which a kind may have."""
    if _is_resource(name):
        return ""
    near = get_close_matches(name.lower(), _STANDARD, n=1, cutoff=0.75)  # `gpu` is not meant as `cpu`
    return _SLIPS.get(name.lower()) or (near[0] if near else "")


def _is_resource(name: str) -> bool:
    return "/" in name or name in _STANDARD or name.startswith("hugepages-")


def _of_container(path: Path) -> bool:
    """Whether it is what an item of a pod's containers requests."""
    return len(path) > 2 and path[-3] in _CONTAINERS and isinstance(path[-2], int)


def _shares(path: Path, limits: Mapping[str, Any]) -> Iterator[Fault]:
    for name, amount in limits.items():
        if _SHARED.fullmatch(str(name)) and str(amount).isdecimal() and int(str(amount)) > 1:
            said = f"{amount} shares may be of one card, and then give no more than one does"
            yield Fault(dotted((*path, *_PATHS, str(name))), said, "ask for 1, or for whole cards", "warning")
    cores = str(limits.get(_CORES, ""))
    if cores.isdecimal() and int(cores) > 100 and int(cores) % 100:
        said = f"{cores} hundredths of cards: several cards are given whole alone"
        yield Fault(dotted((*path, *_PATHS, _CORES)), said, "write less than 100, or whole hundreds")
    if (_CORES in limits) != (_MEMORY in limits) and not (cores.isdecimal() and int(cores) >= 100):
        there, lacking = (_CORES, _MEMORY) if _CORES in limits else (_MEMORY, _CORES)
        yield Fault(dotted((*path, *_PATHS, there)), f"asks for {there} without {lacking}", f"add {lacking}")


DEVICE_REQUEST = ObjectRule(
    id="device-request",
    severity="error",
    title="Containers request devices in units that device plugins hand out",
    why="The pods that an operator makes of the template are refused, or hold cards that no process uses.",
    fix="write whole numbers under resources.limits",
    reads=reads_nothing,
    sign=SignWords(("limits", "requests")),
    check=_check,
)
