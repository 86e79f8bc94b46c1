"""A webhook that takes alerts: appends the body of each POST to a file, one a line. Arguments: port, file."""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PORT, FILE = int(sys.argv[1]), Path(sys.argv[2])


class Hook(BaseHTTPRequestHandler):
    """Takes everything."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with FILE.open("ab") as file:
            file.write(body.strip() + b"\n")
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", PORT), Hook).serve_forever()
