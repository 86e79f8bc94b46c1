"""The components and jobs that a stack chooses, each validated by the model of its kind, with all that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from platform_def.capabilities import capabilities
from platform_def.components import catalogue
from platform_def.config.capability import Capability
from platform_def.config.component import Application, ComponentConfig, Provided
from platform_def.config.model import Model
from platform_def.config.written.explain import dotted, problems_of
from platform_def.config.written.salvage import salvage
from platform_def.constructs.component import AnyComponent
from platform_def.crds.catalogue import components_with_apis
from platform_def.errors import Problem, nearest
from platform_def.jobs.template import JobConfig
from platform_def.jobs.templates import template, templates
from platform_def.packages import blamed
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.resolve.asking import asked
from platform_def.pipeline.resolve.doubts import Doubts
from platform_def.serving import templates as serving
from platform_def.serving.template import ServiceConfig

_ALSO_CALLED = {
    "kubeflow-pipelines": "kfp",
    "ambassador": "emissary",
    "nfd": "node-feature-discovery",
    "gfd": "gpu-feature-discovery",
    "ray-operator": "kuberay-operator",
}
"""Names of components that are far from those in the catalogue, or nearer to another one there."""
_ANY: Mapping[str, JsonValue] = {"image": "unknown:1", "command": ["unknown"], "model": "hf://unknown/unknown"}
"""What replaces a missing or wrong field of a job or a model, so that the rest of it can be judged."""
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
    broken: dict[str, str] = field(default_factory=dict)
    """Entries of which nothing can be used, with the component of the catalogue that each means; empty: none."""
    doubts: Doubts = field(default_factory=Doubts)

    def kind_of(self, name: str) -> str:
        """Name in the catalogue of what a stack calls `name`."""
        if name in self.built:
            return self.built[name].kind.slug
        return (self.provided[name].component or name) if name in self.provided else ""


def choices(loaded: Loaded, problems: list[Problem]) -> Choices:
    """Components and what lies outside; what is wrong goes to `problems`."""
    made = Choices()
    made.doubts.of_stack(path for path in loaded.doubts if path[0] != "components" or len(path) == 1)
    for path in (each for each in loaded.doubts if each[0] == "components" and len(each) > 1):
        _doubt(made, str(path[1]), {})
    always: dict[str, dict[str, JsonValue]] = {name: {} for name in catalogue.ALWAYS}
    for name, raw in sorted((always | loaded.stack.components).items()):
        with asked(problems, loaded, "components", name):
            _choose(made, name, raw, loaded, problems)
        if name not in {*made.built, *made.provided, *made.applications}:
            _doubt(made, name, raw)
    for kind, raw in sorted(loaded.stack.external.items()):
        value = _capability(kind, raw, loaded, ("external", kind), problems)
        if value is not None:
            made.external[kind] = value
        else:
            made.doubts.reads.add(f"given:{kind}")
    return made


def _doubt(made: Choices, name: str, raw: Mapping[str, JsonValue]) -> None:
    """Conclude nothing from the lack of a component that is written wrong; an unknown name means the nearest one."""
    kind = str(raw.get("component") or name)
    known = catalogue.catalogue()
    kind = _ALSO_CALLED.get(kind, kind)
    close = [kind] if kind in known else [] if "path" in raw else get_close_matches(kind, known, n=1)
    made.broken[name] = "".join(close)
    for each in close:
        made.doubts.lost(each)
    for field_of, question in (("provides", "given"), ("serves", "serves")):
        said = raw.get(field_of)
        made.doubts.reads |= {f"{question}:{each}" for each in said} if isinstance(said, dict | list) else set()


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
        hint = f"{nearest(_ALSO_CALLED.get(str(kind), str(kind)), names)}; a folder of your own needs `path:`"
        said = f"components.{name}: unknown component" + (f" '{str(kind)[:80]}'" if kind != name else "")
        problems.append(Problem(said, loaded.where(*under), hint))
    else:
        found = catalogue.component(str(kind))
        if name != kind and not found.several:
            text = f"components.{name}: a cluster has {kind} once, under its own name"
            problems.append(Problem(text, loaded.where(*under, "component"), f"write `{kind}:` instead"))
            return
        with blamed(found):
            config = _salvaged(found.config_model(), raw, loaded, under, problems, made.doubts)
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


def _salvaged(
    model: type[M],
    raw: Mapping[str, JsonValue],
    loaded: Loaded,
    under: Path,
    problems: list[Problem],
    doubts: Doubts,
    defaults: Mapping[str, JsonValue] | None = None,
) -> M | None:
    """The model of what a file holds, without what is wrong in it; what that may have meant is in doubt."""
    found = salvage(model, raw, loaded.traced, under=under, defaults=defaults)
    problems += found.problems
    return doubts.watched(found.value, found.doubts, dotted(under)) if found.value else None


def jobs(loaded: Loaded, problems: list[Problem], doubts: Doubts) -> Iterator[tuple[int, JobConfig]]:
    """The stack's jobs, each with its place in the list."""
    seen: set[str] = set()
    for index, raw in enumerate(loaded.stack.jobs):
        under = ("jobs", index)
        if under in loaded.doubts:  # no map: told where the stack was read
            continue
        name, called = str(raw.get("template", "")), str(raw.get("name", ""))
        if called and called in seen:
            problems.append(Problem(f"jobs[{index}]: two jobs are called '{called}'", loaded.where(*under, "name")))
        seen.add(called)
        if name not in templates():
            where = loaded.where(*under, "template")
            text = f"unknown template '{name[:40]}'" if name else "template is missing"
            problems.append(Problem(f"jobs[{index}]: {text}", where, nearest(name, templates())))
            continue
        job = _job(name, raw, loaded, index, problems, doubts)
        if job is not None:
            yield index, job


def _job(
    name: str, raw: Mapping[str, JsonValue], loaded: Loaded, index: int, problems: list[Problem], doubts: Doubts
) -> JobConfig | None:
    with asked(problems, loaded, "jobs", index):
        kind = template(name)
        with blamed(kind):
            return _salvaged(kind.config_model(), raw, loaded, ("jobs", index), problems, doubts, _ANY)
    return None


def services(loaded: Loaded, problems: list[Problem], doubts: Doubts) -> Iterator[tuple[int, ServiceConfig]]:
    """The stack's served models, each with its place in the list."""
    seen = dict.fromkeys(loaded.stack.components, "component") | dict.fromkeys(catalogue.catalogue(), "component")
    for index, raw in enumerate(loaded.stack.serving):
        under: Path = ("serving", index)
        if under in loaded.doubts:
            continue
        name = str(raw.get("template", ""))
        if name not in serving.BUILT_IN:
            text = f"unknown template '{name[:40]}'" if name else "template is missing"
            where = loaded.where(*under, "template")
            problems.append(Problem(f"serving[{index}]: {text}", where, nearest(name, serving.BUILT_IN)))
            continue
        model = _salvaged(serving.template(name).config_model(), raw, loaded, under, problems, doubts, _ANY)
        if model is None:
            continue
        if other := seen.get(model.name):
            text = f"serving[{index}]: a {other} is called '{model.name}' too, and both would have one folder"
            problems.append(Problem(text, loaded.where(*under, "name"), "give it another name"))
            continue
        seen[model.name] = "model"
        yield index, model
