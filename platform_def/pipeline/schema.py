"""The JSON Schema of stack files, for editors: from the models, their attribute docstrings and the catalogue."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from platform_def.components import catalogue
from platform_def.config.component import Application, Provided
from platform_def.config.explain import docs_of, with_inner
from platform_def.config.stack import Stack
from platform_def.jobs.templates import template, templates

URL = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def stack_schema() -> Schema:
    """The schema of a stack file, components of the catalogue and of installed packages included."""
    components = {name: catalogue.component(name).config_model() for name in catalogue.catalogue()}
    jobs = {name: template(name).config_model() for name in templates()}
    models = with_inner([Stack, Provided, Application, *components.values(), *jobs.values()])
    references, together = models_json_schema([(model, "validation") for model in models], by_alias=True)
    definitions: dict[str, Schema] = together["$defs"]
    for model in models:
        _document(definitions[_name(references[model, "validation"])], model)
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
                   "description": _first(catalogue.component(name))}
            for name, model in sorted(components.items())
        },
        "additionalProperties": references[Application, "validation"],
    }  # fmt: skip
    stack["properties"]["jobs"]["items"] = {
        "oneOf": [
            {"allOf": [{"properties": {"template": {"const": name}}}, references[model, "validation"]]}
            for name, model in sorted(jobs.items())
        ]
    }
    # A base holds a part of a stack: what is required is required of the stack once merged.
    stack.pop("required", None)
    return {"$schema": URL, "title": "platform_def stack", **stack, "$defs": dict(sorted(definitions.items()))}


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


def _first(model: type) -> str:
    return (model.__doc__ or "").strip().splitlines()[0]
