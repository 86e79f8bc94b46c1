"""What a check is for, and what breaks and keeps it: `platformctl explain check ID` and the pages of the reference."""

from __future__ import annotations

from textwrap import indent

from platform_def.checks.about import About
from platform_def.checks.catalogue import ENTRIES, check_of, checks_of
from platform_def.checks.examples import Files, cases

WITHOUT_STACK = {
    "as in a stack": "the same",
    "as a warning": "a warning, for a cluster would take the object",
    "not at all": "not covered: it asks for what only a stack says",
    "with --existing": "covered where --existing tells the namespaces of the cluster",
}
"""What `check -f` does with a rule."""


def rows() -> dict[str, dict[str, object]]:
    """Every check by its id, as `platformctl list checks` shows it."""
    return {
        check.id: {"area": area, "severity": check.severity, "about": check.title}
        for area in ENTRIES
        for check in checks_of(area)
    }


def plain(name: str) -> dict[str, object]:
    """A check as data; ConfigError where there is none of that name."""
    about = check_of(name)
    return {
        "id": about.id,
        "area": area_of(about),
        "severity": about.severity,
        "title": about.title,
        "why": about.why,
        "fix": about.fix,
        "since": about.since,
        "withoutStack": about.without_stack,
        "covers": [case.case for case in cases(name)],
        "examples": [
            {"case": case.case, "kubernetes": case.kubernetes, "breaking": case.breaking, "keeping": case.keeping}
            for case in cases(name)
        ],
    }


def text(name: str) -> str:
    """The same for a person; the first case stands there whole, the others are named."""
    about = check_of(name)
    known = cases(name)
    lines = [
        f"{about.id}: {about.title}",
        "",
        f"severity  {about.severity}",
        f"check -f  {WITHOUT_STACK[about.without_stack]}",
        f"since     {about.since}",
        "",
        f"why: {about.why}",
        f"fix: {about.fix}",
        "",
        "covers:",
        *(f"  - {case.case}" for case in known),
    ]
    for word, written in (("breaks", known[0].breaking), ("keeps", known[0].keeping)) if known else ():
        lines += ["", f"{word} it:", "", indent(as_yaml(written), "  ").rstrip()]
    return "\n".join(lines)


def as_yaml(written: str | Files) -> str:
    """The files of an example below each other, each under its name; manifests alone as they are."""
    if not isinstance(written, str):
        return "\n".join(f"# {path}\n{content}" for path, content in written.items())
    return written


def area_of(about: About) -> str:
    """The area that a check belongs to."""
    return next(area for area in ENTRIES if about in checks_of(area))
