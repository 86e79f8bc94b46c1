"""The folders that commands work in, and the ways in which they speak: data on stdout, messages on stderr."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import typer

from platform_def.cli import completion
from platform_def.cli.root import FOLDER, GIT, found_root
from platform_def.cli.streams import data
from platform_def.errors import ConfigError, visible

STATE = ".platformctl"

STACKS = typer.Argument(
    None,
    metavar="STACK",
    help="Stacks to work on; all of stacks/ when left out.",
    show_default=False,
    autocompletion=completion.stacks,
)


ROOT = typer.Option(
    Path(),
    "--root",
    "-C",
    metavar="DIR",
    callback=found_root,
    help="The platform repository; by default this folder, or the nearest above it whose stacks/ holds a stack.",
)
OUT = typer.Option(
    None,
    "--out",
    metavar="DIR",
    help="Where the manifests go; dist/ of the repository when left out.",
    show_default=False,
)
BASE = typer.Option(
    "",
    "--base",
    metavar="REV",
    help="Compare with dist/ in the merge base of HEAD and this git revision, instead of dist/ on disk.",
    show_default=False,
)
CACHE = typer.Option(True, "--cache/--no-cache", help="Use results of earlier runs, kept by content in .platformctl/.")
JOBS = typer.Option(
    0, "--jobs", "-j", metavar="N", min=0, max=64, help="Processes that work at once; 0: as many as processors."
)


class Output(StrEnum):
    """How a command prints its result."""

    text = "text"
    json = "json"


OUTPUT = typer.Option(Output.text, "--output", "-o", help="How to print the result.")


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
