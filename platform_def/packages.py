"""Code that installed packages bring by entry points: components, job templates, APIs, capabilities.

However it fails, and however it tries to end the run, that is a problem at its own file and line. Without this,
`sys.exit` in a component would end `synth --check` with exit code 0.
"""

from __future__ import annotations

import inspect
import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NoReturn

from platform_def.errors import ConfigError, PlatformError, Problem

COMPONENTS = "platform_def.components"
JOBS = "platform_def.jobs"
APIS = "platform_def.apis"
CAPABILITIES = "platform_def.capabilities"
GROUPS = (COMPONENTS, JOBS, APIS, CAPABILITIES)
"""Every group of entry points that this tool reads."""

HINT = "correct the package's code there; --debug shows the traceback"
_OURS = __name__.partition(".")[0]
_LONGEST = 300


def load(what: str, value: str) -> Any:
    """The object that an entry point names as `module:attribute`; ConfigError with file and line where it fails."""
    module, _, attribute = value.partition(":")
    if is_ours(module):
        return getattr(import_module(module), attribute)
    try:
        return getattr(import_module(module), attribute)
    except (Exception, SystemExit) as error:
        found = _problem(error, _place(error), f"{what} cannot be loaded from {value}: ")
        raise ConfigError(found) from error


def is_ours(module: str) -> bool:
    """Whether a module is part of this tool."""
    return module.partition(".")[0] == _OURS


@contextmanager
def blamed(owner: type | None = None) -> Iterator[None]:
    """Run code of packages: what it raises becomes a ConfigError that names its file and line.

    Where no line of a package took part, `owner`, a class of a package, is to blame; without one the error is this
    tool's own, and is passed on.
    """
    try:
        yield
    except PlatformError:
        raise
    except (Exception, SystemExit) as found:
        error = _guilty(found)
        place = _place(error) or (_definition(owner) if owner and not is_ours(owner.__module__) else "")
        if not place:
            raise
        raise ConfigError(_problem(error, place)) from found


@contextmanager
def exits_raise() -> Iterator[None]:
    """Let `os._exit`, which would end the run as a success and without a word, raise SystemExit.

    Child processes that are forked meanwhile end by it as always.
    """
    before = os._exit
    os._exit = partial(_refused, before, os.getpid())
    try:
        yield
    finally:
        os._exit = before


def _refused(leave: Callable[[int], NoReturn], process: int, status: int) -> NoReturn:
    if os.getpid() != process:
        leave(status)
    raise SystemExit(status)


def ended(end: SystemExit) -> Problem:
    """The problem that something other than the command line ended the run."""
    return _problem(end, "")


def _problem(error: BaseException, place: str, before: str = "") -> Problem:
    at = f"{place}: " if place else ""
    trace = "".join(traceback.format_exception(error))
    return Problem(f"{before}{at}{_said(error)}", hint=HINT, trace=trace)


def _said(error: BaseException) -> str:
    """The exception in one line; one that cannot say itself is named."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    if isinstance(error, SystemExit):
        return "it ends the run" + (f" (sys.exit: {text[:_LONGEST]})" if text else "")
    return f"{type(error).__name__}{': ' if text else ''}{text[:_LONGEST]}"


def _guilty(error: BaseException) -> BaseException:
    """The newest of the chain in which a package took part: pydantic wraps what a serializer raises."""
    each: BaseException | None = error
    while each is not None and not _place(each):
        each = each.__cause__ or each.__context__
    return each or error


def _place(error: BaseException) -> str:
    """The innermost line of a package that took part; empty where none did."""
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).is_file():
        return f"{_shown(error.filename)}:{error.lineno or 0}"
    roots = {point.value.partition(":")[0].partition(".")[0] for group in GROUPS for point in entry_points(group=group)}
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        root = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if root in roots and root != _OURS:
            inside = frame.f_code.co_qualname
            where = "" if inside.startswith("<") else f": in {inside}"
            return f"{_shown(frame.f_code.co_filename)}:{line}{where}"
    return ""


def _definition(owner: type) -> str:
    try:
        file, line = inspect.getsourcefile(owner) or "", inspect.getsourcelines(owner)[1]
    except (OSError, TypeError):
        return f"{owner.__module__}.{owner.__qualname__}"
    return f"{_shown(file)}:{line}: in {owner.__qualname__}"


def _shown(file: str) -> str:
    """The path from where the command was called, where the file lies below that."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
