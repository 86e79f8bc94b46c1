"""The HTTP API of Ray's dashboard as far as KubeRay asks it for a job: it stands for Ray, which is not at hand.

The operator asks it as an HTTP proxy, so that names need no DNS. Run as a script: PORT FILE, where the file holds the
state of all jobs; each question is a line of its output. Standard library only: it runs inside a sandbox.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Handler(BaseHTTPRequestHandler):
    """One question, whose path is a whole URL."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """How the job does."""
        print(self.path, flush=True)
        self._answer({"status": Path(sys.argv[2]).read_text(), "submission_id": self.path.rpartition("/")[2]})

    def do_POST(self) -> None:
        """Stop it."""
        print(self.path, flush=True)
        self._answer({"stopped": True})

    def _answer(self, body: object) -> None:
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Each question is told already."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
