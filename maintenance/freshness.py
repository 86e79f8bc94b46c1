"""`make freshness`: what is offered next to the newest version that upstream's registries know.

Exit status 0 whether or not something newer is there: the table is to be read, and no release is taken unread.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from maintenance.sources import Source, UnansweredError, ask, components, stable
from platform_def.components.catalogue import BUILT_IN, component

ROOT = Path(__file__).parent.parent
UNTOLD = Source("none", "maintenance/sources.yaml does not name it")
HEADINGS = ("name", "offered", "newest", "newest of its line", "asked of")


@dataclass(frozen=True)
class Offered:
    """What is offered of one thing, and where to ask for more."""

    name: str
    versions: tuple[str, ...]
    """The default first."""
    source: Source


def offered() -> Iterator[Offered]:
    """The releases of components, then the pins of the tool itself."""
    sources = components()
    for name in sorted(BUILT_IN):
        versions = tuple(each.version for each in component(name).config_model().releases)
        if versions:
            yield Offered(name, versions, sources.get(name, UNTOLD))
    yield from pins()


def pins() -> Iterator[Offered]:
    """Packages whose version is pinned exactly."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for each in project["dependencies"]:
        name, exact, version = each.partition("==")
        if exact:
            yield Offered(name, (version,), Source("pypi", name))
    pinned: Mapping[str, str] = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    yield from (Offered(name, (version,), Source("npm", name)) for name, version in sorted(pinned.items()))


def row(each: Offered, known: Sequence[str]) -> tuple[str, ...]:
    """A line of the table; an arrow marks what is newer than the default."""
    default = stable(each.versions[0].partition("-")[0])
    versions = [found for found in map(stable, known) if found]
    line = [found for found in versions if default and found.release[:2] == default.release[:2]]
    cells = [f"{'→ ' if default is None or found > default else ''}{found}" for found in (versions[-1], *line[-1:])]
    return (each.name, ", ".join(each.versions), cells[0], *(cells[1:] or ["none"]), str(each.source))


def tables(things: Sequence[Offered], question: Callable[[Source], list[str]]) -> Iterator[str]:
    """The table of what answered, and the list of what did not."""
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda each: _answer(each, question), things))
    rows = [HEADINGS, *(answer for answer in answers if len(answer) == len(HEADINGS))]
    widths = [max(len(cells[at]) for cells in rows) for at in range(len(HEADINGS))]
    for cells in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
    silent = [answer for answer in answers if len(answer) != len(HEADINGS)]
    if silent:
        yield from ("", "not told:", *(": ".join(answer) for answer in silent))


def _answer(each: Offered, question: Callable[[Source], list[str]]) -> tuple[str, ...]:
    try:
        return row(each, question(each.source))
    except UnansweredError as reason:
        where = "" if each.source.kind == "none" else f" ({each.source})"
        return (f"  {each.name} {each.versions[0]}{where}", str(reason))


def main(names: Sequence[str]) -> None:
    """Print the table, of all or of these."""
    things = [each for each in offered() if not names or each.name in names]
    sys.stdout.writelines(f"{line}\n" for line in tables(things, ask))


if __name__ == "__main__":
    main(sys.argv[1:])
