"""The templates of served models, by name, as import strings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from platform_def.errors import ConfigError
from platform_def.packages import load
from platform_def.serving.template import ServedModel

BUILT_IN: Mapping[str, str] = {
    "llm": "platform_def.serving.llm.template:Llm",
    "serve": "platform_def.serving.serve:Serve",
}


@cache
def template(name: str) -> type[ServedModel[Any]]:
    """The class of a template."""
    found = load(f"template '{name}'", BUILT_IN[name])
    if not (isinstance(found, type) and issubclass(found, ServedModel)):
        raise ConfigError(f"template '{name}': {BUILT_IN[name]} is not a ServedModel")
    return found
