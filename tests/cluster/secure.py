"""A Service that speaks HTTPS, and routes to it that verify it by the right authority, by another, and by another name.

Each route has a Service of its own, for two of the gateways say by Service who is verified; one server answers for all.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platform_def.config.routing import BackendTls
from tests.cluster.client import Manifest
from tests.cluster.door import ECHO, Answer, Door
from tests.cluster.pki import Serving, serving
from tests.cluster.sandbox import Sandbox

HOME, PLACE, NAME, GATEWAY = "here", ("10.99.1.3", 8004), "safe.here.svc", "gateway.example.com"
SHOWN: Mapping[str, Any] = {"clientCertificate": "right"}
LOOSE: Mapping[str, Any] = {"clientCertificate": "shown", "anyName": True}
CASES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "istio": {"safe": {}, "mistrusted": {}, "unsigned": {}, "misnamed": {}, "shown": SHOWN, "loose": {"anyName": True}},
    "gateway-api": {"safe": {}, "mistrusted": {}, "unsigned": {}, "misnamed": {}},
    "emissary": {"safe": LOOSE, "mistrusted": LOOSE, "loose": LOOSE, "unsigned": LOOSE},
}
"""By gateway, routes and what they say beside authority and name."""
_AUTHORITIES = {"mistrusted": "other", "unsigned": "missing"}
_NAMES = {"misnamed": "other.here.svc", "loose": "other.here.svc"}


@dataclass(frozen=True)
class Signed:
    """Certificates: of the server with the authority of both sides, and of an authority that signed for nobody here."""

    server: Serving
    client: Serving
    other: Serving


def sign(folder: Path) -> Signed:
    """Make them."""
    return Signed(*(serving(folder / name, [host]) for name, host in (("s", NAME), ("c", GATEWAY), ("o", GATEWAY))))


def start(sandbox: Sandbox, folder: Path, signed: Signed) -> None:
    """Start the server."""
    files = (signed.server.certificate, signed.server.key, signed.client.authority)
    argv = [sys.executable, "-I", str(ECHO), "safe", PLACE[0], str(PLACE[1]), *map(str, files)]
    sandbox.start("server-safe", argv, log=folder / "server-safe.log")


def routes(gateway: str) -> dict[str, dict[str, Any]]:
    """What each route says, by its name."""
    reads = "configMap" if gateway == "gateway-api" else "secret"
    return {
        name: {
            "path": f"/{name}/",
            "service": name,
            "tls": BackendTls.model_validate(
                {"ca": {reads: _AUTHORITIES.get(name, "right")}, "serverName": _NAMES.get(name, NAME), **more}
            ),
        }
        for name, more in CASES[gateway].items()
    }


def authorities(signed: Signed, namespace: str) -> Iterator[Manifest]:
    """What Istio reads in its namespace, and Gateway API next to the Services."""
    for name, authority in (("right", signed.server.authority), ("other", signed.other.authority)):
        shown = {"tls.crt": signed.client.certificate, "tls.key": signed.client.key}
        yield _secret(name, namespace, {"ca.crt": authority, **shown})
        metadata = {"name": name, "namespace": HOME}
        data = {"ca.crt": authority.read_text()}
        yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def emissary_secrets(signed: Signed) -> Iterator[Manifest]:
    """What Emissary reads next to its routes: a certificate of its own, and authorities in the place of one."""
    yield _secret("shown", HOME, {"tls.crt": signed.client.certificate, "tls.key": signed.client.key})
    yield _secret("right", HOME, {"tls.crt": signed.server.authority})
    yield _secret("other", HOME, {"tls.crt": signed.other.authority})


def _secret(name: str, namespace: str, files: Mapping[str, Path]) -> Manifest:
    data = {key: base64.b64encode(file.read_bytes()).decode() for key, file in files.items()}
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": metadata, "data": data}


def services(gateway: str) -> Iterator[Manifest]:
    """A Service for each route, with the server's address."""
    for name in CASES[gateway]:
        metadata = {"name": name, "namespace": HOME}
        port = {"name": "https", "port": 80, "targetPort": PLACE[1], "protocol": "TCP"}
        yield {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": [port]}}
        yield {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {**metadata, "labels": {"kubernetes.io/service-name": name}},
            "addressType": "IPv4",
            "ports": [{"name": "https", "port": PLACE[1], "protocol": "TCP"}],
            "endpoints": [{"addresses": [PLACE[0]], "conditions": {"ready": True}}],
        }


def holds(name: str, found: Answer, *, unverified: bool = False) -> None:
    """A route answers as its name says; AssertionError where it does not.

    `unverified` is of Emissary, which verifies nothing while the authority is missing.
    """
    if name in ("safe", "shown", "loose") or (name == "unsigned" and unverified):
        assert (found.status, found.asked.get("path"), found.asked.get("name")) == (200, f"/{name}/x", "safe"), found
    else:
        assert (found.status, found.asked) == (503, {}), found
    if name == "shown":
        assert GATEWAY in found.asked["shown"]


def is_served(name: str, door: Door) -> bool:
    """Whether it is, for those who wait until it is."""
    try:
        holds(name, door.get(f"/{name}/x"))
    except (AssertionError, OSError):
        return False
    return True
