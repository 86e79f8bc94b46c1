"""Core types of api.networking.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.crds.model import Api
from platform_def.crds.schema import IntOrString
from platform_def.crds.typed_dict import TypedDict


class NetworkPolicyPort(TypedDict, total=False):
    endPort: int
    port: IntOrString
    protocol: str


IPBlock = TypedDict(
    "IPBlock",
    {
        "cidr": Required[str],
        "except": list[str],
    },
    total=False,
)


class NetworkPolicyPeer(TypedDict, total=False):
    ipBlock: IPBlock
    namespaceSelector: meta_v1.LabelSelector
    podSelector: meta_v1.LabelSelector


class NetworkPolicyEgressRule(TypedDict, total=False):
    ports: list[NetworkPolicyPort]
    to: list[NetworkPolicyPeer]


NetworkPolicyIngressRule = TypedDict(
    "NetworkPolicyIngressRule",
    {
        "from": list[NetworkPolicyPeer],
        "ports": list[NetworkPolicyPort],
    },
    total=False,
)


class NetworkPolicySpec(TypedDict, total=False):
    egress: list[NetworkPolicyEgressRule]
    ingress: list[NetworkPolicyIngressRule]
    podSelector: meta_v1.LabelSelector
    policyTypes: list[str]


class ServiceBackendPort(TypedDict, total=False):
    name: str
    number: int


class IngressServiceBackend(TypedDict, total=False):
    name: Required[str]
    port: ServiceBackendPort


class IngressBackend(TypedDict, total=False):
    resource: core_v1.TypedLocalObjectReference
    service: IngressServiceBackend


class HTTPIngressPath(TypedDict, total=False):
    backend: Required[IngressBackend]
    path: str
    pathType: Required[str]


class HTTPIngressRuleValue(TypedDict, total=False):
    paths: Required[list[HTTPIngressPath]]


class IngressRule(TypedDict, total=False):
    host: str
    http: HTTPIngressRuleValue


class IngressTLS(TypedDict, total=False):
    hosts: list[str]
    secretName: str


class IngressSpec(TypedDict, total=False):
    defaultBackend: IngressBackend
    ingressClassName: str
    rules: list[IngressRule]
    tls: list[IngressTLS]


class IngressClassParametersReference(TypedDict, total=False):
    apiGroup: str
    kind: Required[str]
    name: Required[str]
    namespace: str
    scope: str


class IngressClassSpec(TypedDict, total=False):
    controller: str
    parameters: IngressClassParametersReference


NETWORK_POLICY = Api(
    group="networking.k8s.io",
    version="v1",
    kind="NetworkPolicy",
    plural="networkpolicies",
    spec=NetworkPolicySpec,
    builtin=True,
)

INGRESS = Api(
    group="networking.k8s.io", version="v1", kind="Ingress", plural="ingresses", spec=IngressSpec, builtin=True
)

INGRESS_CLASS = Api(
    group="networking.k8s.io",
    version="v1",
    kind="IngressClass",
    plural="ingressclasses",
    spec=IngressClassSpec,
    namespaced=False,
    builtin=True,
)
