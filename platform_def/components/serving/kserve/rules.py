"""What KServe's programs may do. Kinds of neighbours only where the stack has them: KServe looks for them at start."""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs import READ, allow

WRITE = f"create delete {READ} patch update"

CONTROLLER = (
    # The authority of the store and the lists of models go into the namespaces of services.
    allow("", "configmaps", verbs="create get update"),
    allow("", "events", verbs=WRITE),
    allow("", "namespaces pods", verbs=READ),
    allow("", "secrets serviceaccounts", verbs="get"),  # credentials for models, in the namespaces of services
    allow("", "services", verbs=WRITE),
    allow("apps", "deployments", verbs=WRITE),
    allow("autoscaling", "horizontalpodautoscalers", verbs=WRITE),
    allow("networking.k8s.io", "ingresses", verbs=WRITE),
    allow(
        "serving.kserve.io",
        "clusterservingruntimes clusterservingruntimes/finalizers inferencegraphs inferencegraphs/finalizers "
        "inferenceservices inferenceservices/finalizers servingruntimes servingruntimes/finalizers trainedmodels",
        verbs=WRITE,
    ),
    allow("serving.kserve.io", "clusterstoragecontainers", verbs=WRITE),
    allow(
        "serving.kserve.io",
        "clusterservingruntimes/status inferencegraphs/status inferenceservices/status servingruntimes/status "
        "trainedmodels/status",
        verbs="get patch update",
    ),
    allow("serving.kserve.io", "localmodelcaches localmodelnamespacecaches", verbs=READ),
)
RUNTIMES = "ClusterServingRuntime.serving.kserve.io"
"""Its own kind that it looks for at start: without it, it neither watches these nor answers the webhook about them
(0.20, cmd/manager/main.go)."""
NEIGHBOURS: Mapping[str, tuple[PolicyRule, ...]] = {
    "HTTPRoute.gateway.networking.k8s.io": (allow("gateway.networking.k8s.io", "httproutes", verbs=WRITE),),
    "ScaledObject.keda.sh": (
        allow("keda.sh", "scaledobjects scaledobjects/finalizers", verbs=WRITE),
        allow("keda.sh", "scaledobjects/status", verbs="get patch update"),
    ),
    "Service.serving.knative.dev": (
        allow("serving.knative.dev", "services services/finalizers", verbs=WRITE),
        allow("serving.knative.dev", "services/status", verbs="get patch update"),
    ),
    "VirtualService.networking.istio.io": (
        allow("networking.istio.io", "virtualservices virtualservices/finalizers", verbs=WRITE),
        allow("networking.istio.io", "virtualservices/status", verbs="get patch update"),
    ),
}
"""By the kind that must be there."""

CACHES = (
    allow("", "configmaps", verbs="get"),
    allow("", "events", verbs="create patch"),
    allow("", "nodes", verbs=READ),
    allow("", "nodes/status", verbs="get watch"),
    allow("", "persistentvolumeclaims persistentvolumes", verbs=WRITE),
    allow("serving.kserve.io", "inferenceservices llminferenceservices localmodelnodegroups", verbs=READ),
    allow("serving.kserve.io", "localmodelcaches localmodelnamespacecaches localmodelnodes", verbs=WRITE),
    allow("serving.kserve.io", "localmodelcaches/status localmodelnamespacecaches/status", verbs="get patch update"),
    allow("serving.kserve.io", "localmodelnodes/status", verbs="get watch"),
)
CACHE_AGENT = (
    allow("", "configmaps", verbs="get"),
    allow("", "events", verbs="create patch"),
    allow("", "nodes secrets serviceaccounts", verbs=READ),
    allow("", "nodes/status", verbs="get watch"),
    allow("batch", "jobs", verbs=WRITE),
    allow("batch", "jobs/status", verbs="get"),
    allow("serving.kserve.io", "clusterstoragecontainers localmodelnodegroups", verbs=READ),
    allow("serving.kserve.io", "localmodelnodes", verbs=WRITE),
    allow("serving.kserve.io", "localmodelnodes/status", verbs="get patch update"),
)
