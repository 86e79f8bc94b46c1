"""A small client of a real API server: keep-alive HTTPS through the sandbox's Unix socket, one connection a thread.

Server-side apply is strict and forced, as GitOps engines do it; a refusal comes back as a value, not as an exception.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Container, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

Manifest = dict[str, Any]

FIELD_MANAGER = "platform-def"
THREADS = 8
_BUSY_SECONDS = 90.0
"""For how long a server is asked again that is busy."""
_UNASKED, _HOOK_SECONDS, _EVERY = "failed calling webhook", 60.0, 0.5
"""What a server says where a webhook could not be asked; for how long and how often it is asked again."""
TIMEOUT_SECONDS = 120.0
AGGREGATED_DISCOVERY = ",".join(
    f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList" for version in ("v2", "v2beta1")
)
"""The second version, of the same shape, is that of servers before 1.30."""


class UnreachableError(OSError):
    """Nothing answers at the socket (yet)."""


@dataclass(frozen=True)
class Reply:
    """A status and a body; the body of what is no JSON is empty."""

    status: int
    body: Manifest

    @property
    def message(self) -> str:
        """Why a request was refused, in the server's words."""
        return f"{self.status} {self.body.get('message', '')}".strip()


@dataclass(frozen=True)
class Served:
    """How a kind is addressed: its plural, and whether its objects live in namespaces."""

    plural: str
    namespaced: bool


@dataclass(frozen=True, order=True)
class Key:
    """Which object: API version, kind, namespace (empty outside of namespaces), name."""

    api_version: str
    kind: str
    namespace: str
    name: str

    @staticmethod
    def of(manifest: Manifest) -> Key:
        """The key of an object."""
        metadata = manifest["metadata"]
        return Key(manifest["apiVersion"], manifest["kind"], metadata.get("namespace") or "", metadata["name"])

    def __str__(self) -> str:
        return f"{self.kind}.{self.api_version} {self.namespace + '/' if self.namespace else ''}{self.name}"


@dataclass(frozen=True)
class Applied:
    """What the server did with one object: it as stored, or the reason for refusing it."""

    sent: Manifest
    stored: Manifest | None
    refusal: str = ""

    @property
    def key(self) -> Key:
        """Which object it is."""
        return Key.of(self.sent)

    @property
    def resource_version(self) -> str:
        """Changes with every change of the stored object; empty for a refused one."""
        return str(self.stored["metadata"]["resourceVersion"]) if self.stored else ""

    def __str__(self) -> str:
        return f"{self.key}: {self.refusal or 'applied'}"


class Api:
    """One API server as its administrator sees it; may be used by many threads."""

    def __init__(self, path: Path, *, authority: Path, token: str) -> None:
        self.socket = path
        self._token = token
        self._tls = ssl.create_default_context(cafile=str(authority))
        self._local = threading.local()
        self._connections: list[Connection] = []
        self._kinds: dict[tuple[str, str], Served] = {}

    def get(self, path: str, *, accept: str = "application/json") -> Reply:
        """GET a path; UnreachableError when nobody listens.

        A server that says to come back is asked again, as clients do: it answers so about a kind whose objects it has yet to load.
        """
        return _asked_until_free(lambda: self.request("GET", path, accept=accept), {HTTPStatus.TOO_MANY_REQUESTS})

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        content: str = "application/json",
        accept: str = "application/json",
    ) -> Reply:
        """One request; tried anew once when a kept connection has been closed meanwhile."""
        return _reply(*self._exchange(method, path, body, content=content, accept=accept))

    def text(self, path: str) -> str:
        """GET what is no JSON, such as the log of a container; ValueError says why where there is none."""
        status, data = self._exchange("GET", path, None, content="", accept="*/*")
        if status != 200:
            raise ValueError(f"GET {path}: {_reply(status, data).message}")
        return data.decode(errors="replace")

    def _exchange(self, method: str, path: str, body: object, *, content: str, accept: str) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": accept, "Content-Type": content}
        data = None if body is None else json.dumps(body).encode()
        for attempt in (1, 2):
            connection = self._connection()
            try:
                connection.request(method, path, data, headers)
                response = connection.getresponse()
                return response.status, response.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                if attempt == 2:
                    raise UnreachableError(f"{method} {path}: {error}") from error
        raise AssertionError("not reached")

    def discover(self) -> Mapping[tuple[str, str], Served]:
        """Every kind that is served now, by API version and kind."""
        found: dict[tuple[str, str], Served] = {}
        for root in ("/api", "/apis"):
            for group in self.get(root, accept=AGGREGATED_DISCOVERY).body.get("items", []):
                for version in group.get("versions", []):
                    found |= _kinds(group["metadata"].get("name", ""), version)
        self._kinds = found
        return found

    def path(self, manifest: Manifest) -> str | None:
        """The URL path of an object; None when its kind is not served."""
        key = Key.of(manifest)
        kind = (key.api_version, key.kind)
        served = self._kinds.get(kind) or self.discover().get(kind)
        if served is None:
            return None
        place = f"/namespaces/{quote(key.namespace or 'default')}" if served.namespaced else ""
        root = "apis" if "/" in key.api_version else "api"
        return f"/{root}/{key.api_version}{place}/{served.plural}/{quote(key.name)}"

    def apply(
        self, manifest: Manifest, *, dry_run: bool = False, force: bool = True, manager: str = FIELD_MANAGER
    ) -> Applied:
        """Server-side apply of one object, refusing unknown fields; a dry run is judged, but not stored."""
        path = self.path(manifest)
        if path is None:
            return Applied(manifest, None, "no such kind is served")
        query = {"fieldManager": manager, "fieldValidation": "Strict", "force": str(force).lower()}
        if dry_run:
            query["dryRun"] = "All"
        reply = self._patched(f"{path}?{urlencode(query)}", manifest)
        return Applied(manifest, reply.body) if reply.status in (200, 201) else Applied(manifest, None, reply.message)

    def store(self, manifest: Manifest) -> Manifest:
        """Apply an object that must be taken; it as stored.

        A webhook that has just started may not answer yet, or not with the certificate that the server knows: it is asked again, as
        engines do.
        """
        deadline = time.monotonic() + _HOOK_SECONDS
        while (applied := self.apply(manifest)).refusal and _UNASKED in applied.refusal and time.monotonic() < deadline:
            time.sleep(_EVERY)
        assert applied.stored, applied.refusal
        return applied.stored

    def _patched(self, path: str, manifest: Manifest) -> Reply:
        """The answer to an apply, asked again where a busy server did not come to an end in time, as engines do."""
        send = partial(self.request, "PATCH", path, manifest, content="application/apply-patch+yaml")
        return _asked_until_free(send, {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.GATEWAY_TIMEOUT})

    def apply_all(
        self,
        manifests: Iterable[Manifest],
        *,
        dry_run: bool = False,
        force: bool = True,
        manager: str = FIELD_MANAGER,
    ) -> list[Applied]:
        """Apply objects that do not need each other, several at a time; the results in the order of the objects."""

        def one(manifest: Manifest) -> Applied:
            return self.apply(manifest, dry_run=dry_run, force=force, manager=manager)

        with ThreadPoolExecutor(THREADS) as pool:
            return list(pool.map(one, manifests))

    def refusals(self, manifests: Iterable[Manifest]) -> list[str]:
        """What the server says against each object in a dry run, empty where it would take it; several at a time.

        A request that it does not answer at all is refused, too.
        """

        def ask(manifest: Manifest) -> str:
            try:
                return self.apply(manifest, dry_run=True).refusal
            except UnreachableError as error:
                return str(error)

        with ThreadPoolExecutor(THREADS) as pool:
            return list(pool.map(ask, manifests))

    def read(self, manifest: Manifest) -> Reply:
        """The stored object that has this one's key."""
        path = self.path(manifest)
        return self.get(path) if path else Reply(404, {"message": "no such kind is served"})

    def close(self) -> None:
        """Close all connections; the next request opens new ones."""
        for connection in self._connections:
            connection.close()

    def _connection(self) -> Connection:
        found: Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = self._local.connection = Connection(self.socket, self._tls)
            self._connections.append(found)
        return found


class Connection(http.client.HTTPSConnection):
    """HTTPS to 127.0.0.1, but through a Unix socket."""

    def __init__(self, path: Path, tls: ssl.SSLContext) -> None:
        super().__init__("127.0.0.1", timeout=TIMEOUT_SECONDS, context=tls)
        self._path = path
        self._wrap = tls.wrap_socket

    def connect(self) -> None:
        """Open the socket; called by the base class when there is no open one."""
        raw = socket.socket(socket.AF_UNIX)
        raw.settimeout(TIMEOUT_SECONDS)
        try:
            raw.connect(str(self._path))
            self.sock = self._wrap(raw, server_hostname="127.0.0.1")
        except OSError:
            raw.close()
            raise


def _asked_until_free(send: Callable[[], Reply], busy: Container[int]) -> Reply:
    deadline = time.monotonic() + _BUSY_SECONDS
    while (reply := send()).status in busy and time.monotonic() < deadline:
        time.sleep(1)
    return reply


def _reply(status: int, data: bytes) -> Reply:
    try:
        body = json.loads(data)
    except ValueError:
        body = {}
    return Reply(status, body if isinstance(body, dict) else {})


def _kinds(group: str, version: Manifest) -> dict[tuple[str, str], Served]:
    """The kinds in one version of one group of an aggregated discovery answer."""
    api_version = f"{group}/{version['version']}" if group else version["version"]
    return {
        (api_version, resource["responseKind"]["kind"]): Served(resource["resource"], resource["scope"] == "Namespaced")
        for resource in version.get("resources", [])
        # `scale` and the like are answered in their own kinds' names, as subresources of others.
        if "/" not in resource["resource"]
    }
