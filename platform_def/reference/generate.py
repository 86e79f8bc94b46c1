"""Writes what models and API types already say into the docs: stacks, every component's knobs, every custom kind.

`make docs` runs it; a test fails when a page lags.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from platform_def.capabilities import capabilities
from platform_def.components import catalogue
from platform_def.config.component import Application, ComponentConfig, Provided
from platform_def.config.stack import Stack
from platform_def.config.written.explain import about, docs_of, type_name, with_inner
from platform_def.crds.catalogue import definitions_of
from platform_def.errors import PlatformError
from platform_def.explain.releases import HEADINGS, offered
from platform_def.jobs.fields import PodFields
from platform_def.jobs.template import JobConfig
from platform_def.jobs.templates import BUILT_IN, template, templates
from platform_def.jobs.training import PodConfig, TrainingConfig
from platform_def.reference.apis import FOLDER, api_pages
from platform_def.reference.checks import FOLDER as CHECKS
from platform_def.reference.checks import check_pages
from platform_def.reference.listing import FILE, listing
from platform_def.reference.sample import rendered
from platform_def.reference.schema import stack_schema
from platform_def.serving import templates as served
from platform_def.serving.template import ServiceConfig

START, END = "<!-- knobs -->", "<!-- /knobs -->"
_COMMON = (JobConfig, PodFields, PodConfig, TrainingConfig)


def pages(root: Path) -> Iterator[tuple[Path, str]]:
    """Path and text of every generated page below the project's root."""
    yield root / "schemas" / "stack.schema.json", json.dumps(stack_schema(), indent=1) + "\n"
    yield root / "docs" / "reference" / "stack.md", _stack_page()
    yield root / "docs" / "reference" / "jobs.md", _jobs_page()
    yield root / "docs" / "reference" / "serving.md", _serving_page()
    yield root / FILE, listing()
    for name in catalogue.BUILT_IN:
        path = root / "docs" / "components" / f"{name}.md"
        yield path, _with_knobs(path, name)
    for name in BUILT_IN:
        path = root / "docs" / "jobs" / f"{name}.md"
        yield path, _with_parameters(path, name)
    yield from ((root / path, text) for path, text in api_pages())
    yield from ((root / path, text) for path, text in check_pages())


def leftover(root: Path, made: Iterable[Path]) -> list[Path]:
    """Pages of kinds and checks that are no longer there."""
    there = {path for folder in (FOLDER, CHECKS) for path in (root / folder).rglob("*.md")}
    return sorted(there - {*made})


def _stack_page() -> str:
    lines = [
        "# Stack files",
        "",
        "Generated from the models; `platformctl explain STACK PATH` says the same about a value of yours.",
        "",
    ]
    for model in with_inner([Stack]):
        lines += [f"## {model.__name__}", "", about(model), "", *_table(model), ""]
    lines += ["## Every component", "", "What each entry of `components:` may say beside its own fields.", ""]
    lines += [*_table(ComponentConfig), ""]
    every: list[type[BaseModel]] = [*with_inner([ComponentConfig])[1:], Provided, Application]
    for model in [each for each in every if each not in with_inner([Stack])]:
        lines += [f"## {model.__name__}", "", about(model), "", *_table(model), ""]
    lines += [
        "## Capabilities",
        "",
        "What `external:` and `provides:` may name, and what components give each other.",
        "",
    ]
    lines += [
        line
        for kind, each in capabilities().items()
        for line in (f"### {kind}", "", about(each), "", *_table(each), "")
    ]
    inside: list[type[BaseModel]] = with_inner([*capabilities().values()])
    for model in inside:
        if model not in capabilities().values():
            lines += [f"### {model.__name__}", "", about(model), "", *_table(model), ""]
    return "\n".join(lines)


def _jobs_page() -> str:
    lines = ["# Job templates", "", "Generated from the models. `jobs:` of a stack is a list of these.", ""]
    lines += ["## Every job", "", *_table(JobConfig), ""]
    lines += ["## Every job's pods", "", "The same words in all templates.", ""]
    lines += [*_table(PodConfig, without=set(JobConfig.model_fields)), ""]
    lines += ["## Jobs of several pods", "", *_table(TrainingConfig, without=set(PodConfig.model_fields)), ""]
    common = with_inner([TrainingConfig])
    for each in common[1:]:
        lines += [f"### {each.__name__}", "", about(each), "", *_table(each), ""]
    for name in templates():
        model = template(name).config_model()
        lines += [f"## {name}", "", about(template(name)), "", *_table(model, without=_common_words(model)), ""]
        for each in with_inner([model])[1:]:
            if each not in common:
                lines += [f"### {each.__name__}", "", about(each), "", *_table(each), ""]
    return "\n".join(lines)


def _serving_page() -> str:
    lines = ["# Served models", "", "Generated from the models. `serving:` of a stack is a list of these.", ""]
    lines += ["## Every model", "", *_table(ServiceConfig), ""]
    common = with_inner([ServiceConfig])
    for each in common[1:]:
        lines += [f"### {each.__name__}", "", about(each), "", *_table(each), ""]
    for name in served.BUILT_IN:
        model = served.template(name).config_model()
        own = {each for kind in model.__mro__[: model.__mro__.index(ServiceConfig)] for each in _annotations(kind)}
        rest = set(model.model_fields) - own
        lines += [f"## {name}", "", about(served.template(name)), "", *_table(model, without=rest), ""]
        for each in with_inner([model])[1:]:
            if each not in common:
                lines += [f"### {each.__name__}", "", about(each), "", *_table(each), ""]
    return "\n".join(lines)


def _annotations(kind: type) -> Iterable[str]:
    return inspect.get_annotations(kind)


def _common_words(model: type[JobConfig]) -> set[str]:
    """Fields that the template takes from the common models as they are."""
    own = [each for each in model.__mro__ if issubclass(each, JobConfig) and each not in _COMMON]
    said = {name for each in own for name in inspect.get_annotations(each)}
    return set(model.model_fields) - said


def _with_parameters(path: Path, name: str) -> str:
    """The page of a template, with its own parameters between the markers."""
    before, after = _around_knobs(path, name)
    model = template(name).config_model()
    lines = _table(model, without=_common_words(model))
    for each in with_inner([model])[1:]:
        if each not in with_inner([TrainingConfig]):
            lines += ["", f"### {each.__name__}", "", about(each), "", *_table(each)]
    lines += ["", "And the words that [all jobs have](../reference/jobs.md#every-job)."]
    return f"{before}{START}\n{chr(10).join(lines)}\n{END}{after}"


def _around_knobs(path: Path, name: str) -> tuple[str, str]:
    """What stands before and after the generated part of a page."""
    text = path.read_text(encoding="utf-8") if path.exists() else f"# {name}\n\n## Knobs\n\n{START}\n{END}\n"
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise PlatformError(f"{path} lacks the markers {START} and {END}")
    return before, after


def _with_knobs(path: Path, name: str) -> str:
    before, after = _around_knobs(path, name)
    made = catalogue.component(name)
    model: type[ComponentConfig] = made.config_model()
    lines = [*_releases(model), ""]
    if kinds := _kinds(name, model):
        lines += [f"APIs: {', '.join(kinds)}.", ""]
    lines += _table(model, without=set(ComponentConfig.model_fields) - set(model.__annotations__))
    home = model.__module__.removesuffix(".component")
    inner = [each for each in with_inner([model])[1:] if f"{each.__module__}.".startswith(f"{home}.")]
    for each in inner:
        lines += ["", f"### {each.__name__}", "", about(each), "", *_table(each)]
    lines += [
        "",
        *_workloads(name),
        "Every component also has the fields that [all have](../reference/stack.md#every-component).",
    ]
    knobs = "\n".join(lines).strip()
    return f"{before}{START}\n{knobs}\n{END}{after}"


def _releases(model: type[ComponentConfig]) -> list[str]:
    """What is known of each release."""
    rows = [f"| {' | '.join(_cell(text) for text in each.cells())} |" for each in offered(model)]
    return ["| " + " | ".join(HEADINGS) + " |", "|---|---|---|---|---|", *rows] if rows else []


def _workloads(name: str) -> list[str]:
    """What `workloads:` of a component may name, as far as its defaults make them."""
    rows = [
        f"| `{role}` | {_named(each.containers)} | {_named(each.volumes)} | {'yes' if each.scales else 'no'} |"
        for role, each in rendered(name).roles.items()
    ]
    if not rows:
        return []
    head = ["| workload | containers | volumes | more than one pod |", "|---|---|---|---|"]
    return ["Its programs, as `workloads:` names them:", "", *head, *rows, ""]


def _named(names: Iterable[str]) -> str:
    return ", ".join(f"`{each}`" for each in sorted(names))


def _kinds(name: str, model: type[ComponentConfig]) -> list[str]:
    """Links to the kinds that any release installs."""
    found = {
        one.name: one.api
        for release in model.releases
        for one in (*getattr(release, "apis", ()), *definitions_of(name, release.version))
    }
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
