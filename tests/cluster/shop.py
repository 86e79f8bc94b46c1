"""A Service of a pod in Istio's mesh behind the stack's gateway, for tests that ask it through proxies of both.

The pod gets its proxy from istiod's webhook, and the gateway's container is the one of its Deployment in dist/.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import ECHO, Door
from tests.cluster.pods import Program
from tests.cluster.proxies import Agents, Proxy, of_its_line
from tests.cluster.waves import apply_in_waves, refusals

SYSTEM, HOME, GATEWAY = "istio-system", "shop", "istio-ingressgateway"
REVISION = "istio.io/rev"
DOOR_PORT, LED, SERVED = 8080, 8005, 8006
"""Where the gateway listens; where the sidecar takes connections, and where it hands them on."""
WITHOUT_FILTERS = {"PILOT_ENABLE_METADATA_EXCHANGE": "false", "PILOT_ENABLE_ALPN_FILTER": "false"}
"""Filters of Istio's own build of Envoy, which PyPI's has not."""
QUIET: Manifest = {
    "apiVersion": "telemetry.istio.io/v1",
    "kind": "Telemetry",
    "metadata": {"name": "quiet", "namespace": SYSTEM},
    "spec": {"metrics": [{"overrides": [{"disabled": True}]}]},
}
"""Metrics are made by another of those filters."""


def pod(name: str) -> Manifest:
    """A pod of the Service before anybody has changed it; where its traffic is led is said by a Sidecar here."""
    probe = {"httpGet": {"path": "/ready", "port": SERVED}}
    container = {"name": "main", "image": "example.com/web:1", "readinessProbe": probe}
    none = {"sidecar.istio.io/interceptionMode": "NONE"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": HOME, "labels": {"app": "web", "pod": name}, "annotations": none},
        "spec": {"containers": [container]},
    }


def around(pods: Mapping[str, str]) -> Iterator[Manifest]:
    """What stands around pods that have these addresses by name, all of which serve."""
    service = {"name": "web", "namespace": HOME}
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": HOME}}
    wanted = [{"name": "http", "port": 80, "targetPort": LED, "protocol": "TCP"}]
    yield {"apiVersion": "v1", "kind": "Service", "metadata": service, "spec": {"ports": wanted}}
    yield _slice("web", HOME, "web", {"http": LED}, pods)
    for name, address in pods.items():
        yield led(name, address)


def led(pod: str, address: str) -> Manifest:
    """Where the traffic of a pod is led to its proxy, in place of rules in a network of its own."""
    ingress = {
        "port": {"number": LED, "name": "http", "protocol": "HTTP"},
        "bind": address,
        "defaultEndpoint": f"127.0.0.1:{SERVED}",
        "captureMode": "NONE",
    }
    return {
        "apiVersion": "networking.istio.io/v1",
        "kind": "Sidecar",
        "metadata": {"name": pod, "namespace": HOME},
        "spec": {
            "workloadSelector": {"labels": {"pod": pod}},
            "ingress": [ingress],
            "egress": [{"hosts": ["~/*"]}],
        },
    }


def _slice(name: str, home: str, service: str, ports: Mapping[str, int], pods: Mapping[str, str]) -> Manifest:
    """Addresses of a Service's pods by name, as their controller would write them."""
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": name, "namespace": home, "labels": {"kubernetes.io/service-name": service}},
        "addressType": "IPv4",
        "ports": [{"name": key, "port": port, "protocol": "TCP"} for key, port in ports.items()],
        "endpoints": [
            {
                "addresses": [address],
                "conditions": {"ready": True},
                # By this istiod knows whether a proxy stands there, to which TLS is spoken.
                "targetRef": {"kind": "Pod", "name": pod, "namespace": home},
            }
            for pod, address in pods.items()
        ],
    }


@dataclass
class Shop:
    """A cluster whose control planes are real, with what runs in it."""

    control_plane: ControlPlane
    programs: Mapping[str, Path]
    """istiod and pilot-agent among them, by line of releases."""
    envoy: Path
    hosts: dict[str, str] = field(default_factory=dict)

    @property
    def door(self) -> Door:
        """The gateway's port."""
        return Door(self.control_plane.folder / "door.sock", "")

    def store(self, objects: Sequence[Manifest]) -> None:
        """Apply objects in order."""
        found = refusals(apply_in_waves(self.control_plane.api, list(objects)))
        assert not found, "\n".join(found)

    def serve(self) -> None:
        """Start the program in the pods, and open the way in."""
        argv = [sys.executable, "-I", str(ECHO), "web", "0.0.0.0", str(SERVED)]
        self.control_plane.sandbox.start("web", argv, log=self.control_plane.folder / "web.log")
        self.control_plane.sandbox.forward(self.control_plane.folder / "door.sock", port=DOOR_PORT)

    def rule(self, objects: Sequence[Manifest], name: str, *, moved: int = 0) -> Program:
        """Start the control plane of this name, and lead its Service to it; `moved` is added to its ports."""
        sandbox = self.control_plane.sandbox
        program = Program(self.control_plane, objects, name, "discovery")
        ports = {
            "httpAddr": 28080,
            "httpsAddr": 25017,
            "grpcAddr": 25010,
            "secureGRPCAddr": 25012,
            "monitoringAddr": 25014,
        }
        flags = [f"--{flag}=127.0.0.1:{port + moved}" for flag, port in ports.items()]
        istiod = self.programs[of_its_line("istiod", program.spec)]
        program.start(istiod, [*program.spec["args"], *flags], settings=WITHOUT_FILTERS)
        address = self.control_plane.api.read(program.object("Service", name)).body["spec"]["clusterIP"]
        sandbox.relay(address, 443, target=25017 + moved)
        sandbox.relay(address, 15012, target=25012 + moved)
        self.hosts[f"{name}.{SYSTEM}.svc"] = address
        program.wait(lambda: "marking server ready" in program.log.read_text(errors="replace"), f"{name} is ready")
        root = f"/api/v1/namespaces/{SYSTEM}/configmaps/istio-ca-root-cert"
        program.wait(lambda: "data" in self.control_plane.api.get(root).body, "the authority is known")
        return program

    def gateway(self, objects: Sequence[Manifest], name: str, address: str, *, moved: int = 0) -> Proxy:
        """Start the pod that the gateway's Deployment would have."""
        own = {each["kind"]: each.get("spec", {}) for each in objects if each["metadata"]["name"] == GATEWAY}
        ports = {each["name"]: each["targetPort"] for each in own["Service"]["ports"]}
        self.store([_slice(name, SYSTEM, GATEWAY, ports, {name: address})])
        template = own["Deployment"]["template"]
        metadata = {**template["metadata"], "name": name, "namespace": SYSTEM}
        made = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}
        return self.run(self.create(made), address, moved=moved)

    def create(self, manifest: Manifest) -> Manifest:
        """Store a pod, which webhooks may change."""
        path = f"/api/v1/namespaces/{manifest['metadata']['namespace']}/pods"
        reply = self.control_plane.api.request("POST", path, manifest)
        assert reply.status == 201, reply.message
        return reply.body

    def admitted(self, program: Program, manifest: Manifest) -> Manifest:
        """Store a pod once istiod has closed the webhook that puts a proxy into it."""
        (hooks,) = (
            each
            for each in program.objects
            if each["kind"] == "MutatingWebhookConfiguration"
            and each["metadata"]["labels"].get(REVISION) == program.variables()["REVISION"]
        )
        api = self.control_plane.api
        program.wait(
            lambda: all(each["clientConfig"].get("caBundle") for each in api.read(hooks).body["webhooks"]),
            f"{program.deployment} has closed its webhook",
        )
        stored: list[Manifest] = []

        def answered() -> bool:
            # The API server learns a moment later whom to trust.
            path = f"/api/v1/namespaces/{manifest['metadata']['namespace']}/pods"
            reply = api.request("POST", path, manifest)
            assert reply.status == 201 or "failed calling webhook" in reply.message, reply.message
            stored[:] = [reply.body] if reply.status == 201 else []
            return bool(stored)

        until(answered, seconds=START_SECONDS, what="the webhook answers")
        return stored[0]

    def run(
        self, stored: Manifest, address: str, *, moved: int = 0, settings: Mapping[str, str] | None = None
    ) -> Proxy:
        """Give a pod an address, and start its proxy."""
        ready = [{"type": "Ready", "status": "True"}]
        status = {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}], "conditions": ready}
        api = self.control_plane.api
        reply = api.request("PUT", f"{api.path(stored)}/status", {**stored, "status": status})
        assert reply.status == 200, reply.message
        agents = Agents(self.control_plane, self.programs, self.envoy, self.hosts)
        root = f"/api/v1/namespaces/{stored['metadata']['namespace']}/configmaps/istio-ca-root-cert"
        until(lambda: "data" in api.get(root).body, seconds=START_SECONDS, what="the authority is known there")
        return agents.start(reply.body, moved=moved, settings=settings)

    def ready(self, proxy: Proxy) -> None:
        """Wait until the probe of a proxy's container passes."""
        probe = proxy.container["readinessProbe"]["httpGet"]
        path = self.control_plane.folder / f"{proxy.name}.sock"
        self.control_plane.sandbox.forward(path, port=probe["port"] + proxy.moved)

        def passes() -> bool:
            proxy.alive()
            try:
                return Door(path, "").get(probe["path"]).status == 200
            except OSError:
                return False

        until(passes, seconds=START_SECONDS, what=f"{proxy.name} is ready")

    def wait(self, proxies: Sequence[Proxy], path: str = "/web/") -> None:
        """Wait until the gateway answers for the Service."""

        def answers() -> bool:
            for each in proxies:
                each.alive()
            return self.asked(path) == 200

        until(answers, seconds=START_SECONDS, what="the gateway answers")

    def asked(self, path: str) -> int:
        """The status of an answer of the gateway's, 0 where there is none."""
        try:
            return self.door.get(path).status
        except OSError:
            return 0
