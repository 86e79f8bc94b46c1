"""What a real API server has against the objects of a whole stack, when it is given them for the first time and again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.cluster import engine_crds
from tests.cluster.client import Applied, Manifest
from tests.cluster.definitions import condition_problems
from tests.cluster.samples import namespace
from tests.cluster.snapshots import Boot
from tests.cluster.stacks import borrowed_crds, catalogued_crds, converted, crds_of
from tests.cluster.stored import lost_fields
from tests.cluster.waves import ADMISSION, DEFINITIONS, apply_in_waves, as_stored_now, changed, refusals, wave


def problems(
    manifests: Sequence[Manifest], *, known_crds: Sequence[Manifest], boot: Boot, servers: Mapping[str, Path]
) -> list[str]:
    """What is refused, changed by a second apply, or dropped by a server that starts with the CRDs alone.

    `known_crds` are those that the cluster may have although the stack does not bring them.
    """
    # What is converted on its way in is stored in test_conversion.py, where somebody converts it.
    later = converted(manifests)
    objects = [item for item in manifests if item not in later]
    crds = crds_of(objects)
    api = boot([*crds, *borrowed_crds(objects, [*catalogued_crds(objects), *known_crds])], servers=servers).api
    api.apply_all(namespace(name) for name in engine_crds.NAMESPACES)
    # Webhooks have no backend here and refuse what they watch, so that goes before them, both times.
    plain = [item for item in objects if wave(item) != ADMISSION]
    admission = [item for item in objects if wave(item) == ADMISSION]

    # The snapshot holds what the first apply made of the CRDs.
    first = [Applied(crd, crd) for crd in crds] + apply_in_waves(
        api, [item for item in plain if wave(item) != DEFINITIONS]
    )
    first = as_stored_now(api, first)
    again = apply_in_waves(api, plain, force=False)
    first += apply_in_waves(api, admission)
    again += apply_in_waves(api, admission, force=False)

    return [
        *_told("refused", refusals(first)),
        *_told("refused the second time", refusals(again)),
        *_told("not established", (each for result in first for each in condition_problems(result.stored or {}))),
        *_told("changed by a second apply", changed(first, again, apply=api.apply)),
        *_told(
            "dropped by the server",
            (f"{one.key}: {path}" for one in first for path in lost_fields(one.sent, one.stored or {})),
        ),
    ]


def _told(what: str, found: Iterable[object]) -> list[str]:
    return [f"{what}: {each}" for each in found]
