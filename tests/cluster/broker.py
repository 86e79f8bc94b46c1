"""The part of RabbitMQ's management API that tells how long a queue is, for tests of what is made by that length.

Arguments: port, user, password, and a file that holds the number of messages that wait.
"""

from __future__ import annotations

import base64
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PORT, USER, PASSWORD, WAITING = int(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
SHOWN = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


class Management(BaseHTTPRequestHandler):
    """Answers `/api/queues/<virtual host>/<queue>`; half as many messages again are being worked on."""

    def do_GET(self) -> None:
        """The queue, for who has shown the right credentials."""
        if self.headers.get("Authorization") != SHOWN:
            self._answer(401, {"error": "not_authorised"})
            return
        if self.path != "/api/queues/%2F/recordings":
            self._answer(404, {"error": "Object Not Found"})
            return
        ready = int(WAITING.read_text())
        taken = ready // 2
        counted = {"messages": ready + taken, "messages_ready": ready, "messages_unacknowledged": taken}
        self._answer(200, {"name": "recordings", **counted})

    def _answer(self, status: int, body: dict[str, object]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), Management).serve_forever()
