"""A cluster whose jobs really run: rendered by a stack, made by a real operator, bound by the real scheduler, and
started as processes by the kubelet of `kubelet/`.

The operator runs under its own account and rights, as its rendered Deployment says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import CONTROLLERS, start_kubernetes
from tests.cluster.job_operators import TRAINING, JobOperator
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import OWNERS, skip_without_policies, start_kubelet
from tests.cluster.pods import Program
from tests.cluster.queueing import QueueCluster, front_proxy, start_kueue
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import DEFINITIONS, apply_in_waves, condition, refusals, wave

HOME = "team-vision"
NODES, GPUS = 2, 8
FABRIC_HOME = "team-fabric"
RUN_SECONDS = 180.0
OTHERS = {"Complete": "Succeeded", "Completed": "Succeeded", "Failed": "Failed"}
"""How Ray's jobs and Volcano's end, in their own words, which stand in a status without such a condition."""
STACK = """\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
nodePools:
  - {{name: train, nodes: {nodes}, selector: {{pool: train}}, taints: ["gpu=train:NoSchedule"], gpu: {{model: a100-80gb, perNode: {gpus}}}}}
  {pool}
storage:
  shared: {{driver: existing, accessModes: [ReadWriteMany], default: true}}
components:
  nvidia-device-plugin: {{}}
  {operators}
teams:
  - {{name: vision, podSecurity: {level}{queue}}}
  {team}
jobs:
{jobs}
"""
FABRIC_POOL = """\
- {name: fabric, nodes: 3, selector: {pool: fabric}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 8},
     rdma: {kind: roce, interface: eth0}}"""
FABRIC = (
    FABRIC_POOL,
    "- {name: fabric, podSecurity: privileged, network: {ingressFrom: [10.245.0.0/16]}}",
    "rdma-shared-device-plugin: {}",
)
"""A pool with a fabric that is used through the nodes' network, a team on it, and what hands out adapters."""


def write_stack(
    root: Path,
    jobs: Sequence[Mapping[str, object]],
    *,
    operator: JobOperator,
    quota: int | None,
    level: str = "baseline",
) -> RenderedStack:
    """A stack with these jobs, rendered; the cores and memory of a test machine are asked for where nothing is said, and
    little time to leave: a program that does not hear SIGTERM stays as long as it may."""
    small = {"team": "vision", "cpu": "100m", "memory": "1Gi", "sharedMemory": "256Mi", "gracePeriodSeconds": 5}
    lines = "\n".join(f"  - {json.dumps({**small, **job})}" for job in jobs)
    pool, team, plugin = FABRIC if any(job.get("team") == "fabric" for job in jobs) else ("", "", "")
    operators = "\n  ".join([*operator.lines, plugin, *(() if quota is None else ["kueue: {}"])])
    queue = "" if quota is None else f", queue: vision, quota: {{gpus: {quota}}}"
    more = {"pool": pool, "team": team, "jobs": lines}
    text = STACK.format(nodes=NODES, gpus=GPUS, operators=operators, level=level, queue=queue, **more)
    return rendered_stack(root, text, name="jobs")


@dataclass(frozen=True)
class JobBench:
    """The cluster, its operator, and what its stack renders."""

    control_plane: ControlPlane
    stack: RenderedStack
    operator: JobOperator
    programs: Sequence[Program]
    """What the operator's component runs, and those that it needs."""
    folder: Path
    """Claims and logs of pods."""
    queues: QueueCluster | None = None
    """Kueue, where jobs wait for a quota."""

    def start(self, name: str) -> Manifest:
        """Store a job's objects; the one that runs pods is returned."""
        objects = [item.manifest for item in self.stack.jobs[name]]
        # A TrainJob is refused before its runtime is there.
        for each in sorted(objects, key=lambda item: item["kind"].endswith("Job")):
            self.control_plane.api.store(each)
        (job,) = (each for each in objects if each["kind"].endswith("Job"))
        return job

    def run(self, name: str, *, ends: str = "Succeeded") -> Manifest:
        """Run a job to its end."""
        job = self.start(name)
        self.wait(job, lambda: self.ended(job) != "", f"{name} ends")
        assert self.ended(job) == ends, self.told(job)
        return job

    def ended(self, job: Manifest) -> str:
        """`Succeeded` or `Failed`, or nothing yet; the words of a plain Job, of Ray and of Volcano are their own."""
        body = self.control_plane.api.read(job).body
        status = body.get("status") or {}
        for word in (status.get("jobDeploymentStatus", ""), status.get("state", {}).get("phase", "")):
            if said := OTHERS.get(word):
                return said
        for ours, theirs in (("Succeeded", "Complete"), ("Failed", "Failed")):
            if condition(body, ours) or condition(body, theirs):
                return ours
        return ""

    def forbidden(self) -> list[str]:
        """What any of the programs was refused for want of a right."""
        return [line for program in self.programs for line in program.forbidden()]

    def pods(self, job: Manifest) -> list[Manifest]:
        """The job's pods that are there."""
        found = self.control_plane.api.get(f"/api/v1/namespaces/{_home(job)}/pods").body["items"]
        return [pod for pod in found if pod["metadata"]["name"].startswith(job["metadata"]["name"] + "-")]

    def devices(self, job: Manifest) -> int:
        """GPUs that pods of the job hold: those of pods that have not ended."""
        held = [pod for pod in self.pods(job) if pod["status"].get("phase") not in ("Succeeded", "Failed")]
        limits = [each["resources"]["limits"] for pod in held for each in pod["spec"]["containers"]]
        return sum(int(each.get("nvidia.com/gpu", 0)) for each in limits)

    def log(self, pod: Manifest, *, container: str = "", previous: bool = False, follow: bool = False) -> str:
        """What the API server answers to `kubectl logs`, or to `kubectl logs --follow` until the end; nothing of a container
        that has not begun."""
        metadata, flags = pod["metadata"], {"previous": previous, "follow": follow}
        asked = {"container": container, **{name: "true" for name, said in flags.items() if said}}
        words = urlencode({key: value for key, value in asked.items() if value})
        with suppress(ValueError):
            return self.control_plane.api.text(f"/api/v1/namespaces/{_home(pod)}/pods/{metadata['name']}/log?{words}")
        return ""

    def evict(self, pod: Manifest) -> None:
        """Have a pod go as `kubectl drain` of its node does."""
        place = {"name": pod["metadata"]["name"], "namespace": _home(pod)}
        path = f"/api/v1/namespaces/{place['namespace']}/pods/{place['name']}/eviction"
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": place}
        assert (found := self.control_plane.api.request("POST", path, body)).status == 201, found.message

    def events(self, job: Manifest) -> list[str]:
        """What is said of the job itself, as `kubectl describe` shows it."""
        about = f"involvedObject.name={job['metadata']['name']},involvedObject.kind={job['kind']}"
        found = self.control_plane.api.get(f"/api/v1/namespaces/{_home(job)}/events?fieldSelector={about}").body[
            "items"
        ]
        return [each["message"] for each in found]

    def lines(self, job: Manifest) -> list[Manifest]:
        """What the job's programs said as JSON, of all pods and tries."""
        texts = (log.read_text(errors="replace") for log in self._logs(job))
        return [json.loads(line) for text in texts for line in text.splitlines() if line.startswith("{")]

    def data(self, claim: str, home: str = HOME) -> Path:
        """The folder of a claim."""
        return self.folder / "claims" / home / claim

    def refused(self, pod: Manifest) -> int:
        """How many first packets of connections with a pod its policies refused."""
        told: dict[str, int] = json.loads((self.folder / "refused.json").read_text())
        return told.get(pod["status"]["podIP"], 0)

    @contextmanager
    def without_nodes(self) -> Iterator[None]:
        """The policy of the team on the fabric as it would be without the nodes' network; skips where none can be held."""
        skip_without_policies(self.folder)
        policies = (item.manifest for item in self.stack.components["namespaces"].objects)
        (policy,) = (
            item
            for item in policies
            if item["kind"] == "NetworkPolicy" and item["metadata"]["namespace"] == FABRIC_HOME
        )
        closed = deepcopy(policy)
        for rule in closed["spec"]["ingress"]:
            rule["from"] = [peer for peer in rule["from"] if "ipBlock" not in peer]
        assert closed != policy
        for each in (closed, policy):
            assert not (refused := self.control_plane.api.apply(each).refusal), refused
            if each is closed:
                yield

    def wait(self, job: Manifest, holds: Callable[[], bool], what: str) -> None:
        """Wait for something of a job; where it does not come, what its pods said is shown."""
        try:
            until(holds, seconds=RUN_SECONDS, what=what, every=0.2)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self.told(job)}") from error

    def told(self, job: Manifest) -> str:
        """Status, events and logs."""
        status = self.control_plane.api.read(job).body.get("status")
        events = self.control_plane.api.get(f"/api/v1/namespaces/{_home(job)}/events").body.get("items", [])
        said = [f"{each['involvedObject']['name']}: {each['message']}" for each in events][-30:]
        logs = [
            f"--- {log.parent.parent.name} {log.name}\n{log.read_text(errors='replace')[-3000:]}"
            for log in self._logs(job)
        ]
        pods = [json.dumps([pod["metadata"]["name"], pod["status"]]) for pod in self.pods(job)]
        agent = (self.control_plane.folder / "kubelet.log").read_text(errors="replace")[-3000:]
        return "\n".join([json.dumps(status, indent=1), *pods, *said, *logs, "--- kubelet", agent])

    def _logs(self, job: Manifest) -> list[Path]:
        pods = self.folder / "pods" / _home(job)
        return sorted(pods.glob(f"{job['metadata']['name']}-*/*/*.log"))


def _home(item: Manifest) -> str:
    return str(item["metadata"]["namespace"])


@contextmanager
def job_bench(
    root: Path,
    programs: Mapping[str, Path],
    jobs: Sequence[Mapping[str, object]],
    *,
    images: Mapping[str, Image],
    operator: JobOperator = TRAINING,
    quota: int | None = None,
    level: str = "baseline",
) -> Iterator[JobBench]:
    """The bench for some jobs of a team with a Pod Security level; with a quota of GPUs they wait in a queue of the real
    Kueue for it."""
    stack = write_stack(root, jobs, operator=operator, quota=quota, level=level)
    names = ("namespaces", *operator.components, *(() if quota is None else ("kueue",)))
    objects = [item.manifest for name in names for item in stack.components[name].objects]
    flags = (OWNERS,) if quota is None else (OWNERS, *front_proxy(root / "front-proxy"))
    with ControlPlane(programs, data=snapshot(programs, crds_of(objects)), flags=flags) as control_plane:
        start_kubernetes(
            control_plane, programs, kwok=False, controllers=(*CONTROLLERS, "garbage-collector-controller")
        )
        assert not refusals(found := apply_in_waves(control_plane.api, machines())), refusals(found)
        queues = None
        if operator.installs:
            assert quota is None
        elif quota is None:
            wanted = [item for item in objects if wave(item) != DEFINITIONS]
            assert not refusals(found := apply_in_waves(control_plane.api, wanted)), refusals(found)
        else:
            queues = start_kueue(control_plane, programs, objects)
        start_kubelet(control_plane, images)
        started = operator.start(control_plane, programs, objects)
        yield JobBench(control_plane, stack, operator, started, control_plane.folder / "kubelet", queues)


def machines() -> list[Manifest]:
    """Nodes of both pools, and the RuntimeClass that the GPU components would have made."""
    amounts = {
        "cpu": "64",
        "memory": "256Gi",
        "ephemeral-storage": "100Gi",
        "pods": "110",
        "nvidia.com/gpu": str(GPUS),
    }
    nodes: list[Manifest] = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"{pool}-{number}", "labels": {"pool": pool}},
            "spec": {"taints": [{"key": "gpu", "value": "train", "effect": "NoSchedule"}]},
            "status": {"capacity": {**amounts, **more}, "allocatable": {**amounts, **more}},
        }
        for pool, count, more in (("train", NODES, {}), ("fabric", 3, {"rdma/hca_shared": "100"}))
        for number in range(count)
    ]
    runtime = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "nvidia"},
        "handler": "nvidia",
    }
    return [*nodes, runtime]
