"""A cluster where Katib searches: its controller, DB manager, interface and collectors as a stack renders them, each started as
processes by the kubelet of `kubelet/`, under its own account and rights, and trials that train.

Named stand-ins: for the suggestion services and for median stopping, which are Python programs that no registry has; the
interface has no pages. Katib makes its certificate itself here.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from platform_def.constructs.security import RESTRICTED
from platform_def.tools import kubectl_path
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.environments import obtain
from tests.cluster.flow_stores import mysql, postgresql, python
from tests.cluster.flows import ENDS, FlowBench, flow_bench
from tests.cluster.job_operators import MPI, Start
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import PLAIN, PROGRAMS
from tests.cluster.pods import Program, start_operator
from tests.cluster.waves import condition

HOME, CORE = "team-vision", "kubeflow"
CONTROLLER, MANAGER, INTERFACE = "katib-controller", "katib-db-manager", "katib-ui"
KUBECTL = "registry.example.com/kubectl:1"
OWN = "ghcr.io/kubeflow/katib/"
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: cpu, nodes: 2, selector: {pool: cpu}}
storage:
  shared: {driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}
components:
DATABASE\
  katib: {certificates: katib, ui: {access: administrators}}
teams:
  - {name: vision}
jobs:
"""
SEARCH = {"template": "experiment", "team": "vision", "objective": {"metric": "loss", "type": "minimize"}}
TRIAL = {
    "template": "gpu-job",
    "image": "plain/python:3",
    "gpusPerWorker": 0,
    "cpu": "100m",
    "memory": "256Mi",
    "retries": 0,
}
RATES = "--rate=${rate}"
HEALTH = 8080
"""Where the MPI operator tells of its health at all addresses, whatever its flags say; Services of the stack have metrics there."""
NUMBERS = count()


def search(name: str, *, words: Sequence[str] = (), **more: object) -> dict[str, object]:
    """A search for the rate of a training on one machine."""
    trial = {**TRIAL, "command": ["python", "/programs/tuning/tried.py", RATES, *words]}
    return {**SEARCH, "name": name, "trial": trial, **more}


def listed(name: str, *rates: str, words: Sequence[str] = (), **more: object) -> dict[str, object]:
    """A search that tries some rates one after the other."""
    parameter = {"name": "rate", "type": "categorical", "values": [*rates]}
    order: dict[str, object] = {"algorithm": "grid", "trials": len(rates), "parallel": 1, **more}
    return search(name, words=words, parameters=[parameter], **order)


@dataclass(frozen=True)
class Tuning:
    """The cluster, and what searches there."""

    bench: FlowBench
    root: Path

    def begin(self, name: str) -> Manifest:
        """Store an experiment, and what its trials share."""
        for each in self.bench.claims(name):
            self.bench.store(each)
        return self.bench.store(self.bench.job(name))

    def run(self, name: str, *, ends: str = "Succeeded") -> Manifest:
        """Store an experiment and wait for its end; its status."""
        experiment = self.begin(name)
        self.bench.wait(lambda: self.ended(experiment) != "", f"{name} ends", experiment)
        assert self.ended(experiment) == ends, self.bench.told(experiment)
        return self.bench.status(experiment)

    def ended(self, item: Manifest) -> str:
        """How an experiment ended, or nothing yet."""
        body = self.bench.control_plane.api.read(item).body
        return next((each for each in ENDS if condition(body, each) == "True"), "")

    def trials(self, name: str) -> list[Manifest]:
        """The trials of an experiment."""
        label = f"katib.kubeflow.org/experiment={self.bench.job(name)['metadata']['name']}"
        path = f"/apis/kubeflow.org/v1beta1/namespaces/{HOME}/trials?labelSelector={label}"
        return list(self.bench.control_plane.api.get(path).body["items"])

    def said(
        self, namespace: str, command: str, *, image: str, account: str = "default", env: Sequence[Manifest] = ()
    ) -> str:
        """What a command says in a pod of its own, under an account of the namespace."""
        name = f"asks-{next(NUMBERS)}"
        container: Manifest = {
            "name": "main",
            "image": image,
            "command": ["sh", "-c", command],
            "env": [*env],
            "securityContext": {**RESTRICTED, "runAsUser": 1000},
        }
        spec = {"containers": [container], "restartPolicy": "Never", "serviceAccountName": account}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace}, "spec": spec}
        self.bench.store(pod)
        self.bench.wait(lambda: self.bench.status(pod).get("phase") in ENDS, f"{name} ends", pod)
        told = self.bench.log(namespace, name)
        assert self.bench.status(pod)["phase"] == "Succeeded", told + self.bench.told(pod)
        return told

    def inside(self, name: str, command: str) -> str:
        """What a command says in the only pod of one of Katib's programs, where an administrator starts it."""
        pods = self.bench.control_plane.api.get(f"/api/v1/namespaces/{CORE}/pods").body["items"]
        (pod,) = (each["metadata"]["name"] for each in pods if each["metadata"]["name"].startswith(f"{name}-"))
        account: Manifest = {"kind": "ServiceAccount", "metadata": {"name": "administrator", "namespace": CORE}}
        self.bench.store({"apiVersion": "v1", **account})
        self.bind("ClusterRoleBinding", "cluster-admin", "administrator", CORE)
        words = f"kubectl exec --namespace {CORE} {pod} -- {command}"
        return self.said(CORE, words, image=KUBECTL, account="administrator")

    def bind(self, kind: str, role: str, account: str, namespace: str) -> None:
        """Give an account of a namespace a ClusterRole, there or in the whole cluster."""
        metadata = {"name": f"{account}-{role}", **({"namespace": namespace} if kind == "RoleBinding" else {})}
        self.bench.store(
            {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": kind,
                "metadata": metadata,
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
                "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
            }
        )

    def remove(self, experiment: Manifest) -> None:
        """Take an experiment away, with all that it made."""
        api = self.bench.control_plane.api
        api.request("DELETE", api.path(experiment) or "")
        self.bench.wait(lambda: api.read(experiment).status == 404, "the experiment is gone", experiment)

    def forbidden(self) -> list[str]:
        """What any of Katib's programs, and their helpers in people's namespaces, were refused."""
        text = "".join(self.bench.log(home, "") for home in (CORE, HOME))
        return [line for line in text.splitlines() if " is forbidden" in line]

    def collected(self, trial: Manifest) -> str:
        """What the collector of a trial said."""
        return self.bench.log(HOME, trial["metadata"]["name"])


def asked(path: str) -> str:
    """A command that asks the interface from beside it, as a port-forward does."""
    command = f'curl -sS --fail "http://$(hostname -i):8080{path}"'
    return f"sh -c {shlex.quote(command)}"


@contextmanager
def tuning(
    root: Path,
    programs: Mapping[str, Path],
    jobs: Sequence[Mapping[str, object]],
    *,
    database: str = "postgresql",
    settings: str = "{}",
    operators: Mapping[str, str] | None = None,
    more: Mapping[str, Image] | None = None,
) -> Iterator[Tuning]:
    """The cluster with some searches, once Katib's programs are ready.

    `settings` is what the stack says of the database. `operators` are components that run trials, with what the stack says of them: they run beside the cluster, as their
    Deployments say, where Services keep their ports of all addresses. `more` are images of trials.
    """
    lines = {database: settings, **(operators or {})}
    text = STACK.replace("DATABASE", "".join(f"  {name}: {said}\n" for name, said in lines.items()))
    text += "".join(f"  - {json.dumps(job)}\n" for job in jobs)
    keeps = {"postgresql": postgresql, "mysql": mysql}[database]()

    def taken(item: Manifest) -> Manifest | None:
        if item["kind"] == "Deployment" and item["metadata"]["name"] in (operators or {}):
            return None
        if item["kind"] == "Service" and operators:
            ports = [each for each in item["spec"]["ports"] if each["port"] != HEALTH]
            return {**item, "spec": {**item["spec"], "ports": ports}} if ports else None
        return item

    known = {**images(programs), **keeps, **(more or {})}
    with flow_bench(root, programs, text, components=(*lines, "katib"), images=known, taken=taken) as bench:
        for name in operators or {}:
            STARTS[name](
                bench.control_plane, programs, [item.manifest for item in bench.stack.components[name].objects]
            )
        yield Tuning(bench, root)


def _start_training(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
) -> Sequence[Program]:
    return [start_operator(control_plane, programs, objects, moved=["--metrics-bind-address=:29080"])]


STARTS: Mapping[str, Start] = {"training-operator": _start_training, "mpi-operator": MPI.start}
"""How operators of trials are started."""


def images(programs: Mapping[str, Path]) -> dict[str, Image]:
    """Katib's own, whose programs lie in the folder that their containers begin in, and the stand-ins."""
    stand_in = (str(obtain("katib").parent),)
    files = {"/programs": str(PROGRAMS)}
    suggests = ("python", "-B", "/programs/tuning/suggests.py")
    stops = ("python", "-B", "/programs/tuning/stops.py")
    own = PROGRAMS / "tuning"
    # At an address of its own: here the Services of others keep its port at theirs.
    pages = {"/katib-ui": str(own / "interface.sh"), "/app/build/static/index.html": str(own / "index.html")}
    collector = (str(programs["file-metricscollector"]),)
    return {
        f"{OWN}katib-controller": Image(files={"/katib-controller": str(programs[CONTROLLER])}),
        f"{OWN}katib-db-manager": Image(files={"/katib-db-manager": str(programs[MANAGER])}),
        f"{OWN}katib-ui": Image((str(programs[INTERFACE].parent),), {}, pages),
        f"{OWN}file-metrics-collector": Image(entrypoint=collector),
        f"{OWN}suggestion-": Image(stand_in, {}, files, suggests),
        f"{OWN}earlystopping-": Image(stand_in, {}, files, stops),
        KUBECTL: Image((str(Path(kubectl_path()).parent),)),
        "plain/": PLAIN,
        **python(),
    }
