"""An HTTPS server that admits and converts whatever it is asked about, and serves APIs without resources.

A pod gets a note of the webhook that was asked about it, so that a pod which came before the webhook is known by its lack.

It stands for operators that do not run. Run as a script: CERTIFICATE KEY PORT. Standard library only: it runs inside a
sandbox.
"""

from __future__ import annotations

import base64
import json
import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CHANGED = "changed.platform-def.test/"
"""Begins the name of the annotation that a pod gets; the path of the webhook is its end."""


class Handler(BaseHTTPRequestHandler):
    """One review."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """What an aggregated API has: nothing."""
        group, _, version = self.path.removeprefix("/apis/").partition("/")
        found = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": f"{group}/{version}", "resources": []}
        self._answer(found)

    def do_POST(self) -> None:
        """Allow it as it is, or say that it is another version as it is."""
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = review["request"]
        response = {"uid": asked["uid"], "allowed": True}
        if asked.get("kind", {}).get("kind") == "Pod" and asked.get("operation") == "CREATE":
            response |= {"patchType": "JSONPatch", "patch": self._note(asked["object"])}
        if review["kind"] == "ConversionReview":
            version = {"apiVersion": asked["desiredAPIVersion"]}
            done = [each | version for each in asked["objects"]]
            response = {"uid": asked["uid"], "convertedObjects": done, "result": {"status": "Success"}}
        self._answer({**{key: review[key] for key in ("apiVersion", "kind")}, "response": response})

    def _note(self, pod: dict[str, dict[str, object]]) -> str:
        """A patch; the API server reads none from a webhook that only validates."""
        name = self.path.partition("?")[0].strip("/").replace("/", "_") or "root"
        notes = {**(pod["metadata"].get("annotations") or {}), CHANGED + name[:60]: "yes"}  # type: ignore[dict-item]
        patch = [{"op": "add", "path": "/metadata/annotations", "value": notes}]
        return base64.b64encode(json.dumps(patch).encode()).decode()

    def _answer(self, body: object) -> None:
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing to say of what always goes well."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[3])), Handler)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()
