"""The server of vLLM as its clients see it, without a model: it answers the API of OpenAI's by counting.

It takes the options of `vllm serve` that stacks render, and no other. A stream stops after its first word where the
prompt says `wait`, until `/release` is asked for. SIGTERM lets what is being answered end.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

VERSION = "0.20.0"
WORDS = ("one", "two", "three")
VALUES = (
    "tensor-parallel-size pipeline-parallel-size gpu-memory-utilization max-model-len max-num-seqs kv-cache-dtype"
    " max-loras max-lora-rank distributed-executor-backend nnodes node-rank master-addr shutdown-timeout"
    " disable-access-log-for-endpoints"
)
SWITCHES = "headless enable-lora disable-uvicorn-access-log"
PICKED = "x-gateway-destination-endpoint"
"""The header in which a picker says where a request goes."""
RELEASED = threading.Event()


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="vllm", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=VERSION)
    serve = parser.add_subparsers(required=True).add_parser("serve", allow_abbrev=False)
    serve.add_argument("model")
    serve.add_argument("--served-model-name", nargs="+", required=True)
    serve.add_argument("--lora-modules", nargs="+", default=[])
    serve.add_argument("--host", default="0.0.0.0")
    serve.add_argument("--port", type=int, default=8000)
    for name in VALUES.split():
        serve.add_argument(f"--{name}")
    for name in SWITCHES.split():
        serve.add_argument(f"--{name}", action="store_true")
    return parser.parse_args()


class Server(ThreadingHTTPServer):
    """Answers that have begun are ended before it ends."""

    daemon_threads = False


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    names: tuple[str, ...] = ()

    def do_GET(self) -> None:
        """Health, metrics, the models that there are."""
        if self.path == "/health":
            self._send(200, b"")
        elif self.path == "/release":
            RELEASED.set()
            self._send(200, b"")
        elif self.path == "/metrics":
            self._send(200, f'vllm:num_requests_waiting{{model_name="{self.names[0]}"}} 0\n'.encode())
        elif self.path == "/v1/models":
            found = [{"id": name, "object": "model"} for name in self.names]
            self._say(200, {"object": "list", "data": found})
        else:
            self._say(404, {"detail": "Not Found"})

    def do_POST(self) -> None:
        """A completion, as a whole or as a stream."""
        asked = json.loads(self._body())
        if self.path != "/v1/chat/completions":
            self._say(404, {"detail": "Not Found"})
        elif asked["model"] not in self.names:
            text = f"The model `{asked['model']}` does not exist."
            self._say(404, {"error": {"message": text, "type": "NotFoundError", "code": 404}})
        elif asked.get("stream"):
            self._stream(asked)
        else:
            message = {"role": "assistant", "content": " ".join(WORDS)}
            self._say(200, {**self._head(asked), "choices": [{"index": 0, "message": message}]})

    def _body(self) -> bytes:
        """The whole body, whose length is not said where a gateway has handed it on in pieces."""
        if "content-length" in self.headers:
            return self.rfile.read(int(self.headers["content-length"]))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def log_message(self, said: str, *words: object) -> None:
        """A line for each request, with what a picker chose."""
        print(said % words, self.headers.get(PICKED, "-"), flush=True)

    def _stream(self, asked: dict) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for word in WORDS:
            made = {**self._head(asked), "choices": [{"index": 0, "delta": {"content": word}}]}
            self._chunk(f"data: {json.dumps(made)}\n\n")
            if "wait" in str(asked["messages"]):
                RELEASED.wait()
        self._chunk("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, text: str) -> None:
        self.wfile.write(f"{len(text):x}\r\n{text}\r\n".encode())
        self.wfile.flush()

    def _head(self, asked: dict) -> dict:
        """What every answer says; the fingerprint is of the pod."""
        served = os.environ.get("HOSTNAME", "")
        return {"id": "chatcmpl-1", "object": "chat.completion", "model": asked["model"], "system_fingerprint": served}

    def _say(self, status: int, body: dict) -> None:
        self._send(status, json.dumps(body).encode(), "application/json")

    def _send(self, status: int, body: bytes, kind: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    """Serve until told to end; a server without an interface of its own only waits."""
    said = options()
    if said.model.startswith("/") and not Path(said.model, "config.json").is_file():
        sys.exit(f"{said.model} does not appear to have a file named config.json")
    if said.headless:
        signal.pause()
    adapters = (json.loads(each)["name"] if each[0] == "{" else each.partition("=")[0] for each in said.lora_modules)
    Handler.names = (*said.served_model_name, *adapters)
    server = Server((said.host, said.port), Handler)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever(poll_interval=0.1)
    server.server_close()


main()
