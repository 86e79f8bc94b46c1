"""The folders that commands work in, and the ways in which they speak: data on stdout, messages on stderr."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import click

from platform_def.cli import completion
from platform_def.cli.root import FOLDER, GIT, found_root
from platform_def.cli.streams import data
from platform_def.errors import ConfigError, visible

STATE = ".platformctl"

PATH = click.Path(path_type=Path)
STACKS = click.argument(
    "stacks",
    nargs=-1,
    metavar="[STACK]...",
    help="Stacks to work on; all of stacks/ when left out.",
    shell_complete=completion.stacks,
)
ROOT = click.option(
    "--root",
    "-C",
    metavar="DIR",
    type=PATH,
    default=".",
    callback=lambda _context, _option, given: found_root(given),
    help="The platform repository; by default this folder, or the nearest above it whose stacks/ holds a stack.",
)
OUT = click.option(
    "--out", metavar="DIR", type=PATH, help="Where the manifests go; dist/ of the repository when left out."
)
BASE = click.option(
    "--base",
    metavar="REV",
    default="",
    show_default=False,
    help="Compare with dist/ in the merge base of HEAD and this git revision, instead of dist/ on disk.",
)
CACHE = click.option(
    "--cache/--no-cache", default=True, help="Use results of earlier runs, kept by content in .platformctl/."
)
JOBS = click.option(
    "--jobs",
    "-j",
    metavar="N",
    type=click.IntRange(0, 64),
    default=0,
    help="Processes that work at once; 0: as many as processors.",
)


class Output(StrEnum):
    """How a command prints its result."""

    text = "text"
    json = "json"


OUTPUT = click.option("--output", "-o", type=click.Choice(Output), default=Output.text, help="How to print the result.")


@dataclass(frozen=True)
class RunFolders:
    """The folders of one run."""

    root: Path
    out: Path

    @staticmethod
    def of(root: Path, out: Path | None) -> RunFolders:
        """Folders from the command's options; ConfigError where the output would fall among what is read."""
        place = RunFolders(root, out if out is not None else root / "dist")
        refuse_git(place.out, f"--out {place.out}")
        place.keep_apart((FOLDER, "overlays"))
        return place

    def keep_apart(self, sources: Iterable[str]) -> None:
        """ConfigError where the output would fall among what is read: these folders of the repository."""
        real = Path(os.path.realpath(self.out))
        for name in sources:
            source = Path(os.path.realpath(self.root / name))
            if real.is_relative_to(source) or source.is_relative_to(real):
                raise ConfigError(f"--out {self.out} and {name}/ lie in each other", hint="choose a folder of its own")

    @property
    def cache(self) -> Path:
        """Results by content."""
        return self.root / STATE / "cache"

    @property
    def state(self) -> Path:
        """Lock, drafts and notes: beside the output, so that both are on one file system."""
        return self.out.absolute().parent / STATE


def counted(count: int, noun: str) -> str:
    """`1 stack`, `2 stacks`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def refuse_git(path: Path, shown: str) -> None:
    """ConfigError for what lies in git's own folder, which is not reviewed and in which git may break."""
    if GIT in Path(os.path.realpath(path)).parts:
        raise ConfigError(f"{shown} lies in {GIT}, the folder of git itself", hint="choose a folder of its own")


def save(path: Path, text: str) -> None:
    """Write a file and the folders above it; ConfigError where that cannot be."""
    refuse_git(path, str(path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from None


def copy(source: Path, target: Path) -> None:
    """Copy a file and make the folders above it; ConfigError where that cannot be."""
    refuse_git(target, str(target))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    except OSError as error:
        raise ConfigError(f"{target} cannot be written: {error.strerror}") from None


def say(text: str) -> None:
    """A message for the person at the terminal, or in the log."""
    sys.stderr.write(_lines(text) + "\n")


def show(text: str) -> None:
    """Data, a line or several."""
    write(_lines(text) + "\n")


def write(text: str) -> None:
    """Data as it is."""
    data().write(text)


def _lines(text: str) -> str:
    """What a terminal would obey, hide or turn round is shown as escapes; lines and tabs stay."""
    return text if text.isprintable() else re.sub("[^\n\t]+", lambda found: visible(found[0]), text)
