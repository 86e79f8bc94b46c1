"""KEDA, as a stack renders it, makes Jobs by the length of a queue, on a real API server.

Real: operator, admission webhooks and the server of measures with their own accounts, rights, certificate and flags,
the job controller and the scheduler. Played: RabbitMQ's management API, kubelets (kwok), nodes, the way from Services to programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.controllers import start_kubernetes
from tests.cluster.queue_stack import machines
from tests.cluster.queueing import front_proxy
from tests.cluster.scaling import HOME, OPERATOR, Scaling, start_broker, start_keda, start_measures
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

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
    flags = front_proxy(folder / "front")
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects)), flags=flags) as control_plane:
        with control_plane.explaining():
            start_kubernetes(control_plane, programs)
            start_broker(control_plane, waiting)
            first = [item for item in objects if item["kind"] != "CustomResourceDefinition"]
            results = apply_in_waves(control_plane.api, [*machines({"train": 2}), *first])
            assert not refusals(results), "\n".join(refusals(results))
            operator = start_keda(control_plane, programs, objects)
            measures = start_measures(control_plane, programs, objects)
        yield Scaling(control_plane, operator, objects, waiting, [item.manifest for item in job], measures)


@pytest.fixture
def scaling(running: Scaling, request: pytest.FixtureRequest) -> Iterator[Scaling]:
    """The shared cluster without Jobs; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
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


def test_what_a_trigger_measures_is_answered_by_the_api_server(running: Scaling) -> None:
    api, (job,) = running.control_plane.api, (each for each in running.job if each["kind"] == "ScaledJob")
    credentials = [each for each in running.job if each["kind"] == "TriggerAuthentication"]
    container = {"name": "main", "image": "registry.example.com/speech:1"}
    labels = {"app": "server"}
    server = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "server", "namespace": HOME},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }
    scaled = {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": "server", "namespace": HOME},
        "spec": {"scaleTargetRef": {"name": "server"}, "triggers": job["spec"]["triggers"]},
    }
    path = f"/apis/external.metrics.k8s.io/v1beta1/namespaces/{HOME}/s0-rabbitmq-recordings"
    asked = f"{path}?labelSelector=scaledobject.keda.sh%2Fname%3Dserver"
    running.tell(7)
    try:
        results = apply_in_waves(api, [*credentials, server, scaled])
        assert not refusals(results), "\n".join(refusals(results))
        running.wait(lambda: bool(_values(running, asked)), "the API server has an answer")

        assert _values(running, asked) == ["7"]
        service = api.read(running.operator.object("APIService", "v1beta1.external.metrics.k8s.io")).body
        (available,) = (each for each in service["status"]["conditions"] if each["type"] == "Available")
        assert available["status"] == "True"
        assert running.measures
        assert running.measures.forbidden() == []
    finally:
        api.request("DELETE", api.path(scaled) or "")
        running.wait(lambda: api.read(scaled).status == 404, "the operator lets it go")
        running.clear()
        running.operator.log.write_text("")


def _values(running: Scaling, path: str) -> list[str]:
    """What the API of measures says; nothing while it has no answer."""
    return [each["value"] for each in running.control_plane.api.get(path).body.get("items", [])]
