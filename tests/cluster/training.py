"""A cluster where jobs run: a stack is installed for some time, its jobs are watched, and what it leaves is removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from json import dumps, loads

from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.waves import ADMISSION, DEFINITIONS, apply_in_waves, condition, refusals, wave

WAIT_SECONDS = 180.0
FINISHED = "test.example.com/finished"
"""Annotation by which `kwok.yaml` lets a pod's programs end well."""
SHARED = ("RuntimeClass", "DeviceClass", "Node", "ResourceSlice")
"""Kinds by which one stack could help, or disturb, the jobs of the next."""


@dataclass(frozen=True)
class TrainingCluster:
    """An API server, and all that runs jobs."""

    control_plane: ControlPlane

    @property
    def api(self) -> Api:
        """The API server."""
        return self.control_plane.api

    @contextmanager
    def holding(self, objects: Sequence[Manifest], home: str) -> Iterator[None]:
        """The cluster with a stack's objects and nodes; afterwards jobs, pods and what stacks share are gone.

        Webhooks and policies are left out: their programs do not run here. Definitions are there from the start.
        """
        results = apply_in_waves(self.api, [item for item in objects if wave(item) not in (DEFINITIONS, ADMISSION)])
        assert not refusals(results), "\n".join(refusals(results))
        nodes = [item for item in objects if item["kind"] == "Node"]
        self._wait(lambda: "hard" in self._quota(home), "the quota counts")
        self._wait(lambda: all(self._usable(node) for node in nodes), "the nodes are ready")
        try:
            yield
        finally:
            for path in (f"/apis/kubeflow.org/v1/namespaces/{home}/pytorchjobs", f"/api/v1/namespaces/{home}/pods"):
                self.api.request("DELETE", f"{path}?gracePeriodSeconds=0")
            for item in objects:
                if item["kind"] in SHARED:
                    self.api.request("DELETE", self.api.path(item) or "")
            self._wait(lambda: not self._list(f"/api/v1/namespaces/{home}/pods"), "the pods are gone")

    def run(self, job: Manifest) -> None:
        """Store a job."""
        self.api.store(job)

    def wait_for_pods(self, job: Manifest, count: int, *, phase: str = "Running") -> list[Manifest]:
        """The job's pods in a phase, when there are so many."""
        self._wait(lambda: len(self.pods(job, phase=phase)) == count, f"{count} pods are {phase}", job)
        return self.pods(job, phase=phase)

    def wait_for_condition(self, job: Manifest, kind: str) -> None:
        """Wait for what the operator says of the job."""
        self._wait(lambda: condition(self.api.read(job).body, kind) == "True", f"the job is {kind}", job)

    def wait_for_event(self, job: Manifest, reason: str, text: str) -> str:
        """The first event of a reason about one of the job's pods that says so."""
        self._wait(lambda: any(text in event for event in self.events(job, reason)), f"an event says: {text}", job)
        return next(event for event in self.events(job, reason) if text in event)

    def pods(self, job: Manifest, *, phase: str) -> list[Manifest]:
        """The job's pods in a phase."""
        label = f"training.kubeflow.org/job-name={job['metadata']['name']}"
        found = self._list(f"/api/v1/namespaces/{job['metadata']['namespace']}/pods?labelSelector={label}")
        return [pod for pod in found if pod["status"]["phase"] == phase]

    def events(self, job: Manifest, reason: str) -> list[str]:
        """Who says what in the events of a reason about the job's pods."""
        found = self._list(f"/api/v1/namespaces/{job['metadata']['namespace']}/events?fieldSelector=reason={reason}")
        mine = [item for item in found if item["involvedObject"]["name"].startswith(job["metadata"]["name"])]
        return [f"{item.get('reportingComponent', '')}: {item['message']}" for item in mine]

    def finish(self, pods: Sequence[Manifest]) -> None:
        """Have the programs in a job's pods end well: the master's last, since that ends the job."""
        for pod in sorted(pods, key=lambda pod: "-master-" in pod["metadata"]["name"]):
            path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
            patch = {"metadata": {"annotations": {FINISHED: "true"}}}
            reply = self.api.request("PATCH", path, patch, content="application/merge-patch+json")
            assert reply.status == 200, reply.message

    def used(self, home: str) -> dict[str, int]:
        """What the namespace's quota counts as used, by resource."""
        used = self._quota(home)["used"]
        return {name.removeprefix("requests."): int(amount) for name, amount in used.items()}

    def claimed(self, home: str) -> list[tuple[str, str]]:
        """Devices that are allocated to the claims of a namespace, each as node and device."""
        claims = self._list(f"/apis/resource.k8s.io/v1/namespaces/{home}/resourceclaims")
        results = [item for claim in claims for item in claim["status"]["allocation"]["devices"]["results"]]
        return sorted((item["pool"], item["device"]) for item in results)

    def _quota(self, home: str) -> Mapping[str, Mapping[str, str]]:
        return dict(self.api.get(f"/api/v1/namespaces/{home}/resourcequotas/gpus").body["status"])

    def _usable(self, node: Manifest) -> bool:
        """Whether the node has its own taints alone, not Kubernetes' for nodes that are not ready."""
        taints = self.api.read(node).body["spec"].get("taints", [])
        return not any(taint["key"].startswith("node.kubernetes.io/") for taint in taints)

    def _list(self, path: str) -> list[Manifest]:
        return list(self.api.get(path).body["items"])

    def _wait(self, holds: Callable[[], bool], what: str, job: Manifest | None = None) -> None:
        try:
            until(holds, seconds=WAIT_SECONDS, what=what)
        except TimeoutError as error:
            told = self.events(job, "FailedScheduling") + self.events(job, "FailedCreatePod") if job else []
            raise TimeoutError("\n".join([str(error), *told])) from error


def changed_job(job: Manifest, name: str, *, more: int = 0, without: Sequence[str] = ()) -> Manifest:
    """The job under another name, with so many workers more; `without` a resource also without its scheduler."""
    made: Manifest = loads(dumps(job))  # no deepcopy: replicas may share one template
    made["metadata"]["name"] = name
    replicas = made["spec"]["pytorchReplicaSpecs"]
    replicas["Worker"]["replicas"] += more
    for role in replicas.values() if without else ():
        spec = role["template"]["spec"]
        spec.pop("schedulerName")
        for amounts in spec["containers"][0]["resources"].values():
            for resource in without:
                amounts.pop(resource)
    return made


def extended_resources(pod: Manifest) -> dict[str, int]:
    """What a pod asks for beside processors and memory."""
    (container,) = pod["spec"]["containers"]
    return {name: int(amount) for name, amount in container["resources"]["requests"].items() if "/" in name}
