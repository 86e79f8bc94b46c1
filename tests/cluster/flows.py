"""A cluster whose workflows really run: what a stack renders for Argo Workflows, and for what that uses, is started by the
kubelet of `kubelet/` as processes, each under its own account, with its own configuration.

Real: the API server with its admission, scheduler and controllers, Argo's controller and the executor in every pod, and the
programs of stores where a test has them. Played: images, which are folders of programs; the network is without policies.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from platform_def.manifests.rendered import RenderedStack
from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import CONTROLLERS, WORKLOAD_CONTROLLERS, start_kubernetes
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import OWNERS, start_kubelet
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, condition, refusals

START_SECONDS, RUN_SECONDS = 300.0, 300.0
CONTROLLER = "workflow-controller"
SERVER = "argo-server"
TOOLS = "registry.example.com/tools:1"
"""The image of steps: a shell and what belongs to it."""
RELEASES = ("4.0.10", "3.7.18")
"""Of Argo Workflows, the newest of each line that is offered."""
LINES: Mapping[str, str] = {"v3": "", "v4": "-4.0"}
"""What the programs of `tools.py` for a line of Argo Workflows have behind their names. Those of 4.0 are 4.0.5, the newest that the
proxy of Go modules has, whatever patch the stack names."""
CLAIM = "PersistentVolumeClaim"
ENDS = ("Succeeded", "Failed", "Error")


@dataclass(frozen=True)
class FlowBench:
    """The cluster, and what its stack renders."""

    control_plane: ControlPlane
    stack: RenderedStack
    objects: Sequence[Manifest]

    @property
    def folder(self) -> Path:
        """Claims and logs of pods."""
        return self.control_plane.folder / "kubelet"

    def object(self, kind: str, name: str, namespace: str | None = None) -> Manifest:
        """An object of the stack."""
        alike = (item for item in self.objects if (item["kind"], item["metadata"]["name"]) == (kind, name))
        (found,) = (item for item in alike if namespace in (None, item["metadata"].get("namespace")))
        return found

    def job(self, name: str) -> Manifest:
        """The object of a job of the stack, as rendered; its claims are stored apart."""
        (found,) = (item.manifest for item in self.stack.jobs[name] if item.manifest["kind"] != CLAIM)
        return deepcopy(found)

    def claims(self, name: str) -> list[Manifest]:
        """The claims of a job of the stack."""
        return [deepcopy(item.manifest) for item in self.stack.jobs[name] if item.manifest["kind"] == CLAIM]

    def store(self, item: Manifest) -> Manifest:
        """Store an object, as the one who administers the cluster."""
        self.control_plane.api.store(item)
        return item

    def run(self, workflow: Manifest, *, ends: str = "Succeeded") -> Manifest:
        """Store a workflow and wait for its end; its status."""
        self.store(workflow)
        self.wait(lambda: self.status(workflow).get("phase") in ENDS, f"{workflow['metadata']['name']} ends", workflow)
        status = self.status(workflow)
        assert status["phase"] == ends, self.told(workflow)
        return status

    def status(self, workflow: Manifest) -> Manifest:
        """What the controller says of a workflow."""
        return dict(self.control_plane.api.read(workflow).body.get("status") or {})

    def wait(self, holds: Callable[[], bool], what: str, workflow: Manifest | None = None) -> None:
        """Wait for something; where it does not come, what the programs said is shown."""
        try:
            until(holds, seconds=RUN_SECONDS, what=what, every=0.2)
        except TimeoutError as error:
            raise AssertionError(f"{error}\n{self.told(workflow)}") from error

    @contextmanager
    def without(self, role: Manifest, right: tuple[str, str, str], *, account: str, namespace: str) -> Iterator[None]:
        """An account (`NAMESPACE:NAME`) without one right (API group, resource, verbs) in a namespace for some time."""
        group, resource, verbs = right

        def may() -> set[bool]:
            return {self._may(account, namespace, group, resource, verb) for verb in verbs.split()}

        with rights.without(self.control_plane.api, role, resource, verbs.split(), group=group):
            until(lambda: may() == {False}, seconds=rights.SECONDS, what="the right is gone")
            yield
        until(lambda: may() == {True}, seconds=rights.SECONDS, what="the right is back")

    def _may(self, account: str, namespace: str, group: str, resource: str, verb: str) -> bool:
        asked = {"group": group, "resource": resource, "verb": verb, "namespace": namespace}
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {"user": f"system:serviceaccount:{account}", "resourceAttributes": asked},
        }
        path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        return bool(self.control_plane.api.request("POST", path, review).body["status"]["allowed"])

    def told(self, workflow: Manifest | None = None) -> str:
        """Status of a workflow, events of its namespace, the end of each log."""
        home = workflow["metadata"]["namespace"] if workflow else None
        api = self.control_plane.api
        status = json.dumps(self.status(workflow), indent=1) if workflow else ""
        events = api.get(f"/api/v1/namespaces/{home}/events").body["items"] if home else []
        said = [f"{each['involvedObject']['name']}: {each['message']}" for each in events][-20:]
        logs = [
            f"--- {log.relative_to(self.folder / 'pods')}\n{log.read_text(errors='replace')[-2500:]}"
            for log in sorted((self.folder / "pods").glob("*/*/*/*.log"))
            if home is None or log.parts[-4] in ("argo", home)
        ]
        agent = (self.control_plane.folder / "kubelet.log").read_text(errors="replace")[-2000:]
        return "\n".join([status, *said, *logs, "--- kubelet", agent])

    def log(self, namespace: str, pod: str) -> str:
        """What the pods whose names begin so have said, all containers of all tries."""
        found = sorted((self.folder / "pods" / namespace).glob(f"{pod}*/*/*.log"))
        return "".join(log.read_text(errors="replace") for log in found)


def without_server(item: Manifest) -> Manifest | None:
    """All but Argo's server: it is no part of what a workflow needs."""
    return None if (item["kind"], item["metadata"]["name"]) == ("Deployment", SERVER) else item


@contextmanager
def flow_bench(
    root: Path,
    programs: Mapping[str, Path],
    text: str,
    *,
    components: Sequence[str],
    images: Mapping[str, Image],
    taken: Callable[[Manifest], Manifest | None] = without_server,
    given: Sequence[Manifest] = (),
    flags: Sequence[str] = (),
) -> Iterator[FlowBench]:
    """The bench for a stack, of which these components run, once their Jobs have ended and their pods are ready.

    `taken`: what becomes of each object; None where it does not come to the cluster. `given`: what the stack says exists. `flags`: further ones of the API server's.
    """
    stack = rendered_stack(root, text, name="flows")
    found = [item.manifest for name in ("namespaces", *components) for item in stack.components[name].objects]
    objects = [item for item in map(taken, found) if item]
    with ControlPlane(programs, data=snapshot(programs, crds_of(objects)), flags=(OWNERS, *flags)) as control_plane:
        with control_plane.explaining():
            controllers = sorted({*CONTROLLERS, *WORKLOAD_CONTROLLERS})
            start_kubernetes(control_plane, programs, kwok=False, controllers=controllers)
            results = apply_in_waves(control_plane.api, [*nodes(), *given, *objects])
            assert not refusals(results), refusals(results)
            start_kubelet(control_plane, {**argo(programs, objects), **images})
        bench = FlowBench(control_plane, stack, objects)
        waits = [item for item in objects if item["kind"] in ("Job", "Deployment", "StatefulSet")]
        bench.wait(lambda: all(_stands(control_plane, item) for item in waits), "what the stack runs is ready")
        yield bench


def argo(programs: Mapping[str, Path], objects: Sequence[Manifest]) -> dict[str, Image]:
    """The images of Argo's release, whose controller is among the objects, and one for steps."""
    made = {TOOLS: Image()}
    for item in objects:
        if (item["kind"], item["metadata"]["name"]) == ("Deployment", CONTROLLER):
            tag = item["spec"]["template"]["spec"]["containers"][0]["image"].rpartition(":")[2]
            made |= {
                f"quay.io/argoproj/{name}:{tag}": Image((called(name, programs[f"{name}{LINES[tag[:2]]}"]),))
                for name in (CONTROLLER, "argoexec")
            }
    return made


def called(name: str, program: Path) -> str:
    """The folder of a program, in which it also has the name that containers call it by."""
    link = program.with_name(name)
    if not link.exists():
        with suppress(FileExistsError):
            link.symlink_to(program.name)
    return str(program.parent)


def nodes() -> list[Manifest]:
    """Machines for pods that ask for none in particular."""
    amounts = {"cpu": "64", "memory": "256Gi", "ephemeral-storage": "100Gi", "pods": "110"}
    return [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"cpu-{number}", "labels": {"kubernetes.io/os": "linux"}},
            "status": {"capacity": amounts, "allocatable": amounts},
        }
        for number in range(2)
    ]


def _stands(control_plane: ControlPlane, item: Manifest) -> bool:
    """Whether a Job has ended well, or the pods of something else are ready."""
    found = control_plane.api.read(item).body
    if item["kind"] == "Job":
        return condition(found, "Complete") == "True"
    return bool((found.get("status") or {}).get("readyReplicas"))
