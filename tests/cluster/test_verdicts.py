"""The table that the schema rule is held against is what a real API server says."""

from __future__ import annotations

import http

import pytest

from tests.cluster.snapshots import Boot
from tests.unit.checks.verdicts import DROPPED, cases, created, custom, definition

pytestmark = pytest.mark.cluster


def test_the_api_server_takes_and_refuses_what_the_table_says(boot: Boot) -> None:
    api = boot([definition()]).api
    table = [*cases(), *((custom(field, value), True) for field, value in DROPPED)]
    answers = api.apply_all([manifest for manifest, _ in table], dry_run=True)
    wrong = [
        f"{manifest}: {answer.refusal or 'taken'}"
        for (manifest, taken), answer in zip(table, answers, strict=True)
        if taken == bool(answer.refusal)
    ]

    assert wrong == []


def test_it_lets_be_created_what_the_table_says(boot: Boot) -> None:
    api = boot([definition()]).api
    wrong = []
    for manifest, taken in created():
        place = (api.path(manifest) or "").rpartition("/")[0]
        answer = api.request("POST", f"{place}?fieldValidation=Strict&dryRun=All", manifest)
        if taken != (answer.status == http.HTTPStatus.CREATED):
            wrong.append(f"{manifest}: {answer.message}")

    assert wrong == []
