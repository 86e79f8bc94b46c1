"""The Secrets that a stack says where to get, with their places: in components' own settings and in what is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic.alias_generators import to_camel

from platform_def.capabilities.secrets import refuse_unserved
from platform_def.config.platform import Platform
from platform_def.config.secrets import SecretSource
from platform_def.errors import ConfigError, Problem
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.resolve.choices import Choices
from platform_def.pipeline.resolve.doubts import Doubts

Path = tuple[str | int, ...]
Found = tuple[Path, SecretSource]


def sources(made: Choices) -> list[Found]:
    """All of them, each with the path of its value in the stack."""
    found: list[Found] = []
    for name, chosen in made.built.items():
        found += _within(chosen.config, ("components", name))
    for kind, value in made.external.items():
        found += _within(value, ("external", kind))
    provides = {name: each.provides for name, each in made.provided.items()}
    provides |= {name: each.provides for name, each in made.applications.items()}
    for name, given in sorted(provides.items()):
        found += _given(given, ("components", name, "provides"))
    return found


def unserved(loaded: Loaded, found: list[Found], platform: Platform, doubts: Doubts) -> Iterator[Problem]:
    """Secrets that nothing in the stack makes: no store, no controller, an engine that does not decrypt."""
    for path, source in found:
        for each in doubts.sure(_refusals(source, platform)):
            if len(path) > 1:  # the build of what names it would say it again
                doubts.wrong.add((str(path[0]), path[1]))
            yield Problem(f"{'.'.join(map(str, path))}: {each.text}", loaded.where(*path), each.hint)


def _refusals(source: SecretSource, platform: Platform) -> Iterator[Problem]:
    try:
        refuse_unserved(source, platform)
    except ConfigError as error:
        yield from error.problems


def _given(provides: Mapping[str, Mapping[str, JsonValue]], under: Path) -> Iterator[Found]:
    """What an entry says that it gives; what does not fit is reported where offers are gathered."""
    for kind, raw in provides.items():
        yield from _raw(raw, (*under, kind))


def _raw(value: JsonValue | Mapping[str, JsonValue], path: Path) -> Iterator[Found]:
    """Whatever reads as a source: capabilities that are given in part cannot be validated before they are whole."""
    if isinstance(value, Mapping):
        if "sealed" in value or "sops" in value or "externalSecret" in value:
            try:
                yield path, SecretSource.from_file(value)
            except ValidationError:
                return
        for key, inner in value.items():
            yield from _raw(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _raw(inner, (*path, index))


def _within(value: object, path: Path) -> Iterator[Found]:
    if isinstance(value, SecretSource):
        yield path, value
    elif isinstance(value, BaseModel):
        for name, inner in value:
            yield from _within(inner, (*path, to_camel(name)))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _within(inner, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _within(inner, (*path, index))
