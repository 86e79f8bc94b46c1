"""Programs that a stack brings, run as their rendered Deployments say: same flags, same files, same account and rights.

The kubelet's part is played here: token and CA where programs in pods find them, volumes, variables. They know no
other API server and no other rights than in a cluster.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from platform_def.yaml import load
from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.stacks import crds_of

EXTENDER = Path(__file__).with_name("extender.py")
ACCOUNT = "secrets/kubernetes.io/serviceaccount"

# The program and its folders may themselves lie below /tmp, which is hidden last.
_ENTER = (
    'exec 9<"$1" && mount --bind "$2/run" /var/run'
    ' && { [ ! -e "$2/etc" ] || mount --bind "$2/etc" /etc; }'
    ' && for file in hosts resolv.conf; do [ ! -e "$2/$file" ] || mount --bind "$2/$file" "/etc/$file"; done'
    ' && mount --bind "$2/tmp" /tmp && shift 2 && exec /proc/self/fd/9 "$@"'
)

OPERATOR = "training-operator"


@dataclass(frozen=True)
class Program:
    """One container of a Deployment, and the stack that it belongs to."""

    control_plane: ControlPlane
    objects: Sequence[Manifest]
    deployment: str
    container: str
    kind: str = "Deployment"
    hosts: Sequence[str] = ()
    """Services that it calls by name, and that answer on loopback."""
    nameserver: str = ""
    """Address of a name server that it asks instead of this machine's."""
    node: str = "node-1"
    """The node that its pod is said to be on."""

    @property
    def name(self) -> str:
        """What it is called among what runs in the test."""
        return self.deployment

    @property
    def home(self) -> str:
        """Its namespace."""
        return str(self.object(self.kind, self.deployment)["metadata"]["namespace"])

    @property
    def pod(self) -> Manifest:
        """Its pod, as the template has it."""
        return dict(self.object(self.kind, self.deployment)["spec"]["template"]["spec"])

    @property
    def spec(self) -> Manifest:
        """Its container, of those that run first too."""
        every = [*self.pod["containers"], *self.pod.get("initContainers", [])]
        (found,) = (each for each in every if each["name"] == self.container)
        return dict(found)

    @property
    def flags(self) -> list[str]:
        """Its command line without the program."""
        return [*self.spec.get("command", []), *self.spec.get("args", [])][1:]

    @property
    def tmp(self) -> Path:
        """What is /tmp for the program."""
        return self.control_plane.folder / self.deployment / "tmp"

    def object(self, kind: str, name: str) -> Manifest:
        """An object of the stack."""
        (found,) = (item for item in self.objects if item["kind"] == kind and item["metadata"]["name"] == name)
        return found

    def start(self, binary: Path, flags: Sequence[str], *, settings: Mapping[str, str] | None = None) -> None:
        """Start the program with its account in place; `settings` are further variables."""
        account = self.tmp.parent / "run" / ACCOUNT
        for folder in (account, self.tmp):
            folder.mkdir(parents=True, exist_ok=True)
        (account / "token").write_text(self.token())
        (account / "namespace").write_text(self.home)
        (account / "ca.crt").write_bytes(self.control_plane.pki.authority.read_bytes())
        env = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(self.control_plane.port)}
        env |= {**self.variables(), **(settings or {})}
        if self.hosts:
            (self.tmp.parent / "hosts").write_text(f"127.0.0.1 localhost {' '.join(self.hosts)}\n")
        if self.nameserver:
            (self.tmp.parent / "resolv.conf").write_text(f"nameserver {self.nameserver}\n")
        placed = [self._placed(flag) for flag in flags]
        argv = ["unshare", "--mount", "sh", "-c", _ENTER, "sh", str(binary), str(self.tmp.parent), *placed]
        self.control_plane.sandbox.start(self.name, argv, log=self.log, env=env)

    def _placed(self, flag: str) -> str:
        """A flag; the file of a ConfigMap that it names lies in the program's /tmp, since a test writes none to `/`."""
        maps = {each["name"]: each["configMap"]["name"] for each in self.pod.get("volumes", []) if "configMap" in each}
        for mount in self.spec.get("volumeMounts", []):
            if mount["name"] in maps and "subPath" in mount and flag.endswith(f"={mount['mountPath']}"):
                text = self.object("ConfigMap", maps[mount["name"]])["data"][mount["subPath"]]
                (self.tmp / mount["subPath"]).write_text(text)
                return flag.replace(f"={mount['mountPath']}", f"=/tmp/{mount['subPath']}")
        return flag

    @property
    def log(self) -> Path:
        """What the program says."""
        return self.control_plane.folder / f"{self.name}.log"

    def wait(self, holds: Callable[[], bool], what: str) -> None:
        """Wait for what it does once it works; AssertionError with its log when it ends instead."""

        def still() -> bool:
            assert self.name not in self.control_plane.sandbox.ended(), self.log.read_text(errors="replace")
            return holds()

        until(still, seconds=START_SECONDS, what=what)

    def forbidden(self) -> list[str]:
        """What the API server refused it for want of a right."""
        return [line for line in self.log.read_text(errors="replace").splitlines() if " is forbidden" in line]

    def refusal(self) -> str:
        """The first of it, once there is one."""
        until(lambda: bool(self.forbidden()), seconds=START_SECONDS, what=f"{self.name} is refused")
        return self.forbidden()[0]

    def token(self) -> str:
        """A token of its account."""
        account = f"/api/v1/namespaces/{self.home}/serviceaccounts/{self.pod['serviceAccountName']}"
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        reply = self.control_plane.api.request("POST", f"{account}/token", request)
        assert reply.status == 201, reply.message
        return str(reply.body["status"]["token"])

    def variables(self) -> dict[str, str]:
        """Its variables, with what the cluster holds for them now."""
        found: dict[str, str] = {}
        for each in self.spec.get("env", []):
            source = each.get("valueFrom", {})
            if "resourceFieldRef" in source:  # nobody limits its memory here
                continue
            if "fieldRef" in source:
                found[each["name"]] = self._downward(source["fieldRef"])
            elif source:
                for value in self._stored(source):
                    found[each["name"]] = value
            else:
                found[each["name"]] = each.get("value", "")
        return found

    def _stored(self, source: Manifest) -> Iterator[str]:
        """The value of a key of a ConfigMap or a Secret, unless it may be absent and is."""
        ((field, key),) = source.items()
        folder = "secrets" if field == "secretKeyRef" else "configmaps"
        data = self.control_plane.api.get(f"/api/v1/namespaces/{self.home}/{folder}/{key['name']}").body.get("data", {})
        if key["key"] in data:
            value = data[key["key"]]
            yield base64.b64decode(value).decode() if folder == "secrets" else value
        else:
            assert key.get("optional"), f"{self.deployment} waits for {key['name']}"

    def _downward(self, field: Mapping[str, str]) -> str:
        known = {
            "metadata.namespace": self.home,
            "metadata.name": self.deployment,
            "spec.serviceAccountName": str(self.pod["serviceAccountName"]),
            "spec.nodeName": self.node,
            "status.hostIP": "127.0.0.1",
            "status.podIP": "127.0.0.1",
        }
        return known[field["fieldPath"]]


def start_operator(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest], *, moved: Sequence[str] = ()
) -> Program:
    """Start the training operator of some objects, which are stored already, and wait for all its webhooks to judge jobs.

    kube-proxy's part is played too: the Service's address leads to the webhook. `moved` are flags for ports that
    another program has here.
    """
    api = control_plane.api
    operator = Program(control_plane, objects, OPERATOR, OPERATOR)
    operator.start(programs[OPERATOR], [*operator.flags, *moved])
    (volume,) = (each for each in operator.pod["volumes"] if "secret" in each)
    (mount,) = (each for each in operator.spec["volumeMounts"] if each["name"] == volume["name"])
    path = f"/api/v1/namespaces/{operator.home}/secrets/{volume['secret']['secretName']}"
    operator.wait(lambda: "data" in api.get(path).body, "the operator has made its certificate")
    folder = operator.tmp / Path(mount["mountPath"]).relative_to("/tmp")
    folder.mkdir(parents=True)
    for key, value in api.get(path).body["data"].items():
        (folder / key).write_bytes(base64.b64decode(value))
    service = api.read(operator.object("Service", OPERATOR)).body["spec"]
    (hook,) = (port for port in service["ports"] if port["name"] == "webhook-server")
    control_plane.sandbox.relay(service["clusterIP"], hook["port"], target=hook["targetPort"])
    for name, job in wrong_jobs(objects).items():
        operator.wait(lambda name=name, job=job: judged(api, name, job), f"{name} judges")  # type: ignore[misc]
    return operator


def judged(api: Api, name: str, job: Manifest) -> bool:
    """Whether a webhook itself says no to a job; the server's own no, while it cannot reach it, is another."""
    return f'"{name}" denied the request' in api.apply(job, dry_run=True).refusal


def wrong_jobs(objects: Sequence[Manifest]) -> dict[str, Manifest]:
    """For each webhook of the operator's, by its name, a job that fits its CRD and that the webhook refuses."""
    plurals = {
        hook["name"]: rule["resources"][0]
        for item in objects
        if item["kind"] == "ValidatingWebhookConfiguration"
        for hook in item["webhooks"]
        for rule in hook["rules"]
        if hook["name"].endswith(f".{OPERATOR}.kubeflow.org")
    }
    crds = {item["spec"]["names"]["plural"]: item for item in crds_of(objects)}
    return {name: _wrong(crds[plural]) for name, plural in plurals.items()}


def _wrong(crd: Manifest) -> Manifest:
    """A job whose only container has a name that says nothing to the operator."""
    (version,) = crd["spec"]["versions"]
    fields = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    (replicas,) = (field for field in fields if field.endswith("ReplicaSpecs"))
    template = {"spec": {"containers": [{"name": "main", "image": "train:1"}]}}
    return {
        "apiVersion": f"{crd['spec']['group']}/{version['name']}",
        "kind": crd["spec"]["names"]["kind"],
        "metadata": {"name": "wrong", "namespace": "default"},
        "spec": {replicas: {"Worker": {"replicas": 1, "template": template}}},
    }


@dataclass(frozen=True)
class Scheduler(Program):
    """The kube-scheduler of a Deployment, by the configuration in its ConfigMap."""

    @property
    def config(self) -> Manifest:
        """Its configuration."""
        found: Manifest = load(self._text.encode(), file=self.deployment)  # type: ignore[assignment]
        return found

    @property
    def flags(self) -> list[str]:
        """Its command line, with the file where the test has it: in its /tmp."""
        (mount,) = self.spec["volumeMounts"]
        return [flag.replace(f"={mount['mountPath']}/", "=/tmp/") for flag in super().flags]

    @property
    def _text(self) -> str:
        (mount,) = self.spec["volumeMounts"]
        (volume,) = (each for each in self.pod["volumes"] if each["name"] == mount["name"])
        return str(self.object("ConfigMap", volume["configMap"]["name"])["data"]["config.yaml"])

    def run(self, binary: Path) -> None:
        """Start it."""
        self.tmp.mkdir(parents=True, exist_ok=True)
        (self.tmp / "config.yaml").write_text(self._text)
        self.start(binary, self.flags)

    def leads(self) -> bool:
        """Whether it has the lease that it must have before it acts."""
        election = self.config["leaderElection"]
        group, home = "/apis/coordination.k8s.io/v1", election["resourceNamespace"]
        lease = self.control_plane.api.get(f"{group}/namespaces/{home}/leases/{election['resourceName']}").body
        return bool(lease.get("spec", {}).get("holderIdentity"))


@contextmanager
def second_scheduler(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest], name: str
) -> Iterator[Program]:
    """Run the kube-scheduler of a stack's Deployment for some time.

    An extender that it asks by plain HTTP is stood in for by one that has nothing against any node.
    """
    scheduler = Scheduler(control_plane, objects, name, "kube-scheduler")
    sandbox, started = control_plane.sandbox, [name]
    for extender in scheduler.config.get("extenders", []):
        address = urlsplit(extender["urlPrefix"])
        if address.scheme == "http":
            argv = [sys.executable, "-I", str(EXTENDER), str(address.port)]
            sandbox.start("extender", argv, log=control_plane.folder / "extender.log")
            started.append("extender")
    scheduler.run(programs["kube-scheduler"])
    try:
        scheduler.wait(scheduler.leads, f"{name} has its lease")
        yield scheduler
    finally:
        for each in started:
            sandbox.stop(each)
