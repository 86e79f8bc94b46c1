"""What Knative's programs may do. They share two accounts, so that a right of one is a right of all."""

from __future__ import annotations

from platform_def.constructs import READ, allow

WRITE = f"create delete {READ} patch update"
ALL = f"{WRITE} deletecollection"

CONTROLLER = (
    allow("", "configmaps endpoints events namespaces pods secrets serviceaccounts services", verbs=WRITE),
    allow("", "endpoints/restricted", verbs="create"),
    allow("", "namespaces/finalizers", verbs="update"),  # its webhook configurations belong to the namespace
    allow("discovery.k8s.io", "endpointslices", verbs=WRITE),
    allow("discovery.k8s.io", "endpointslices/restricted", verbs="create"),
    allow("apps", "deployments deployments/finalizers", verbs=WRITE),
    allow(
        "admissionregistration.k8s.io",
        "mutatingwebhookconfigurations validatingwebhookconfigurations",
        verbs=WRITE,
    ),
    allow("apiextensions.k8s.io", "customresourcedefinitions customresourcedefinitions/status", verbs=WRITE),
    allow("autoscaling", "horizontalpodautoscalers", verbs=WRITE),
    allow("coordination.k8s.io", "leases", verbs=WRITE),
    # As upstream: its own kinds with all that belongs to them.
    *(
        allow(group, "* */status */finalizers", verbs=ALL)
        for group in ("serving.knative.dev", "autoscaling.internal.knative.dev", "networking.internal.knative.dev")
    ),
    allow("caching.internal.knative.dev", "images", verbs=WRITE),
    allow("*", "*/scale", verbs="patch"),  # a PodAutoscaler may scale any kind
)
CERTIFICATES = (
    allow("cert-manager.io", "certificaterequests certificates clusterissuers issuers", verbs=WRITE),
    allow("acme.cert-manager.io", "challenges", verbs=WRITE),
)
"""Where the stack has cert-manager's kinds, of which the controller watches some when it starts."""
ISTIO = (allow("networking.istio.io", "destinationrules gateways virtualservices", verbs=WRITE),)
ACTIVATOR = (
    allow("", "endpoints services", verbs=READ),
    allow("serving.knative.dev", "revisions", verbs=READ),
)
ACTIVATOR_OWN = (
    allow("", "configmaps secrets", verbs=READ),  # it lists the Secrets of its namespace to watch a certificate
)
