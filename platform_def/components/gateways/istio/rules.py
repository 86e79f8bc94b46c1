"""What Istio's control plane may do, as upstream's charts have it at 1.30 and 1.31, by role."""

from __future__ import annotations

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs import READ, allow

ALL = f"{READ} create delete patch update"
GROUPS = tuple(
    f"{group}.istio.io"
    for group in ("authentication", "config", "extensions", "networking", "rbac", "security", "telemetry")
)
"""Istio's groups; three of them are old ones, which older control planes in the same cluster still read."""
GATEWAY_API = "gateway.networking.k8s.io"
EXPERIMENTS = "gateway.networking.x-k8s.io"
CLUSTERS = "multicluster.x-k8s.io"

IN_NAMESPACE: tuple[PolicyRule, ...] = (
    # It proves by a dry run that its own webhook refuses what is wrong.
    allow("networking.istio.io", "gateways", verbs="create"),
    # The mesh's authority, whose name a later release may change.
    allow("", "secrets", verbs=f"{READ} create delete update"),
    allow("", "configmaps", verbs="delete"),
    allow("coordination.k8s.io", "leases", verbs="create get patch update"),
)

GATEWAYS: tuple[PolicyRule, ...] = (
    allow("", "serviceaccounts services", verbs=ALL),
    allow("apps", "deployments", verbs=ALL),
    allow("autoscaling", "horizontalpodautoscalers", verbs=ALL),
    allow("policy", "poddisruptionbudgets", verbs=ALL),
)
"""To make the pods of Gateways of Gateway API by itself."""


_ROUTES = "grpcroutes httproutes tcproutes tlsroutes udproutes"
_REPORTED = f"backendtlspolicies gatewayclasses gateways listenersets referencegrants {_ROUTES}"

CONTROL_PLANE: tuple[PolicyRule, ...] = (
    allow("", "configmaps", verbs=f"{READ} create update"),  # the mesh's authority, in every namespace
    allow("", "endpoints namespaces nodes pods secrets services", verbs=READ),
    allow("", "services/status", verbs=ALL),
    allow("discovery.k8s.io", "endpointslices", verbs=READ),
    allow("admissionregistration.k8s.io", "mutatingwebhookconfigurations", verbs=f"{READ} patch update"),
    allow("admissionregistration.k8s.io", "validatingwebhookconfigurations", verbs=f"{READ} update"),
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs=READ),
    allow("authentication.k8s.io", "tokenreviews", verbs="create"),
    allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),
    *(allow(group, "*", verbs=READ) for group in GROUPS),
    allow("networking.istio.io", "serviceentries/status workloadentries workloadentries/status", verbs=ALL),
    allow("security.istio.io", "authorizationpolicies/status", verbs=ALL),
    allow("networking.k8s.io", "ingressclasses ingresses", verbs=READ),
    allow("networking.k8s.io", "ingresses/status", verbs="*"),  # upstream's
    allow(GATEWAY_API, "*", verbs=READ),
    allow(GATEWAY_API, " ".join(f"{each}/status" for each in _REPORTED.split()), verbs="patch update"),
    allow(GATEWAY_API, "gatewayclasses", verbs="create delete patch update"),
    allow(EXPERIMENTS, "*", verbs=READ),
    allow(EXPERIMENTS, "xbackendtrafficpolicies/status", verbs="patch update"),
    allow("inference.networking.k8s.io", "inferencepools", verbs=READ),
    allow("inference.networking.k8s.io", "inferencepools/status", verbs="patch update"),
    allow(CLUSTERS, "serviceexports", verbs=f"{READ} create delete"),
    allow(CLUSTERS, "serviceimports", verbs=READ),
)
"""What istiod does everywhere."""

POOLS: tuple[PolicyRule, ...] = (allow("", "services", verbs="create delete patch update"),)
"""For InferencePools: istiod makes a Service of its own for each."""

READER: tuple[PolicyRule, ...] = (
    allow("", "configmaps endpoints namespaces nodes pods replicationcontrollers secrets services", verbs=READ),
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs=READ),
    allow("apps", "replicasets", verbs=READ),
    allow("discovery.k8s.io", "endpointslices", verbs=READ),
    allow("authentication.k8s.io", "tokenreviews", verbs="create"),
    allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),
    *(allow(group, "*", verbs=READ) for group in GROUPS),
    allow(GATEWAY_API, "gateways", verbs=READ),
    allow("networking.x-k8s.io", "gateways", verbs=READ),
    allow(CLUSTERS, "serviceexports", verbs=f"{READ} create delete"),
    allow(CLUSTERS, "serviceimports", verbs=READ),
)
"""Of the account that control planes of other clusters read this one with."""
