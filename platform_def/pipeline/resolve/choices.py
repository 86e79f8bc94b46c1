"""The components and jobs that a stack chooses, each validated by the model of its kind, with all that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from platform_def.capabilities import capabilities
from platform_def.components import catalogue
from platform_def.config.capability import Capability
from platform_def.config.component import Application, ComponentConfig, Provided
from platform_def.config.explain import problems_of
from platform_def.config.model import Model
from platform_def.constructs.component import AnyComponent
from platform_def.crds.catalogue import components_with_apis
from platform_def.errors import Problem, nearest
from platform_def.jobs.template import JobConfig
from platform_def.jobs.templates import template, templates
from platform_def.packages import blamed
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.resolve.asking import asked
from platform_def.serving import templates as serving
from platform_def.serving.template import ServiceConfig

M = TypeVar("M", bound=Model)
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Chosen:
    """One instance of a component of the catalogue."""

    kind: type[AnyComponent]
    config: ComponentConfig


@dataclass
class Choices:
    """What a stack chooses, by name."""

    built: dict[str, Chosen] = field(default_factory=dict)
    provided: dict[str, Provided] = field(default_factory=dict)
    applications: dict[str, Application] = field(default_factory=dict)
    external: dict[str, Capability] = field(default_factory=dict)
    """Capabilities of what lies outside the cluster."""

    def kind_of(self, name: str) -> str:
        """Name in the catalogue of what a stack calls `name`."""
        if name in self.built:
            return self.built[name].kind.slug
        return (self.provided[name].component or name) if name in self.provided else ""


def choices(loaded: Loaded, problems: list[Problem]) -> Choices:
    """Components and what lies outside; what is wrong goes to `problems`."""
    made = Choices()
    always: dict[str, dict[str, JsonValue]] = {name: {} for name in catalogue.ALWAYS}
    for name, raw in sorted((always | loaded.stack.components).items()):
        with asked(problems, loaded, "components", name):
            _choose(made, name, raw, loaded, problems)
    for kind, raw in sorted(loaded.stack.external.items()):
        value = _capability(kind, raw, loaded, ("external", kind), problems)
        if value is not None:
            made.external[kind] = value
    return made


def _choose(made: Choices, name: str, raw: Mapping[str, JsonValue], loaded: Loaded, problems: list[Problem]) -> None:
    under: Path = ("components", name)
    kind = raw.get("component") or name
    known = catalogue.catalogue()
    if kind not in known and "path" in raw:
        application = validated(Application, raw, loaded, under, problems)
        if application:
            made.applications[name] = application
    elif "provided" in raw and kind in catalogue.ALWAYS:
        text = f"components.{name}: every stack renders it"
        hint = f"write `{name}: {{existing: [NAME]}}` for namespaces that exist already"
        problems.append(Problem(text, loaded.where(*under, "provided"), hint))
    elif "provided" in raw and (kind in known or kind in components_with_apis()):
        provided = validated(Provided, raw, loaded, under, problems)
        if provided:
            made.provided[name] = provided
    elif kind in components_with_apis() and kind not in known:
        text = f"components.{name}: this tool knows the kinds of {kind} and does not install it"
        hint = f"where the cluster has it, write `{name}: {{provided: true}}`; a folder of your own needs `path:`"
        problems.append(Problem(text, loaded.where(*under), hint))
    elif kind not in known:
        names = {*known, *components_with_apis()} if "provided" in raw else known
        hint = f"{nearest(str(kind), names)}; a folder of your own needs `path:`"
        said = f"components.{name}: unknown component" + (f" '{str(kind)[:80]}'" if kind != name else "")
        problems.append(Problem(said, loaded.where(*under), hint))
    else:
        found = catalogue.component(str(kind))
        if name != kind and not found.several:
            text = f"components.{name}: a cluster has {kind} once, under its own name"
            problems.append(Problem(text, loaded.where(*under, "component"), f"write `{kind}:` instead"))
            return
        with blamed(found):
            config = validated(found.config_model(), raw, loaded, under, problems)
        if config is not None:
            made.built[name] = Chosen(found, config)


def given(
    kind: str,
    raw: Mapping[str, JsonValue],
    loaded: Loaded,
    under: Path,
    problems: list[Problem],
    *,
    base: Capability | None,
) -> Capability | None:
    """What an entry says that it provides; `base` is what is known of it already."""
    return _capability(kind, {**(base.plain() if base else {}), **raw}, loaded, under, problems)


def _capability(
    kind: str, raw: Mapping[str, JsonValue], loaded: Loaded, under: Path, problems: list[Problem]
) -> Capability | None:
    known = capabilities()
    if kind not in known:
        problems.append(
            Problem(f"{'.'.join(map(str, under))}: unknown capability", loaded.where(*under), nearest(kind, known))
        )
        return None
    return validated(known[kind], raw, loaded, under, problems)


def validated(
    model: type[M], raw: Mapping[str, JsonValue], loaded: Loaded, under: Path, problems: list[Problem]
) -> M | None:
    """The model of what a file holds; None with its problems told."""
    try:
        return model.from_file(raw)
    except ValidationError as error:
        problems += problems_of(error, model, loaded.traced, under=under)
        return None


def jobs(loaded: Loaded, problems: list[Problem]) -> Iterator[tuple[str, JobConfig]]:
    """The stack's jobs by name."""
    seen: set[str] = set()
    for index, raw in enumerate(loaded.stack.jobs):
        under = ("jobs", index)
        name = str(raw.get("template", ""))
        if name not in templates():
            where = loaded.where(*under, "template")
            text = f"unknown template '{name[:40]}'" if name else "template is missing"
            problems.append(Problem(f"jobs[{index}]: {text}", where, nearest(name, templates())))
            continue
        job = _job(name, raw, loaded, index, problems)
        if job is None:
            continue
        if job.name in seen:
            problems.append(Problem(f"jobs[{index}]: two jobs are called '{job.name}'", loaded.where(*under, "name")))
        seen.add(job.name)
        yield job.name, job


def _job(
    name: str, raw: Mapping[str, JsonValue], loaded: Loaded, index: int, problems: list[Problem]
) -> JobConfig | None:
    with asked(problems, loaded, "jobs", index):
        kind = template(name)
        with blamed(kind):
            return validated(kind.config_model(), raw, loaded, ("jobs", index), problems)
    return None


def services(loaded: Loaded, problems: list[Problem]) -> Iterator[tuple[str, ServiceConfig]]:
    """The stack's served models by name."""
    seen = dict.fromkeys(loaded.stack.components, "component") | dict.fromkeys(catalogue.catalogue(), "component")
    for index, raw in enumerate(loaded.stack.serving):
        under: Path = ("serving", index)
        name = str(raw.get("template", ""))
        if name not in serving.BUILT_IN:
            text = f"unknown template '{name[:40]}'" if name else "template is missing"
            where = loaded.where(*under, "template")
            problems.append(Problem(f"serving[{index}]: {text}", where, nearest(name, serving.BUILT_IN)))
            continue
        model = validated(serving.template(name).config_model(), raw, loaded, under, problems)
        if model is None:
            continue
        if other := seen.get(model.name):
            text = f"serving[{index}]: a {other} is called '{model.name}' too, and both would have one folder"
            problems.append(Problem(text, loaded.where(*under, "name"), "give it another name"))
            continue
        seen[model.name] = "model"
        yield model.name, model
