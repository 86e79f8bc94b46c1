"""Kubeflow Trainer and JobSet as a stack renders them, with Kueue beside them, on a real API server.

Each has its own account, rights, configuration file, certificate and webhooks. Played: kubelets (kwok), nodes, the way
from Services to programs, and what becomes of a pod's programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.queueing import Controller, QueueCluster, start_kueue
from tests.cluster.waves import DEFINITIONS, apply_in_waves, condition, refusals, wave

WAIT_SECONDS = 180.0
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36", existing: [ServiceAccount team-lab/trainer]}
nodePools:
  - {name: train, nodes: 4, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  jobset: {}
  trainer: {gracePeriodSeconds: 90, withoutGpus: [xgboost-distributed]}
  kueue: {}
teams:
  - {name: vision, queue: vision, quota: {gpus: 8}}
  - {name: speech, queue: speech, quota: {gpus: 8}}
  - {name: lab}
jobs:
  - {template: trainjob, name: own, team: lab, pool: train, image: "registry.example.com/train:1", command: [torchrun, train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4, retries: 2, gracePeriodSeconds: 600}
  - {template: trainjob, name: shared, team: lab, pool: train, runtime: torch-distributed, image: "registry.example.com/train:1", command: [torchrun, train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4, serviceAccount: trainer, env: {SEED: "1"}}
  - {template: trainjob, name: processors, team: lab, pool: train, runtime: torch-distributed, image: "registry.example.com/train:1", command: [torchrun, train.py], cpu: "1", memory: 1Gi, gpusPerWorker: 0}
  - {template: trainjob, name: launched, team: lab, pool: train, runtime: deepspeed-distributed, command: [mpirun, python, train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4, serviceAccount: trainer, gracePeriodSeconds: 45}
  - {template: trainjob, name: queued, team: vision, pool: train, image: "registry.example.com/train:1", command: [torchrun, train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
"""
COMPONENTS = ("namespaces", "nvidia-device-plugin", "jobset", "trainer", "kueue")
SET = "jobset.sigs.k8s.io/jobset-name"
"""Label of all pods of a set, which has its TrainJob's name."""
NODES, GPUS = 4, 4


class JobSet(Controller):
    """JobSet's controller."""

    elsewhere: ClassVar[Mapping[int, int]] = {8081: 18181, 8443: 18543, 9443: 19643}


class Trainer(Controller):
    """The trainer's controller."""

    elsewhere: ClassVar[Mapping[int, int]] = {8081: 18281, 8443: 18643, 9443: 19743}


@dataclass(frozen=True)
class TrainerCluster:
    """An API server on which TrainJobs become pods."""

    queues: QueueCluster
    jobset: Controller
    trainer: Controller

    @property
    def control_plane(self) -> ControlPlane:
        """The API server and all that runs beside it."""
        return self.queues.control_plane

    def submit(self, objects: Sequence[Manifest], name: str) -> Manifest:
        """Store a job's objects under another name; returns the TrainJob, which goes when the test is over."""
        renamed = [self._renamed(item, name) for item in objects]
        *before, job = sorted(renamed, key=lambda item: item["kind"] == "TrainJob")
        for item in before:
            self.control_plane.api.store(item)
        return self.queues.submit(job)

    def _renamed(self, item: Manifest, name: str) -> Manifest:
        made = deepcopy(item)
        former, made["metadata"]["name"] = item["metadata"]["name"], name
        if (reference := made["spec"].get("runtimeRef", {})).get("name") == former:
            reference["name"] = name
        return made

    def pods(self, job: Manifest) -> list[Manifest]:
        """Its pods that run, by their rank."""
        found = self.queues.pods(job)
        return sorted(found, key=lambda pod: pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"])

    def wait_for_pods(self, job: Manifest, count: int) -> list[Manifest]:
        """Its pods, once so many run."""
        self.wait(lambda: len(self.queues.pods(job)) == count, f"{count} pods of {job['metadata']['name']} run", job)
        return self.pods(job)

    def set_of(self, job: Manifest) -> Manifest:
        """The JobSet that it became; empty where there is none."""
        place = f"namespaces/{job['metadata']['namespace']}/jobsets/{job['metadata']['name']}"
        reply = self.control_plane.api.get(f"/apis/jobset.x-k8s.io/v1alpha2/{place}")
        return reply.body if reply.status == 200 else {}

    def wait_for(self, job: Manifest, kind: str, *, status: str = "True") -> None:
        """Wait for a condition of the TrainJob."""
        read = self.control_plane.api.read
        self.wait(lambda: condition(read(job).body, kind) == status, f"{kind} of the job is {status}", job)

    def end(self, pod: Manifest, *, reason: str = "") -> None:
        """Have a pod's programs fail; `reason` is that of the cluster, where it is what ended the pod."""
        metadata = pod["metadata"]
        status: Manifest = {"phase": "Failed", "containerStatuses": None}
        if reason:
            status["conditions"] = [{"type": "DisruptionTarget", "status": "True", "reason": reason}]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/status"
        content = "application/strategic-merge-patch+json"
        reply = self.control_plane.api.request("PATCH", path, {"status": status}, content=content)
        assert reply.status == 200, reply.message

    @contextmanager
    def clean(self) -> Iterator[TrainerCluster]:
        """For one test: its jobs are gone afterwards, and nobody was refused anything."""
        with self.queues.clean():
            yield self
            assert [*self.jobset.forbidden(), *self.trainer.forbidden()] == []

    @contextmanager
    def without(self, role: str, resource: str, verbs: set[str]) -> Iterator[None]:
        """Take verbs on a resource out of a ClusterRole for some time; what was refused meanwhile is forgotten."""
        with self.queues.without(role, resource, verbs):
            yield
        for controller in (self.jobset, self.trainer):
            controller.log.write_text("")

    def wait(self, holds: Callable[[], bool], what: str, job: Manifest | None = None) -> None:
        """Wait for what the controllers do; TimeoutError says how far they are."""
        try:
            until(holds, seconds=WAIT_SECONDS, what=what)
        except TimeoutError as error:
            told = [self.control_plane.api.read(job).body.get("status"), self.set_of(job).get("status")] if job else []
            raise TimeoutError(f"{error}\n{told}") from error


def start_trainer(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
) -> TrainerCluster:
    """Install a stack in the order of its delivery: both controllers with their runtimes, and Kueue."""
    jobset, trainer = start_controllers(control_plane, programs, objects)
    return TrainerCluster(start_kueue(control_plane, programs, objects), jobset, trainer)


def start_controllers(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
) -> tuple[JobSet, Trainer]:
    """Install both controllers, then runtimes, which a webhook judges; what is Kueue's own is left out."""
    api = control_plane.api
    queues = ("kueue.x-k8s.io/", "visibility.kueue.x-k8s.io/")
    first = [
        item
        for item in objects
        if item["kind"] not in ("ClusterTrainingRuntime", "APIService")
        and not item["apiVersion"].startswith(queues)
        and not (item["kind"].endswith("WebhookConfiguration") and "kueue" in item["metadata"]["name"])
        and wave(item) != DEFINITIONS
    ]
    results = apply_in_waves(api, first)
    assert not refusals(results), "\n".join(refusals(results))
    jobset = JobSet(control_plane, objects, "jobset-controller-manager", "manager")
    trainer = Trainer(control_plane, objects, "kubeflow-trainer-controller-manager", "manager")
    for controller, name, service in (
        (jobset, "jobset", "jobset-webhook-service"),
        (trainer, "trainer", trainer.deployment),
    ):
        controller.start(programs[name], controller.spec["args"])
        controller.hand_over_certificate()
        stored = api.read(controller.object("Service", service)).body["spec"]
        control_plane.sandbox.relay(stored["clusterIP"], 443, target=controller.elsewhere[9443])
    # Each is refused until the webhook answers and is trusted.
    for item in (each for each in objects if each["kind"] == "ClusterTrainingRuntime"):
        trainer.wait(lambda item=item: not api.apply(item).refusal, f"{item['metadata']['name']} is taken")  # type: ignore[misc]
    return jobset, trainer


def machines() -> list[Manifest]:
    """Nodes as kubelet and device plugin make them."""
    amounts = {"cpu": "96", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": str(GPUS)}
    return [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"pool": "train", "kubernetes.io/hostname": name}},
            "spec": {"taints": [{"key": "gpu", "value": "train", "effect": "NoSchedule"}]},
            "status": {"capacity": amounts, "allocatable": amounts},
        }
        for name in (f"train-{number}" for number in range(NODES))
    ]
