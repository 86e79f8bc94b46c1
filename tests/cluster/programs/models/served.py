"""Stands for a server of KServe's: says which model it was given, by the port of its flags, and ends once nobody is being answered.

As uvicorn does, it takes no more connections from SIGTERM on.
"""

import argparse
import json
import os
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

MODEL = Path("/mnt/models/address")


class Handler(BaseHTTPRequestHandler):
    """An answer a connection."""

    def do_GET(self):
        """Which model it is, and who says so."""
        body = json.dumps({"model": MODEL.read_text().strip(), "pod": os.environ["HOSTNAME"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nothing."""


def main():
    """Answer until told to end."""
    flags = argparse.ArgumentParser()
    flags.add_argument("--http_port", type=int)
    port = flags.parse_known_args()[0].http_port
    server = ThreadingHTTPServer(("0.0.0.0", port), Handler)
    server.daemon_threads = False
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    with server:
        server.serve_forever(poll_interval=0.05)


main()
