"""How people sign in at a stack: its Dex and its oauth2-proxy as their pods run, and a directory that knows the people.

Real: both programs with the files, variables, accounts and rights of dist/, the programs that make their Secrets, and
slapd. Played: the kubelet, DNS, kube-proxy, and the Secrets that a stack says exist.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from platform_def.yaml import load
from tests.cluster.browser import Browser
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.directory import Directory
from tests.cluster.door import Door
from tests.cluster.generators import generate
from tests.cluster.local_users import LocalUsers
from tests.cluster.mounted import Beside, Mounted
from tests.cluster.pki import API_SERVER, serving
from tests.cluster.waves import apply_in_waves, refusals

DEX, PROXY, KEYS = "dex", "oauth2-proxy", "keys"
CLUSTER_CA = "kube-root-ca.crt"
STORED = "/apis/dex.coreos.com/v1"
RESTARTS = 10
SCOPES = "openid email profile groups"


@dataclass(frozen=True)
class People:
    """The programs, and who they know."""

    control_plane: ControlPlane
    objects: Sequence[Manifest]
    directory: Directory | LocalUsers

    @property
    def dex(self) -> Mounted:
        """The issuer."""
        return Mounted(self.control_plane, self.objects, DEX, DEX, hosts=self._asked)

    @property
    def proxy(self) -> Mounted:
        """Who is asked about every request."""
        name = f"{DEX}.{self.dex.home}.svc.cluster.local"
        return Mounted(self.control_plane, self.objects, PROXY, PROXY, hosts=(name, API_SERVER))

    @property
    def keys_server(self) -> Mounted | None:
        """The container beside it that serves keys of ServiceAccount tokens, where the stack names them."""
        found = Beside(self.control_plane, self.objects, PROXY, KEYS)
        return found if any(each["name"] == KEYS for each in found.pod["containers"]) else None

    @property
    def settings(self) -> dict[str, Any]:
        """The file of Dex."""
        return settings_of(self.objects)

    @property
    def _asked(self) -> tuple[str, ...]:
        """The hosts of its directories."""
        connectors = self.settings.get("connectors", [])
        return tuple(each["config"]["host"].partition(":")[0] for each in connectors)

    @property
    def login_page(self) -> str:
        """The address of the page that people see."""
        (connector,) = self.settings.get("connectors", [{"id": "local"}])
        return f"{self.issuer}/auth/{connector['id']}/login"

    @property
    def issuer(self) -> str:
        """The address of Dex."""
        return str(self.settings["issuer"])

    @property
    def address(self) -> str:
        """The address of the platform."""
        parts = urlsplit(self.issuer)
        return f"{parts.scheme}://{parts.netloc}"

    def start(self, programs: Mapping[str, Path]) -> None:
        """Make the Secrets, and start everything; the objects are stored already."""
        if isinstance(self.directory, Directory):
            self.directory.start(self.control_plane.sandbox, *self.dex.hosts)
        refused = refusals(apply_in_waves(self.control_plane.api, [*self._given()]))
        assert not refused, "\n".join(refused)
        for name in self._generators():
            mine = [each for each in self.objects if each["metadata"]["name"].startswith(f"{name}-generator")]
            generate(self.control_plane, mine, f"make-{name}")
        self.start_dex(programs)
        if self.keys_server:
            self.keys_server.start(programs[PROXY], self.keys_server.spec["args"])
        self._start(self.proxy, programs[PROXY])

    def start_dex(self, programs: Mapping[str, Path]) -> None:
        """Start Dex, which trusts who signed the directory's certificate as it would trust a public authority."""
        trusted = self.dex.tmp.parent / "etc" / "ssl" / "trusted.crt"
        trusted.parent.mkdir(parents=True, exist_ok=True)
        directory = self.directory
        trusted.write_bytes(directory.authority.read_bytes() if isinstance(directory, Directory) else b"")
        self._start(self.dex, programs[DEX], {"SSL_CERT_FILE": "/etc/ssl/trusted.crt"})

    def _start(self, program: Mounted, binary: Path, settings: Mapping[str, str] | None = None) -> None:
        """Start it, and again where it ends, as the kubelet does: Dex ends when kinds that it has made are not served yet."""
        sandbox, again = self.control_plane.sandbox, [RESTARTS]

        def ready() -> bool:
            if again[0] and program.name in sandbox.ended():
                again[0] -= 1
                sandbox.stop(program.name)
                program.start(binary, flags, settings=settings)
            return self.probed(program, "readinessProbe") == 200

        flags = program.flags if program.spec.get("command") else program.spec["args"]
        program.start(binary, flags, settings=settings)
        until(ready, seconds=START_SECONDS, what=f"{program.name} is ready", every=0.5)

    def probed(self, program: Mounted, probe: str) -> int:
        """How a probe of a program's container is answered; 0 where it is not."""
        asked = program.spec[probe]["httpGet"]
        ports = {each["name"]: each["containerPort"] for each in program.spec["ports"]}
        try:
            return self.inside(ports.get(asked["port"], asked["port"])).get(asked["path"], known=False).status
        except OSError:
            return 0

    def inside(self, port: int) -> Door:
        """A port of a program, as those in the cluster reach it."""
        path = self.control_plane.folder / f"port-{port}.sock"
        if not path.exists():
            self.control_plane.sandbox.forward(path, port=port)
        return Door(path, "")

    def token(self, door: Door, name: str, client: str = PROXY) -> str:
        """The token that Dex gives a client of the stack's for a person, who signs in at its page."""
        (known,) = (each for each in self.settings["staticClients"] if each["id"] == client)
        back = known["redirectURIs"][0]
        browser = Browser(door, self.address)
        asked = {"client_id": client, "redirect_uri": back, "response_type": "code", "scope": SCOPES, "state": "any"}
        page = browser.follow(f"{urlsplit(self.issuer).path}/auth?{urlencode(asked)}")
        login, password = self.directory.login(name), self.directory.passwords[name]
        sent = browser.sign_in(page, login, password, before=back).headers["location"]
        (code,) = parse_qs(urlsplit(sent).query)["code"]
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "client_id": client}
        headers = {"content-type": "application/x-www-form-urlencoded"}
        if not known.get("public"):
            form["client_secret"] = self.dex.variables()[known["secretEnv"]]
        path, body = f"{urlsplit(self.issuer).path}/token", urlencode(form).encode()
        answer = self.inside(5556).get(path, known=False, headers=headers, method="POST", body=body)
        assert answer.status == 200, answer.text
        return str(json.loads(answer.text)["id_token"])

    @property
    def keys(self) -> Manifest:
        """The keys of Dex, as it stores them."""
        (found,) = self.control_plane.api.get(f"{STORED}/namespaces/{self.dex.home}/signingkeies").body["items"]
        return dict(found)

    def rotate(self, programs: Mapping[str, Path]) -> None:
        """Have Dex make a new key: it is told that the time has come, and looks when it starts."""
        old = self.keys
        path = f"{STORED}/namespaces/{self.dex.home}/signingkeies/{old['metadata']['name']}"
        reply = self.control_plane.api.request("PUT", path, {**old, "nextRotation": "2020-01-01T00:00:00Z"})
        assert reply.status == 200, reply.message
        self.control_plane.sandbox.stop(DEX)
        self.start_dex(programs)
        until(lambda: kid(self.keys) != kid(old), seconds=START_SECONDS, what="Dex has a new key")

    def _given(self) -> Iterator[Manifest]:
        """What the stack says exists: Secrets of connectors, of Dex's own users and of clients outside the stack; and
        what controllers make: the cluster's CA, and cert-manager's certificate of who serves keys."""
        for variable in self.dex.spec["env"]:
            kind = variable["name"].partition("_")[0]
            if kind in ("CONNECTOR", "LOCAL", "OWN"):
                key = variable["valueFrom"]["secretKeyRef"]
                made = {key["key"]: secrets.token_urlsafe(16)} if kind == "OWN" else self.directory.secret()
                yield _secret(key["name"], self.dex.home, made)
        for volume in self.proxy.pod["volumes"]:
            if volume.get("configMap", {}).get("name") == CLUSTER_CA:
                yield {
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "metadata": {"name": CLUSTER_CA, "namespace": self.proxy.home},
                    "data": {"ca.crt": self.control_plane.pki.authority.read_text()},
                }
        if self.keys_server:
            made_for = serving(self.control_plane.folder / "keys-server", [API_SERVER])
            files = {"ca.crt": made_for.authority, "tls.crt": made_for.certificate, "tls.key": made_for.key}
            yield _secret("oauth2-proxy-keys", self.proxy.home, {key: file.read_text() for key, file in files.items()})

    def _generators(self) -> list[str]:
        """The Secrets that are made in the cluster, by name."""
        maps = [each for each in self.objects if each["kind"] == "ConfigMap" and "plan.json" in each["data"]]
        return [each["metadata"]["name"].removesuffix("-generator") for each in maps]


def _secret(name: str, home: str, content: Mapping[str, str]) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": home},
        "stringData": {**content},
    }


def settings_of(objects: Sequence[Manifest]) -> dict[str, Any]:
    """The file of Dex in some objects."""
    maps = [each for each in objects if each["kind"] == "ConfigMap" and each["metadata"]["name"] == DEX]
    (text,) = ("".join(each["data"].values()) for each in maps)
    return cast("dict[str, Any]", load(text))


def asking(program: Path, folder: Path, host: str) -> Path:
    """A program that finds a host on loopback, for want of DNS."""
    folder.mkdir()
    hosts, made = folder / "hosts", folder / program.name
    hosts.write_text(f"127.0.0.1 localhost {host}\n")
    enter = f'mount --bind "{hosts}" /etc/hosts && exec "$@"'
    made.write_text(f"#!/bin/sh\nexec unshare --mount sh -c '{enter}' sh '{program}' \"$@\"\n")
    made.chmod(0o755)
    return made


def kid(keys: Manifest) -> str:
    """The name of the key that Dex signs with."""
    return str(keys["signingKey"]["kid"])


def pem(keys: Manifest) -> bytes:
    """The key that Dex signs with."""
    number = {name: _number(value) for name, value in keys["signingKey"].items() if name in ("n", "e", "d", "p", "q")}
    public = rsa.RSAPublicNumbers(number["e"], number["n"])
    d, p, q = number["d"], number["p"], number["q"]
    parts = rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q)
    made = rsa.RSAPrivateNumbers(p, q, d, *parts, public).private_key()
    return made.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _number(text: str) -> int:
    return int.from_bytes(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), "big")


def endpoints(service: Manifest, address: str, ports: Mapping[str, int]) -> Manifest:
    """The address of a Service's pod, as its controller would write it."""
    name, home = service["metadata"]["name"], service["metadata"]["namespace"]
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": name, "namespace": home, "labels": {"kubernetes.io/service-name": name}},
        "addressType": "IPv4",
        "ports": [{"name": key, "port": port, "protocol": "TCP"} for key, port in ports.items()],
        "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
    }
