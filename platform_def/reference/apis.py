"""The reference of all custom kinds: a page each, an index for every API group, and one over all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from platform_def.crds.catalogue import known
from platform_def.explain.api_resources import ServedVersion, custom_resources
from platform_def.reference.api_page import ServedKind, page

FOLDER = Path("docs", "reference", "apis")
"""Everything in it is generated."""


def api_pages() -> Iterator[tuple[Path, str]]:
    """Path below the project's root and text of each page."""
    groups = kinds_by_group()
    yield FOLDER / "index.md", _overview(groups)
    for group, kinds in groups.items():
        yield FOLDER / group / "index.md", _group_page(group, kinds)
        for kind in kinds:
            yield FOLDER / group / f"{kind.main.plural}.md", page(kind)


def kinds_by_group() -> Mapping[str, Sequence[ServedKind]]:
    """Every custom kind of the catalogue, sorted; packages that happen to be installed add nothing."""
    rows: dict[str, list[ServedVersion]] = {}
    for row in custom_resources():
        if row.source in known():
            rows.setdefault(row.full_name, []).append(row)
    groups: dict[str, list[ServedKind]] = {}
    for kind in sorted((ServedKind(tuple(found)) for found in rows.values()), key=lambda kind: kind.main.kind):
        groups.setdefault(kind.main.group, []).append(kind)
    return dict(sorted(groups.items()))


def _overview(groups: Mapping[str, Sequence[ServedKind]]) -> str:
    count = sum(map(len, groups.values()))
    lines = [
        "# APIs",
        "",
        f"The {count} custom kinds that components bring, by API group. Each page has an example that tests apply to a",
        "real API server, and all fields with what they may hold. Made from the API types by `make docs`.",
        "",
        "| group | kinds | components |",
        "|---|---|---|",
    ]
    for group, kinds in groups.items():
        links = ", ".join(f"[{kind.main.kind}]({group}/{kind.main.plural}.md)" for kind in kinds)
        components = sorted({component for kind in kinds for component in kind.components})
        lines.append(f"| [{group}]({group}/index.md) | {links} | {', '.join(components)} |")
    return "\n".join(lines) + "\n"


def _group_page(group: str, kinds: Sequence[ServedKind]) -> str:
    lines = [f"# {group}", "", "| kind | versions | what it is |", "|---|---|---|"]
    for kind in kinds:
        versions = ", ".join(f"`{version}`" for version in kind.versions)
        lines.append(f"| [{kind.main.kind}]({kind.main.plural}.md) | {versions} | {kind.about} |")
    return "\n".join([*lines, "", "[All groups](../index.md)"]) + "\n"
