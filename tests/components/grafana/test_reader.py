"""What brings dashboards to Grafana: the files of a folder follow the ConfigMaps of a cluster."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest

from platform_def.components.monitoring.grafana.reader import files_of, listed, write
from tests.cluster import pki


def config_map(name: str, namespace: str = "monitoring", **data: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": namespace},
        "data": {f"{key}.json": text for key, text in data.items()},
    }


def test_files_are_called_after_their_config_map() -> None:
    objects = [config_map("a", one="1", two="2"), config_map("b", "vision", one="3")]

    assert files_of(objects, by_namespace=False) == {"a-one.json": "1", "a-two.json": "2", "b-one.json": "3"}
    assert set(files_of(objects, by_namespace=True)) == {
        "monitoring/a-one.json",
        "monitoring/a-two.json",
        "vision/b-one.json",
    }


def test_keys_that_are_no_dashboards_are_left_out() -> None:
    assert not files_of([{"metadata": {"name": "a", "namespace": "b"}, "data": {"notes.txt": "x"}}], by_namespace=False)


def test_the_folder_follows(tmp_path: Path) -> None:
    assert write(tmp_path, {"a.json": "1", "vision/b.json": "2"}) == 2
    assert write(tmp_path, {"a.json": "1", "vision/b.json": "2"}) == 0
    assert write(tmp_path, {"a.json": "3"}) == 2

    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")] == ["a.json"]
    assert (tmp_path / "a.json").read_text() == "3"


class Api:
    """An API server that lists ConfigMaps one a page."""

    def __init__(self, folder: Path, objects: list[dict[str, Any]]) -> None:
        self.objects, self.asked, self.status = objects, [], 200  # type: ignore[var-annotated]
        files = pki.create(folder / "pki")
        self.account = folder / "account"
        self.account.mkdir()
        (self.account / "ca.crt").write_bytes(files.authority.read_bytes())
        (self.account / "token").write_text(files.token)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(files.token))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(files.certificate, files.key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)

    def _handler(self, token: str) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                query = parse_qs(urlparse(self.path).query)
                api.asked.append((self.path, self.headers["Authorization"] == f"Bearer {token}"))
                at = int(query.get("continue", ["0"])[0])
                rest = {"continue": str(at + 1)} if at + 1 < len(api.objects) else {}
                body = {"items": api.objects[at : at + 1], "metadata": rest, "message": "no"}
                self.send_response(api.status)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            def log_message(self, *_: object) -> None: ...

        return Handler


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    made = Api(tmp_path, [config_map("a", one="1"), config_map("b", one="2")])
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(made.server.server_port))
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def test_all_pages_are_read_with_the_account_s_token(api: Api) -> None:
    found = listed(api.account, "/api/v1/configmaps?labelSelector=a%3D1")

    assert [each["metadata"]["name"] for each in found] == ["a", "b"]
    assert all(known for _, known in api.asked)
    assert "labelSelector=a%3D1&limit=100&continue=1" in api.asked[1][0]


def test_a_refusal_is_an_error_that_leaves_the_files(api: Api) -> None:
    api.status = 403

    with pytest.raises(OSError, match="403 no"):
        listed(api.account, "/api/v1/configmaps?labelSelector=a")
