"""KServe's programs as a stack renders them, on a real API server: what their tests share.

Each has its own account, rights, configuration and webhooks. Played: cert-manager, which makes certificates and has
them trusted, kubelets (kwok), the way from Services to programs, and the gateway, which takes every route.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

from tests.cluster import pki, rights
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import CONTROLLERS, start_kubernetes
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import start_kubelet
from tests.cluster.pods import Program
from tests.cluster.queue_stack import machines
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of
from tests.cluster.waves import CUSTOM, DEFINITIONS, apply_in_waves, condition, refusals, wave

HOME = "kserve"
WAIT_SECONDS = 180.0
GATEWAY_API, POOLS = "/apis/gateway.networking.k8s.io/v1", "/apis/inference.networking.k8s.io/v1"
MORE = ("deployment-controller", "garbage-collector-controller", "replicaset-controller", "statefulset-controller")
"""Who makes pods of what KServe makes."""
WEBHOOK = "webhook-port"
PROGRAMS = {"kserve-controller-manager": "kserve-manager", "llmisvc-controller-manager": "kserve-llmisvc"}
SERVICES = {
    "kserve-controller-manager": "kserve-webhook-server-service",
    "llmisvc-controller-manager": "llmisvc-webhook-server-service",
}


@dataclass
class ModelCluster:
    """An API server on which one of KServe's programs works."""

    control_plane: ControlPlane
    controller: Program
    gateway_played: bool = True
    made: list[Manifest] = field(default_factory=list)

    def submit(self, *objects: Manifest) -> Manifest:
        """Store what serves a model, which goes when the test is over; returns the first."""
        for item in objects:
            self.control_plane.api.store(item)
            self.made.append(item)
        return objects[0]

    def read(self, kind: str, api_version: str, name: str, home: str) -> Manifest:
        """An object by its name; empty where there is none."""
        wanted = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": home}}
        reply = self.control_plane.api.read(wanted)
        return reply.body if reply.status == 200 else {}

    def all(self, path: str) -> list[Manifest]:
        """Objects at a path of the API."""
        return list(self.control_plane.api.get(path).body.get("items", []))

    def pods(self, home: str, prefix: str) -> list[Manifest]:
        """Pods that run and whose names begin so."""
        found = self.all(f"/api/v1/namespaces/{home}/pods")
        return [
            pod
            for pod in found
            if pod["metadata"]["name"].startswith(prefix) and pod["status"].get("phase") == "Running"
        ]

    def wait_for(self, made: Manifest, kind: str = "Ready", status: str = "True") -> Manifest:
        """What serves a model, once a condition of it is so."""
        read = self.control_plane.api.read
        self.wait(lambda: condition(read(made).body, kind) == status, f"{kind} of it is {status}", made)
        return read(made).body

    def wait(self, holds: Callable[[], bool], what: str, made: Manifest | None = None) -> None:
        """Wait for what the program does, while the gateway takes routes; TimeoutError says how far it is."""

        def taken() -> bool:
            ended = {*self.control_plane.sandbox.ended()}
            assert self.controller.name not in ended, self.controller.log.read_text(errors="replace")[-6000:]
            if self.gateway_played:
                self.take_routes()
            return holds()

        try:
            until(taken, seconds=WAIT_SECONDS, what=what, every=0.3)
        except TimeoutError as error:
            said = self.control_plane.api.read(made).body.get("status") if made else ""
            raise TimeoutError(f"{error}\n{said}\n{self.controller.log.read_text(errors='replace')[-6000:]}") from error

    def refused(self, resource: str) -> bool:
        """Whether the program was refused to make such an object."""
        return any(
            f'cannot create resource "{resource}"' in each.replace("\\", "") for each in self.controller.forbidden()
        )

    def take_routes(self) -> None:
        """The gateway's part: it is there, and takes each route and each pool."""
        for gateway in self.all(f"{GATEWAY_API}/gateways"):
            self._say(gateway, {"addresses": [{"type": "IPAddress", "value": "192.0.2.1"}]}, "Accepted Programmed")
        for route in self.all(f"{GATEWAY_API}/httproutes"):
            parents = route["spec"].get("parentRefs", [])
            more = {"controllerName": "istio.io/gateway-controller"}
            self._say_parents(route, parents, more, unresolved=_unknown_kinds(route))
        for pool in self.all(f"{POOLS}/inferencepools"):
            gateways = self.all(f"{GATEWAY_API}/gateways")
            metadata = [each["metadata"] for each in gateways if each["metadata"]["name"].startswith("kserve")]
            parents = [{"kind": "Gateway", "name": each["name"], "namespace": each["namespace"]} for each in metadata]
            self._say_parents(pool, parents, {})

    def _say_parents(
        self, item: Manifest, parents: Sequence[Manifest], more: Manifest, *, unresolved: bool = False
    ) -> None:
        conditions = _conditions(item, "Accepted ResolvedRefs")
        if unresolved:
            conditions[1] |= {"status": "False", "reason": "InvalidKind"}
        said = [{"parentRef": each, "conditions": conditions, **more} for each in parents]
        known = item.get("status", {}).get("parents", [])
        seen = {each["conditions"][0].get("observedGeneration") for each in known if each.get("conditions")}
        if len(known) != len(said) or seen != {item["metadata"]["generation"]}:
            self._write(item, {"parents": said})

    def _say(self, item: Manifest, status: Manifest, kinds: str) -> None:
        if any(condition(item, kind) != "True" for kind in kinds.split()):
            self._write(item, {**status, "conditions": _conditions(item, kinds)})

    def _write(self, item: Manifest, status: Manifest) -> None:
        path = f"{self.control_plane.api.path(item)}/status"
        self.control_plane.api.request("PATCH", path, {"status": status}, content="application/merge-patch+json")

    @contextmanager
    def clean(self) -> Iterator[ModelCluster]:
        """For one test: its models are gone afterwards, and the program was refused nothing."""
        try:
            yield self
            assert self.controller.forbidden() == []
        finally:
            self.clear()

    def clear(self) -> None:
        """Remove what the test made, and wait until its pods are gone too."""
        api = self.control_plane.api
        homes = {item["metadata"]["namespace"] for item in self.made}
        for item in reversed(self.made):
            api.request("DELETE", f"{api.path(item)}?propagationPolicy=Background")
        for item in self.made:
            self.wait(lambda item=item: api.read(item).status == 404, "it is gone", item)  # type: ignore[misc]
        self.made.clear()
        for home in homes:
            for path in (f"/apis/apps/v1/namespaces/{home}/deployments", f"/api/v1/namespaces/{home}/pods"):
                self.wait(lambda path=path: not self.all(path), f"nothing is left at {path}")  # type: ignore[misc]
        self.controller.log.write_text("")

    @contextmanager
    def without(self, role: str, resource: str, verb: str) -> Iterator[None]:
        """Take a verb on a resource out of a role of the program for some time."""
        found = self.controller.object("ClusterRole", role)
        try:
            with rights.without(self.control_plane.api, found, resource, {verb}):
                yield
        finally:
            self.clear()


@contextmanager
def model_cluster(
    programs: Mapping[str, Path],
    objects: Sequence[Manifest],
    further: Sequence[Manifest],
    deployment: str,
    *,
    moved: Mapping[str, int] | None = None,
    images: Mapping[str, Image] | None = None,
    gateway: Callable[[ControlPlane], object] | None = None,
) -> Iterator[ModelCluster]:
    """The cluster with one of KServe's programs, and what a stack brings besides; errors hold all logs.

    `objects` are those of the stack's components; `further` are not the stack's. `moved` are flags of ports that
    another program has here. With `images` pods are processes, and the stack's own programs have none; `gateway` starts
    a real one.
    """
    with ControlPlane(programs, data=snapshot(programs, crds_of(objects))) as control_plane:
        with control_plane.explaining():
            controllers = (*CONTROLLERS, *MORE, "endpointslice-controller")
            start_kubernetes(control_plane, programs, controllers=controllers, kwok=images is None)
            first = [item for item in objects if wave(item) not in (DEFINITIONS, CUSTOM) and _serves(item, deployment)]
            if images is not None:
                first = [item for item in first if item["kind"] not in ("DaemonSet", "Deployment")]
            nodes = machines({"train": 2, "spare": 2})
            assert not refusals(found := apply_in_waves(control_plane.api, [*nodes, *first, *further])), refusals(found)
            if images is not None:
                start_kubelet(control_plane, images)
            if gateway is not None:
                gateway(control_plane)
            program = start(control_plane, programs, objects, deployment, moved or {})
            cluster = ModelCluster(control_plane, program, gateway is None)
            for item in (each for each in objects if wave(each) == CUSTOM and control_plane.api.path(each)):
                if _kind_of(item, deployment):
                    # Each is refused until the webhook answers and is trusted.
                    cluster.wait(lambda item=item: _taken(cluster, item), f"{item['kind']} is taken")  # type: ignore[misc]
        yield cluster


def start(
    control_plane: ControlPlane,
    programs: Mapping[str, Path],
    objects: Sequence[Manifest],
    deployment: str,
    moved: Mapping[str, int],
) -> Program:
    """Start one of KServe's programs, whose objects are stored."""
    program = Program(control_plane, objects, deployment, "manager")
    authority = _certify(program)
    further = [f"--{name}={':' * (name != WEBHOOK)}{port}" for name, port in moved.items()]
    program.start(programs[PROGRAMS[deployment]], [*program.flags, *further])
    service = SERVICES[deployment]
    for item in objects:
        if trusting := _trusting(item, service, authority):
            assert not (found := control_plane.api.apply(trusting).refusal), found
    stored = control_plane.api.read(program.object("Service", service)).body["spec"]
    (port,) = stored["ports"]
    control_plane.sandbox.relay(stored["clusterIP"], port["port"], target=moved.get(WEBHOOK, port["targetPort"]))
    return program


def _certify(program: Program) -> str:
    """The parts of cert-manager and the kubelet: the certificate that its pod mounts. Returns who signed it."""
    (volume,) = (each for each in program.pod["volumes"] if "secret" in each)
    (mount,) = (each for each in program.spec["volumeMounts"] if each["name"] == volume["name"])
    (wanted,) = (
        item["spec"]
        for item in program.objects
        if item["kind"] == "Certificate" and item["spec"]["secretName"] == volume["secret"]["secretName"]
    )
    made = pki.serving(program.control_plane.folder / f"serving-{program.name}", wanted["dnsNames"])
    folder = program.tmp / Path(mount["mountPath"]).relative_to("/tmp")
    folder.mkdir(parents=True)
    for file in (made.certificate, made.key):
        (folder / file.name).write_bytes(file.read_bytes())
    return base64.b64encode(made.authority.read_bytes()).decode()


def _trusting(item: Manifest, service: str, authority: str) -> Manifest | None:
    """The object with the authority wherever it calls the service; None where it does not."""
    made = deepcopy(item)
    clients = [hook["clientConfig"] for hook in made.get("webhooks", [])]
    if item["kind"] == "CustomResourceDefinition" and "webhook" in made["spec"].get("conversion", {}):
        clients = [made["spec"]["conversion"]["webhook"]["clientConfig"]]
    called = [each for each in clients if each.get("service", {}).get("name") == service]
    for each in called:
        each["caBundle"] = authority
    return made if called else None


def _serves(item: Manifest, deployment: str) -> bool:
    """Whether a cluster in which one program runs takes the object: the other's webhooks would fail."""
    names = {hook["clientConfig"]["service"]["name"] for hook in item.get("webhooks", [])}
    return names <= {SERVICES[deployment]}


def _kind_of(item: Manifest, deployment: str) -> bool:
    """Whether a custom resource is the program's, or its neighbours'."""
    of_llms = str(item["kind"]).startswith("LLM")
    return item["kind"] == "Gateway" or of_llms == deployment.startswith("llm")


def _taken(cluster: ModelCluster, item: Manifest) -> bool:
    return not cluster.control_plane.api.apply(item).refusal


def _unknown_kinds(route: Manifest) -> bool:
    """Whether a route leads to a kind that Istio does not serve: pools of the group before the stable one are such."""
    backends = [each for rule in route["spec"].get("rules", []) for each in rule.get("backendRefs", [])]
    return any(each.get("group") == "inference.networking.x-k8s.io" for each in backends)


def _conditions(item: Manifest, kinds: str) -> list[Manifest]:
    said = {
        "status": "True",
        "reason": "Played",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
        "observedGeneration": item["metadata"]["generation"],
    }
    return [{"type": kind, **said} for kind in kinds.split()]
