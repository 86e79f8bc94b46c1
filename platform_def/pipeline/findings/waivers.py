"""The waivers of a stack, and those in a file of their own, which manifests without a stack have."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from platform_def.checks.waivers import PlacedWaiver, problems
from platform_def.config.stack import Checks
from platform_def.config.written.explain import problems_of
from platform_def.config.written.provenance import trace
from platform_def.errors import ConfigError
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.user_files import reading
from platform_def.yaml import parse


def waivers_of(loaded: Loaded) -> list[PlacedWaiver]:
    """The waivers of a stack, with where they stand."""
    return [
        PlacedWaiver(each, loaded.where("checks", "waive", index))
        for index, each in enumerate(loaded.stack.checks.waive)
    ]


def waivers_in(path: Path) -> list[PlacedWaiver]:
    """The waivers of a file; ConfigError with all that is wrong with it."""
    file = path.as_posix()
    with reading(file):
        content = path.read_bytes()
    traced = trace(parse(content, file=file), file)
    try:
        checks = Checks.from_file(traced.plain())
    except ValidationError as error:
        raise ConfigError(problems_of(error, Checks, traced)) from None
    found = [PlacedWaiver(each, traced.locate(("waive", index))) for index, each in enumerate(checks.waive)]
    if wrong := list(problems(found, foreign=True)):
        raise ConfigError(wrong)
    return found
