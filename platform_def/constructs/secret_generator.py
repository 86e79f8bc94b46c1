"""Makes a Secret in the cluster once; runs there, from a ConfigMap, on Python's own library alone.

Nothing that exists is ever written over. The first namespace decides: whoever creates the Secret there first has made
it, and the other namespaces get copies of that one. So runs that are repeated, killed half-way or race with each other
come to the same content everywhere. What is missing is taken from any copy that is left before a new one is made.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import secrets
import ssl
import string
import sys
from pathlib import Path
from typing import Any

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
ALPHABET = string.ascii_letters + string.digits  # programs paste passwords into SQL, addresses and shells unquoted
SECONDS = 30


class Api:
    """The API server, as the pod's account reaches it; never by a proxy."""

    def __init__(self, account: Path):
        self._token = (account / "token").read_text().strip()
        self._tls = ssl.create_default_context(cafile=str(account / "ca.crt"))
        # Python 3.13 asks for extensions that authorities of many clusters lack; who signed is checked all the same.
        self._tls.verify_flags &= ~ssl.VERIFY_X509_STRICT

    def call(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """Status and answer of one request."""
        host, port = os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"])
        connection = http.client.HTTPSConnection(host, port, timeout=SECONDS, context=self._tls)
        try:
            headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
            connection.request(method, path, body=None if body is None else json.dumps(body), headers=headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def read(self, namespace: str, name: str) -> Any:
        """The Secret, or None where there is none."""
        status, answer = self.call("GET", f"/api/v1/namespaces/{namespace}/secrets/{name}")
        if status in (200, 404):
            return answer if status == 200 else None
        raise SystemExit(f"cannot read Secret {namespace}/{name}: {status} {answer.get('message', '')}")

    def create(self, namespace: str, secret: dict[str, Any]) -> Any:
        """The Secret as it is there now: this one, or that of somebody who was faster."""
        name = secret["metadata"]["name"]
        status, answer = self.call("POST", f"/api/v1/namespaces/{namespace}/secrets", secret)
        if status == 201:
            print(f"made Secret {namespace}/{name}")
            return answer
        found = self.read(namespace, name) if status == 409 else None
        if found is None:
            raise SystemExit(f"cannot create Secret {namespace}/{name}: {status} {answer.get('message', '')}")
        return found


def content(plan: dict[str, Any]) -> dict[str, str]:
    """New passwords, and the values that are no secret."""
    made = {key: "".join(map(secrets.choice, [ALPHABET] * length)) for key, length in plan["passwords"].items()}
    return {key: base64.b64encode(value.encode()).decode() for key, value in {**plan["values"], **made}.items()}


def main(plan: dict[str, Any], account: Path) -> None:
    """Make what is missing; ends with a message where copies differ or lack a key."""
    api, name, namespaces = Api(account), plan["name"], plan["namespaces"]
    there = {namespace: api.read(namespace, name) for namespace in namespaces}
    known = next((secret for secret in there.values() if secret), None)
    copied = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, **plan["metadata"]},
        "type": known.get("type", "Opaque") if known else "Opaque",
        "data": known.get("data") or {} if known else content(plan),
    }
    for namespace in namespaces:
        there[namespace] = there[namespace] or api.create(namespace, copied)
        if namespace == namespaces[0]:
            copied["data"] = there[namespace].get("data") or {}
    missing = sorted({*plan["passwords"], *plan["values"]} - set(copied["data"]))
    if missing:
        raise SystemExit(f"Secret {namespaces[0]}/{name} exists and has no {', '.join(missing)}: add that by hand")
    for namespace in namespaces[1:]:
        if there[namespace].get("data") != copied["data"]:
            text = f"Secret {name} differs between the namespaces {namespaces[0]} and {namespace}"
            raise SystemExit(f"{text}: delete the wrong one and this Job, and it is copied from the other")
    print(f"Secret {name} is in {', '.join(namespaces)}")


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2] if len(sys.argv) > 2 else ACCOUNT))
