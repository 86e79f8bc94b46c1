"""Writes the dashboards of ConfigMaps into a folder; runs beside Grafana, from a ConfigMap, on Python's own library.

A ConfigMap with the label is a file for each of its keys, in a folder for each namespace where several are read. What
is gone from the cluster is removed; while the API server does not answer, files stay as they are.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
import sys
import time
from pathlib import Path
from typing import Any

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
SECONDS = 30
Files = dict[str, str]


def listed(account: Path, path: str) -> list[dict[str, Any]]:
    """All ConfigMaps that the path lists, page by page; OSError where the API server does not give them."""
    token = (account / "token").read_text().strip()
    tls = ssl.create_default_context(cafile=str(account / "ca.crt"))
    # Python 3.13 asks for extensions that authorities of many clusters lack; who signed is checked all the same.
    tls.verify_flags &= ~ssl.VERIFY_X509_STRICT
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"])
    found: list[dict[str, Any]] = []
    rest = ""
    while True:
        connection = http.client.HTTPSConnection(host, port, timeout=SECONDS, context=tls)
        try:
            connection.request("GET", f"{path}&limit=100{rest}", headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            body = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status != 200:
            raise OSError(f"{answer.status} {body.get('message', '')}")
        found += body["items"]
        following = body["metadata"].get("continue", "")
        if not following:
            return found
        rest = f"&continue={following}"


def files_of(objects: list[dict[str, Any]], *, by_namespace: bool) -> Files:
    """What the folder is to hold: text by path. Keys of ConfigMaps hold no slash."""
    return {
        (f"{each['metadata']['namespace']}/" if by_namespace else "") + f"{each['metadata']['name']}-{key}": text
        for each in objects
        for key, text in each.get("data", {}).items()
        if key.endswith(".json")
    }


def write(folder: Path, files: Files) -> int:
    """Bring the folder to these files; how many were changed. A reader sees an old file or a new one, never a half."""
    changed = 0
    for old in folder.rglob("*.json"):
        if old.relative_to(folder).as_posix() not in files:
            old.unlink()
            changed += 1
    for name, text in files.items():
        target = folder / name
        if target.exists() and target.read_text() == text:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        spare = target.with_suffix(".new")
        spare.write_text(text)
        spare.replace(target)
        changed += 1
    return changed


def main() -> None:
    """Look again and again: `reader.py FOLDER PATH-OF-THE-LIST`."""
    folder, path = Path(sys.argv[1]), sys.argv[2]
    while True:
        try:
            objects = listed(Path(os.environ.get("ACCOUNT", ACCOUNT)), path)
            changed = write(folder, files_of(objects, by_namespace="/namespaces/" not in path))
            if changed:
                print(f"{changed} dashboards changed", flush=True)
        except (OSError, http.client.HTTPException, ValueError) as error:
            print(f"cannot read ConfigMaps: {error}", file=sys.stderr, flush=True)
        time.sleep(SECONDS)


if __name__ == "__main__":
    main()
