"""The delivery table says what was measured, names what was not, and is refused where its records are of something else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from maintenance.delivery_table import (
    BARE,
    EXPERIMENTS,
    MEASURED,
    OUTCOMES,
    PAGE,
    ROOT,
    SURE,
    Form,
    Outcome,
    Record,
    brought,
    deliverable,
    page,
    possible,
    read,
    write,
)
from platform_def.components.catalogue import BUILT_IN

FORM = Form(
    objects=9,
    policies=1,
    writes=700,
    checks=40,
    experiments={key: Outcome("itself", 31.0, "ClusterIssuer own") for key in EXPERIMENTS},
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with three stacks, one of them of an old cluster."""
    for place, version in (("stacks/small", "1.36"), ("tests/coverage/stacks/large", "1.36"), ("stacks/old", "1.29")):
        file = tmp_path / f"{place}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'cluster: {{kubernetes: "{version}"}}\n', encoding="utf-8")
    return tmp_path


def test_the_page_is_what_the_records_say() -> None:
    assert (ROOT / PAGE).read_text(encoding="utf-8") == page(ROOT), "run `make docs`"


def test_every_record_converges_without_a_person_and_loses_nothing() -> None:
    wrong = [
        f"{record.stack}, {name}: {key}"
        for record in read(ROOT / MEASURED).values()
        for name, form in record.forms.items()
        if name in SURE
        for key, each in form.experiments.items()
        if not each.sound
    ]

    assert wrong == []
    assert [each for each in OUTCOMES if not Outcome(each).sound] == ["person", "loses"]


def test_forms_of_a_stack_are_recorded_one_after_the_other(root: Path) -> None:
    write(root / MEASURED, Record("small", "3.6.1", 4, {"gates": FORM}))
    write(root / MEASURED, Record("small", "3.6.1", 4, {"retries": replace(FORM, objects=5)}))

    assert {name: form.objects for name, form in read(root / MEASURED)["small"].forms.items()} == {
        "gates": 9,
        "retries": 5,
    }


def test_what_was_not_measured_is_named(root: Path) -> None:
    write(root / MEASURED, Record("small", "3.6.1", 4, {"retries": FORM}))

    lines = page(root).splitlines()

    assert "* `retries`: large, old." in lines
    assert "* `gates`: large, small." in lines
    assert "* `gates` needs Kubernetes 1.30 or newer, which these do not have: old." in lines
    assert not possible(root, "old", "gates")


def test_components_that_no_measured_stack_holds_are_named(root: Path) -> None:
    (root / "stacks/base").mkdir()
    (root / "stacks/base/own.yaml").write_text("components: {kueue: {}, keda: {}}\n", encoding="utf-8")
    (root / "stacks/small.yaml").write_text(
        "extends: [base/own.yaml]\n"
        'components: {keda: {provided: "2.17"}, faces: {component: kserve}, own: {path: apps/own}, flux: }\n',
        encoding="utf-8",
    )
    write(root / MEASURED, Record("small", "3.6.1", 4, {"retries": FORM}))

    line = next(each for each in page(root).splitlines() if "in none of them" in each)
    count, _, left = line.partition("; in none of them: ")

    assert brought(root, "small") == {"namespaces", "kueue", "kserve", "flux"}
    assert not brought(root, "small") & {*left.rstrip(".").split(", ")}
    assert {"keda", "istio"} < {*left.rstrip(".").split(", ")}
    assert count == f"* `retries`: 1 stacks, which hold 4 of the catalogue's {len(BUILT_IN)} components"


def test_all_stacks_together_hold_every_component_of_the_catalogue() -> None:
    assert frozenset[str]().union(*(brought(ROOT, name) for name in deliverable(ROOT))) == BUILT_IN.keys()


def test_what_needed_a_person_is_shown_with_what_was_seen(root: Path) -> None:
    person = Outcome("person", 420.0, "ClusterIssuer own: a refresh by hand mends it.")
    write(
        root / MEASURED,
        Record("small", "3.6.1", 4, {"retries": replace(FORM, experiments={**FORM.experiments, "update": person})}),
    )

    text = page(root)

    row = next(line for line in text.splitlines() if line.startswith("| small | `retries`"))
    assert "| **person**, 420 s |" in row
    assert "* `small`, `retries`, update in the worst order: ClusterIssuer own: a refresh by hand mends it." in text
    assert "| `retries` | update in the worst order | 0 | 0 | 1 | 0 | 0 |" in text


def test_what_needs_a_person_without_policies_is_shown_apart_from_the_forms_that_need_none(root: Path) -> None:
    lost = Outcome("loses", 300.0, "Certificate own")
    bare = replace(FORM, policies=0, experiments={**FORM.experiments, "removal": lost})
    write(root / MEASURED, Record("small", "3.6.1", 4, {"retries": FORM, "gates": FORM, BARE: bare}))

    text = page(root)

    assert "| `retries` | removal under finalizers | 1 | 0 | 0 | 0 | 0 |" in text
    assert "| `retries`, `policies: false` | removal under finalizers | 0 | 0 | 0 | 1 | 0 |" in text
    assert "| small | `retries`, `policies: false` | 9 | 700 | 40 |" in text
    assert "the 1 stacks that were measured with `retries` and with `gates` take" in text
    assert not possible(root, "old", BARE)


def test_costs_are_compared_for_stacks_that_were_measured_in_both_forms(root: Path) -> None:
    write(
        root / MEASURED, Record("small", "3.6.1", 4, {"retries": FORM, "gates": replace(FORM, policies=5, checks=900)})
    )
    write(root / MEASURED, Record("large", "3.6.1", 4, {"gates": FORM}))

    text = page(root)

    assert "| `retries` | 9 | 1 | 700 | 40 | 31 |" in text
    assert "| `gates` | 9 | 5 | 700 | 900 | 31 |" in text


def test_a_record_of_a_stack_that_is_gone_is_refused(root: Path) -> None:
    write(root / MEASURED, Record("gone", "3.6.1", 4, {"retries": FORM}))

    with pytest.raises(ValueError, match="records of stacks that are gone: gone"):
        page(root)


@pytest.mark.parametrize("text", ["{}", '{"stack": "small", "argo_cd": "3", "parts": 1, "forms": {"waves": {}}}'])
def test_a_file_that_is_no_record_is_refused(root: Path, text: str) -> None:
    file = root / MEASURED / "small.json"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")

    with pytest.raises(ValueError, match="is no record of a delivery"):
        read(root / MEASURED)


def test_an_outcome_is_one_of_those_that_the_page_explains() -> None:
    with pytest.raises(ValueError, match="fine is none of itself, later, person, loses, none"):
        Outcome("fine")
