"""cert-manager's programs as a stack renders them, on a real API server: what their tests share.

Each has its own account, rights and flags. Played: the way from the Service to the webhook, and ports that each has in a
pod of its own: here they share one network.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.pki import serving
from tests.cluster.pods import Program
from tests.cluster.waves import DEFINITIONS, apply_in_waves, condition, refusals, wave

WEBHOOK, INJECTOR, CONTROLLER = "cert-manager-webhook", "cert-manager-cainjector", "cert-manager"
CONTAINERS = {WEBHOOK: WEBHOOK, INJECTOR: INJECTOR, CONTROLLER: "cert-manager-controller"}
CHOSEN = {WEBHOOK: ("cert-manager-programs", "webhook"), INJECTOR: ("cert-manager-programs", "cainjector")}
"""The binary that holds a program, and the word that chooses it; others have one of their own."""
METRICS = {WEBHOOK: 19402, INJECTOR: 19403, CONTROLLER: 19404}
"""Ports of their measures here."""
INJECT_FROM, INJECT_FROM_SECRET = "cert-manager.io/inject-ca-from", "cert-manager.io/inject-ca-from-secret"
AUTHORITY = "ca.crt"


class Member(Program):
    """One of the programs."""

    @property
    def flags(self) -> list[str]:
        """Its arguments as the kubelet expands them."""
        known = self.variables()
        return [re.sub(r"\$\((\w+)\)", lambda found: known[found[1]], each) for each in self.spec["args"]]

    def run(self, programs: Mapping[str, Path]) -> None:
        """Start it."""
        binary, *word = CHOSEN.get(self.deployment, (CONTAINERS[self.deployment],))
        beside = f"--metrics-listen-address=127.0.0.1:{METRICS[self.deployment]}"
        self.start(programs[binary], [*word, *self.flags, beside])


@dataclass
class CertManager:
    """An API server on which cert-manager works, and the objects of a test."""

    control_plane: ControlPlane
    objects: Sequence[Manifest]
    webhook: Member
    injector: Member
    made: list[Manifest] = field(default_factory=list)

    def wait(self, holds: Callable[[], bool], what: str) -> None:
        """Wait for something, as long as all programs run."""
        self.webhook.wait(lambda: self._works() and holds(), what)

    def _works(self) -> bool:
        assert not self.control_plane.sandbox.ended(), self.control_plane.logs()
        return True

    def play(self, certificate: Manifest, folder: Path) -> None:
        """The controller's part, where it does not run: the Secret of a certificate, in the form that it has."""
        spec, metadata = certificate["spec"], certificate["metadata"]
        made = serving(folder, spec.get("dnsNames", []))
        files = {AUTHORITY: made.authority, "tls.crt": made.certificate, "tls.key": made.key}
        secret: Manifest = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "name": spec["secretName"],
                "namespace": metadata["namespace"],
                "annotations": {"cert-manager.io/certificate-name": metadata["name"]},
            },
            "type": "kubernetes.io/tls",
            "data": {key: base64.b64encode(file.read_bytes()).decode() for key, file in files.items()},
        }
        self.control_plane.api.store(secret)

    def make(self, manifest: Manifest) -> Manifest:
        """Store an object; it goes when the test is over."""
        self.control_plane.api.store(manifest)
        self.made.append(manifest)
        return manifest

    def remove(self, manifest: Manifest) -> None:
        """Take an object away."""
        api = self.control_plane.api
        assert api.request("DELETE", api.path(manifest) or "").status in (200, 202)

    def ready(self, manifest: Manifest) -> bool:
        """Whether an issuer or a certificate is."""
        reply = self.control_plane.api.read(manifest)
        return reply.status == 200 and condition(reply.body, "Ready") == "True"

    def secret(self, place: str) -> Mapping[str, str]:
        """What a Secret (`namespace/name`) holds; empty where there is none."""
        home, _, name = place.partition("/")
        reply = self.control_plane.api.get(f"/api/v1/namespaces/{home}/secrets/{name}")
        data = reply.body.get("data") or {} if reply.status == 200 else {}
        return {key: base64.b64decode(value).decode() for key, value in data.items()}

    def annotated(self, name: str) -> list[Manifest]:
        """The objects that ask for an authority with this annotation."""
        return [each for each in self.objects if name in each["metadata"].get("annotations", {})]

    def source(self, manifest: Manifest) -> str:
        """The Secret whose authority an object asks for."""
        annotations = manifest["metadata"]["annotations"]
        if place := annotations.get(INJECT_FROM_SECRET):
            return str(place)
        home, _, name = annotations[INJECT_FROM].partition("/")
        of = {(each["metadata"]["namespace"], each["metadata"]["name"]): each for each in certificates_of(self.objects)}
        found = of[home, name]
        return f"{home}/{found['spec']['secretName']}"

    def injected(self, manifest: Manifest) -> list[str]:
        """The authorities that each place of a stored object has, former ones too; empty where it has none."""
        stored = self.control_plane.api.read(manifest).body
        return [base64.b64decode(_at(stored, path).get("caBundle", "")).decode() for path in places(manifest)]

    def trusts(self, manifest: Manifest) -> bool:
        """Whether an object has the authority that it asks for, in all places."""
        wanted = self.secret(self.source(manifest)).get(AUTHORITY)
        return wanted is not None and all(wanted in each for each in self.injected(manifest))

    def forget(self, manifest: Manifest) -> None:
        """Take the authority out of a stored object."""
        api = self.control_plane.api
        gone = [{"op": "remove", "path": f"{path}/caBundle"} for path in places(manifest)]
        reply = api.request("PATCH", api.path(manifest) or "", gone, content="application/json-patch+json")
        assert reply.status == 200, reply.message


def places(manifest: Manifest) -> list[str]:
    """Where an object has an authority, as JSON pointers."""
    if manifest["kind"] == "CustomResourceDefinition":
        return ["/spec/conversion/webhook/clientConfig"]
    if manifest["kind"] == "APIService":
        return ["/spec"]
    return [f"/webhooks/{number}/clientConfig" for number in range(len(manifest["webhooks"]))]


def _at(manifest: Manifest, path: str) -> Manifest:
    found = manifest
    for each in path.split("/")[1:]:
        found = found[int(each)] if isinstance(found, list) else found[each]
    return found


def run_cert_manager(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
) -> CertManager:
    """Start webhook and injector of objects that are stored already, and play the way to the webhook."""
    webhook, injector = (Member(control_plane, objects, name, CONTAINERS[name]) for name in (WEBHOOK, INJECTOR))
    for each in (webhook, injector):
        each.run(programs)
    stored = control_plane.api.read(webhook.object("Service", WEBHOOK)).body["spec"]
    (port,) = (each for each in stored["ports"] if each["name"] == "https")
    (listening,) = (each for each in webhook.spec["ports"] if each["name"] == port["targetPort"])
    control_plane.sandbox.relay(stored["clusterIP"], port["port"], target=listening["containerPort"])
    return CertManager(control_plane, objects, webhook, injector)


def start_cert_manager(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
) -> CertManager:
    """Install some objects, start webhook and injector, and wait until the webhook judges, which the injector has made
    trusted; custom objects come then."""
    api = control_plane.api
    custom = [each for each in objects if each["apiVersion"].startswith("cert-manager.io/")]
    first = [each for each in objects if each not in custom and wave(each) != DEFINITIONS]
    results = apply_in_waves(api, first)
    assert not refusals(results), "\n".join(refusals(results))
    made = run_cert_manager(control_plane, programs, objects)
    made.wait(lambda: not any(api.refusals(custom)), "the webhook takes what the stack has")
    results = apply_in_waves(api, custom)
    assert not refusals(results), "\n".join(refusals(results))
    return made


def certificates_of(objects: Sequence[Manifest]) -> list[Manifest]:
    """The certificates of a stack."""
    return [each for each in objects if each["kind"] == "Certificate"]


def asked(name: str, *, issuer: str = "house", **more: Any) -> Manifest:
    """A certificate that a person asks for."""
    spec = {
        "secretName": name,
        "dnsNames": [f"{name}.example.com"],
        "issuerRef": {"kind": "ClusterIssuer", "name": issuer},
        **more,
    }
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": metadata, "spec": spec}
