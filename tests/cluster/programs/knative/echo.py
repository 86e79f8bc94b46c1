"""A service's own program: it says which version it is, in which pod, and what it was asked; `?wait=2` holds it for seconds."""

import json
import os
import socket
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


class Echo(BaseHTTPRequestHandler):
    """Answers every GET."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Wait as long as was asked, then say who answers."""
        asked = parse_qs(urlsplit(self.path).query)
        time.sleep(float(asked.get("wait", ["0"])[0]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        told = {
            "version": os.environ.get("VERSION", ""),
            "pod": socket.gethostname(),
            "revision": os.environ["K_REVISION"],
            "path": self.path,
            "headers": headers,
        }
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("", int(os.environ["PORT"])), Echo).serve_forever()
