"""Findings as workflow commands of GitHub Actions, which shows them beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.report.answer import Answer
from platform_def.checks.report.causes import FindingPlace
from platform_def.errors import Problem, Source, visible


def github(answer: Answer) -> str:
    """A line a place: `::error file=…,line=…,title=…::…`, however many stacks share it; then what could not be read."""
    lines = [*(_place(place) for cause in answer.causes for place in cause.places), *_unreadable(answer)]
    return "".join(f"{line}\n" for line in lines)


def _place(place: FindingPlace) -> str:
    finding, where = place.first, place.first.where or Source("")
    path = f"{finding.path}: " if finding.path else ""
    hint = f"\nhint: {finding.hint}" if finding.hint else ""
    stacks = f"\nstacks: {', '.join(place.stacks)}" if place.stacks else ""
    text = f"{finding.object}: {path}{finding.text}{hint}{stacks}"
    return _command(finding.severity, where.file, where.line, finding.rule, text)


def _unreadable(answer: Answer) -> Iterator[str]:
    for each in answer.unreadable:
        yield _problem(each)


def _problem(problem: Problem) -> str:
    where = problem.where
    hint = f"\nhint: {problem.hint}" if problem.hint else ""
    return _command("error", where.file if where else "", where.line if where else 0, "unreadable", problem.text + hint)


def _command(severity: str, file: str, line: int, title: str, text: str) -> str:
    said = {"file": file, "line": str(line) if file and line else "", "title": title}
    properties = ",".join(f"{name}={_property(value)}" for name, value in said.items() if value)
    return f"::{severity} {properties}::{_data(text)}"


def _data(text: str) -> str:
    """Lines end a command, and `%` begins an escape of its own."""
    lines = (visible(line) for line in text.replace("\r", "").split("\n"))
    return "%0A".join(line.replace("%", "%25") for line in lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
