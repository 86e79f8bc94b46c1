"""Where claims lie that come without a part."""

from __future__ import annotations

import pytest

from platform_def.config.objects import Part
from platform_def.manifests.rendered import Manifest, RenderedComponent
from platform_def.pipeline.claims import with_claims_behind
from tests.unit.delivery.samples import body, component, deployment

CLAIM = body("v1", "PersistentVolumeClaim", "faces", "vision")
MOUNTING = {"template": {"spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "faces"}}]}}}
READER = deployment("reader", "vision") | {"spec": MOUNTING}


def part_of_claim(made: RenderedComponent) -> Part:
    (found,) = (item.part for item in with_claims_behind(made).objects if item.kind == "PersistentVolumeClaim")
    return found


@pytest.mark.parametrize(
    ("other", "part"),
    [
        (body("v1", "Namespace", "vision"), "after"),
        (body("v1", "ConfigMap", "faces", "vision", data={"claimName": "faces"}), "after"),
        (READER, "main"),
        (deployment("reader", "speech") | {"spec": MOUNTING}, "after"),
        (body("own.example.com/v1", "Desk", "desk", "vision", spec={"home": "faces"}), "main"),
        (body("own.example.com/v1", "Desk", "desk", "vision", spec={"home": "voices"}), "after"),
    ],
)
def test_a_claim_stays_with_what_cannot_start_without_it(other: Manifest, part: Part) -> None:
    assert part_of_claim(component("own", main=(CLAIM, other))) == part


def test_who_needs_it_in_a_later_part_finds_it_there() -> None:
    assert part_of_claim(component("own", main=(CLAIM,), after=(READER,))) == "after"


def test_nothing_else_of_a_component_moves() -> None:
    made = component("own", main=(CLAIM, deployment("web", "vision")), after=(body("v1", "ConfigMap", "c", "vision"),))

    assert [item.part for item in with_claims_behind(made).objects] == ["after", "main", "after"]
    untouched = component("own", main=(deployment("web", "vision"),))
    assert with_claims_behind(untouched) is untouched
