"""Knative Serving as a stack renders it, at work: its own programs run as the pods that their Deployments make.

Real: API server, Kubernetes' controllers and scheduler; controller, webhook, autoscaler, activator and queue-proxy 0.50, with
accounts, rights, settings and probes of the stack; istiod, and an Envoy for each of both gateways. Played: the kubelet, which runs
containers as processes with an address of their own, and net-istio (`net_istio.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from platform_def.yaml import load
from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import CONTROLLERS, start_kubernetes
from tests.cluster.door import Door, give_pods_addresses
from tests.cluster.knative_services import ECHO
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import PLAIN, start_kubelet
from tests.cluster.mesh import PLAYED, LocalGateway, start_gateway
from tests.cluster.net_istio import EXTERNAL, LOCAL, NetIstio
from tests.cluster.pods import Program
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of
from tests.cluster.waves import CUSTOM, DEFINITIONS, apply_in_waves, condition, refusals, wave

HOME = "knative-serving"
PROGRAMS = ("controller", "webhook", "autoscaler", "activator")
PREFIX = "gcr.io/knative-releases/knative.dev/serving/cmd"
WAIT_SECONDS = 180.0
MORE = (
    "deployment-controller",
    "endpoints-controller",
    "endpointslice-controller",
    "endpointslice-mirroring-controller",
    "garbage-collector-controller",
    "replicaset-controller",
)
"""Who makes pods of what Knative makes, and the addresses behind its Services, of which some have no selector."""


def images(programs: Mapping[str, Path]) -> dict[str, Image]:
    """Images of Knative's programs, and of a service that says what it is asked."""
    echo = Image(PLAIN.programs, {}, PLAIN.files, command=("python", "-u", "/programs/knative/echo.py"), keeps=True)
    own = {
        f"{PREFIX}/{name}:": Image(command=(str(programs[f"knative-{name}"]),), keeps=True)
        for name in (*PROGRAMS, "queue")
    }
    return {**own, f"{ECHO}:": echo}


def machines(count: int = 2) -> list[Manifest]:
    """Plain nodes with room for all, and the RuntimeClass that components for GPUs would have made."""
    amounts = {"cpu": "64", "memory": "256Gi", "ephemeral-storage": "100Gi", "pods": "110"}
    nodes: list[Manifest] = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"node-{number}"},
            "status": {"capacity": amounts, "allocatable": amounts},
        }
        for number in range(1, count + 1)
    ]
    runtime = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "nvidia"},
        "handler": "nvidia",
    }
    return [*nodes, runtime]


@dataclass
class KnativeCluster:
    """A cluster on which Knative works."""

    control_plane: ControlPlane
    objects: Sequence[Manifest]
    net_istio: NetIstio
    made: list[Manifest] = field(default_factory=list)
    heard: dict[str, str] = field(default_factory=dict)
    """What each program had said before the test."""

    @property
    def door(self) -> Door:
        """The gateway, for requests from outside."""
        return self.net_istio.doors[EXTERNAL]

    @property
    def inside(self) -> Door:
        """The gateway for requests of pods."""
        return self.net_istio.doors[LOCAL]

    def program(self, name: str) -> Program:
        """One of Knative's programs, which a pod runs."""
        container = "controller" if name == "net-istio-controller" else name
        return Program(self.control_plane, self.objects, name, container)

    def submit(self, item: Manifest) -> Manifest:
        """Store an object, which goes when the test is over."""
        self.control_plane.api.store(item)
        if item not in self.made:
            self.made.append(item)
        return item

    def read(self, api_version: str, kind: str, name: str, home: str) -> Manifest:
        """An object by its name; empty where there is none."""
        wanted = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": home}}
        reply = self.control_plane.api.read(wanted)
        return reply.body if reply.status == 200 else {}

    def all(self, path: str) -> list[Manifest]:
        """Objects at a path of the API."""
        return list(self.control_plane.api.get(path).body.get("items", []))

    def pods(self, home: str, label: str) -> list[Manifest]:
        """Pods with a label (`name=value`) that are not on their way out."""
        found = self.all(f"/api/v1/namespaces/{home}/pods?labelSelector={label}")
        return [each for each in found if "deletionTimestamp" not in each["metadata"]]

    def pods_of(self, service: Manifest) -> list[Manifest]:
        """Pods of a Service of Knative's that are ready."""
        metadata = service["metadata"]
        found = self.pods(metadata["namespace"], f"serving.knative.dev/service={metadata['name']}")
        return [each for each in found if condition(each, "Ready") == "True"]

    def page(self, pod: Manifest, port: int) -> str:
        """What a pod answers at `/metrics` of a port."""
        metadata = pod["metadata"]
        place = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}:{port}"
        return self.control_plane.api.text(f"{place}/proxy/metrics")

    def wait(self, holds: Callable[[], bool], what: str, made: Manifest | None = None) -> None:
        """Wait for what the programs do; TimeoutError says how far it is."""
        try:
            until(holds, seconds=WAIT_SECONDS, what=what, every=0.2)
        except TimeoutError as error:
            said = self.control_plane.api.read(made).body.get("status") if made else ""
            logs = "\n".join(f"--- {name}\n{self.log(name)[-2000:]}" for name in PROGRAMS)
            raise TimeoutError(f"{error}\n{said}\n{self.net_istio.refused[-3:]}\n{logs}") from error

    def wait_ready(self, made: Manifest, kind: str = "Ready", status: str = "True") -> Manifest:
        """An object, once a condition of its present generation is so."""
        read = self.control_plane.api.read

        def is_so() -> bool:
            body = read(made).body
            seen = body.get("status", {}).get("observedGeneration") == body["metadata"]["generation"]
            return seen and condition(body, kind) == status

        self.wait(is_so, f"{kind} of {made['metadata']['name']} is {status}", made)
        return read(made).body

    def log(self, name: str) -> str:
        """What a program has said, in all of its pods that are there."""
        text = ""
        for pod in self.pods(HOME, f"app={name}"):
            with suppress(ValueError):
                text += self.control_plane.api.text(f"/api/v1/namespaces/{HOME}/pods/{pod['metadata']['name']}/log")
        return text

    def forbidden(self, name: str) -> list[str]:
        """What a program was refused in this test for want of a right."""
        said = self.log(name).removeprefix(self.heard.get(name, ""))
        return [line.replace("\\", "") for line in said.splitlines() if "is forbidden" in line]

    def hear(self) -> None:
        """Forget what the programs have said so far."""
        self.heard = {name: self.log(name) for name in PROGRAMS}

    def renew(self, name: str) -> None:
        """Have a program start anew: its pod goes and comes."""
        old = {pod["metadata"]["uid"] for pod in self.pods(HOME, f"app={name}")}
        for pod in self.pods(HOME, f"app={name}"):
            path = f"/api/v1/namespaces/{HOME}/pods/{pod['metadata']['name']}?gracePeriodSeconds=1"
            self.control_plane.api.request("DELETE", path)

        def come() -> bool:
            found = self.pods(HOME, f"app={name}")
            return bool(found) and not old & {pod["metadata"]["uid"] for pod in found}

        self.wait(come, f"{name} has another pod")

    def wait_programs(self) -> None:
        """Wait until all of Knative's programs have passed their probes."""

        def are_ready() -> bool:
            return all(
                any(condition(pod, "Ready") == "True" for pod in self.pods(HOME, f"app={name}")) for name in PROGRAMS
            )

        self.wait(are_ready, "Knative's programs are ready")

    @contextmanager
    def configured(self, name: str, data: Mapping[str, str]) -> Iterator[None]:
        """With further keys in one of its ConfigMaps."""
        (own,) = (each for each in self.objects if each["kind"] == "ConfigMap" and each["metadata"]["name"] == name)
        changed = deepcopy(own)
        changed["data"] = {**own.get("data", {}), **data}
        assert not (found := self.control_plane.api.apply(changed).refusal), found
        try:
            yield
        finally:
            self.control_plane.api.apply(own)

    def clear(self) -> None:
        """Remove what the test made. Pods end in their own time: the next test names its services otherwise."""
        api = self.control_plane.api
        for item in reversed(self.made):
            api.request("DELETE", f"{api.path(item)}?propagationPolicy=Background")
        self.made.clear()


@contextmanager
def knative_cluster(
    programs: Mapping[str, Path],
    objects: Sequence[Manifest],
    *,
    envoy: Path,
    further: Mapping[str, Image] | None = None,
) -> Iterator[KnativeCluster]:
    """The cluster with Knative, ready; errors hold all logs. `objects` are those of the stack's components, of which other
    Deployments than Knative's are left out; `further` are images of other services."""
    deployments = [each for each in objects if each["kind"] == "Deployment"]
    mine = [each for each in deployments if each["metadata"]["name"] in PROGRAMS and _home(each) == HOME]
    first = [each for each in objects if each["kind"] not in ("Deployment", "DaemonSet", "HorizontalPodAutoscaler")]
    with ControlPlane(programs, data=snapshot(programs, crds_of(objects))) as control_plane, control_plane.explaining():
        start_kubernetes(control_plane, programs, controllers=(*CONTROLLERS, *MORE), kwok=False)
        stored = [each for each in first if wave(each) != DEFINITIONS and _is_taken(control_plane, each)]
        found = refusals(apply_in_waves(control_plane.api, [*machines(), *stored, *PLAYED]))
        assert not found, found
        local = LocalGateway(objects, control_plane.folder, envoy)
        start_kubelet(control_plane, {**images(programs), **local.images, **(further or {})})
        give_pods_addresses(control_plane.sandbox, control_plane.folder)
        local.start(start_gateway(control_plane, objects, istiod=programs["istiod"], envoy=envoy))
        doors = {EXTERNAL: Door(control_plane.folder / "gateway.sock", ""), LOCAL: Door(local.socket, "")}
        net_istio = _net_istio(control_plane, objects, doors)
        cluster = KnativeCluster(control_plane, objects, net_istio)
        # The first one's port is one that a Service of Knative's has too, which the kubelet would have sooner.
        cluster.wait(lambda: _listens(cluster.door) and _listens(cluster.inside), "both gateways listen")
        assert not (found := refusals(control_plane.api.apply_all(mine))), found
        cluster.wait_programs()
        net_istio.start()
        try:
            yield cluster
        finally:
            net_istio.over.set()
            net_istio.join()
            net_istio.api.close()


def _net_istio(control_plane: ControlPlane, objects: Sequence[Manifest], doors: Mapping[str, Door]) -> NetIstio:
    """The stand-in, with the account of the rendered Deployment and its ConfigMap."""
    program = Program(control_plane, objects, "net-istio-controller", "controller")
    own = Api(control_plane.api.socket, authority=control_plane.pki.authority, token=program.token())
    said = program.object("ConfigMap", "config-istio")["data"]
    gateways, services = {}, {}
    for visibility, key in ((EXTERNAL, "external-gateways"), (LOCAL, "local-gateways")):
        (gateway,) = cast("list[dict[str, str]]", load(said[key].encode(), file=key))
        gateways[visibility] = f"{gateway['namespace']}/{gateway['name']}"
        services[visibility] = gateway["service"]
    return NetIstio(own, gateways, services, doors)


def _home(item: Manifest) -> str:
    return str(item["metadata"].get("namespace", ""))


def _is_taken(control_plane: ControlPlane, item: Manifest) -> bool:
    """Whether the object's kind is served; what KServe's webhook must judge waits for it."""
    if wave(item) != CUSTOM:
        return not any("kserve" in str(hook["clientConfig"]) for hook in item.get("webhooks", []))
    return control_plane.api.path(item) is not None and "serving.kserve.io" not in item["apiVersion"]


def _listens(door: Door) -> bool:
    with suppress(OSError):
        return door.get("/", known=False).status == 404
    return False
