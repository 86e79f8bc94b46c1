"""Waivers: what they let pass, and what is found of those that are wrong, needless or run out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platform_def.checks.engine import check
from platform_def.checks.rule import Finding
from platform_def.checks.waivers import PlacedWaiver, problems, settled
from platform_def.config.stack import Waiver
from platform_def.errors import Source
from platform_def.manifests.rendered import Manifest, RenderedStack
from tests.unit.checks.samples import config_map, deployment, rendered

WEB = "Deployment default/web"
UNTAGGED = deployment(image="web")


def waiver(
    rule: str = "image-tag", item: str = WEB, reason: str = "for a day", until: str | None = None
) -> PlacedWaiver:
    plain = {"rule": rule, "object": item, "reason": reason} | ({"until": until} if until else {})
    return PlacedWaiver(Waiver.from_file(plain), Source("stacks/a.yaml", 9))


def left(
    *manifests: Manifest, waivers: tuple[PlacedWaiver, ...] = (), day: str = "", foreign: bool = False
) -> list[Finding]:
    stack: RenderedStack = replace(rendered(*manifests), foreign=foreign)
    return settled(check(stack), stack, waivers, file_of=lambda item: f"{item.name}.yaml", day=day)


def noted(manifest: Manifest, **notes: Any) -> Manifest:
    annotations = {f"platform-def/waive.{rule.replace('_', '-')}": reason for rule, reason in notes.items()}
    return {**manifest, "metadata": {**manifest["metadata"], "annotations": annotations}}


@pytest.mark.parametrize("item", [WEB, "Deployment.apps default/web"])
def test_a_waiver_lets_the_findings_of_one_rule_in_one_object_pass(item: str) -> None:
    found = left(UNTAGGED, deployment("other", image="web"), waivers=(waiver(item=item),))

    assert [(each.object, each.waived) for each in found] == [("Deployment default/other", ""), (WEB, "for a day")]


def test_an_annotation_lets_pass_what_it_names_with_its_reason() -> None:
    [finding] = left(noted(UNTAGGED, image_tag="for a day"))

    assert finding.waived == "for a day"


def test_a_waiver_that_nothing_needs_is_a_warning_at_its_line() -> None:
    [finding] = left(deployment(), waivers=(waiver(),))

    assert (finding.rule, finding.severity, finding.place) == ("waiver", "warning", "stacks/a.yaml:9")
    assert "lets nothing pass" in finding.text


def test_a_waiver_for_an_object_that_is_not_there_is_an_error_with_the_nearest() -> None:
    [finding] = left(deployment(), waivers=(waiver(item="Deployment default/wbe"),))

    assert (finding.severity, finding.hint) == ("error", f"did you mean '{WEB}'?")


@pytest.mark.parametrize(("day", "waived"), [("", True), ("2027-01-31", True), ("2027-02-01", False)])
def test_a_waiver_holds_through_its_last_day_and_without_a_day_always(day: str, waived: bool) -> None:
    found = left(UNTAGGED, waivers=(waiver(until="2027-01-31"),), day=day)

    assert {each.rule for each in found if not each.waived} == (set() if waived else {"image-tag", "waiver"})


@pytest.mark.parametrize(
    ("notes", "said"),
    [
        ({"image_tag": "x"}, "lets nothing pass"),
        ({"image_tags": "x"}, "there is no rule 'image-tags'"),
        ({"image_tag": " "}, "gives no reason"),
        ({"secret_content": "x"}, "takes no waiver"),
    ],
)
def test_what_is_wrong_with_an_annotation_is_found_where_it_stands(notes: dict[str, str], said: str) -> None:
    [finding] = left(noted(config_map(), **notes))

    assert said in finding.text
    assert finding.file == "settings.yaml"
    assert finding.path.startswith('metadata.annotations["platform-def/waive.')


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((waiver("image-tags"),), "there is no such rule"),
        ((waiver("secret-content"),), "takes none"),
        ((waiver("foreign-file"),), "takes none"),
        ((waiver(), waiver(reason="again")), "is listed twice"),
    ],
)
def test_a_waiver_that_makes_no_sense_is_refused(given: tuple[PlacedWaiver, ...], said: str) -> None:
    [problem] = problems(given)

    assert said in str(problem)
    assert str(problem).startswith("error: stacks/a.yaml:9: ")


def test_manifests_of_others_may_keep_their_secrets_but_not_change_what_waivers_are() -> None:
    secret: Manifest = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "it", "namespace": "a"}}
    secret["stringData"] = {"user": "somebody"}
    given = (waiver("secret-content", "Secret a/it"),)

    assert list(problems(given, foreign=True)) == []
    assert [each.waived for each in left(secret, waivers=given, foreign=True)] == ["for a day"]
    assert len([*problems((waiver("waiver"),), foreign=True)]) == 1
