"""The pods of workloads and the addresses behind Services, as kubelets and their controllers would report them.

Pods pass the API server's admission; nothing runs in them. Every address leads to this machine, inside the sandbox.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.cluster.client import Api, Manifest

NODES: Mapping[str, str] = {"gpu-1": "10.99.10.1", "gpu-2": "10.99.10.2"}
"""Nodes with their addresses."""
WORKLOADS = ("Deployment", "DaemonSet", "StatefulSet")
READY = [{"type": "Ready", "status": "True"}]


@dataclass(frozen=True)
class Pod:
    """A pod with its address."""

    workload: Manifest
    name: str
    node: str
    address: str

    @property
    def namespace(self) -> str:
        """Where it is."""
        return str(self.workload["metadata"]["namespace"])

    @property
    def component(self) -> str:
        """The instance of a component that it is of."""
        return str(self.workload["metadata"]["labels"]["app.kubernetes.io/instance"])

    @property
    def manifest(self) -> Manifest:
        """As its controller would write it, and the scheduler bind it."""
        template = self.workload["spec"]["template"]
        metadata = {**template["metadata"], "name": self.name, "namespace": self.namespace}
        claims = [each["metadata"]["name"] for each in self.workload["spec"].get("volumeClaimTemplates", [])]
        claimed = [{"name": each, "persistentVolumeClaim": {"claimName": f"{each}-{self.name}"}} for each in claims]
        volumes = [*template["spec"].get("volumes", []), *claimed]
        spec = {**template["spec"], "nodeName": self.node, "volumes": volumes}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}

    @property
    def ports(self) -> dict[str, int]:
        """Named ports of its containers, of native sidecars too."""
        spec = self.workload["spec"]["template"]["spec"]
        return {
            each["name"]: each["containerPort"]
            for item in [*spec.get("initContainers", []), *spec["containers"]]
            for each in item.get("ports", [])
            if "name" in each
        }

    def chosen_by(self, service: Manifest) -> bool:
        """Whether a Service selects it."""
        wanted = service["spec"].get("selector", {})
        labels = self.workload["spec"]["template"]["metadata"].get("labels", {})
        return bool(wanted) and service["metadata"]["namespace"] == self.namespace and wanted.items() <= labels.items()


def report_nodes(api: Api) -> None:
    """Store the Nodes with their addresses."""
    for name, address in NODES.items():
        manifest: Manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
        _store(api, manifest)
        tell(api, api.read(manifest).body, {"addresses": [{"type": "InternalIP", "address": address}]})


def pods_of(objects: Iterable[Manifest]) -> list[Pod]:
    """One pod of each workload, or one on every node."""
    made: list[Pod] = []
    for workload in (each for each in objects if each["kind"] in WORKLOADS):
        daemon = workload["kind"] == "DaemonSet"
        for node in NODES if daemon else (next(iter(NODES)),):
            host = workload["spec"]["template"]["spec"].get("hostNetwork", False)
            address = NODES[node] if host else f"10.99.20.{len(made) + 1}"
            made.append(Pod(workload, f"{workload['metadata']['name']}-{node if daemon else '0'}", node, address))
    return made


def report(api: Api, pods: Sequence[Pod], services: Iterable[Manifest]) -> None:
    """Store the pods as running, and the addresses behind each Service that selects some of them."""
    for pod in pods:
        reply = api.request("POST", f"/api/v1/namespaces/{pod.namespace}/pods", pod.manifest)
        assert reply.status == 201, f"{pod.name}: {reply.message}"
        known = {"podIP": pod.address, "podIPs": [{"ip": pod.address}]}
        tell(api, reply.body, {"phase": "Running", "conditions": READY, **known})
    for service in services:
        chosen = [each for each in pods if each.chosen_by(service)]
        if chosen:
            _store(api, slice_of(service, chosen))


def slice_of(service: Manifest, pods: Sequence[Pod]) -> Manifest:
    """The EndpointSlice of a Service."""
    named = pods[0].ports
    ports = [
        {
            "name": each.get("name", ""),
            "port": named.get(str(each.get("targetPort")), each.get("targetPort", each["port"])),
            "protocol": "TCP",
        }
        for each in service["spec"]["ports"]
    ]
    endpoints = [
        {
            "addresses": [each.address],
            "conditions": {"ready": True},
            "nodeName": each.node,
            "targetRef": {"kind": "Pod", "name": each.name, "namespace": each.namespace},
        }
        for each in pods
    ]
    return endpoint_slice(
        service["metadata"]["name"],
        service["metadata"]["namespace"],
        service["metadata"].get("labels", {}),
        ports,
        endpoints,
    )


def endpoint_slice(
    service: str, namespace: str, labels: Mapping[str, str], ports: Sequence[Manifest], endpoints: Sequence[Manifest]
) -> Manifest:
    """Addresses behind a Service, as their controller would write them."""
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": f"{service}-played",
            "namespace": namespace,
            "labels": {**labels, "kubernetes.io/service-name": service},
        },
        "addressType": "IPv4",
        "ports": [*ports],
        "endpoints": [*endpoints],
    }


def _store(api: Api, manifest: Manifest) -> None:
    api.store(manifest)


def tell(api: Api, stored: Manifest, status: Mapping[str, Any]) -> None:
    """Write the status of an object."""
    reply = api.request(
        "PUT", f"{api.path(stored)}/status", {**stored, "status": {**stored.get("status", {}), **status}}
    )
    assert reply.status == 200, reply.message
