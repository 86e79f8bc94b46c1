"""Sealed Secrets, as a stack renders it, opens what was sealed for a namespace: its real controller under its own rights.

Sealing is done here as `kubeseal` does it, with the certificate that the controller gives.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from platform_def.components.secrets.sealed_secrets.component import METRICS
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import Door
from tests.cluster.fed import unfed
from tests.cluster.pods import Program
from tests.cluster.scrape import faults, read
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
components:
  sealed-secrets: {}
"""
CONTROLLER, HOME, OTHER = "sealed-secrets", "vault", "elsewhere"


@dataclass(frozen=True)
class Sealing:
    """The controller at work."""

    control_plane: ControlPlane
    controller: Program
    binary: Path

    def start(self) -> None:
        """Start it, and wait until it is ready by the probe of its pod."""
        self.controller.start(self.binary, self.controller.spec["args"])
        path = self.controller.spec["readinessProbe"]["httpGet"]["path"]
        self.controller.wait(lambda: self._status(path) == 200, "the controller is ready")

    def door(self, name: str) -> Door:
        """A port of its container."""
        ports = {each["name"]: each["containerPort"] for each in self.controller.spec["ports"]}
        path = self.control_plane.folder / f"{name}.sock"
        if not path.exists():
            self.control_plane.sandbox.forward(path, port=ports[name])
        return Door(path, "")

    def _status(self, path: str) -> int:
        try:
            return self.door("http").get(path).status
        except OSError:
            return 0

    def sealed(self, name: str, values: Mapping[str, str], *, home: str = HOME, label: str = "") -> Manifest:
        """A SealedSecret; `label` is what it was sealed for, by default its own namespace and name."""
        certificate = x509.load_pem_x509_certificate(self.door("http").get("/v1/cert.pem").text.encode())
        public = certificate.public_key()
        assert isinstance(public, rsa.RSAPublicKey)
        sealed_for = (label or f"{home}/{name}").encode()
        return {
            "apiVersion": "bitnami.com/v1alpha1",
            "kind": "SealedSecret",
            "metadata": {"name": name, "namespace": home},
            "spec": {"encryptedData": {key: _sealed(public, value, sealed_for) for key, value in values.items()}},
        }

    def store(self, manifest: Manifest) -> None:
        """Apply an object."""
        self.control_plane.api.store(manifest)

    def opened(self, name: str, home: str = HOME) -> dict[str, str]:
        """The Secret of this name; empty where there is none."""
        body = self.control_plane.api.get(f"/api/v1/namespaces/{home}/secrets/{name}").body
        return {key: base64.b64decode(value).decode() for key, value in body.get("data", {}).items()}

    def synced(self, manifest: Manifest) -> str:
        """What the controller says of a SealedSecret: `True`, `False`, or nothing yet."""
        conditions = self.control_plane.api.read(manifest).body.get("status", {}).get("conditions", [])
        return "".join(each["status"] for each in conditions if each["type"] == "Synced")


def _sealed(public: rsa.RSAPublicKey, value: str, label: bytes) -> str:
    """A key of its own for each value, encrypted for the controller and bound to a label."""
    session = os.urandom(32)
    digest = hashes.SHA256()
    locked = public.encrypt(session, padding.OAEP(padding.MGF1(digest), digest, label))
    return base64.b64encode(
        len(locked).to_bytes(2, "big") + locked + AESGCM(session).encrypt(bytes(12), value.encode(), None)
    ).decode()


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory, binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Sealing]:
    """The controller, with two namespaces."""
    binary = programs["sealed-secrets-controller"]
    stack = rendered_stack(tmp_path_factory.mktemp("sealed"), STACK, name="sealed")
    objects = [item.manifest for each in stack.components.values() for item in each.objects]
    homes = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": each}} for each in (HOME, OTHER)]
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane, control_plane.explaining():
        refused = refusals(apply_in_waves(control_plane.api, [*objects, *homes]))
        assert not refused, "\n".join(refused)
        found = Sealing(control_plane, Program(control_plane, objects, CONTROLLER, "controller"), binary)
        found.start()
        yield found


@pytest.fixture
def sealing(running: Sealing, request: pytest.FixtureRequest) -> Sealing:
    """The shared controller; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def test_what_is_sealed_for_a_namespace_is_opened_there(sealing: Sealing) -> None:
    made = sealing.sealed("database", {"username": "notes", "host": "db.example.com"})
    sealing.store(made)

    until(lambda: bool(sealing.opened("database")), seconds=START_SECONDS, what="the Secret is there")
    assert sealing.opened("database") == {"username": "notes", "host": "db.example.com"}
    until(lambda: sealing.synced(made) == "True", seconds=START_SECONDS, what="its status says so")
    assert sealing.controller.forbidden() == []


def test_what_is_sealed_for_another_namespace_stays_closed_and_counts_for_the_alert(
    sealing: Sealing, programs: Mapping[str, Path]
) -> None:
    moved = sealing.sealed("moved", {"username": "notes"}, home=OTHER, label=f"{HOME}/moved")
    sealing.store(moved)

    until(lambda: sealing.synced(moved) == "False", seconds=START_SECONDS, what="the controller has refused it")
    assert sealing.opened("moved", OTHER) == {}
    page = read(sealing.door("metrics").get("/metrics").text)
    assert page.samples["sealed_secrets_controller_unseal_errors_total"]
    assert faults(page, [METRICS], program=sealing.binary) == []
    assert unfed("sealed-secrets", [page], engine=programs["prometheus-engine"]) == []


def test_after_a_restart_it_opens_what_was_sealed_before(sealing: Sealing) -> None:
    early = sealing.sealed("early", {"username": "notes"})
    sealing.control_plane.sandbox.stop(CONTROLLER)
    sealing.start()
    sealing.store(early)

    until(lambda: sealing.opened("early") == {"username": "notes"}, seconds=START_SECONDS, what="it is opened")


def test_without_its_right_to_make_secrets_it_opens_nothing(sealing: Sealing) -> None:
    role = json.loads(json.dumps(sealing.controller.object("ClusterRole", "secrets-unsealer")))
    for rule in role["rules"]:
        if rule["resources"] == ["secrets"]:
            rule["verbs"].remove("create")
    sealing.store(role)
    made = sealing.sealed("refused", {"username": "notes"})
    try:
        until(lambda: not allowed(sealing), seconds=START_SECONDS, what="the right is gone")
        sealing.store(made)
        assert "cannot create resource" in sealing.controller.refusal()
        assert sealing.opened("refused") == {}
    finally:
        sealing.store(sealing.controller.object("ClusterRole", "secrets-unsealer"))


def allowed(sealing: Sealing) -> bool:
    """Whether its account may make a Secret."""
    asked = {"verb": "create", "resource": "secrets", "namespace": HOME}
    user = f"system:serviceaccount:{sealing.controller.home}:{sealing.controller.pod['serviceAccountName']}"
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": user, "resourceAttributes": asked},
    }
    reply = sealing.control_plane.api.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", body)
    return bool(reply.body["status"]["allowed"])
