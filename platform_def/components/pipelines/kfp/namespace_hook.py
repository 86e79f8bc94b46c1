"""What a namespace that people register gets for its pipelines; runs in the cluster, on Python's own library alone.

Metacontroller asks with the namespace and makes what is answered: the objects of `template.json`, in which the
namespace's name is put. On a store in the cluster the namespace's key is made here, too. It is derived from a seed, so
that the same namespace always has the same one: the program reads no Secret, and answers none.
"""

from __future__ import annotations

import base64
import hmac
import importlib
import json
import re
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
KEPT_SECONDS = 3600.0
"""How long a key that was made counts as there; then it is told to the store once more."""
LARGEST = 16 * 1024 * 1024


class Keys:
    """Makes the key of each namespace: a user of the store for the namespace's own prefix, and a Secret there."""

    def __init__(self, plan: dict[str, Any], secrets: Path, account: Path, pause: float = 1):
        store = importlib.import_module("store_program")
        self._key, self._plan, self._account = store.Key, plan, account
        self._api: Any = importlib.import_module("secret_generator").Api
        self._maker = store.Maker(store.Store(plan), store.Key.read(secrets / "administrator"), pause)
        self._seed = (secrets / "seed" / "seed").read_text().strip()
        self._lock, self._made = threading.Lock(), dict[str, float]()

    def make(self, namespace: dict[str, Any]) -> None:
        """The key, unless it was made within the hour; raises SystemExit where the store or the API server refuses."""
        name, uid = namespace["name"], namespace["uid"]
        with self._lock:  # the store writes all its users into one file
            if time.monotonic() - self._made.get(uid, -KEPT_SECONDS) < KEPT_SECONDS:
                return
            values = {each: derived(self._seed, each, name) for each in ("accessKey", "secretKey")}
            key = self._key(values["accessKey"], values["secretKey"])
            self._maker.user(f"kfp-{name}", key, self._plan["bucket"], f"{self._plan['prefix']}/{name}/")
            self._keep(name, values)
            self._made[uid] = time.monotonic()

    def _keep(self, namespace: str, values: dict[str, str]) -> None:
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": f"kfp-{namespace}-bucket", "labels": self._plan["labels"]},
            "type": "Opaque",
            "data": {key: base64.b64encode(value.encode()).decode() for key, value in values.items()},
        }
        # The token changes: it is read each time.
        status, answer = self._api(self._account).call("POST", f"/api/v1/namespaces/{namespace}/secrets", secret)
        if status not in (201, 409):
            raise SystemExit(f"cannot create the Secret of {namespace}: {status} {answer.get('message', '')}")


def derived(seed: str, what: str, namespace: str) -> str:
    """One half of a namespace's key: letters and digits that say nothing of the seed or of another namespace."""
    made = hmac.digest(seed.encode(), f"{what}/{namespace}".encode(), "sha256").hex()
    return made[: 20 if what == "accessKey" else 40]


def answer(request: dict[str, Any], template: str, plan: dict[str, Any], keys: Keys | None) -> dict[str, Any]:
    """What there shall be in a namespace: the template's objects; where the stack renders them, what is there."""
    namespace = request["object"]["metadata"]
    if not NAME.fullmatch(namespace["name"]):
        raise ValueError("no name of a namespace")
    if namespace["name"] in plan["rendered"]:
        return {"attachments": [each for group in request["attachments"].values() for each in group.values()]}
    if keys and "deletionTimestamp" not in namespace:
        keys.make(namespace)
    return {"attachments": json.loads(template.replace(plan["placeholder"], namespace["name"]))}


class NamespaceQuestions(BaseHTTPRequestHandler):
    """One request; `template`, `plan` and `keys` are those of the program."""

    template: str
    plan: dict[str, Any]
    keys: Keys | None
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Whether it lives."""
        self._send(200 if self.path == "/healthz" else 404, {})

    def do_POST(self) -> None:
        """What Metacontroller asks."""
        length = int(self.headers.get("Content-Length") or 0)
        if self.path != "/sync" or length > LARGEST:
            self.close_connection = True
            self._send(404, {})
            return
        try:
            asked = json.loads(self.rfile.read(length))
            self._send(200, answer(asked, self.template, self.plan, self.keys))
        except (SystemExit, OSError) as error:  # it is asked again
            print(error, file=sys.stderr, flush=True)
            self._send(503, {"error": str(error)})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self._send(400, {"error": f"{type(error).__name__}: {error}"})

    def _send(self, status: int, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nothing: the kubelet asks every ten seconds."""


def serve(folder: Path, secrets: Path, account: Path, port: int) -> None:
    """Answer until the pod ends."""
    plan = json.loads((folder / "plan.json").read_text())
    keys = Keys(plan, secrets, account) if "host" in plan else None
    template = (folder / "template.json").read_text()
    bound = type("Bound", (NamespaceQuestions,), {"template": template, "plan": plan, "keys": keys})
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # the first process of a container ignores it otherwise
    ThreadingHTTPServer(("", port), bound).serve_forever()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
