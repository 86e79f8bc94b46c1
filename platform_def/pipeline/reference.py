"""Writes what models and API types already say into the docs: stacks, every component's knobs, every custom kind.

`make docs` runs it; a test fails when a page lags.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from platform_def.components import catalogue
from platform_def.config.component import ComponentConfig
from platform_def.config.explain import docs_of, type_name, with_inner
from platform_def.config.stack import Stack
from platform_def.errors import PlatformError
from platform_def.jobs.template import JobConfig
from platform_def.jobs.templates import template, templates
from platform_def.pipeline.reference_apis import FOLDER, api_pages
from platform_def.pipeline.schema import stack_schema

START, END = "<!-- knobs -->", "<!-- /knobs -->"


def pages(root: Path) -> Iterator[tuple[Path, str]]:
    """Path and text of every generated page below the project's root."""
    yield root / "schemas" / "stack.schema.json", json.dumps(stack_schema(), indent=1) + "\n"
    yield root / "docs" / "reference" / "stack.md", _stack_page()
    yield root / "docs" / "reference" / "jobs.md", _jobs_page()
    for name in catalogue.BUILT_IN:
        path = root / "docs" / "components" / f"{name}.md"
        yield path, _with_knobs(path, name)
    yield from ((root / path, text) for path, text in api_pages())


def leftover(root: Path, made: Iterable[Path]) -> list[Path]:
    """Pages of kinds that are no longer served."""
    return sorted({*(root / FOLDER).rglob("*.md")} - {*made})


def _stack_page() -> str:
    lines = [
        "# Stack files",
        "",
        "Generated from the models; `platformctl explain STACK PATH` says the same about a value of yours.",
        "",
    ]
    for model in with_inner([Stack]):
        lines += [f"## {model.__name__}", "", _first(model), "", *_table(model), ""]
    return "\n".join(lines)


def _jobs_page() -> str:
    lines = ["# Job templates", "", "Generated from the models. `jobs:` of a stack is a list of these.", ""]
    common = set(JobConfig.model_fields)
    lines += ["## Every job", "", *_table(JobConfig), ""]
    for name in templates():
        model = template(name).config_model()
        lines += [f"## {name}", "", _first(template(name)), "", *_table(model, without=common), ""]
    return "\n".join(lines)


def _with_knobs(path: Path, name: str) -> str:
    text = path.read_text(encoding="utf-8") if path.exists() else f"# {name}\n\n## Knobs\n\n{START}\n{END}\n"
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise PlatformError(f"{path} lacks the markers {START} and {END}")
    made = catalogue.component(name)
    model: type[ComponentConfig] = made.config_model()
    versions = [f"`{release.version}`" for release in model.releases]
    lines = [f"Releases: {', '.join(versions)}; the first is the default." if versions else "", ""]
    if kinds := _kinds(model):
        lines += [f"APIs: {', '.join(kinds)}.", ""]
    lines += _table(model, without=set(ComponentConfig.model_fields) - set(model.__annotations__))
    inner = [each for each in with_inner([model])[1:] if each.__module__ == model.__module__]
    for each in inner:
        lines += ["", f"### {each.__name__}", "", _first(each), "", *_table(each)]
    lines += [
        "",
        "Every component also has placement, resources, labels, proxy: see [stack files](../reference/stack.md).",
    ]
    knobs = "\n".join(lines).strip()
    return f"{before}{START}\n{knobs}\n{END}{after}"


def _kinds(model: type[ComponentConfig]) -> list[str]:
    """Links to the kinds that any release installs."""
    found = {one.name: one.api for release in model.releases for one in getattr(release, "apis", ())}
    folder = Path("..", *FOLDER.parts[1:]).as_posix()
    return [f"[{api.kind}]({folder}/{api.group}/{api.plural}.md)" for _, api in sorted(found.items())]


def _table(model: type[BaseModel], *, without: set[str] = frozenset()) -> list[str]:  # type: ignore[assignment]
    docs = docs_of(model)
    rows = [
        f"| `{info.alias or name}` | {_cell(type_name(info.annotation))} | {_default(info)} | {_cell(docs.get(name))} |"
        for name, info in model.model_fields.items()
        if name not in without
    ]
    if not rows:
        return ["It has none of its own."]
    return ["| field | type | default | meaning |", "|---|---|---|---|", *rows]


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    value = info.get_default(call_default_factory=True)
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json", exclude_defaults=True)
    return f"`{json.dumps(value)}`" if value not in (None, "", [], {}) else ""


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


def _first(model: type) -> str:
    return (model.__doc__ or "").strip().splitlines()[0]


def main() -> None:
    """Write the pages; with `--check` only say which lag."""
    root = Path(__file__).resolve().parent.parent.parent
    made = dict(pages(root))
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    gone = leftover(root, made)
    for path in [*stale, *gone]:
        sys.stdout.write(f"{path.relative_to(root)}\n")
    if "--check" in sys.argv:
        sys.exit(1 if stale or gone else 0)
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made[path], encoding="utf-8")
    for path in gone:
        path.unlink()


if __name__ == "__main__":
    main()
