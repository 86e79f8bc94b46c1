"""Writes Flyte's configuration with credentials: `configure.py SETTINGS FOLDER`; Flyte reads all files of the folder.

User and password of the database and keys of the store get into a file in the pod's memory only; YAML reads JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def credentials(variables: Mapping[str, str]) -> dict[str, Any]:
    """What Flyte needs to prove itself."""
    postgres = {"username": variables["DB_USER"], "password": variables["DB_PASSWORD"]}
    found: dict[str, Any] = {"database": {"postgres": postgres}}
    if "STORE_ACCESS_KEY" in variables:
        keys = {"access_key_id": variables["STORE_ACCESS_KEY"], "secret_key": variables["STORE_SECRET_KEY"]}
        found["storage"] = {"stow": {"config": keys}}
    return found


def main() -> None:
    """Copy the files without credentials, and write the one with them, which is read last."""
    settings, folder = map(Path, sys.argv[1:])
    for file in sorted(settings.glob("*.yaml")):
        shutil.copyfile(file, folder / file.name)
    (folder / "900-credentials.yaml").write_text(json.dumps(credentials(os.environ)))


if __name__ == "__main__":
    main()
