"""A scheduler's extender that has nothing against any node: it stands for gpu-admission, whose program is not at hand.

Run as a script in the sandbox with the port to listen on; standard library only.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Filter(BaseHTTPRequestHandler):
    """Answers every question with the nodes that it holds."""

    def do_POST(self) -> None:
        """The `filterVerb` of kube-scheduler's extender protocol, version 1."""
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"Nodes": question["Nodes"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", int(sys.argv[1])), Filter).serve_forever()
