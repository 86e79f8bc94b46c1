"""A platform repository in a folder of its own, driven as its user does: through the installed command alone."""

from __future__ import annotations

import gc
import importlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from platform_def import capabilities
from platform_def.cli.main import main
from platform_def.components import catalogue
from platform_def.crds import catalogue as apis
from platform_def.jobs import templates
from platform_def.pipeline import code as tool
from platform_def.pipeline.code import _Remembered

PROJECT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
PLATFORMCTL = BIN / "platformctl"

HEAD = 'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"}\n'
SMALL = f"{HEAD}components: {{training-operator: {{}}}}\n"
"""The smallest stack with a component of the catalogue in it."""

_NOWHERE = "http://127.0.0.1:9"
_HASHES: dict[tuple[object, ...], str] = {}
_TOOL = str(PROJECT / "platform_def")
_LISTED: list[tuple[str, os.stat_result]] = []
_hash_of, _files = _Remembered.hash_of, tool._files


def _known_hash_of(self: _Remembered, path: str, stat: os.stat_result) -> str:
    """The hash of a file of the code, which a new repository would read as well as the one before, where nothing of it changed."""
    seen = (path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
    found = _HASHES.get(seen)
    if not found:
        _HASHES[seen] = found = _hash_of(self, path, stat)
    return found


def _known_files(root: str) -> Iterable[tuple[str, os.stat_result]]:
    """The files below a root of the code; those of the tool itself, which is loaded and stays as it is, are listed once."""
    if root != _TOOL:
        return _files(root)
    if not _LISTED:
        _LISTED.extend(_files(root))
    return _LISTED


@contextmanager
def _collecting_again() -> Iterator[None]:
    """The command collects no garbage, and lets what it holds out of later collections: a process of tests does not end.

    Each run would leave all that it made: three gigabytes in the course of the tests. Nor does the command look for garbage
    between its stacks meanwhile: it would look through all that the tests hold.
    """
    collected = gc.isenabled()
    try:
        with patch("gc.freeze"), patch("gc.collect"):
            yield
    finally:
        if collected:
            gc.enable()


_WHAT_IS_INSTALLED = (
    catalogue.catalogue,
    catalogue.component,
    templates.templates,
    templates.template,
    apis._brought,
    capabilities.capabilities,
)
"""What remembers entry points, or what was loaded by them."""


@contextmanager
def installed(folder: Path, environment: Mapping[str, str] | None = None) -> Iterator[None]:
    """Packages in a folder are installed for commands within this process, which knows nothing of them before and after."""
    try:
        with (
            patch.object(sys, "path", [str(folder), *sys.path]),
            patch.object(sys, "dont_write_bytecode", True),
            patch.dict(os.environ, environment or {}),
        ):
            _forget_what_is_installed()
            yield
    finally:
        names = {path.name.partition(".")[0] for path in folder.iterdir()}
        for module in [name for name in sys.modules if name.partition(".")[0] in names]:
            del sys.modules[module]
        _forget_what_is_installed()


def _forget_what_is_installed() -> None:
    importlib.invalidate_caches()
    for each in _WHAT_IS_INSTALLED:
        each.cache_clear()


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its answer to `-o json`."""
        return json.loads(self.out)


def contents(base: Path) -> dict[str, bytes]:
    """Contents of the files below a folder, by path."""
    return {path.relative_to(base).as_posix(): path.read_bytes() for path in base.rglob("*") if path.is_file()}


class Repository:
    """A folder, and the commands run in it with nothing of the caller's environment."""

    def __init__(self, root: Path):
        self.root = root
        home = root.with_name(f"home of {root.name}")
        home.mkdir(exist_ok=True)
        self.environment = {
            "PATH": os.pathsep.join((str(BIN), "/usr/bin", "/bin")),
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "HTTP_PROXY": _NOWHERE,
            "HTTPS_PROXY": _NOWHERE,
        }

    def write(self, files: Mapping[str, str]) -> Repository:
        """Write files by path."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return self

    def run(self, *words: str, code: int = 0, stdin: str = "", environment: Mapping[str, str] | None = None) -> Done:
        """The installed `platformctl` with these words; it must end with `code`, and never with a traceback."""
        return self.call(str(PLATFORMCTL), *words, code=code, stdin=stdin, environment=environment)

    def ask(self, *words: str, code: int | None = 0, stdin: str = "") -> Done:
        """The same within this process: for tests of what a command says, where a start for each would take minutes.

        `code` None is for those who ask whether the answer is yes or no.
        """
        done = self.hear(*words, stdin=stdin)
        assert done.code == code or (code is None and done.code in (0, 1)), f"{done.out}\n{done.err}"
        return done

    def hear(self, *words: str, stdin: str = "") -> Done:
        """The same, however it ends."""
        out, err = io.StringIO(), io.StringIO()
        stdin_bytes = io.TextIOWrapper(io.BytesIO(stdin.encode()))
        with ExitStack() as changed:
            changed.enter_context(_collecting_again())
            changed.enter_context(chdir(self.root))
            changed.enter_context(redirect_stdout(out))
            changed.enter_context(redirect_stderr(err))
            changed.enter_context(patch.object(_Remembered, "hash_of", _known_hash_of))
            changed.enter_context(patch.object(tool, "_files", _known_files))
            changed.enter_context(patch("sys.argv", ["platformctl", *words]))
            changed.enter_context(patch("sys.stdin", stdin_bytes))
            with pytest.raises(SystemExit) as ended:
                main()

        return Done(int(ended.value.code or 0), out.getvalue(), err.getvalue())

    def call(self, *command: str, code: int = 0, stdin: str = "", environment: Mapping[str, str] | None = None) -> Done:
        """Any command, in the repository."""
        done = subprocess.run(
            command,
            cwd=self.root,
            input=stdin.encode(),
            env={**self.environment, **(environment or {})},
            capture_output=True,
            check=False,
            timeout=120,
        )
        out, err = done.stdout.decode(), done.stderr.decode()

        assert "Traceback" not in err, err
        assert done.returncode == code, f"exit code {done.returncode}, not {code}\n{out}\n{err}"
        return Done(done.returncode, out, err)

    def files(self, folder: str = "dist") -> dict[str, bytes]:
        """Contents by path below a folder."""
        return contents(self.root / folder)

    def copy(self, root: Path) -> Repository:
        """The same repository elsewhere, caches included."""
        shutil.copytree(self.root, root, symlinks=True, dirs_exist_ok=True)
        return Repository(root)
