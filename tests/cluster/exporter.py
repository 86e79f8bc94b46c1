"""A played exporter: answers scrapes with pages of text whose counters grow, for as long as it runs.

Its argument is a file of JSON: where it listens, and the lines of each page as `[text, value now, growth each second]`, or
the address of a program that answers. Where it stands in for kube-rbac-proxy or a kubelet it speaks HTTPS, and asks the API
server whether who shows a token may read. Standard library only.
"""

from __future__ import annotations

import json
import ssl
import sys
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

REVIEWS = "apis/authentication.k8s.io/v1/tokenreviews", "apis/authorization.k8s.io/v1/subjectaccessreviews"
BEGUN = time.monotonic()


def page(lines: list[tuple[str, float, float]]) -> bytes:
    """A page as it reads now."""
    now = time.monotonic() - BEGUN
    return "".join(
        f"{text} {start + growth * now:.12g}\n" if text[0] != "#" else f"{text}\n" for text, start, growth in lines
    ).encode()


def allowed(review: dict[str, Any], header: str, path: str) -> int:
    """What is answered to a token that is shown: 200, 401 where no one has it, or 403 where its owner has no right."""
    status = _asked(review, 0, {"token": header.removeprefix("Bearer ")})
    if not status.get("authenticated"):
        return 401
    user = {"user": status["user"]["username"], "groups": status["user"]["groups"]}
    what = review.get("attributes") or {"nonResourceAttributes": {"path": path, "verb": "get"}}
    said = _asked(review, 1, {**user, **what})
    return 200 if said["allowed"] else 403


def _asked(review: dict[str, Any], kind: int, spec: dict[str, Any]) -> dict[str, Any]:
    group, name = ("authentication", "TokenReview") if kind == 0 else ("authorization", "SubjectAccessReview")
    body = json.dumps({"apiVersion": f"{group}.k8s.io/v1", "kind": name, "spec": spec}).encode()
    headers = {"Authorization": f"Bearer {review['token']}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{review['server']}/{REVIEWS[kind]}", body, headers)
    trust = ssl.create_default_context(cafile=review["authority"])
    with urllib.request.urlopen(request, context=trust, timeout=10) as reply:
        return dict(json.load(reply)["status"])


def answer(told: dict[str, Any], path: str) -> bytes | None:
    """The page at a path; None where there is none."""
    if "upstream" in told:
        with urllib.request.urlopen(told["upstream"] + path, timeout=10) as reply:
            return bytes(reply.read())
    return page(told["pages"][path]) if path in told["pages"] else None


def handler(told: dict[str, Any]) -> type[BaseHTTPRequestHandler]:
    """What answers the requests of one address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            review, status, body = told.get("review"), 200, b""
            if review:
                status = allowed(review, self.headers.get("Authorization", ""), self.path)
            if status == 200:
                found = answer(told, self.path)
                status, body = (404, b"") if found is None else (200, found)
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, code: object = "-", size: object = "-") -> None:
            if code != 200:
                super().log_request(code, size)  # type: ignore[arg-type]

    return Handler


def serve(told: dict[str, Any]) -> None:
    """Serve until killed."""
    for each in told["listens"]:
        server = ThreadingHTTPServer((each["host"], each["port"]), handler(each))
        if "certificate" in each:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(each["certificate"], each["key"])
            server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever).start()


serve(json.loads(Path(sys.argv[1]).read_text()))
