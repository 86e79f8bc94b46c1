"""Emissary's own compiler, which turns its objects into Envoy's configuration: Python code in the zip of its Go module.

It is taken from the module that `go/emissary` pins, and what it imports from PyPI by `requirements/emissary.txt`; both
are made once and kept in the cache of tools. `python -m tests.cluster.compiler` makes them.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from platform_def.yaml import dump
from tests.cluster.client import Manifest
from tests.cluster.tools import GO_FOLDER, MissingToolError, cache_folder, find_go, go_environment, version_of

MODULE = "github.com/emissary-ingress/emissary/v3"
PINS = Path(__file__).parents[2] / "requirements" / "emissary.txt"
PROGRAM = Path(__file__).with_name("compile_emissary.py")


def folder() -> Path:
    """Where it is, or will be: its environment, and its code in `code`."""
    digest = hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]
    return cache_folder() / f"emissary-compiler-{version_of('apiext')}-{digest}"


def obtain_compiler() -> Path:
    """The folder, made when missing; MissingToolError when that cannot be done."""
    target = folder()
    if not (target / "complete").exists():
        code = _code(find_go())
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(target)], check=True)
        pip = [str(target / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", "--require-hashes"]
        if subprocess.run([*pip, "-r", str(PINS)], check=False).returncode != 0:
            raise MissingToolError(f"what Emissary's compiler imports cannot be had: {PINS.name}")
        shutil.copytree(code / "ambassador", target / "code" / "ambassador")
        # It looks for its schemas beside the package of this name.
        (target / "code" / "ambassador.egg-info").mkdir()
        about = f"Metadata-Version: 2.1\nName: ambassador\nVersion: {version_of('apiext').removeprefix('v')}\n"
        (target / "code" / "ambassador.egg-info" / "PKG-INFO").write_text(about)
        (target / "complete").touch()
    return target


def _code(go: Path) -> Path:
    """The folder `python` of the module, whose hash the go.sum has."""
    with tempfile.TemporaryDirectory(prefix="platform-def-go-") as scratch:
        work = Path(scratch) / "module"
        shutil.copytree(GO_FOLDER / "emissary", work)
        command = [str(go), "mod", "download", "-json", MODULE]
        done = subprocess.run(command, cwd=work, env=go_environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MissingToolError(f"`{' '.join(command)}` failed with code {done.returncode}:\n{done.stdout}{done.stderr}")
    return Path(json.loads(done.stdout)["Dir"]) / "python"


def compiled(compiler: Path, sets: Sequence[Sequence[Manifest]], *, certificates: Path) -> list[dict[str, Any]]:
    """Envoy's configuration of each set of objects; certificates out of Secrets go to files of that folder."""
    texts = ["---\n".join(dump(each) for each in objects) for objects in sets]
    command = [str(compiler / "bin" / "python"), "-I", str(PROGRAM), str(compiler / "code"), str(certificates)]
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made: list[dict[str, Any]] = json.loads(done.stdout)
    return made


if __name__ == "__main__":
    try:
        sys.stdout.write(f"Emissary's compiler: {obtain_compiler()}\n")
    except MissingToolError as error:
        sys.exit(f"error: {error}")
