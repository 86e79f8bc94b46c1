"""Rights of Seldon Core's controller, as its marks in operator/controllers ask for them at v1.17.1."""

from __future__ import annotations

from platform_def.constructs import READ, WRITE, allow

STATUS = "get patch update"
RULES = (
    allow("", "events", verbs="create patch"),
    allow("", "namespaces", verbs=READ),
    # It looks up its own ConfigMap, and accounts and Secrets with credentials of models in all namespaces.
    allow("", "configmaps secrets serviceaccounts", verbs=READ),
    allow("", "services", verbs=WRITE),
    allow("apps", "deployments", verbs=WRITE),
    allow("apps", "deployments/status", verbs=STATUS),
    allow("autoscaling", "horizontalpodautoscalers", verbs=WRITE),
    allow("autoscaling", "horizontalpodautoscalers/status", verbs=STATUS),
    allow("policy", "poddisruptionbudgets", verbs=WRITE),
    allow("policy", "poddisruptionbudgets/status", verbs=STATUS),
)
ISTIO = (
    allow("networking.istio.io", "destinationrules virtualservices", verbs=WRITE),
    allow("networking.istio.io", "destinationrules/status virtualservices/status", verbs=STATUS),
)
"""Where it writes routes for Istio."""
KEDA = (allow("keda.sh", "scaledobjects scaledobjects/finalizers scaledobjects/status", verbs=WRITE),)
"""Where the stack has KEDA."""
