"""The reference page of one custom kind: what it is, who installs it, an example, its fields, other versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from platform_def.components.catalogue import BUILT_IN
from platform_def.crds.examples import example_text
from platform_def.crds.model import Api, Makes
from platform_def.crds.schema import Ref
from platform_def.crds.summaries import summary
from platform_def.explain.api_resources import ServedVersion, newest
from platform_def.reference.api_fields import DEEPER, Section, field_signatures, sections
from platform_def.reference.words import health_sentences, prose, reference_sentence

_HEADINGS = ("example", "fields", "references", "other versions and releases")
_LISTED = 12
"""Differences between versions that are named; the rest is counted."""


@dataclass(frozen=True)
class ServedKind:
    """A custom kind with everything that serves it."""

    rows: tuple[ServedVersion, ...]

    @cached_property
    def main(self) -> ServedVersion:
        """What `platformctl explain api` shows."""
        return newest(self.rows)

    @property
    def name(self) -> str:
        """Name of its CRD."""
        return self.main.full_name

    @property
    def about(self) -> str:
        """What it is, in a sentence of Markdown."""
        said = (summary(_api(row)) for row in (self.main, *self.rows))
        return prose(next((text for text in said if text), ""))

    @property
    def versions(self) -> list[str]:
        """Those that are served, the one to use first."""
        return list(dict.fromkeys([self.main.version, *(row.version for row in reversed(self.rows))]))

    @property
    def components(self) -> list[str]:
        """Who installs it."""
        return list(dict.fromkeys(row.component for row in self.rows))

    @property
    def example(self) -> str:
        """A valid minimal object, as YAML."""
        return example_text(_api(self.main))


def _api(row: ServedVersion) -> Api[Any]:
    if row.api is None:
        raise ValueError(f"{row.full_name} is no custom kind")
    return row.api


def page(kind: ServedKind) -> str:
    """The page as Markdown."""
    return "\n".join([*_head(kind), *_fields(kind), *_references(_api(kind.main)), *_others(kind)]).rstrip() + "\n"


def _head(kind: ServedKind) -> Iterator[str]:
    served, api = kind.main, _api(kind.main)
    yield from (f"# {served.kind}", "", kind.about, "")
    facts = {
        "API": f"`{served.api_version}`",
        "resource": ", ".join(f"`{name}`" for name in (served.plural, *served.short_names)),
        "scope": "objects live in a namespace" if api.namespaced else "objects belong to the cluster",
        "installed by": _installers(kind),
        "ready": health_sentences(api.health),
        "makes": ", ".join(_made(each) for each in api.makes),
        "named by": f"the label `{api.label}` of any object" if api.label else "",
        "held back by": f"`{api.suspended_by}`" if api.suspended_by else "",
        "core types": f"of Kubernetes {api.core}" if api.core else "",
        "deprecated": prose(api.deprecation_warning) or "yes" if api.deprecated else "",
    }
    yield from ("| | |", "|---|---|")
    yield from (f"| {name} | {value} |" for name, value in facts.items() if value)
    yield from ("", f"In a terminal: `platformctl explain api {kind.name}`.", "")
    yield from ("## Example", "", "```yaml", kind.example.rstrip(), "```", "")


def _installers(kind: ServedKind) -> str:
    found = []
    for component in kind.components:
        releases = list(dict.fromkeys(row.release for row in reversed(kind.rows) if row.component == component))
        link = f"[{component}](../../../components/{component}.md)" if component in BUILT_IN else component
        found.append(f"{link} {', '.join(releases)}")
    return "; ".join(found)


def _made(each: Makes) -> str:
    name = f"called `{each.fixed}`" if each.fixed else f"named by `{each.name}`" if each.name else "of the same name"
    name += " behind its own" if each.prefixed else ""
    name += f" and `{each.suffix}`" if each.suffix else ""
    return f"a {each.kind} {name}"


def _fields(kind: ServedKind) -> Iterator[str]:
    taken = {kind.main.kind.lower(), *_HEADINGS}
    for row in [kind.main, *_told_apart(kind)]:
        if row is kind.main:
            yield from ("## Fields", "", "`apiVersion`, `kind` and `metadata` are as everywhere.", "")
        else:
            yield from (f"## {row.kind} in {row.source}", "")
            if row.version != kind.main.version:
                yield from ("```yaml", example_text(_api(row)).rstrip(), "```", "")
        for each in sections(row, taken):
            yield from _section(each, row)


def _section(section: Section, row: ServedVersion) -> Iterator[str]:
    yield from (f"### {section.title}", "") if section.title else ()
    yield from (section.about, "") if section.about else ()
    if section.rows:
        yield from ("| field | type | meaning |", "|---|---|---|")
        yield from (f"| `{each.name}` | {each.type} | {each.meaning} |" for each in section.rows)
    else:
        yield "No fields are known: whatever stands in it is kept."
    yield from ("", *(f"* {rule}" for rule in section.rules)) if section.rules else ()
    if any(each.meaning.endswith(DEEPER) for each in section.rows):
        command = f"platformctl explain api {row.full_name} --release {row.source} --recursive"
        yield from ("", f"What is inside: `{command}`.")
    yield ""


def _references(api: Api[Any]) -> Iterator[str]:
    """Names that no type says, deep in schemas kept as data."""
    if known := {path: ref for path, ref in api.references.items() if isinstance(ref, Ref)}:
        yield from ("## References", "")
        yield from (f"* `{path}`: {reference_sentence(ref)}" for path, ref in sorted(known.items()))
        yield ""


def _told_apart(kind: ServedKind) -> list[ServedVersion]:
    """Versions whose fields are listed as well: another operator's, or those of a release that says more."""
    found: dict[tuple[str, str], ServedVersion] = {}
    owners = {row.component for row in kind.rows if row.version == kind.main.version}
    for row in kind.rows:
        if row.component not in owners or _says_more(row, kind.main):
            found[row.component, row.version] = row
    return list(found.values())


def _says_more(row: ServedVersion, main: ServedVersion) -> bool:
    """Whether the main release keeps whatever stands in it, and this one says what may."""
    if _api(row) is _api(main) or any("." in path for path in field_signatures(main)):
        return False
    return len(field_signatures(row)) > len(field_signatures(main))


def _others(kind: ServedKind) -> Iterator[str]:
    told = [kind.main, *_told_apart(kind)]
    lines = []
    for row in reversed(kind.rows):
        base = next((each for each in told[1:] if each.component == row.component), kind.main)
        if row not in told and (words := _difference(row, base)):
            lines.append(f"* `{row.api_version}` in {row.source}: {words}.")
    if lines:
        yield from ("## Other versions and releases", "", f"Compared with {kind.main.source}:", "", *lines, "")


def _difference(row: ServedVersion, base: ServedVersion) -> str:
    """In which fields a version differs; empty for the same version with the same fields."""
    api = _api(row)
    own, known = ({}, {}) if api is _api(base) else (field_signatures(row), field_signatures(base))
    notes = [f"deprecated ({prose(api.deprecation_warning)})" if api.deprecation_warning else "deprecated"]
    found = notes if api.deprecated else []
    for words, paths in (
        ("has also", own.keys() - known.keys()),
        ("lacks", known.keys() - own.keys()),
        ("differs in", {path for path in own.keys() & known.keys() if own[path] != known[path]}),
    ):
        if top := _topmost(paths):
            more = f" and {len(top) - _LISTED} more" if len(top) > _LISTED else ""
            found.append(f"{words} {', '.join(f'`{path}`' for path in top[:_LISTED])}{more}")
    same = "the same fields" if row.version != base.version else ""
    return "; ".join(found if len(found) > api.deprecated else [*found, same] if same else found)


def _topmost(paths: Iterable[str]) -> list[str]:
    """Without paths below others, sorted."""
    found: dict[str, None] = {}
    for path in sorted(paths, key=lambda path: (path.count("."), path)):
        steps = path.split(".")
        if not any(".".join(steps[:count]) in found for count in range(1, len(steps))):
            found[path] = None
    return sorted(found)
