"""JupyterHub's own programs, from PyPI, and what they make of a stack's files for the hub.

`requirements/jupyterhub.txt` pins them with hashes; the environment is made once and kept in the cache of tools.
`python -m tests.cluster.hub` makes it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.cluster.environments import make
from tests.cluster.tools import MissingToolError

PROGRAM = Path(__file__).parent / "programs" / "hub" / "servers.py"
SECRETS = ("proxy-token", "cookie-secret", "metrics-token", "client-secret", "password", "admin-password")


def obtain_hub() -> Path:
    """Its Python, made when missing; MissingToolError when that cannot be done."""
    return make("jupyterhub")


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
        sys.stdout.write(f"JupyterHub: {obtain_hub()}\n")
    except MissingToolError as error:
        sys.exit(f"error: {error}")
