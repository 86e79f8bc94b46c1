"""A real API server takes every object of every stack, strictly, and has nothing to change when given them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from tests.cluster import engine_crds
from tests.cluster.client import Applied, Manifest
from tests.cluster.definitions import condition_problems
from tests.cluster.samples import namespace
from tests.cluster.snapshots import Boot
from tests.cluster.stacks import borrowed_crds, catalogued_crds, converted, crds_of
from tests.cluster.stored import lost_fields
from tests.cluster.waves import ADMISSION, DEFINITIONS, apply_in_waves, as_stored_now, changed, refusals, wave

pytestmark = pytest.mark.cluster


def test_a_stack_is_accepted_kept_entire_and_unchanged_when_applied_again(
    stack: str, manifests: Mapping[str, list[Manifest]], known_crds: list[Manifest], boot: Boot
) -> None:
    # What is converted on its way in is stored in test_conversion.py, where somebody converts it.
    later = converted(manifests[stack])
    objects = [item for item in manifests[stack] if item not in later]
    crds = crds_of(objects)
    api = boot([*crds, *borrowed_crds(objects, [*catalogued_crds(objects), *known_crds])]).api
    api.apply_all(namespace(name) for name in engine_crds.NAMESPACES)
    # Webhooks have no backend here and refuse what they watch, so that goes before them, both times.
    plain = [item for item in objects if wave(item) != ADMISSION]
    admission = [item for item in objects if wave(item) == ADMISSION]

    # The snapshot holds what the first apply made of the CRDs.
    first = [Applied(crd, crd) for crd in crds] + apply_in_waves(
        api, [item for item in plain if wave(item) != DEFINITIONS]
    )
    first = as_stored_now(api, first)
    again = apply_in_waves(api, plain)
    first += apply_in_waves(api, admission)
    again += apply_in_waves(api, admission)

    assert not refusals(first), _list("refused", refusals(first))
    assert not refusals(again), _list("refused the second time", refusals(again))
    unsound = [problem for result in first for problem in condition_problems(result.stored or {})]
    assert not unsound, _list("definitions that are not established", unsound)
    moved = changed(first, again, apply=api.apply)
    assert not moved, _list("changed by a second apply", moved)
    lost = [f"{result.key}: {path}" for result in first for path in lost_fields(result.sent, result.stored or {})]
    assert not lost, _list("dropped by the server", lost)


def _list(what: str, lines: Iterable[object]) -> str:
    return "\n".join([f"{what}:", *(f"  {line}" for line in lines)])
