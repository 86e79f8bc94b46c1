"""Asks Go's module proxy, PyPI, npm and Helm indexes for versions, each through its ordinary client."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from urllib.error import URLError
from urllib.request import urlopen

from packaging.version import InvalidVersion, Version

from platform_def.yaml import load

TABLE = Path(__file__).with_name("sources.yaml")
SECONDS = 60
"""As long as a source may take."""


class UnansweredError(Exception):
    """A source does not say; the text is the reason."""


@dataclass(frozen=True)
class Source:
    """Where versions are asked for."""

    kind: str
    """`go`, `pypi`, `npm` or `helm`; `none` where nothing can be asked."""
    name: str
    """The module or package; `<index> <chart>` of Helm; the reason of `none`."""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def components() -> dict[str, Source]:
    """The source of every component, by its name."""
    table = cast("dict[str, dict[str, str]]", load(TABLE.read_text(encoding="utf-8"), file=TABLE.name))
    return {name: Source(*only) for name, said in table.items() for only in said.items()}


def ask(source: Source) -> list[str]:
    """Every stable version that a source has, oldest first; UnansweredError with its reason where it gives none."""
    if source.kind == "none":
        raise UnansweredError(source.name)
    found = [each for each in map(stable, _CLIENTS[source.kind](source.name)) if each is not None]
    if not found:
        raise UnansweredError("it has no stable version")
    return [str(each) for each in sorted(set(found))]


def stable(text: str) -> Version | None:
    """A version without a leading `v`; None for pre-releases and for what is no version."""
    try:
        found = Version(text.removeprefix("v").partition("+")[0])
    except InvalidVersion:
        return None
    return None if found.is_prerelease else found


def of_go(module: str) -> list[str]:
    """`go list -m -versions`."""
    return _run(["go", "list", "-m", "-versions", module]).split()[1:]


def of_pypi(package: str) -> list[str]:
    """`pip index versions`."""
    said = _run([sys.executable, "-m", "pip", "index", "versions", "--disable-pip-version-check", package])
    listed = re.search(r"^Available versions: (.+)$", said, re.MULTILINE)
    return listed[1].split(", ") if listed else []


def of_npm(package: str) -> list[str]:
    """`npm view`."""
    found = json.loads(_run(["npm", "view", package, "versions", "--json"]))
    return [found] if isinstance(found, str) else [str(each) for each in found]


def of_helm(place: str) -> list[str]:
    """The versions of the program (`appVersion`) in an index."""
    index, chart = place.split()
    try:
        with urlopen(f"{index}/index.yaml", timeout=SECONDS) as answer:
            text = answer.read().decode()
    except (URLError, TimeoutError) as error:
        raise UnansweredError(str(error)) from error
    return versions_in(text, chart)


def versions_in(index: str, chart: str) -> list[str]:
    """The versions of a chart's program; an index is too large for a reader that keeps the lines of each value."""
    entry = re.search(rf"^  {re.escape(chart)}:\n((?:  [ -].*\n?)+)", index, re.MULTILINE)
    return re.findall(r"^  (?:- |  )appVersion: \"?'?([^\s\"']+)", entry[1], re.MULTILINE) if entry else []


_CLIENTS: Mapping[str, Callable[[str], Sequence[str]]] = {"go": of_go, "pypi": of_pypi, "npm": of_npm, "helm": of_helm}


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except FileNotFoundError as error:
        raise UnansweredError(f"{command[0]} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise UnansweredError(f"no answer in {SECONDS} seconds") from error
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise UnansweredError(lines[-1][:120] if lines else f"{command[0]} ended with {done.returncode}")
    return done.stdout
