"""Shares of a card that KAI's webhook refuses.

Facts: KAI 0.17 (pkg/binder/plugins/gpusharing/gpu-request: ValidateGpuRequests, of every pod that KAI schedules).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.config.words.registered import gang_schedulers
from platform_def.crds.quantity import amount
from platform_def.manifests.loose import at, items, mapping
from platform_def.manifests.paths import Path, dotted

SCHEDULER = gang_schedulers()["kai"]
_FRACTION, _MEMORY, _DEVICES = "gpu-fraction", "gpu-memory", "gpu-fraction-num-devices"
_CARD = "nvidia.com/gpu"
_REFUSED = "KAI's webhook refuses the pod"


def of_pod(path: Path, spec: Mapping[str, Any], annotations: Mapping[str, Any]) -> Iterator[Fault]:
    """A pod with annotations at a path."""
    fraction, memory, devices = (annotations.get(name) for name in (_FRACTION, _MEMORY, _DEVICES))
    if fraction is not None:
        share = amount(str(fraction))
        if share is None or not 0 < share < 1:
            said = f"'{str(fraction)[:40]}' is not a share between 0 and 1: {_REFUSED}"
            hint = f"ask for whole cards: resources.limits {_CARD}" if share and share >= 1 else 'write "0.5"'
            yield Fault(dotted((*path, _FRACTION)), said, hint)
    if memory is not None and not (str(memory).isdecimal() and int(str(memory))):
        said = f"'{str(memory)[:40]}' is not a number of MiB: {_REFUSED}"
        yield Fault(dotted((*path, _MEMORY)), said, 'write a whole number, such as "4096"')
    if fraction is not None and memory is not None:
        yield Fault(
            dotted((*path, _MEMORY)), f"cannot be combined with gpu-fraction: {_REFUSED}", "leave one of them out"
        )
    share_of = _FRACTION if fraction is not None else _MEMORY if memory is not None else ""
    if share_of and _whole(spec):
        said = f"cannot be combined with a whole card, and a container asks for {_CARD}: {_REFUSED}"
        yield Fault(dotted((*path, share_of)), said, f"leave {_CARD} out of the container, or the annotation")
    if devices is not None and not share_of:
        yield Fault(dotted((*path, _DEVICES)), f"needs gpu-fraction: {_REFUSED}", "add gpu-fraction")


def _whole(spec: Mapping[str, Any]) -> bool:
    every = [*items(spec.get("containers")), *items(spec.get("initContainers"))]
    return any(_CARD in mapping(at(container, "resources.limits")) for container in every)
