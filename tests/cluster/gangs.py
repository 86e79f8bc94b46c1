"""Volcano as a stack renders it, on a real API server: its accounts, rights, configuration file and webhooks.

The Job that makes the certificate is played, for it is a shell script; so is the way from the Service to the webhooks.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from tests.cluster import pki, rights
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.pods import Program
from tests.cluster.training import FINISHED
from tests.cluster.waves import DEFINITIONS, apply_in_waves, refusals, wave

HOME = "volcano-system"
SCHEDULER, CONTROLLERS, ADMISSION = "volcano-scheduler", "volcano-controllers", "volcano-admission"
SERVICE, SECRET = "volcano-admission-service", "volcano-admission-secret"
GROUPS = "/apis/scheduling.volcano.sh/v1beta1"
WAIT_SECONDS = 180.0
STALL_SECONDS = 10.0
CONFLICT = "cannot be fulfilled on podgroups"
"""What the training operator says before it forgets a job: of two conflicts within a second it does not make up for the
second one (kubeflow/trainer issue 2118), and never looks at the job again until somebody changes it."""
PANIC = "enqueuePod"
"""Where the controllers of 1.15.1 panic when they hear of a pod before their own queue is made."""
# Programs of several pods share one network here, and one of them is the training operator's too.
ELSEWHERE = ("--healthz-address=127.0.0.1:0", "--listen-address=127.0.0.1:0")
METRICS = 18080
"""Port of the scheduler's metrics here, where several programs share one network."""
BINARIES = {SCHEDULER: "vc-scheduler", CONTROLLERS: "vc-controller-manager", ADMISSION: "vc-webhook-manager"}


@dataclass
class GangCluster:
    """An API server on which Volcano works."""

    groups: ClassVar[str] = GROUPS
    """Where the API of its PodGroups is."""

    control_plane: ControlPlane
    programs: Mapping[str, Program]
    made: list[Manifest] = field(default_factory=list)

    def submit(self, *objects: Manifest) -> None:
        """Store objects; they go when the test is over."""
        for item in objects:
            self.control_plane.api.store(item)
            self.made.append(item)

    def group(self, job: Manifest) -> Manifest:
        """The PodGroup of a job, by its owner; empty before there is one."""
        home, name = job["metadata"]["namespace"], job["metadata"]["name"]
        for each in self.list(f"{self.groups}/namespaces/{home}/podgroups"):
            if name in [owner["name"] for owner in each["metadata"].get("ownerReferences", [])]:
                return each
        return {}

    def held_back(self, job: Manifest) -> bool:
        """Whether the scheduler has said that the gang's queue has no room for it."""
        group = self.group(job)
        events = self.list(f"/api/v1/namespaces/{job['metadata']['namespace']}/events") if group else []
        said = [each for each in events if each["involvedObject"].get("uid") == group["metadata"]["uid"]]
        return any("quota insufficient" in each.get("message", "") for each in said)

    def refused(self, job: Manifest) -> str:
        """Why the gang has no place now, as the scheduler says it; empty while it says nothing."""
        conditions = self.group(job).get("status", {}).get("conditions", [])
        found = [each for each in conditions if each["type"] == "Unschedulable" and each["status"] == "True"]
        return str(found[-1].get("message", "")) if found else ""

    def phase(self, job: Manifest) -> str:
        """How far the gang is."""
        return str(self.group(job).get("status", {}).get("phase", ""))

    def pods(self, home: str, prefix: str = "") -> list[Manifest]:
        """Pods of a namespace whose names begin so, without those that go."""
        found = self.list(f"/api/v1/namespaces/{home}/pods")
        return [
            pod
            for pod in found
            if pod["metadata"]["name"].startswith(prefix) and not pod["metadata"].get("deletionTimestamp")
        ]

    def pods_of(self, job: Manifest) -> list[Manifest]:
        """Its pods."""
        return self.pods(job["metadata"]["namespace"], f"{job['metadata']['name']}-")

    def nodes(self, job: Manifest) -> list[str]:
        """Nodes of those of its pods that have one."""
        return [pod["spec"]["nodeName"] for pod in self.pods_of(job) if "nodeName" in pod["spec"]]

    def place_singly(self, pods: Sequence[Manifest]) -> list[str]:
        """The pods' nodes; each comes once the one before has its own, for that counts for the next."""
        for pod in pods:
            self.submit(pod)
            self.wait(lambda pod=pod: self._node(pod) != "", f"{pod['metadata']['name']} has a node")  # type: ignore[misc]
        return [self._node(pod) for pod in pods]

    def _node(self, pod: Manifest) -> str:
        return str(self.control_plane.api.read(pod).body["spec"].get("nodeName", ""))

    def wait_for_nodes(self, job: Manifest, count: int) -> None:
        """Wait until so many of its pods have a node."""
        self.wait(lambda: len(self.nodes(job)) == count, f"{count} pods of {job['metadata']['name']} have a node", job)

    def wait(self, holds: Callable[[], bool], what: str, job: Manifest | None = None) -> None:
        """Wait for something that the programs do, of which none may end meanwhile; `job` is the one that it is about."""
        touch_at = time.monotonic() + STALL_SECONDS

        def still() -> bool:
            nonlocal touch_at
            ended = {*self.control_plane.sandbox.ended()} & {*self.programs}
            assert not ended, "\n".join(self.programs[name].log.read_text(errors="replace") for name in ended)
            if job and time.monotonic() > touch_at and not self.pods_of(job) and self._said(CONFLICT):
                touch_at += STALL_SECONDS
                self._annotate(str(self.control_plane.api.path(job)), {"touched": str(touch_at)})
            return holds()

        try:
            until(still, seconds=WAIT_SECONDS, what=what)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self.group(job) if job else ''}") from error

    def _said(self, text: str) -> bool:
        return any(text in program.log.read_text(errors="replace") for program in self.programs.values())

    def finish(self, job: Manifest, role: str = "") -> None:
        """Have the programs in a job's pods, or in those of one role, end well, the master's last."""
        pods = [pod for pod in self.pods_of(job) if f"-{role}" in pod["metadata"]["name"]]
        for each in sorted(pods, key=lambda pod: "-master-" in pod["metadata"]["name"]):
            path = f"/api/v1/namespaces/{each['metadata']['namespace']}/pods/{each['metadata']['name']}"
            self._annotate(path, {FINISHED: "true"})

    def _annotate(self, path: str, notes: Mapping[str, str]) -> None:
        patch = {"metadata": {"annotations": notes}}
        reply = self.control_plane.api.request("PATCH", path, patch, content="application/merge-patch+json")
        assert reply.status == 200, reply.message

    def forbidden(self) -> list[str]:
        """What any of the programs was refused for want of a right."""
        return [line for program in self.programs.values() for line in program.forbidden()]

    def list(self, path: str) -> list[Manifest]:
        """Objects at a path of the API."""
        return list(self.control_plane.api.get(path).body.get("items", []))

    @contextmanager
    def without(self, program: str, resource: str, verb: str) -> Iterator[None]:
        """Take a verb on a resource out of a program's ClusterRole for some time."""
        role = self.programs[program].object("ClusterRole", program)
        try:
            with rights.without(self.control_plane.api, role, resource, {verb}):
                yield
        finally:
            self.clear()
            self.programs[program].log.write_text("")

    @contextmanager
    def clean(self) -> Iterator[GangCluster]:
        """For one test: its objects and their pods are gone afterwards, and no program was refused anything."""
        try:
            yield self
            refused = self.forbidden()
            assert not refused, "\n".join(refused)
        finally:
            self.clear()

    def clear(self) -> None:
        """Remove what the test made, and wait for what others made of it.

        An operator that has not heard yet makes some of it anew: the garbage collector must run too.
        """
        api = self.control_plane.api
        homes = {item["metadata"]["namespace"] for item in self.made if "namespace" in item["metadata"]}
        for item in reversed(self.made):
            api.request("DELETE", f"{api.path(item)}?propagationPolicy=Background")
        self.made.clear()
        made = ((self.groups, "podgroups"), ("/api/v1", "pods"))
        paths = [f"{base}/namespaces/{home}/{plural}" for home in homes for base, plural in made]
        self.wait(lambda: sum(map(self._left, paths)) == 0, "nothing is left of the test")

    def _left(self, path: str) -> int:
        """How many objects are at a path, once all there were are told to go."""
        self.control_plane.api.request("DELETE", f"{path}?gracePeriodSeconds=0")
        for each in self.list(path):
            if each["metadata"].get("finalizers"):
                one, patch = f"{path}/{each['metadata']['name']}", {"metadata": {"finalizers": None}}
                self.control_plane.api.request("PATCH", one, patch, content="application/merge-patch+json")
        return len(self.list(path))


def start_volcano(
    control_plane: ControlPlane, binaries: Mapping[str, Path], objects: Sequence[Manifest]
) -> GangCluster:
    """Install the objects of a stack in the order of their delivery, and start the three programs between them."""
    api = control_plane.api
    after = [item for item in objects if item["apiVersion"] == "scheduling.volcano.sh/v1beta1"]
    results = apply_in_waves(api, [item for item in objects if item not in after and wave(item) != DEFINITIONS])
    assert not refusals(results), "\n".join(refusals(results))
    programs = {name: _program(control_plane, objects, name) for name in BINARIES}
    cluster = GangCluster(control_plane, programs)
    _certificate(control_plane, programs[ADMISSION])

    def start(name: str) -> None:
        moved = ELSEWHERE[:1] if name == ADMISSION else ELSEWHERE
        if name == SCHEDULER:
            moved = (*ELSEWHERE[:1], f"--listen-address=127.0.0.1:{METRICS}")
        programs[name].start(binaries[BINARIES[name]], [*_flags(programs[name]), *moved])

    start(ADMISSION)
    service = api.read(programs[ADMISSION].object("Service", SERVICE)).body["spec"]
    (port,) = service["ports"]
    control_plane.sandbox.relay(service["clusterIP"], port["port"], target=port["targetPort"])
    start(SCHEDULER)
    start(CONTROLLERS)

    def stood_up() -> bool:
        if CONTROLLERS in control_plane.sandbox.ended():
            said = programs[CONTROLLERS].log.read_text(errors="replace")
            assert PANIC in said, said
            start(CONTROLLERS)  # as a kubelet would
        return _open(cluster) >= {"default", "root"}

    until(stood_up, seconds=WAIT_SECONDS, what="the controllers have opened the first queues")
    # Each is refused until the webhook answers and trusts.
    for item in after:
        cluster.wait(lambda item=item: not api.apply(item).refusal, f"{item['kind']} is taken")  # type: ignore[misc]
    queues = {"default", "root", *(item["metadata"]["name"] for item in after)}
    cluster.wait(lambda: _open(cluster) == queues, "the queues are open")
    return cluster


def _open(cluster: GangCluster) -> set[str]:
    """Names of the queues that jobs may enter; the controllers open them."""
    found = cluster.list(f"{GROUPS}/queues")
    return {each["metadata"]["name"] for each in found if each.get("status", {}).get("state") == "Open"}


def _program(control_plane: ControlPlane, objects: Sequence[Manifest], name: str) -> Program:
    container = "admission" if name == ADMISSION else name
    return Program(control_plane, objects, name, container)


def _flags(program: Program) -> list[str]:
    """Its arguments, with files where the test has them: what it mounts lies in its /tmp."""
    volumes = {volume["name"]: volume for volume in program.pod.get("volumes", [])}
    flags = list(program.spec["args"])
    for mount in program.spec.get("volumeMounts", []):
        volume, path = volumes[mount["name"]], mount["mountPath"]
        folder = program.tmp / (path.removeprefix("/tmp/") if path.startswith("/tmp/") else mount["name"])
        folder.mkdir(parents=True, exist_ok=True)
        flags = [flag.replace(f"={path}/", f"=/tmp/{mount['name']}/") for flag in flags]
        if "configMap" in volume:
            for key, text in program.object("ConfigMap", volume["configMap"]["name"])["data"].items():
                (folder / key).write_text(text)
        if "secret" in volume:
            stored = program.control_plane.api.get(
                f"/api/v1/namespaces/{HOME}/secrets/{volume['secret']['secretName']}"
            )
            for key, value in stored.body["data"].items():
                (folder / key).write_bytes(base64.b64decode(value))
    return flags


def _certificate(control_plane: ControlPlane, admission: Program) -> None:
    """What the Job's script makes."""
    made = pki.serving(admission.tmp.parent / "made", [f"{SERVICE}.{HOME}.svc"])
    files = {"ca.crt": made.authority, "tls.crt": made.certificate, "tls.key": made.key}
    data = {key: base64.b64encode(path.read_bytes()).decode() for key, path in files.items()}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": SECRET, "namespace": HOME}, "data": data}
    assert not control_plane.api.apply(secret).refusal


def volcano_job(name: str, *, pods: int, gpus: int, queue: str, home: str, pool: str) -> Manifest:
    """A Job of Volcano whose pods take so many GPUs of a pool each; all of them, or none."""
    devices = {"limits": {"nvidia.com/gpu": str(gpus)}, "requests": {"cpu": "10"}}
    container = {"name": "main", "image": "registry.example.com/train:1", "resources": devices}
    tolerated = [{"key": "gpu", "operator": "Exists"}]
    chosen = {"nodeSelector": {"pool": pool}, "tolerations": tolerated}
    template = {"spec": {"restartPolicy": "Never", "containers": [container], **chosen}}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": home},
        "spec": {
            "queue": queue,
            "schedulerName": "volcano",
            "minAvailable": pods,
            "tasks": [{"name": "worker", "replicas": pods, "template": template}],
        },
    }
