"""The DRA driver's controller and webhook as a stack renders them, on a real API server: what their tests share.

Real beside them: cert-manager's CA injector, DaemonSets, claims, and the scheduler. Played: the webhook's certificate,
kubelets (kwok), nodes, and what the driver's plugin and its daemons do on a node: devices, labels, and what they report.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.cluster.certificates import certificates_of, start_cert_manager
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.controllers import CONTROLLERS, WORKLOAD_CONTROLLERS, start_kubernetes
from tests.cluster.queueing import Controller
from tests.cluster.tools import module_folder
from tests.cluster.waves import apply_in_waves, refusals

NAME = "nvidia-dra-driver-gpu"
CONTROLLER, WEBHOOK = f"{NAME}-controller", f"{NAME}-webhook"
PROGRAM, HOOK = "compute-domain-controller", "dra-webhook"
DOMAINS, DRIVER = "resource.nvidia.com", "compute-domain.nvidia.com"
LABEL = f"{DOMAINS}/computeDomain"
"""Label of all that is made for a ComputeDomain, which is its finalizer too; the value is the domain's UID."""
TEAM, NODES = "team-vision", ("train-0", "train-1")
SERVED = 18443
"""Port of the webhook, whose own is taken by the way from Services."""


class Member(Controller):
    """One of the driver's programs, in a root folder of its own."""

    @property
    def pod(self) -> Manifest:
        """Its pod; the controller's has no volumes."""
        return {"volumes": [], **super().pod}

    @property
    def spec(self) -> Manifest:
        """Its container, with the program in the root folder and its arguments as the kubelet expands them."""
        found = super().spec
        told = {each["name"]: each.get("value", "") for each in found["env"]}
        program, *rest = (re.sub(r"\$\((\w+)\)", lambda name: told[name[1]], each) for each in found["command"])
        return {"volumeMounts": [], **found, "command": [f"/{program}", *rest]}


@dataclass
class Driver:
    """An API server on which the driver works, and the ComputeDomains of a test."""

    control_plane: ControlPlane
    objects: Sequence[Manifest]
    controller: Member
    webhook: Member
    made: list[Manifest] = field(default_factory=list)

    def wait(self, holds: Callable[[], bool], what: str) -> None:
        """Wait for something, as long as all programs run."""

        def still() -> bool:
            assert not self.control_plane.sandbox.ended(), self.control_plane.logs()
            return holds()

        self.controller.wait(still, what)

    def make(self, manifest: Manifest) -> Manifest:
        """Store an object, which goes when the test is over; returns it as it is stored."""
        stored = self.control_plane.api.store(manifest)
        self.made.append(manifest)
        return stored

    def remove(self, manifest: Manifest) -> None:
        """Take an object away, and wait until it has gone."""
        api = self.control_plane.api
        assert api.request("DELETE", api.path(manifest) or "").status in (200, 202)
        self.wait(lambda: api.read(manifest).status == 404, f"{manifest['metadata']['name']} has gone")

    def found(self, path: str, domain: Manifest) -> list[Manifest]:
        """What was made for a stored ComputeDomain."""
        asked = f"{path}?labelSelector={LABEL.replace('/', '%2F')}%3D{domain['metadata']['uid']}"
        return list(self.control_plane.api.get(asked).body["items"])

    def daemons(self, domain: Manifest) -> list[Manifest]:
        """DaemonSets of a domain."""
        return self.found(f"/apis/apps/v1/namespaces/{NAME}/daemonsets", domain)

    def templates(self, domain: Manifest) -> dict[str, Manifest]:
        """Templates of claims of a domain, by their namespaces."""
        found = self.found("/apis/resource.k8s.io/v1/resourceclaimtemplates", domain)
        return {each["metadata"]["namespace"]: each for each in found}

    def pods(self, domain: Manifest) -> list[Manifest]:
        """Pods of its DaemonSet that run."""
        found = self.found(f"/api/v1/namespaces/{NAME}/pods", domain)
        return [each for each in found if each["status"]["phase"] == "Running"]

    def join(self, domain: Manifest) -> None:
        """The plugin's part on each node: it takes the node into a domain."""
        for name in NODES:
            self._label(name, domain["metadata"]["uid"])

    def _label(self, node: str, uid: str | None) -> None:
        patch = {"metadata": {"labels": {LABEL: uid}}}
        path = f"/api/v1/nodes/{node}"
        reply = self.control_plane.api.request("PATCH", path, patch, content="application/merge-patch+json")
        assert reply.status == 200, reply.message

    def report(self, domain: Manifest) -> None:
        """The daemons' part: each says that it is ready."""
        uid = domain["metadata"]["uid"]
        daemons = [
            {"nodeName": name, "ipAddress": f"192.0.2.{number}", "cliqueID": "1", "index": number, "status": "Ready"}
            for number, name in enumerate(NODES)
        ]
        metadata = {"name": f"{uid}.1", "namespace": NAME, "labels": {LABEL: uid, f"{LABEL}.cliqueID": "1"}}
        kind = {"apiVersion": f"{DOMAINS}/v1beta1", "kind": "ComputeDomainClique"}
        self.made.insert(0, {**kind, "metadata": metadata, "daemons": daemons})
        self.control_plane.api.store(self.made[0])

    def status(self, domain: Manifest) -> str:
        """What a domain says of itself."""
        return str(self.control_plane.api.read(domain).body.get("status", {}).get("status", ""))

    def nodes(self, domain: Manifest) -> dict[str, str]:
        """What it says of its nodes."""
        found = self.control_plane.api.read(domain).body.get("status", {}).get("nodes", [])
        return {each["name"]: each["status"] for each in found}


def machines() -> list[Manifest]:
    """Nodes as kubelets make them, and their devices as the plugin publishes them."""
    return [each for name in NODES for each in (_node(name), _devices(name))]


def _node(name: str) -> Manifest:
    amounts = {"cpu": "96", "memory": "512Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"pool": "train", "kubernetes.io/hostname": name}},
        "status": {"capacity": amounts, "allocatable": amounts},
    }


def _devices(node: str) -> Manifest:
    kinds = ("daemon", "channel")
    devices = [{"name": f"{kind}-0", "attributes": {"type": {"string": kind}, "id": {"int": 0}}} for kind in kinds]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node}-{DRIVER}"},
        "spec": {
            "driver": DRIVER,
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": devices,
        },
    }


def start_driver(control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]) -> Driver:
    """Start Kubernetes' controllers, cert-manager, and the driver's two programs, and wait for the webhook to judge."""
    start_kubernetes(control_plane, programs, controllers=tuple({*CONTROLLERS, *WORKLOAD_CONTROLLERS}))
    results = apply_in_waves(control_plane.api, machines())
    assert not refusals(results), "\n".join(refusals(results))
    certs = start_cert_manager(control_plane, programs, objects)
    for each in certificates_of(objects):
        certs.play(each, control_plane.folder / each["metadata"]["name"])
    controller = Member(control_plane, objects, CONTROLLER, "compute-domain")
    webhook = Member(control_plane, objects, WEBHOOK, "webhook")
    shutil.copytree(module_folder(PROGRAM) / "templates", controller.root / "templates")
    controller.start(programs[PROGRAM], [], settings=controller.variables())
    (webhook.root / "cert").mkdir(parents=True)
    webhook.hand_over_certificate()
    webhook.start(programs[HOOK], [*webhook.spec["args"], f"--port={SERVED}"], settings=webhook.variables())
    stored = control_plane.api.read(webhook.object("Service", WEBHOOK)).body["spec"]
    control_plane.sandbox.relay(stored["clusterIP"], stored["ports"][0]["port"], target=SERVED)
    driver = Driver(control_plane, objects, controller, webhook)
    driver.wait(lambda: not control_plane.api.refusals([claim({})])[0], "the webhook judges")
    return driver


def claim(config: Mapping[str, object], *, name: str = "any") -> Manifest:
    """A claim of a card that says something to the driver."""
    said = {"apiVersion": f"{DOMAINS}/v1beta1", "kind": "GpuConfig", **config}
    opaque = {"driver": "gpu.nvidia.com", "parameters": said}
    exactly = {"deviceClassName": "gpu.nvidia.com"}
    devices = {"requests": [{"name": "gpu", "exactly": exactly}], "config": [{"opaque": opaque}]}
    metadata = {"name": name, "namespace": TEAM}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": metadata,
        "spec": {"devices": devices},
    }


def domain_of(name: str) -> Manifest:
    """A ComputeDomain of all nodes, as a person writes it."""
    spec = {"numNodes": len(NODES), "channel": {"resourceClaimTemplate": {"name": f"{name}-channel"}}}
    metadata = {"name": name, "namespace": TEAM}
    return {"apiVersion": f"{DOMAINS}/v1beta1", "kind": "ComputeDomain", "metadata": metadata, "spec": spec}


def worker_of(name: str) -> Manifest:
    """A pod that works in a ComputeDomain."""
    container = {
        "name": "main",
        "image": "registry.example.com/train:1",
        "resources": {"claims": [{"name": "channel"}]},
    }
    claims = [{"name": "channel", "resourceClaimTemplateName": f"{name}-channel"}]
    metadata = {"name": f"{name}-worker", "namespace": TEAM}
    spec = {"containers": [container], "resourceClaims": claims}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
