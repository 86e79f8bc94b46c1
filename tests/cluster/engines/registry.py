"""A real OCI registry in the sandbox, by HTTPS with a private authority, and what a team's CI pushes to it.

The requests and media types are those of `oras push ADDRESS dist` (1.3) and of `flux push artifact` (2.9).
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import secrets
import ssl
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import pki
from tests.cluster.client import Connection, Manifest
from tests.cluster.control_plane import ControlPlane, until

NAME = "team/platform"
USER = "robot"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


@dataclass(frozen=True)
class Pushed:
    """How a program that pushes a folder calls what it pushes."""

    layer: str
    config: str
    kind: str = ""
    """Type of the artifact as a whole, where it has one."""
    notes: bool = False
    """Whether the layer says that it is a folder, and of which name."""


ORAS = Pushed(
    "application/vnd.oci.image.layer.v1.tar+gzip",
    "application/vnd.oci.empty.v1+json",
    kind="application/vnd.unknown.artifact.v1",
    notes=True,
)
FLUX = Pushed("application/vnd.cncf.flux.content.v1.tar+gzip", "application/vnd.cncf.flux.config.v1+json")


class Registry:
    """It keeps artifacts in memory, for one user with a password."""

    def __init__(self, control_plane: ControlPlane, program: Path, folder: Path) -> None:
        """`folder`: for its certificate, and for who may come."""
        files = pki.serving(folder, [])
        self.authority = files.authority.read_text()
        """The certificate that its own is signed with, in PEM."""
        self.foreign = pki.serving(folder / "foreign", []).authority.read_text()
        """Another one."""
        self.password = secrets.token_urlsafe(16)
        (folder / "user").write_text(f"{USER}:{self.password}\n")
        (port,) = control_plane.sandbox.free_ports(1)
        self.host = f"127.0.0.1:{port}"
        self.address = f"oci://{self.host}/{NAME}"
        argv = [program, self.host, files.certificate, files.key, folder / "user"]
        control_plane.sandbox.start("registry", [str(each) for each in argv], log=folder / "registry.log")
        door = control_plane.folder / "registry.sock"
        control_plane.sandbox.forward(door, port=port)
        self._door, self._tls = door, ssl.create_default_context(cafile=str(files.authority))
        until(self._answers, seconds=30, what="the registry answers", every=0.1)

    def docker_config(self, password: str = "") -> str:
        """What `docker login` writes: who may read; with another password, nobody."""
        words = f"{USER}:{password or self.password}"
        return json.dumps({"auths": {self.host: {"auth": base64.b64encode(words.encode()).decode()}}})

    def push(self, folder: Path, tag: str, *, pushed: Pushed = ORAS) -> str:
        """Push a folder with its name, and say the artifact's digest."""
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w:gz") as made:
            made.add(folder, folder.name)
        layer = self._blob(archive.getvalue(), pushed.layer)
        if pushed.notes:
            layer["annotations"] = {
                "org.opencontainers.image.title": folder.name,
                "io.deis.oras.content.unpack": "true",
            }
        manifest = {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            **({"artifactType": pushed.kind} if pushed.kind else {}),
            "config": self._blob(b"{}", pushed.config),
            "layers": [layer],
        }
        content = json.dumps(manifest).encode()
        self._request("PUT", f"/v2/{NAME}/manifests/{tag}", content, {"Content-Type": MANIFEST})
        return _digest(content)

    def _blob(self, content: bytes, kind: str) -> Manifest:
        digest = _digest(content)
        place = self._request("POST", f"/v2/{NAME}/blobs/uploads/")["Location"]
        sign = "&" if "?" in place else "?"
        self._request("PUT", f"{place}{sign}digest={digest}", content, {"Content-Type": "application/octet-stream"})
        return {"mediaType": kind, "digest": digest, "size": len(content)}

    def _answers(self) -> bool:
        try:
            self._request("GET", "/v2/")
        except OSError:
            return False
        return True

    def _request(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Mapping[str, str]:
        """The headers of the answer."""
        who = base64.b64encode(f"{USER}:{self.password}".encode()).decode()
        connection = Connection(self._door, self._tls)
        try:
            connection.request(method, path, body, {"Authorization": f"Basic {who}", **(headers or {})})
            answer = connection.getresponse()
            said = answer.read()
            assert answer.status < 300, f"{method} {path}: {answer.status} {said.decode(errors='replace')}"
            return dict(answer.headers)
        finally:
            connection.close()


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
