"""The page that lists everything a stack may name: components by area, and job templates.

It is a file of its own, so that no page with hand-written text has to be merged with generated rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import PurePosixPath

from platform_def.components import catalogue
from platform_def.config.written.explain import about
from platform_def.jobs.templates import BUILT_IN, template
from platform_def.reference.words import prose

FILE = PurePosixPath("docs/reference/catalogue.md")


def listing() -> str:
    """Every component with its releases and what is installed, and every job template, each with a link to its page."""
    head = [
        "# Catalogue",
        "",
        "Generated from the folders by `make docs`; `platformctl list components` and `list templates` print the same.",
    ]
    return "\n".join([*head, *_components(), *_templates()]) + "\n"


def _components() -> Iterator[str]:
    for area, names in groupby(sorted(catalogue.BUILT_IN, key=lambda name: (_area(name), name)), key=_area):
        yield from ("", f"## {area.capitalize()}", "", "| component | releases | what is installed |", "|---|---|---|")
        for name in names:
            made = catalogue.component(name)
            versions = ", ".join(release.version for release in made.config_model().releases)
            yield f"| [{name}](../components/{name}.md) | {versions} | {prose(about(made))} |"


def _area(name: str) -> str:
    return catalogue.BUILT_IN[name].split(".")[2]


def _templates() -> Iterator[str]:
    yield from ("", "## Job templates", "", "| template | what it is |", "|---|---|")
    for name in sorted(BUILT_IN):
        yield f"| [{name}](../jobs/{name}.md) | {prose(about(template(name)))} |"
