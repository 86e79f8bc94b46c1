"""A stand-in for an API server that keeps Secrets: HTTPS, a token, GET and POST, and what Kubernetes answers to them."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.cluster import pki

Secret = dict[str, Any]


class ApiDouble:
    """Secrets by namespace and name, served until the block ends."""

    def __init__(self, folder: Path):
        self.secrets: dict[tuple[str, str], Secret] = {}
        self.log: list[tuple[str, str]] = []
        self.namespaces = {"one", "two", "three"}
        self.before: Callable[[str, str], None] = lambda *_: None
        """Called before a request is answered: what others do meanwhile."""
        files = pki.create(folder / "pki")
        self.account = folder / "account"
        self.account.mkdir()
        (self.account / "ca.crt").write_bytes(files.authority.read_bytes())
        (self.account / "token").write_text(files.token + "\n")
        self._token = files.token
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(files.certificate, files.key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.environment = {
            "KUBERNETES_SERVICE_HOST": "127.0.0.1",
            "KUBERNETES_SERVICE_PORT": str(self._server.server_port),
            "HTTPS_PROXY": "http://127.0.0.1:9",
        }

    def __enter__(self) -> ApiDouble:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, method: str, path: str, token: str, body: Any) -> tuple[int, Any]:
        """What Kubernetes answers."""
        if token != f"Bearer {self._token}":
            return 401, {"message": "Unauthorized"}
        namespace, name = path.split("/")[4], path.split("/")[6] if method == "GET" else body["metadata"]["name"]
        self.before(method, namespace)
        with self._lock:
            self.log.append((method, namespace))
            known = self.secrets.get((namespace, name))
            if method == "GET":
                return (200, known) if known else (404, {"message": f'secrets "{name}" not found'})
            if namespace not in self.namespaces:
                return 404, {"message": f'namespaces "{namespace}" not found'}
            if known:
                return 409, {"message": f'secrets "{name}" already exists'}
            self.secrets[namespace, name] = body
            return 201, body

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        double = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._respond(None)

            def do_POST(self) -> None:
                self._respond(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def _respond(self, body: Any) -> None:
                token = self.headers.get("Authorization", "")
                status, answer = double.answer(self.command, self.path, token, body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Nothing on the terminal."""

        return Handler
