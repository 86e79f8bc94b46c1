"""The JSON Schema of stack files, for editors: from the models, their attribute docstrings and the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from platform_def.components import catalogue
from platform_def.config.component import Application, Provided
from platform_def.config.pools import Taint
from platform_def.config.rdma import Rdma
from platform_def.config.stack import Stack
from platform_def.config.written.explain import about, docs_of, with_inner
from platform_def.jobs.templates import template, templates
from platform_def.serving import templates as served

URL = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

SHORT: Mapping[type[BaseModel], Schema] = {
    Taint: {"type": "string", "pattern": r"^[^=:\s]+(=[^=:\s]*)?:(NoSchedule|PreferNoSchedule|NoExecute)$"},
    Rdma: {"enum": ["none", "infiniband", "roce"]},
}
"""How files write these short; as a map they are taken too."""


def stack_schema() -> Schema:
    """The schema of a stack file, components of the catalogue and of installed packages included."""
    components = {name: catalogue.component(name).config_model() for name in catalogue.catalogue()}
    jobs = {name: template(name).config_model() for name in templates()}
    serving = {name: served.template(name).config_model() for name in served.BUILT_IN}
    models = with_inner([Stack, Provided, Application, *components.values(), *jobs.values(), *serving.values()])
    references, together = models_json_schema([(model, "validation") for model in models], by_alias=True)
    definitions: dict[str, Schema] = together["$defs"]
    for model in models:
        name = _name(references[model, "validation"])
        _document(definitions[name], model)
        short = next((form for kind, form in SHORT.items() if issubclass(model, kind)), None)
        if short:
            definitions[name] = {"anyOf": [short, definitions[name]]}
    for model in components.values():
        release = definitions[_name(references[model, "validation"])]["properties"].get("release")
        if release is not None and model.releases:
            release["enum"] = [each.version for each in model.releases]
    stack = definitions.pop(_name(references[Stack, "validation"]))
    stack["properties"]["components"] = {
        "type": "object",
        "description": docs_of(Stack)["components"],
        "properties": {
            name: {"anyOf": [references[model, "validation"], references[Provided, "validation"], {"type": "null"}],
                   "description": about(catalogue.component(name))}
            for name, model in sorted(components.items())
        },
        "additionalProperties": {
            "anyOf": [
                references[Application, "validation"],
                references[Provided, "validation"],
                _named(components),
            ]
        },
    }  # fmt: skip
    for field, models_of in (("jobs", jobs), ("serving", serving)):
        stack["properties"][field]["items"] = {
            "anyOf": [
                {"allOf": [{"properties": {"template": {"const": name}}}, references[model, "validation"]]}
                for name, model in sorted(models_of.items())
            ]
        }
    whole = {"$schema": URL, "title": "platform_def stack", **stack, "$defs": dict(sorted(definitions.items()))}
    _allow_parts(whole)
    return whole


def _named(components: Mapping[str, type[BaseModel]]) -> Schema:
    """An entry under a name of its own, which says whose it is."""
    return {"type": "object", "required": ["component"], "properties": {"component": {"enum": sorted(components)}}}


def _allow_parts(schema: Any) -> None:
    """A file may hold a part of anything: what is required is required once all that it extends is merged in.

    Items of lists are merged by name, so theirs is always there; the cluster's is by default the stack's.
    """
    for key, part in schema.items() if isinstance(schema, dict) else enumerate(schema):
        if key == "properties":
            for each in part.values():
                _allow_parts(each)
        elif isinstance(part, dict | list):
            _allow_parts(part)
    if isinstance(schema, dict):
        required = schema.pop("required", ())
        if "name" in required and schema.get("title") != "Cluster":
            schema["required"] = ["name"]
        if "oneOf" in schema:
            schema["anyOf"] = schema.pop("oneOf")


def _name(reference: Any) -> str:
    return str(reference["$ref"]).rsplit("/", 1)[-1]


def _document(schema: Schema, model: type[BaseModel]) -> None:
    docs = docs_of(model)
    for name, info in model.model_fields.items():
        field = schema.get("properties", {}).get(info.alias or name)
        if field is not None:
            field.pop("title", None)
            if name in docs:
                field["description"] = docs[name]
