"""The API server's own validation: each broken object is an error where it is broken, and each correct one is none."""

from __future__ import annotations

import pytest

from platform_def.checks.context import Memo
from platform_def.checks.engine import check
from platform_def.checks.rules.server.definition_valid import DEFINITION_VALID
from platform_def.checks.rules.server.expression_valid import EXPRESSION_VALID
from platform_def.checks.rules.server.name_valid import NAME_VALID
from platform_def.checks.rules.server.schema import SCHEMA
from tests.unit.checks.core_examples import EXAMPLES
from tests.unit.checks.refusals import Refusal, refusals
from tests.unit.checks.samples import rendered

MEMO = Memo()
RULES = (SCHEMA, DEFINITION_VALID, EXPRESSION_VALID, NAME_VALID)


@pytest.mark.parametrize("refusal", [*refusals()], ids=str)
def test_what_the_server_refuses_is_an_error_at_its_place(refusal: Refusal) -> None:
    findings = check(rendered(refusal.manifest), rules=RULES, memo=MEMO)

    assert refusal.where in [finding.path for finding in findings if finding.severity == "error"]
    assert all(finding.text for finding in findings)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_the_server_takes_is_none(name: str) -> None:
    assert check(rendered(EXAMPLES[name]), rules=RULES, memo=MEMO) == []
