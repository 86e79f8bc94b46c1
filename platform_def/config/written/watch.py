"""Configurations that note which of their fields are read, as `Platform` notes its facts."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import TypeVar

from platform_def.config.model import Model
from platform_def.config.reads import note

M = TypeVar("M", bound=Model)


def watched(value: M, names: Mapping[str, str]) -> M:
    """The same value; `observed()` sees when one of these fields is read, under the name that goes with it."""
    if names:
        object.__setattr__(value, "__class__", watching(type(value), names))
    return value


def watching(kind: type[M], names: Mapping[str, str]) -> type[M]:
    """The class of values that note when these fields are read."""
    if not names:
        return kind

    def read(self: M, name: str) -> object:
        if name in names:
            note(names[name])
        return object.__getattribute__(self, name)

    body = {"__getattribute__": read, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    made: type[M] = types.new_class(kind.__name__, (kind,), exec_body=lambda space: space.update(body))
    return made
