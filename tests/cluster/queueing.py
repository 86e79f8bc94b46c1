"""Kueue as a stack renders it, on a real API server: its account, rights, configuration file, certificates, webhooks.

Its container's root folder is played too, because the program looks at paths below it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from platform_def.manifests.rendered import RenderedStack
from tests.cluster import pki, rights
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import start_kubernetes
from tests.cluster.pods import ACCOUNT, Program
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of
from tests.cluster.training import FINISHED
from tests.cluster.waves import DEFINITIONS, apply_in_waves, refusals, wave

MANAGER = "kueue-controller-manager"
ELSEWHERE = {8081: 18081, 9443: 19443}
"""Ports of its configuration file that the training operator has too: here both programs share one network."""
VISIBILITY = "kueue-visibility-server"
WAIT_SECONDS = 120.0
START_SECONDS = 90.0

# The program is the only file that is not written beforehand: its mount is gone with its namespace.
_ENTER = 'touch "$2$3" && mount --bind "$1" "$2$3" && root=$2 && shift 2 && exec env PATH="$PATH:/usr/sbin:/sbin" chroot "$root" "$@"'


class Controller(Program):
    """A controller in a root folder of its own, with a certificate that it makes itself."""

    elsewhere: ClassVar[Mapping[int, int]] = ELSEWHERE
    """Ports of its configuration file by what they are here, where several programs share one network."""

    @property
    def root(self) -> Path:
        """What is / for the program."""
        return self.control_plane.folder / self.deployment / "root"

    def start(self, binary: Path, flags: Sequence[str], *, settings: Mapping[str, str] | None = None) -> None:
        """Start it with its files and its account in place."""
        account = self.root / "var" / "run" / ACCOUNT
        account.mkdir(parents=True, exist_ok=True)
        (account / "token").write_text(self.token())
        (account / "namespace").write_text(self.home)
        (account / "ca.crt").write_bytes(self.control_plane.pki.authority.read_bytes())
        volumes = {volume["name"]: volume for volume in self.pod["volumes"]}
        for mount in self.spec["volumeMounts"]:
            self._mount(volumes[mount["name"]], self.root / mount["mountPath"].lstrip("/"))
        env = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(self.control_plane.port)}
        env |= settings or {}
        argv = ["unshare", "--mount", "sh", "-c", _ENTER, "sh", str(binary), str(self.root), *self.spec["command"]]
        self.control_plane.sandbox.start(self.deployment, [*argv, *flags], log=self.log, env=env)

    def _mount(self, volume: Manifest, path: Path) -> None:
        if "configMap" in volume:
            path.parent.mkdir(parents=True, exist_ok=True)
            text = self.object("ConfigMap", volume["configMap"]["name"])["data"][path.name]
            for number, other in self.elsewhere.items():
                assert str(number) in text
                text = text.replace(str(number), str(other))
            path.write_text(text)
        else:
            path.mkdir(parents=True, exist_ok=True)

    def hand_over_certificate(self) -> None:
        """The kubelet's part once the program has written its Secret: the files of the mount."""
        api = self.control_plane.api
        volumes = {volume["name"]: volume for volume in self.pod["volumes"]}
        (mount,) = (each for each in self.spec["volumeMounts"] if "secret" in volumes[each["name"]])
        name = volumes[mount["name"]]["secret"]["secretName"]
        path = f"/api/v1/namespaces/{self.home}/secrets/{name}"
        self.wait(lambda: "data" in api.get(path).body, f"{self.deployment} has made its certificate")
        for key, value in api.get(path).body["data"].items():
            (self.root / mount["mountPath"].lstrip("/") / key).write_bytes(base64.b64decode(value))


@dataclass
class QueueCluster:
    """An API server on which Kueue works."""

    control_plane: ControlPlane
    controller: Controller
    objects: Sequence[Manifest]
    made: list[Manifest] = field(default_factory=list)

    def submit(self, job: Manifest) -> Manifest:
        """Store a job; it goes when the test is over."""
        self.control_plane.api.store(job)
        self.made.append(job)
        return job

    def workload(self, job: Manifest) -> Manifest:
        """The job as Kueue sees it; empty before it has."""
        home, name = job["metadata"]["namespace"], job["metadata"]["name"]
        found = self._list(f"/apis/kueue.x-k8s.io/v1beta2/namespaces/{home}/workloads")
        owned = [each for each in found if any(owner["name"] == name for owner in each["metadata"]["ownerReferences"])]
        return owned[0] if owned else {}

    def condition(self, job: Manifest, kind: str) -> tuple[str, str, str]:
        """Status, reason and message of a condition of its Workload."""
        conditions = self.workload(job).get("status", {}).get("conditions", [])
        found: Manifest = next((each for each in conditions if each["type"] == kind), {})
        return found.get("status", ""), found.get("reason", ""), found.get("message", "")

    def wait_for(self, job: Manifest, kind: str, *, status: str = "True") -> str:
        """Wait for a condition of its Workload; returns the message."""
        self.wait(
            lambda: self.condition(job, kind)[0] == status, f"{kind} of {job['metadata']['name']} is {status}", job
        )
        return self.condition(job, kind)[2]

    def flavors(self, job: Manifest) -> dict[str, str]:
        """The pool that each part of the job was let into."""
        admission = self.workload(job).get("status", {}).get("admission") or {}
        return {each["name"]: each["flavors"]["nvidia.com/gpu"] for each in admission.get("podSetAssignments", [])}

    def pods(self, job: Manifest) -> list[Manifest]:
        """Its pods that run."""
        home, name = job["metadata"]["namespace"], job["metadata"]["name"]
        found = self._list(f"/api/v1/namespaces/{home}/pods")
        mine = [pod for pod in found if pod["metadata"]["name"].startswith(f"{name}-")]
        return [
            pod for pod in mine if pod["status"]["phase"] == "Running" and not pod["metadata"].get("deletionTimestamp")
        ]

    def wait_for_pods(self, job: Manifest, count: int) -> list[Manifest]:
        """Its pods, once so many run."""
        self.wait(lambda: len(self.pods(job)) == count, f"{count} pods of {job['metadata']['name']} run", job)
        return self.pods(job)

    def finish(self, job: Manifest) -> None:
        """Have the programs in its pods end well."""
        for pod in sorted(self.pods(job), key=lambda pod: "-master-" in pod["metadata"]["name"]):
            path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
            patch = {"metadata": {"annotations": {FINISHED: "true"}}}
            reply = self.control_plane.api.request("PATCH", path, patch, content="application/merge-patch+json")
            assert reply.status == 200, reply.message

    def used(self, queue: str) -> dict[tuple[str, str], tuple[int, int]]:
        """What a ClusterQueue says that it uses and borrows, by pool and resource."""
        path = f"/apis/kueue.x-k8s.io/v1beta2/clusterqueues/{queue}"
        usage = self.control_plane.api.get(path).body.get("status", {}).get("flavorsUsage", [])
        return {
            (flavor["name"], each["name"]): (int(each.get("total", "0")), int(each.get("borrowed", "0")))
            for flavor in usage
            for each in flavor["resources"]
        }

    def pending(self, queue: str) -> list[Manifest]:
        """Jobs that wait in a ClusterQueue, as Kueue's own API server tells the administrator."""
        path = f"/apis/visibility.kueue.x-k8s.io/v1beta2/clusterqueues/{queue}/pendingworkloads"
        return self._list(path)

    @contextmanager
    def without(self, role: str, resource: str, verbs: set[str]) -> Iterator[None]:
        """Take verbs on a resource out of a ClusterRole for some time."""
        try:
            with rights.without(self.control_plane.api, self.controller.object("ClusterRole", role), resource, verbs):
                yield
        finally:
            self._clear()
            self.controller.log.write_text("")

    @contextmanager
    def clean(self) -> Iterator[QueueCluster]:
        """For one test: its jobs and all that became of them are gone afterwards, and Kueue was refused nothing."""
        try:
            yield self
            assert self.controller.forbidden() == []
        finally:
            self._clear()

    def _clear(self) -> None:
        """Nobody collects garbage here: pods and Workloads of a job that is gone would stay."""
        api = self.control_plane.api
        homes = {job["metadata"]["namespace"] for job in self.made}
        for job in self.made:
            api.request("DELETE", f"{api.path(job)}?propagationPolicy=Background")
        self.made.clear()
        for home in homes:
            for path in (
                f"/apis/kueue.x-k8s.io/v1beta2/namespaces/{home}/workloads",
                f"/api/v1/namespaces/{home}/pods",
            ):
                self.wait(lambda path=path: self._gone(path), f"nothing is left at {path}")  # type: ignore[misc]

    def _gone(self, path: str) -> bool:
        found = self._list(path)
        for each in found:
            one = f"{path}/{each['metadata']['name']}"
            if each["metadata"].get("finalizers"):
                patch = {"metadata": {"finalizers": None}}
                self.control_plane.api.request("PATCH", one, patch, content="application/merge-patch+json")
            self.control_plane.api.request("DELETE", f"{one}?gracePeriodSeconds=0")
        return not found

    def wait(self, holds: Callable[[], bool], what: str, job: Manifest | None = None) -> None:
        """Wait for something that Kueue does; its log stands in the cluster's."""
        try:
            until(holds, seconds=WAIT_SECONDS, what=what)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self.workload(job).get('status') if job else ''}") from error

    def _list(self, path: str) -> list[Manifest]:
        return list(self.control_plane.api.get(path).body.get("items", []))


def start_kueue(control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]) -> QueueCluster:
    """Install the objects of a stack in the order of their delivery, Kueue between its webhooks and its queues."""
    api = control_plane.api
    after = [item for item in objects if item["apiVersion"].startswith("kueue.x-k8s.io/")]
    services = [item for item in objects if item["kind"] == "APIService"]
    first = [item for item in objects if item not in after and item not in services and wave(item) != DEFINITIONS]
    results = apply_in_waves(api, first)
    assert not refusals(results), "\n".join(refusals(results))
    controller = Controller(control_plane, objects, MANAGER, "manager")
    controller.start(programs["kueue"], controller.spec["args"])
    controller.hand_over_certificate()
    for service in ("kueue-webhook-service", VISIBILITY):
        stored = api.read(controller.object("Service", service)).body["spec"]
        for port in stored["ports"]:
            target = ELSEWHERE.get(port["targetPort"], port["targetPort"])
            control_plane.sandbox.relay(stored["clusterIP"], port["port"], target=target)
    # Each is refused until the webhook answers and trusts.
    for item in after:
        controller.wait(lambda item=item: not api.apply(item).refusal, f"{item['kind']} is taken")  # type: ignore[misc]
    results = apply_in_waves(api, [endpoints(VISIBILITY, controller.home, 8082), *services])
    assert not refusals(results), "\n".join(refusals(results))
    return QueueCluster(control_plane, controller, objects)


@contextmanager
def queue_cluster(
    binaries: Mapping[str, Path],
    programs: Mapping[str, Path],
    objects: Sequence[Manifest],
    *,
    machines: Sequence[Manifest],
    folder: Path,
) -> Iterator[QueueCluster]:
    """An API server with Kubernetes' controllers, nodes, and the objects of a stack on which Kueue works."""
    flags = front_proxy(folder)
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects)), flags=flags) as control_plane:
        with control_plane.explaining():
            start_kubernetes(control_plane, programs)
            results = apply_in_waves(control_plane.api, machines)
            assert not refusals(results)
            cluster = start_kueue(control_plane, programs, objects)
        yield cluster


def endpoints(service: str, home: str, port: int) -> Manifest:
    """What the API server wants to see before it asks the Service of an API; it calls the Service's own address."""
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": service, "namespace": home, "labels": {"kubernetes.io/service-name": service}},
        "addressType": "IPv4",
        "ports": [{"name": "https", "port": port, "protocol": "TCP"}],
        "endpoints": [{"addresses": ["192.0.2.1"], "conditions": {"ready": True}}],
    }


def front_proxy(folder: Path) -> tuple[str, ...]:
    """Flags by which an API server asks others in its clients' names, as every cluster has them."""
    made = pki.create(folder)
    return (
        f"--requestheader-client-ca-file={made.authority}",
        f"--proxy-client-cert-file={made.certificate}",
        f"--proxy-client-key-file={made.key}",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    )


def plain_job(name: str, team: str, *, gpus: int, pods: int = 1, queue: str = "", pool: str = "") -> Manifest:
    """A Job of Kubernetes' own that asks for GPUs, on a pool or wherever its queue sends it."""
    labels = {"kueue.x-k8s.io/queue-name": queue}
    chosen = {"nodeSelector": {"pool": pool}} if pool else {}
    container = {
        "name": "main",
        "image": "registry.example.com/train:1",
        "resources": {"limits": {"nvidia.com/gpu": gpus}, "requests": {"cpu": "1"}},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": f"team-{team}",
            "labels": {key: value for key, value in labels.items() if value},
        },
        "spec": {
            "parallelism": pods,
            "completions": pods,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container], **chosen}},
        },
    }


def job_of(stack: RenderedStack, which: str, name: str, *, workers: int) -> Manifest:
    """A stack's PyTorchJob under another name, with so many pods in all."""
    (found,) = stack.jobs[which]
    return named(found.manifest, name, workers=workers)


def named(job: Manifest, name: str, *, workers: int | None = None) -> Manifest:
    """A copy of a PyTorchJob under another name, with so many pods in all."""
    made = deepcopy(job)
    made["metadata"]["name"] = name
    if workers is not None:
        made["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] = workers - 1
    return made
