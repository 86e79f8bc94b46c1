"""KEDA as a stack renders it, on a real API server, and a broker that is played: what its tests share."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.queueing import Controller, endpoints
from tests.cluster.training import FINISHED
from tests.cluster.waves import apply_in_waves, refusals

HOME, BROKER, USER = "team-speech", 15672, "workers"
OPERATOR, ADMISSION, METRICS = "keda-operator", "keda-admission", "keda-metrics-apiserver"
BESIDE = ("--metrics-bind-address=:18090", "--health-probe-bind-address=:18091")
"""Ports of the webhooks' server that the operator has too: here all programs share one network."""
MEASURED = 18092
"""Port of the measuring server's own metrics, which is the operator's here."""
WAIT_SECONDS = 120.0


@dataclass
class Scaling:
    """An API server on which KEDA works, and a broker."""

    control_plane: ControlPlane
    operator: Controller
    objects: list[Manifest]
    waiting: Path
    """Holds the number of messages."""
    job: list[Manifest]
    """The ScaledJob with its credentials."""
    measures: Controller | None = None
    """The server of the API of measures, where it runs."""

    def submit(self, messages: int) -> None:
        """So many messages wait, and the ScaledJob is there."""
        self.tell(messages)
        results = apply_in_waves(self.control_plane.api, self.job)
        assert not refusals(results), "\n".join(refusals(results))

    def tell(self, messages: int) -> None:
        """So many messages wait."""
        self.waiting.write_text(str(messages))

    def jobs(self) -> list[Manifest]:
        """Jobs that it has made."""
        return list(self.control_plane.api.get(f"/apis/batch/v1/namespaces/{HOME}/jobs").body["items"])

    def running(self) -> list[Manifest]:
        """Pods that run."""
        found = self.control_plane.api.get(f"/api/v1/namespaces/{HOME}/pods").body["items"]
        return [pod for pod in found if pod["status"].get("phase") == "Running"]

    def finish(self) -> None:
        """Have the programs in the pods end well."""
        for pod in self.running():
            path = f"/api/v1/namespaces/{HOME}/pods/{pod['metadata']['name']}"
            patch = {"metadata": {"annotations": {FINISHED: "true"}}}
            reply = self.control_plane.api.request("PATCH", path, patch, content="application/merge-patch+json")
            assert reply.status == 200, reply.message

    def condition(self, kind: str) -> str:
        """Status of a condition of the ScaledJob."""
        (job,) = (each for each in self.job if each["kind"] == "ScaledJob")
        found = self.control_plane.api.read(job).body.get("status", {}).get("conditions", [])
        return next((each["status"] for each in found if each["type"] == kind), "")

    def clear(self) -> None:
        """Take the ScaledJob and all that became of it; nobody collects garbage here."""
        api = self.control_plane.api
        self.tell(0)
        for each in self.job:
            api.request("DELETE", f"{api.path(each)}")
        (job,) = (each for each in self.job if each["kind"] == "ScaledJob")
        self.wait(lambda: api.read(job).status == 404, "the operator lets the ScaledJob go")
        for path in (f"/apis/batch/v1/namespaces/{HOME}/jobs", f"/api/v1/namespaces/{HOME}/pods"):
            api.request("DELETE", f"{path}?gracePeriodSeconds=0&propagationPolicy=Background")
            self.wait(lambda path=path: not self._left(path), f"nothing is left at {path}")  # type: ignore[misc]

    def wait(self, holds: Callable[[], bool], what: str) -> None:
        """Wait for what KEDA does."""
        until(holds, seconds=WAIT_SECONDS, what=what)

    def _left(self, path: str) -> list[Manifest]:
        api = self.control_plane.api
        found: list[Manifest] = api.get(path).body["items"]
        for each in found:
            if each["metadata"].get("finalizers"):
                patch = {"metadata": {"finalizers": None}}
                one = f"{path}/{each['metadata']['name']}"
                api.request("PATCH", one, patch, content="application/merge-patch+json")
        return found


def start_broker(control_plane: ControlPlane, waiting: Path) -> None:
    """A broker, and the Secret that a team has for it."""
    password = secrets.token_urlsafe(16)
    argv = [sys.executable, "-I", str(Path(__file__).with_name("broker.py")), str(BROKER), USER, password, str(waiting)]
    control_plane.sandbox.start("broker", argv, log=control_plane.folder / "broker.log")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}}
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "rabbit", "namespace": HOME},
        "stringData": {"username": USER, "password": password},
    }
    results = apply_in_waves(control_plane.api, [namespace, secret])
    assert not refusals(results)


def start_keda(control_plane: ControlPlane, programs: Mapping[str, Path], objects: list[Manifest]) -> Controller:
    """Start operator and webhooks; the operator ends once it has made the certificate, and the kubelet's part is to
    start it again with the files."""
    operator = Controller(control_plane, objects, OPERATOR, OPERATOR)
    flags = operator.spec["args"]
    settings = {"POD_NAMESPACE": operator.home, "WATCH_NAMESPACE": ""}
    operator.start(programs["keda-operator"], flags, settings=settings)
    secret = f"/api/v1/namespaces/{operator.home}/secrets/kedaorg-certs"
    api = control_plane.api
    until(
        lambda: "tls.crt" in api.get(secret).body.get("data", {}), seconds=WAIT_SECONDS, what="there is a certificate"
    )
    control_plane.sandbox.stop(OPERATOR)
    operator.start(programs["keda-operator"], flags, settings=settings)
    operator.hand_over_certificate()
    webhooks = Controller(control_plane, objects, ADMISSION, "keda-admission-webhooks")
    webhooks.start(programs["keda-webhooks"], [*webhooks.spec["args"], *BESIDE], settings=settings)
    webhooks.hand_over_certificate()
    stored = api.read(operator.object("Service", "keda-admission-webhooks")).body["spec"]
    control_plane.sandbox.relay(stored["clusterIP"], 443, target=9443)
    hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/keda-admission"
    operator.wait(
        lambda: all("caBundle" in each["clientConfig"] for each in api.get(hooks).body["webhooks"]), "it is trusted"
    )
    return operator


def start_measures(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
) -> Controller:
    """Start the server of the API of measures, beside the operator, and lead the API server to it."""
    server = Controller(control_plane, objects, METRICS, METRICS)
    operator = server.object("Service", OPERATOR)["metadata"]
    (server.root / "etc").mkdir(parents=True)
    host = f"{operator['name']}.{operator['namespace']}.svc.cluster.local"
    (server.root / "etc" / "hosts").write_text(f"127.0.0.1 localhost {host}\n")
    # It reads its certificate when it starts.
    (server.root / "certs").mkdir()
    server.hand_over_certificate()
    settings = {"POD_NAMESPACE": server.home, "WATCH_NAMESPACE": ""}
    server.start(programs["keda-adapter"], [*server.spec["args"], f"--port={MEASURED}"], settings=settings)
    api = control_plane.api
    stored = api.read(server.object("Service", METRICS)).body["spec"]
    (port,) = (each for each in stored["ports"] if each["name"] == "https")
    control_plane.sandbox.relay(stored["clusterIP"], port["port"], target=port["targetPort"])
    assert not api.apply(endpoints(METRICS, server.home, port["targetPort"])).refusal
    return server
