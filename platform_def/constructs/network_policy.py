"""Who may open connections to a component's pods, where the stack asks for NetworkPolicies.

Connections of the node itself, such as the kubelet's probes, are always open. The API server is no pod, so no selector
can name it: the port of a webhook is open to everybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from platform_def.apis.core.networking_v1 import (
    NETWORK_POLICY,
    NetworkPolicyIngressRule,
    NetworkPolicyPeer,
    NetworkPolicyPort,
)
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.resource import Resource


@dataclass(frozen=True)
class Opening:
    """What connections a policy lets in."""

    ports: tuple[int | str, ...]
    """Of the container, by number or name; none: all."""
    peers: tuple[NetworkPolicyPeer, ...]
    """None: from everywhere, also from outside the cluster."""

    def rule(self) -> NetworkPolicyIngressRule:
        """The rule in Kubernetes' words."""
        rule: NetworkPolicyIngressRule = {}
        ports: list[NetworkPolicyPort] = [{"port": each, "protocol": "TCP"} for each in self.ports]
        if self.peers:
            rule["from"] = [*self.peers]
        if ports:
            rule["ports"] = ports
        return rule


def from_everywhere(*ports: int | str) -> Opening:
    """From inside and outside the cluster: webhooks, gateways."""
    return Opening(ports, ())


def from_cluster(*ports: int | str) -> Opening:
    """From all pods of the cluster: metrics, and Services that everybody uses."""
    return Opening(ports, ({"namespaceSelector": {}},))


def from_namespace(*ports: int | str, name: str = "") -> Opening:
    """From pods of the same namespace, or of that of the name."""
    labels = {"kubernetes.io/metadata.name": name}
    return Opening(ports, ({"namespaceSelector": {"matchLabels": labels}} if name else {"podSelector": {}},))


def from_namespaces(labels: Mapping[str, str], *ports: int | str) -> Opening:
    """From pods of all namespaces with these labels, which are not known when the stack is rendered."""
    return Opening(ports, ({"namespaceSelector": {"matchLabels": {**labels}}},))


def from_pods(labels: Mapping[str, str], *ports: int | str, namespace: str = "") -> Opening:
    """From pods with these labels, in the same namespace or in the one that is named."""
    peer: NetworkPolicyPeer = {"podSelector": {"matchLabels": {**labels}}}
    if namespace:
        peer["namespaceSelector"] = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    return Opening(ports, (peer,))


class NetworkPolicy(Piece):
    """Closes pods of the component to all connections but those named. The caller asks whether the stack wants it."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        openings: Sequence[Opening],
        workload: str = "",
        pods: Mapping[str, str] | None = None,
        namespace: str = "",
        egress: bool = False,
    ):
        """`workload` is whose pods are closed, by default the one called `name`; `pods` are labels instead, of pods in
        `namespace`, by default the component's. Several policies of the same pods open what any of them opens.
        `egress`: they may open connections to anywhere, also where another policy of the namespace forbids it."""
        super().__init__(scope, name)
        selected = dict(pods) if pods is not None else self.component.selector(workload or name)
        Resource(
            self,
            NETWORK_POLICY,
            name,
            spec={
                "podSelector": {"matchLabels": selected},
                "policyTypes": ["Ingress", "Egress"] if egress else ["Ingress"],
                # The API server drops an empty list, which would always count as drift.
                **({"ingress": [each.rule() for each in openings]} if openings else {}),
                **({"egress": [{}]} if egress else {}),
            },
            labels=self.component.labels(workload) if workload else None,
            namespace=namespace or None,
        )
