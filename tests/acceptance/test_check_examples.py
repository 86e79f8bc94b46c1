"""Every check has examples, each of which breaks it or keeps it as it says; commands and pages show them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from platform_def.checks.catalogue import checks
from platform_def.checks.examples import FOLDER, Case, Files, cases
from tests.acceptance.repository import Repository

CASES = [pytest.param(check, case, id=f"{check}: {case.case}") for check in checks() for case in cases(check)]


def found(root: Path, written: str | Files, kubernetes: str) -> list[tuple[str, str]]:
    """Rule and severity of everything that `check` finds in manifests, or in a repository."""
    root.mkdir()
    repository = Repository(root)
    words = ["check", "-o", "json"]
    if isinstance(written, str):
        words = [*words, "-f", "-", *(["--kubernetes", kubernetes] if kubernetes else [])]
    else:
        repository.write(written)
        words += ["--previous", "previous"] if any(name.startswith("previous/") for name in written) else []
        words += ["--existing", "existing"] if any(name.startswith("existing/") for name in written) else []
    asked = repository.ask(*words, stdin=written if isinstance(written, str) else "", code=None)
    return [(each["rule"], each["severity"]) for each in asked.json["findings"]]


def of_others(findings: list[tuple[str, str]], check: str) -> list[str]:
    """Errors of other rules; their warnings are let be, or a new one would have to touch the examples of all."""
    return [rule for rule, severity in findings if rule != check and severity == "error"]


@pytest.mark.parametrize(("check", "case"), CASES)
def test_what_breaks_a_rule_is_found_by_it_and_what_keeps_it_is_not(check: str, case: Case, tmp_path: Path) -> None:
    broken = found(tmp_path / "broken", case.breaking, case.kubernetes)
    kept = found(tmp_path / "kept", case.keeping, case.kubernetes)

    assert check in {rule for rule, _ in broken}
    assert of_others(broken, check) == []
    assert check not in {rule for rule, _ in kept}
    assert of_others(kept, check) == []


def test_every_rule_has_an_example_and_every_example_a_rule() -> None:
    assert {path.stem for path in FOLDER.glob("*.yaml")} == {*checks()}
    assert all(cases(check) for check in checks())


@pytest.mark.parametrize("check", checks())
def test_the_cases_of_a_rule_have_names_of_their_own(check: str) -> None:
    names = [case.case for case in cases(check)]

    assert len({*names}) == len(names)
    assert all(len(name) <= 100 and not name.endswith(".") for name in names)


def test_checks_are_listed_and_explained(repository: Repository) -> None:
    listed = repository.ask("list", "checks", "-o", "json").json
    explained = repository.ask("explain", "check", "service-target").out

    assert {*listed} == {*checks()}
    assert listed["schema"] == {"area": "server", "severity": "error", "about": checks()["schema"].title}
    assert "breaks it:" in explained
    assert all(case.case in explained for case in cases("service-target"))


@pytest.mark.parametrize("check", checks())
def test_a_check_is_explained_to_programs(repository: Repository, check: str) -> None:
    [told] = json.loads(repository.ask("explain", "check", check, "-o", "json").out)

    assert told["id"] == check
    assert told["covers"] == [case.case for case in cases(check)]
    assert all(told[field] for field in ("area", "severity", "title", "why", "fix", "since", "withoutStack"))


def test_an_unknown_check_is_refused_with_the_nearest(repository: Repository) -> None:
    assert "did you mean 'service-target'?" in repository.ask("explain", "check", "service-targets", code=2).err
