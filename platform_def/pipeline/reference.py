"""Writes what the models already say into the docs: the stack reference, every component's knobs, the JSON Schema.

`make docs` runs it; a test fails when a page lags.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
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
    stale = [
        (path, text) for path, text in pages(root) if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in stale:
        sys.stdout.write(f"{path.relative_to(root)}\n")
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    sys.exit(1 if stale and "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
