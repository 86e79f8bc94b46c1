"""Each row of the table of refused updates finds what breaks it, and no row finds what keeps them all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from platform_def.manifests.updates.change import Row
from platform_def.manifests.updates.table import ROWS
from tests.unit.manifests.updates import Update, updates

UPDATES = [*updates()]
SAID = [pytest.param(update, id=update.case) for update in UPDATES if update.rows]
SILENT = [pytest.param(update, id=update.case) for update in UPDATES if not update.rows]


@pytest.mark.parametrize("update", SAID)
def test_a_row_finds_what_breaks_it(update: Update) -> None:
    found = {row: {each.severity for each in refused} for row, refused in update.found().items()}
    severity = "error" if update.answer == "refused" else "warning"

    assert [found.get(row) for row in update.rows] == [{severity}]
    assert severity == "error" or {*found} == {*update.rows}


@pytest.mark.parametrize("update", SILENT)
def test_no_row_finds_what_the_api_server_takes(update: Update) -> None:
    assert update.found() == {}


@pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])
def test_every_row_has_a_case_that_breaks_it_and_one_of_its_kind_that_keeps_it(row: Row) -> None:
    kinds = {f"{update.old['kind']}" for update in UPDATES if row.id in update.rows}

    assert {kind.partition(".")[0] for kind in row.kinds} == kinds
    assert any(update.old["kind"] in kinds for update in UPDATES if not update.rows)


def test_no_two_rows_have_one_name() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)


JUNK: tuple[Any, ...] = (None, True, 3, 1.5, "", "x", [], [3], [[{}]], {}, {"name": 3}, {"x": [None]})


def shapes(value: Any) -> Iterator[Any]:
    """The value with each part of it, in turn, of another shape."""
    yield from JUNK
    if isinstance(value, dict):
        for key, item in value.items():
            yield from ({**value, key: shape} for shape in shapes(item))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from ([*value[:index], shape, *value[index + 1 :]] for shape in shapes(item))


@pytest.mark.parametrize("update", [pytest.param(update, id=update.case) for update in UPDATES[::6]])
def test_no_shape_of_an_object_is_an_error_of_the_table(update: Update) -> None:
    kept = {key: update.old[key] for key in ("apiVersion", "kind")}
    for shape in shapes({key: value for key, value in update.new.items() if key not in kept}):
        made = kept | (shape if isinstance(shape, dict) else {})
        replace(update, old=made).found()
        replace(update, new=made).found()
