"""KEDA, as a stack renders it, makes Jobs by the length of a queue, on a real API server.

Real: operator and admission webhooks with their own accounts, rights, certificate and flags, the job controller and the
scheduler. Played: RabbitMQ's management API, kubelets (kwok), nodes, the way from Services to programs.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.conftest import RUNNING
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import start_kubernetes
from tests.cluster.queue_stack import machines
from tests.cluster.queueing import Controller
from tests.cluster.sandbox import own_network_allowed
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.training import FINISHED
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(
        not own_network_allowed(), reason="this system allows no namespaces, which Services' addresses and volumes need"
    ),
]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36", existing: [Secret team-speech/rabbit]}
nodePools:
  - {name: train, nodes: 2, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  keda: {}
external:
  messageQueue: {system: rabbitmq, brokers: ["127.0.0.1:5672"], management: "http://127.0.0.1:15672", tls: false, credentials: rabbit}
teams: [{name: speech}]
jobs:
  - {template: queue-workers, name: transcribe, team: speech, pool: train, image: "registry.example.com/speech:1", cpu: "1", memory: 1Gi, source: recordings, workers: 3, messagesPerWorker: 2, pollingSeconds: 1}
"""
MOST = 3
HOME, BROKER, USER = "team-speech", 15672, "workers"
OPERATOR, ADMISSION = "keda-operator", "keda-admission"
BESIDE = ["--metrics-bind-address=:18080", "--health-probe-bind-address=:18081"]
"""Ports of the webhooks' server that the operator has too: here both programs share one network."""
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


@pytest.fixture(scope="module")
def running(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scaling]:
    """The cluster with both programs."""
    folder = tmp_path_factory.mktemp("keda")
    stack = rendered_stack(folder / "repository", STACK, name="scaling")
    components = ("namespaces", "nvidia-device-plugin", "keda")
    objects = [item.manifest for name in components for item in stack.components[name].objects]
    (job,) = stack.jobs.values()
    waiting = folder / "waiting"
    waiting.write_text("0")
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        try:
            start_kubernetes(control_plane, programs)
            _start_broker(control_plane, waiting)
            first = [item for item in objects if item["kind"] != "CustomResourceDefinition"]
            results = apply_in_waves(control_plane.api, [*machines({"train": 2}), *first])
            assert not refusals(results), "\n".join(refusals(results))
            operator = _start_keda(control_plane, programs, objects)
        except (TimeoutError, AssertionError) as error:
            raise AssertionError(f"{error}\n{control_plane.logs()}") from error
        yield Scaling(control_plane, operator, objects, waiting, [item.manifest for item in job])


@pytest.fixture
def scaling(running: Scaling, request: pytest.FixtureRequest) -> Iterator[Scaling]:
    """The shared cluster without Jobs; its logs are shown when the test fails."""
    request.node.stash.setdefault(RUNNING, []).append(running.control_plane)
    try:
        yield running
        assert running.operator.forbidden() == []
    finally:
        running.clear()
        running.operator.log.write_text("")


def test_messages_have_jobs_made_and_their_end_makes_room_for_no_more(scaling: Scaling) -> None:
    scaling.submit(4)
    scaling.wait(lambda: len(scaling.running()) == 2, "two pods run for four messages")
    before = scaling.jobs()
    scaling.tell(0)
    scaling.finish()
    scaling.wait(lambda: all(each["status"].get("succeeded") for each in scaling.jobs()), "both Jobs are done")

    assert scaling.condition("Ready") == "True"
    assert {job["spec"]["template"]["spec"]["nodeSelector"]["pool"] for job in before} == {"train"}
    assert len(scaling.jobs()) == 2


def test_no_more_jobs_run_than_the_stack_says(scaling: Scaling) -> None:
    scaling.submit(100)
    scaling.wait(lambda: len(scaling.running()) == MOST, "the most that may run does")
    scaling.wait(lambda: scaling.condition("Active") == "True", "there is work")
    scaling.finish()
    scaling.wait(lambda: len(scaling.jobs()) == 2 * MOST, "others take the place of those that ended")

    assert len([each for each in scaling.jobs() if not each["status"].get("succeeded")]) == MOST


def test_without_messages_nothing_is_made(scaling: Scaling) -> None:
    scaling.submit(0)
    scaling.wait(lambda: scaling.condition("Active") == "False", "there is no work")

    assert scaling.jobs() == []


def test_two_that_scale_one_workload_are_refused_by_the_webhook(scaling: Scaling) -> None:
    api = scaling.control_plane.api

    def scaled(name: str) -> Manifest:
        when = {"timezone": "UTC", "start": "0 8 * * *", "end": "0 18 * * *", "desiredReplicas": "1"}
        trigger = {"type": "cron", "metadata": when}
        return {
            "apiVersion": "keda.sh/v1alpha1",
            "kind": "ScaledObject",
            "metadata": {"name": name, "namespace": HOME},
            "spec": {"scaleTargetRef": {"name": "server"}, "triggers": [trigger]},
        }

    try:
        assert not api.apply(scaled("first")).refusal
        scaling.wait(lambda: "first" in api.apply(scaled("second"), dry_run=True).refusal, "the second is refused")
    finally:
        api.request("DELETE", api.path(scaled("first")) or "")
    scaling.wait(lambda: api.read(scaled("first")).status == 404, "the operator lets it go")


def test_without_the_right_to_make_jobs_none_is_made(running: Scaling) -> None:
    role = running.operator.object("ClusterRole", OPERATOR)
    with rights.without(running.control_plane.api, role, "jobs", {"create"}):
        try:
            running.submit(4)
            running.wait(lambda: any("jobs" in line for line in running.operator.forbidden()), "it is refused")

            assert running.jobs() == []
        finally:
            running.clear()
    running.operator.log.write_text("")


def test_the_authority_of_its_certificate_reaches_the_api_of_measures(running: Scaling) -> None:
    api = running.control_plane.api
    stored = api.read(running.operator.object("APIService", "v1beta1.external.metrics.k8s.io")).body

    assert "caBundle" in stored["spec"]


def _start_broker(control_plane: ControlPlane, waiting: Path) -> None:
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


def _start_keda(control_plane: ControlPlane, programs: Mapping[str, Path], objects: list[Manifest]) -> Controller:
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
