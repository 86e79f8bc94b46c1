"""Behind Emissary a host gets its first certificate by ACME over HTTP, and the next one when the first runs out.

Real: objects of a stack; controller, webhook and injector of cert-manager; the server that its solver's pods run; Pebble,
an ACME server that follows the protocol strictly, in place of a public one; Envoy, with the configuration that Emissary's
compiler makes of the stack's objects and the Secret as it is stored. Played: DNS, which finds the host at the gateway; the
kubelet, which starts a solver's program for its pod; kube-proxy; Emissary's other programs, which hand Secrets on.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from platform_def.components.gateways.cert_manager.issuers import SOLVER, SOLVER_LABEL, SOLVER_PORT
from tests.cluster.certificates import (
    CHOSEN,
    CONTAINERS,
    CONTROLLER,
    METRICS,
    CertManager,
    Member,
    certificates_of,
    start_cert_manager,
)
from tests.cluster.client import Manifest
from tests.cluster.compiler import compiled, envoy_beside, located, obtain_compiler
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import Door
from tests.cluster.pki import serving
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

HOST, HOME, DIRECTORY, ROOTS = "ml.example.com", "emissary", 14000, 15500
ACCOUNT, ZONE = "team", "records.example.com"
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
gateway: emissary
ingress: {{kind: cloud, host: {HOST}, tls: {{issuer: public}}}}
external:
  authorizationService: {{name: who, host: who.auth.svc.cluster.local, port: 80}}
components:
  emissary: {{release: "3.10.0"}}
  cert-manager:
    issuers:
      public:
        acme:
          server: "https://localhost:{DIRECTORY}/dir"
          accountBinding: {{keyId: {ACCOUNT}, key: {{secret: known, key: mac}}}}
          byZone:
            - zones: [{ZONE}]
              dns01: {{rfc2136: {{nameserver: "127.0.0.1:5353", keyName: cert-manager, key: {{secret: known, key: tsig}}}}}}
"""
HTTP, HTTPS = 8080, 8443
ISSUED_SECONDS = 180.0
STRICTLY = {"PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "0", "PEBBLE_AUTHZREUSE": "0"}
"""Pebble neither dawdles nor errs, and has each order prove the domain."""


@dataclass
class Site:
    """A host whose certificate comes from outside, and everything that is asked for it."""

    certs: CertManager
    objects: Sequence[Manifest]
    """Emissary's."""
    folder: Path
    compiler: Path
    programs: Mapping[str, Path]
    certificate: Manifest
    _solvers: set[str] = field(default_factory=set)
    _shown: str = ""

    @property
    def door(self) -> Door:
        """The port for HTTPS, which verifies nothing."""
        trust = ssl.create_default_context()
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
        return Door(self.folder / "https.sock", "", trust)

    @property
    def plain(self) -> Door:
        """The port for HTTP."""
        return Door(self.folder / "http.sock", "")

    @property
    def secret(self) -> str:
        """The certificate as it is stored."""
        return self.certs.secret(f"{HOME}/{self.certificate['spec']['secretName']}").get("tls.crt", "")

    def is_signed(self) -> bool:
        """Whether the authority signed it; cert-manager signs temporary ones."""
        return "Pebble" in x509.load_pem_x509_certificate(self.secret.encode()).issuer.rfc4514_string()

    def tend(self) -> None:
        """What kubelet and Emissary do: start solvers of pods, and show the certificate that is stored."""
        sandbox, api = self.certs.control_plane.sandbox, self.certs.control_plane.api
        query = f"/api/v1/namespaces/{HOME}/pods?labelSelector={SOLVER_LABEL}%3Dtrue"
        pods = {each["metadata"]["uid"]: each for each in api.get(query).body.get("items", [])}
        for gone in self._solvers - pods.keys():
            sandbox.stop(f"solver-{gone}")
            self._solvers.remove(gone)
        for uid in pods.keys() - self._solvers if not self._solvers else ():
            (container,) = pods[uid]["spec"]["containers"]
            assert f"--listen-port={SOLVER_PORT}" in container["args"]
            argv = [str(self.programs["acme-solver"]), *container["args"]]
            sandbox.start(f"solver-{uid}", argv, log=self.folder / f"solver-{uid}.log")
            self._solvers.add(uid)
        if self.secret and self.secret != self._shown:
            self.show()

    def show(self) -> None:
        """Start Envoy with what the compiler makes now."""
        stored = self.certs.control_plane.api.get(
            f"/api/v1/namespaces/{HOME}/secrets/{self.certificate['spec']['secretName']}"
        ).body
        certificate = self.secret
        (made,) = compiled(self.compiler, [[*self.objects, stored]], certificates=self.folder)
        configuration = located(made, {(f"{SOLVER}.{HOME}", 80): ("127.0.0.1", SOLVER_PORT)})
        for manager in _connection_managers(configuration):
            # Pebble names port 80 in the Host header, which public authorities leave out.
            manager["strip_any_host_port"] = True
        file = self.folder / "envoy.json"
        file.write_text(json.dumps(configuration))
        sandbox = self.certs.control_plane.sandbox
        if self._shown:
            sandbox.stop("envoy")
        argv = [str(envoy_beside(self.compiler)), "-c", str(file), "--log-level", "error", "--concurrency", "1"]
        sandbox.start("envoy", argv, log=self.folder / "envoy.log")
        self._shown = certificate
        until(self._answers, seconds=START_SECONDS, what="the gateway answers")

    def _answers(self) -> bool:
        assert "envoy" not in self.certs.control_plane.sandbox.ended(), self.certs.control_plane.logs()
        try:
            return bool(self.plain.get("/", host=HOST).status and self.door.get("/", host=HOST).status)
        except OSError:
            return False

    def issued_after(self, former: str) -> str:
        """Tend to all until the gateway shows a certificate of the authority's that is not the former."""

        def issued() -> bool:
            self.tend()
            return self.secret != former and self.is_signed() and self.certs.ready(self.certificate)

        until(issued, seconds=ISSUED_SECONDS, what="a certificate is issued")
        self.tend()
        return self.secret


@pytest.fixture(scope="module")
def running(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """cert-manager, an ACME server, and a gateway that has no certificate yet."""
    compiler, folder = or_skip(obtain_compiler), tmp_path_factory.mktemp("acme")
    stack = rendered_stack(folder, STACK, name="acme")
    objects = [item.manifest for each in stack.components.values() for item in each.objects]
    names = {name for name, _ in CHOSEN.values()} | {CONTAINERS[CONTROLLER], "pebble", "acme-solver"}
    wanted = {name: programs[name] for name in sorted(names)}
    read = [each for each in objects if _is_read(each)]
    # The API server of this test knows nothing of Emissary's kinds, of which the compiler is given the objects.
    stored = [each for each in objects if "getambassador" not in f"{each['apiVersion']} {each['metadata']['name']}"]
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(stored))) as control_plane:
        with control_plane.explaining():
            made = serving(folder / "pki", ["localhost"])
            known = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
            _start_pebble(control_plane, folder, wanted["pebble"], made.certificate, made.key, known=known)
            certs = start_cert_manager(control_plane, wanted, stored)
            certs.make(_keys(known))
            account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": HOME}}
            certs.make(account)
            controller = Member(control_plane, stored, CONTROLLER, CONTAINERS[CONTROLLER], hosts=(HOST,))
            controller.tmp.mkdir(parents=True)
            (controller.tmp / "acme.pem").write_bytes(made.authority.read_bytes())
            measures = f"--metrics-listen-address=127.0.0.1:{METRICS[CONTROLLER]}"
            trusted = {"SSL_CERT_FILE": "/tmp/acme.pem"}
            controller.start(wanted[CONTAINERS[CONTROLLER]], [*controller.flags, measures], settings=trusted)
            for port, target in ((80, HTTP), (443, HTTPS)):
                control_plane.sandbox.relay("127.0.0.1", port, target=target)
            control_plane.sandbox.forward(folder / "http.sock", port=HTTP)
            control_plane.sandbox.forward(folder / "https.sock", port=HTTPS)
        (certificate,) = certificates_of(stored)
        yield Site(certs, read, folder, compiler, wanted, certificate)


@pytest.fixture
def site(running: Site, request: pytest.FixtureRequest) -> Site:
    """The site; logs are shown when the test fails."""
    show_logs(request, running.certs.control_plane)
    return running


def _connection_managers(configuration: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for listener in configuration["static_resources"]["listeners"]:
        for chain in listener["filter_chains"]:
            yield from (
                each["typed_config"]
                for each in chain["filters"]
                if "HttpConnectionManager" in each["typed_config"]["@type"]
            )


def _is_read(manifest: Manifest) -> bool:
    return str(manifest["apiVersion"]).startswith("getambassador.io/") or manifest["kind"] == "Service"


def _keys(known: str) -> Manifest:
    """What the issuer names: the key of the account, as the authority gave it, and one of a name server."""
    made = {"mac": known, "tsig": base64.b64encode(secrets.token_bytes(32)).decode()}
    metadata = {"name": "known", "namespace": "cert-manager"}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": made}


def _start_pebble(
    control_plane: ControlPlane, folder: Path, program: Path, certificate: Path, key: Path, *, known: str
) -> None:
    """An authority that takes accounts alone which it knows."""
    settings: dict[str, Any] = {
        "listenAddress": f"127.0.0.1:{DIRECTORY}",
        "managementListenAddress": f"127.0.0.1:{ROOTS}",
        "certificate": str(certificate),
        "privateKey": str(key),
        "httpPort": 80,
        "tlsPort": 443,
        "retryAfter": {"authz": 1, "order": 1},
        "keyAlgorithm": "ecdsa",
        "externalAccountBindingRequired": True,
        "externalAccountMACKeys": {ACCOUNT: known},
        "profiles": {"default": {"description": "of this test", "validityPeriod": 7776000}},
    }
    (folder / "pebble.json").write_text(json.dumps({"pebble": settings}))
    (folder / "hosts").write_text(f"127.0.0.1 localhost {HOST}\n")
    found = 'mount --bind "$1" /etc/hosts && shift && exec "$@"'
    argv = ["unshare", "--mount", "sh", "-c", found, "sh", str(folder / "hosts"), str(program), "-strict"]
    argv += ["-config", str(folder / "pebble.json")]
    control_plane.sandbox.start("pebble", argv, log=folder / "pebble.log", env=STRICTLY)


def test_a_host_gets_its_first_certificate_and_the_next_one(site: Site) -> None:
    """The first challenge is answered under a temporary certificate, the second under the first certificate."""
    site.certs.wait(lambda: site.secret != "", "there is a temporary certificate")
    temporary = site.secret
    assert not site.is_signed()
    first = site.issued_after(temporary)
    assert "ext_authz" in (site.folder / "envoy.json").read_text(), "other requests are asked about"

    _renew(site)
    second = site.issued_after(first)
    assert second not in ("", first)
    log = (site.folder / "pebble.log").read_text()
    assert len(re.findall(r"authz \S+ set VALID by completed challenge", log)) == 2, log


def test_a_name_in_a_zone_is_proved_by_a_record(site: Site) -> None:
    """The name server is none; which way the controller takes is what its Challenge says."""
    api = site.certs.control_plane.api
    spec = {
        "secretName": "recorded",
        "dnsNames": [f"ml.{ZONE}"],
        "issuerRef": {"kind": "ClusterIssuer", "name": "public", "group": "cert-manager.io"},
    }
    metadata = {"name": "recorded", "namespace": HOME}
    site.certs.make({"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": metadata, "spec": spec})
    path = f"/apis/acme.cert-manager.io/v1/namespaces/{HOME}/challenges"

    def challenge() -> Manifest:
        found = [each["spec"] for each in api.get(path).body["items"] if each["spec"]["dnsName"] == f"ml.{ZONE}"]
        return found[0] if found else {}

    site.certs.wait(lambda: bool(challenge()), "the controller has chosen a way")
    assert challenge()["type"] == "DNS-01"
    assert challenge()["solver"]["dns01"]["rfc2136"]["nameserver"] == "127.0.0.1:5353"


def _renew(site: Site) -> None:
    """As `cmctl renew` does."""
    api = site.certs.control_plane.api
    path = f"{api.path(site.certificate)}/status"
    wanted = {"type": "Issuing", "status": "True", "reason": "ManuallyTriggered", "message": "renewed by a person"}

    def told() -> bool:
        found = api.read(site.certificate).body
        found["status"]["conditions"] = [*found["status"].get("conditions", []), wanted]
        return api.request("PUT", path, found).status == 200

    until(told, seconds=START_SECONDS, what="a person asks for the next certificate")
