"""The reference of all checks: a page each with what breaks and what keeps it, and an index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from platform_def.checks.about import About
from platform_def.checks.catalogue import ENTRIES, checks, checks_of
from platform_def.checks.examples import cases
from platform_def.explain.check import WITHOUT_STACK, as_yaml

FOLDER = Path("docs", "reference", "checks")
"""Everything in it is generated."""

_AREAS = {
    "server": "What the API server refuses, or loses",
    "references": "What objects name and lead to",
    "policy": "What a cluster takes and its owner regrets",
    "images": "Where images come from, and whether they are there",
    "operators": "What operators, device plugins and network plugins refuse, or ignore",
    "platform": "What a GPU platform needs to hold",
    "releases": "What upstream tries, fixes and asks of the releases that are installed",
    "delivery": "What the delivery engine cannot bring, or was never seen to bring",
}


def check_pages() -> Iterator[tuple[Path, str]]:
    """Path below the project's root and text of each page."""
    yield FOLDER / "index.md", _index()
    for check in checks().values():
        yield FOLDER / f"{check.id}.md", _page(check)


def _index() -> str:
    known = checks()
    count = sum(len(cases(check)) for check in known)
    lines = [
        "# Checks",
        "",
        f"{len(known)} rules over {count} classes of mistakes. `platformctl list checks` prints the list, and",
        "`platformctl explain check ID` what a page says. Tests run every example. Made from the rules by `make docs`.",
    ]
    for area in ENTRIES:
        lines += ["", f"## {_AREAS[area]}", "", "| rule | severity | what holds |", "|---|---|---|"]
        lines += [f"| [{each.id}]({each.id}.md) | {each.severity} | {_cell(each.title)} |" for each in checks_of(area)]
    return "\n".join(lines) + "\n"


def _page(check: About) -> str:
    lines = [f"# {check.id}", "", f"{check.title}.", "", f"{check.why}", "", f"**What to do:** {check.fix}.", ""]
    lines += ["| severity | with `check -f` | since |", "|---|---|---|"]
    lines += [f"| {check.severity} | {WITHOUT_STACK[check.without_stack]} | {check.since} |"]
    for case in cases(check.id):
        version = f" (Kubernetes {case.kubernetes})" if case.kubernetes else ""
        lines += ["", f"## {case.case}{version}", "", "Breaks it:", "", *_fenced(as_yaml(case.breaking))]
        lines += ["", "Keeps it:", "", *_fenced(as_yaml(case.keeping))]
    return "\n".join([*lines, "", "[All checks](index.md)"]) + "\n"


def _fenced(text: str) -> list[str]:
    return ["```yaml", text.rstrip("\n"), "```"]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
