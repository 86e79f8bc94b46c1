"""Asks the code of a component or a job about a stack: an exception in it is reported at the stack's line.

The code may be a package's; where it fails, the problem names its own file and line as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from platform_def.config.written.explain import dotted
from platform_def.errors import ConfigError, PlatformError, Problem
from platform_def.packages import blamed
from platform_def.pipeline.load import Loaded


@contextmanager
def asked(problems: list[Problem], loaded: Loaded, *path: str | int, of: type | None = None) -> Iterator[None]:
    """Ask what stands at `path` of the stack; its problems go to `problems`. `of` is the class that answers."""
    try:
        with blamed(of):
            yield
    except PlatformError as error:
        problems += at_the_stack(error.problems, loaded, *path)


@contextmanager
def answering(loaded: Loaded, *path: str | int, of: type | None = None) -> Iterator[None]:
    """The same where nothing else is asked beside it: its problems are raised."""
    problems: list[Problem] = []
    with asked(problems, loaded, *path, of=of):
        yield
    if problems:
        raise ConfigError(problems)


def at_the_stack(problems: Iterable[Problem], loaded: Loaded, *path: str | int) -> Iterator[Problem]:
    """The problems with the line of what stands at `path`, where they do not name a better one."""
    for each in problems:
        text = f"{dotted(path)}: {each.text}" if each.trace else each.text
        yield replace(each, text=text, where=each.where or loaded.where(*(each.at or path)))
