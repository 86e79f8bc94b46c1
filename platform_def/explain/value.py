"""What `platformctl explain` says of a value: its type, documentation and history."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel

from platform_def.components import catalogue
from platform_def.config.component import ComponentConfig
from platform_def.config.stack import Stack
from platform_def.config.written.explain import docs_of, field_at, names_at, type_name
from platform_def.constructs.render import render
from platform_def.errors import ConfigError, nearest
from platform_def.explain.lines import Lines
from platform_def.jobs.template import PlacedConfig, home_of
from platform_def.jobs.templates import template, templates
from platform_def.pipeline.load import Loaded, load
from platform_def.pipeline.overlays import of_jobs
from platform_def.pipeline.resolve.resolve import resolve
from platform_def.serving import templates as served

Row = dict[str, object]


def explain_value(root: Path, stack: str, path: str) -> list[Row]:
    """One row for the value at a dotted path; list items by index (`nodePools[0]`) or by name (`nodePools.train`)."""
    loaded = load(root, [stack])[0]
    words = re.findall(r"[^.\[\]]+", path)
    if not words:
        raise ConfigError("the path of a value, or KIND/NAME, is wanted", hint="for example cluster.kubernetes")
    steps: list[str | int] = [int(word) if re.fullmatch("[0-9]{1,9}", word) else word for word in words]
    _refuse_absent_item(loaded, steps, path)
    found = loaded.traced.find(steps)
    model, rest = _root_model(loaded, steps)
    unknown = model is Stack and steps[0] in ("components", "jobs", "serving") and len(steps) > 1
    field = None if unknown else field_at(model, rest)
    if field is None and found is None:
        raise ConfigError(f"{stack} has no {path}", hint=_known(loaded, steps))
    row: Row = {"path": path}
    if found is not None:
        row["value"] = found.plain()
        row["from"] = " → ".join(map(str, found.chain))
    elif field is not None:
        required = field.info.is_required()
        row["value"] = None if required else field.info.get_default(call_default_factory=True)
        row["from"] = "required, and not there" if required else "default"
        if issubclass(field.model, ComponentConfig) and field.name == "release":
            row["value"] = next((release.version for release in field.model.releases), "")
        if isinstance(row["value"], BaseModel):
            row["value"] = row["value"].model_dump(mode="json")
        if len(steps) == 3 and steps[0] in ("jobs", "serving"):
            row |= _derived(loaded, steps)
    if len(steps) == 2 and steps[0] == "jobs":
        row |= _job(loaded, steps)
    if field is not None:
        row["type"] = type_name(field.info.annotation)
        about = docs_of(field.model).get(field.name, "")
        if about:
            row["about"] = about
    if len(steps) == 3 and steps[0] == "components" and steps[2] == "workloads":
        row["known"] = _workloads(root, stack, str(steps[1]))
    return [row]


def _refuse_absent_item(loaded: Loaded, steps: list[str | int], path: str) -> None:
    for index, step in enumerate(steps):
        here = loaded.traced.find(steps[:index])
        if here is not None and isinstance(here.value, list) and here.find([step]) is None:
            found = [item.find(["name"]) for item in here.value]
            hint = nearest(str(step), [str(name.value) for name in found if name is not None])
            raise ConfigError(f"{loaded.name} has no {path}", hint=hint)


def _known(loaded: Loaded, steps: list[str | int]) -> str:
    """The nearest name at the first step that leads nowhere: of what is there, may be, or is in the catalogue."""
    for index, step in enumerate(steps):
        here = loaded.traced.find(steps[:index])
        model, rest = _root_model(loaded, steps[:index])
        known = set(names_at(model, rest)) if index != 1 or steps[0] != "components" else set(catalogue.catalogue())
        present = here.value if here is not None else None
        known |= set(present) if isinstance(present, dict) else set()
        if known and str(step) not in known and not isinstance(present, list):
            return nearest(str(step), known)
    return ""


def _root_model(loaded: Loaded, steps: list[str | int]) -> tuple[type[BaseModel], list[str | int]]:
    """The model that a path is about, and what is left of it: components, jobs and served models have their own."""
    if len(steps) > 1 and steps[0] == "components" and (kind := _component(loaded, str(steps[1]))):
        return catalogue.component(kind).config_model(), steps[2:]
    if len(steps) > 1 and steps[0] == "jobs":
        job = loaded.traced.find([*steps[:2], "template"])
        if job is not None and job.value in templates():
            return template(str(job.value)).config_model(), steps[2:]
    if len(steps) > 1 and steps[0] == "serving":
        model = loaded.traced.find([*steps[:2], "template"])
        if model is not None and model.value in served.BUILT_IN:
            return served.template(str(model.value)).config_model(), steps[2:]
    return Stack, steps


def _component(loaded: Loaded, name: str) -> str:
    """Name in the catalogue of what a stack calls `name`; empty for the user's own."""
    said = loaded.stack.components.get(name, {}).get("component")
    kind = said if isinstance(said, str) else name
    return kind if kind in catalogue.catalogue() else ""


def _workloads(root: Path, stack: str, name: str) -> dict[str, object]:
    """What `workloads:` of a component may name in this stack."""
    chosen = (found := resolve(load(root, [stack])[0])).chosen.get(name)
    if chosen is None:
        return {}
    built = render(lambda scope: chosen.kind(scope, config=chosen.config, platform=found.platform, name=name))
    return {
        role: {
            "containers": sorted(each.containers),
            **({"volumes": sorted(each.volumes)} if each.volumes else {}),
            "severalPods": each.scales,
        }
        for role, each in built.roles.items()
    }


def _job(loaded: Loaded, steps: list[str | int]) -> Row:
    """The objects that a job makes, and how its results are read."""
    found = loaded.traced.find([*steps, "name"])
    resolved = resolve(loaded)
    config = resolved.jobs.get(str(found.value)) if found is not None else None
    if config is None:
        return {}
    kind, platform = template(config.template), resolved.platform
    objects = render(lambda scope: kind(scope, config=config, platform=platform)).objects
    made = {each.manifest["kind"]: each.manifest["metadata"]["name"] for each in objects}
    home = home_of(config, platform)
    row: Row = {"makes": Lines(f"{each}: {home}/{name}" for each, name in sorted(made.items()))}
    results = config.result_commands(made, home)
    if overlays := of_jobs.find(loaded.root, loaded.name).get(config.name):
        row["overlays"] = ", ".join(each.name for each in overlays)
    return row | ({"results": Lines(results)} if results else {})


def _derived(loaded: Loaded, steps: list[str | int]) -> Row:
    """What a job or a served model says where the stack file says nothing and the platform decides, and why."""
    found = loaded.traced.find([*steps[:2], "name"])
    resolved = resolve(loaded)
    known: Mapping[str, PlacedConfig] = resolved.jobs if steps[0] == "jobs" else resolved.services
    job = known.get(str(found.value)) if found is not None else None
    value, why = job.derived(resolved.platform).get(str(steps[2]), (None, "")) if job else (None, "")
    return {"value": value, "from": f"default: {why}"} if why else {}
