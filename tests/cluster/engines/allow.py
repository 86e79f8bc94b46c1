"""An HTTPS server that admits and converts whatever it is asked about, and serves APIs without resources.

It stands for operators that do not run. Run as a script: CERTIFICATE KEY PORT. Standard library only: it runs inside a
sandbox.
"""

from __future__ import annotations

import json
import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


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
        if review["kind"] == "ConversionReview":
            version = {"apiVersion": asked["desiredAPIVersion"]}
            done = [each | version for each in asked["objects"]]
            response = {"uid": asked["uid"], "convertedObjects": done, "result": {"status": "Success"}}
        self._answer({**{key: review[key] for key in ("apiVersion", "kind")}, "response": response})

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
