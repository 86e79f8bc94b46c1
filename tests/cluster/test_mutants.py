"""The check agrees with a real API server on what is wrong and what is right, but for the classes listed here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest

from platform_def.checks.context import Memo
from platform_def.checks.engine import check
from platform_def.checks.rule import Finding
from platform_def.checks.rules.server.definition_valid import DEFINITION_VALID
from platform_def.checks.rules.server.expression_valid import EXPRESSION_VALID
from platform_def.checks.rules.server.name_valid import NAME_VALID
from platform_def.checks.rules.server.schema import SCHEMA
from platform_def.manifests.schemas.messages import ENTRIES_REFUSED, NULL_REFUSED
from tests.cluster.client import Api
from tests.cluster.control_plane import ControlPlane
from tests.cluster.mutants import Mutant, mutants
from tests.unit.checks.core_examples import EXAMPLES
from tests.unit.checks.refusals import refusals
from tests.unit.checks.samples import rendered

pytestmark = pytest.mark.cluster

RULES = (SCHEMA, DEFINITION_VALID, EXPRESSION_VALID, NAME_VALID)
AGREEMENT = 0.98
MISSED: Mapping[str, str] = {
    r"doubled .*x-kubernetes-validations": "one rule twice is refused by server-side apply alone, and stands in CRDs of others",
    r"mutations\.\d+\..*\.expression": "of patches that build objects only the syntax is looked at",
    r"timeZone": "which time zones there are is the server's knowledge",
    r"serviceAccountName|priorityClassName": "another object is missing, which is for the rules over stacks",
    r"scaleTargetRef\.apiVersion": "asked for by the newest servers alone",
    r"x-kubernetes-preserve-unknown-fields": "the server ends the connection",
}
"""What only the server refuses: pattern of the mutant, and why that is left."""
ALARMS: Mapping[str, str] = {
    r"nodePort": "a dry run gives out no ports; a true one refuses the number",
    r"misspelt .*\.items\.": "the server drops an unknown keyword below `items` of a CRD's schema without a word",
}
"""What only the check calls an error."""


@pytest.fixture(scope="module")
def api(cluster: ControlPlane) -> Api:
    """A server with the accounts that the examples' pods run as."""
    for namespace in ("default", "kube-system"):
        for name in ("default", "runner"):
            account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}}
            assert not cluster.api.apply(account).refusal
    return cluster.api


def test_the_examples_are_taken(api: Api) -> None:
    answers = api.apply_all([*EXAMPLES.values()], dry_run=True)

    assert [str(answer) for answer in answers if answer.refusal] == []


def test_what_the_table_of_refusals_holds_is_refused(api: Api) -> None:
    rows = [*refusals()]
    answers = api.apply_all([row.manifest for row in rows], dry_run=True)

    assert [str(row) for row, answer in zip(rows, answers, strict=True) if not answer.refusal] == []


def test_mutants_of_every_kind_are_judged_as_the_server_judges_them(api: Api) -> None:
    every = [*mutants(EXAMPLES)]
    differing = [*_differing(every, api.refusals([mutant.manifest for mutant in every]))]

    assert [line for line, known in differing if not known] == []
    assert 1 - len(differing) / len(every) >= AGREEMENT


def _differing(every: Sequence[Mutant], refused: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Each disagreement in words, and whether its class is listed."""
    memo = Memo()
    for mutant, refusal in zip(every, refused, strict=True):
        stack = replace(rendered(mutant.manifest), foreign=True)
        found = [each for each in check(stack, rules=RULES, memo=memo) if _is_refused(each)]
        if bool(found) != bool(refusal):
            classes = MISSED if refusal else ALARMS
            said = refusal or f"{found[0].path}: {found[0].text}"
            known = any(re.search(pattern, mutant.how) for pattern in classes)
            yield f"{mutant.example}: {mutant.how}: {said[:300]}", known


def _is_refused(finding: Finding) -> bool:
    """Whether server-side apply refuses what the finding is about; of what others made that alone is no error."""
    return finding.severity == "error" or finding.hint in (NULL_REFUSED, ENTRIES_REFUSED)
