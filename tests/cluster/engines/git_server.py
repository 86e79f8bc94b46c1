"""Serves the Git repositories of a folder by smart HTTP on loopback, read-only; run as a script: FOLDER PORT.

`git http-backend` does the work as a CGI program. Standard library only: it runs inside a sandbox.
"""

from __future__ import annotations

import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class Handler(BaseHTTPRequestHandler):
    """One request: its body goes to the program, and the program's answer back."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Ask what there is."""
        self._answer()

    def do_POST(self) -> None:
        """Fetch."""
        self._answer()

    def _answer(self) -> None:
        url = urlsplit(self.path)
        environment = {
            **os.environ,
            "GIT_PROJECT_ROOT": sys.argv[1],
            "GIT_HTTP_EXPORT_ALL": "1",
            # The repositories belong to whoever runs the tests, and the namespace may map that to another.
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": url.path,
            "QUERY_STRING": url.query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        body = self._body()
        environment["CONTENT_LENGTH"] = str(len(body))
        done = subprocess.run(["git", "http-backend"], input=body, env=environment, stdout=subprocess.PIPE, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        self.send_response(int(headers.pop("Status", "200").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
