"""What the controller of LLM services may do. Kinds of neighbours only where the stack has them."""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs import READ, allow

WRITE = f"create delete {READ} patch update"
GATEWAY_API, POOLS = "gateway.networking.k8s.io", "inference.networking.k8s.io"
KINDS = "llminferenceserviceconfigs.serving.kserve.io llminferenceservices.serving.kserve.io"

FORMER = "inference.networking.x-k8s.io"
PICKER = (
    allow(POOLS, "inferencemodels inferenceobjectives", verbs=READ),
    allow(
        FORMER,
        "inferencemodelrewrites inferencemodels inferenceobjectives inferencepoolimports inferencepools",
        verbs=READ,
    ),
    allow("llm-d.ai", "inferencemodelrewrites inferenceobjectives", verbs=READ),
)
"""What it grants to the pickers of services, whether or not the kinds exist: no one grants what they do not have."""

CONTROLLER = (
    # The authority of the store goes into the namespaces of services.
    allow("", "configmaps", verbs=f"create {READ} update"),
    allow("", "events", verbs="create patch update"),
    allow("", "pods", verbs=READ),
    allow("", "secrets serviceaccounts services", verbs=WRITE),
    # It rewrites stored objects after a change of version.
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs=READ, names=KINDS),
    allow("apiextensions.k8s.io", "customresourcedefinitions/status", verbs="patch update", names=KINDS),
    allow("apps", "deployments", verbs=WRITE),
    # Of its pickers, which ask the API server who reads their metrics; it gives these rights to their accounts.
    allow("authentication.k8s.io", "subjectaccessreviews tokenreviews", verbs="create"),
    allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),
    allow("rbac.authorization.k8s.io", "clusterrolebindings rolebindings roles", verbs=WRITE),
    allow("autoscaling", "horizontalpodautoscalers", verbs=WRITE),
    allow("coordination.k8s.io", "leases", verbs=WRITE),
    allow("discovery.k8s.io", "endpointslices", verbs=READ),
    allow(GATEWAY_API, "gatewayclasses gateways httproutes", verbs=WRITE),
    allow(POOLS, "inferencepools", verbs=WRITE),
    *PICKER,
    allow("networking.k8s.io", "ingresses", verbs=WRITE),
    allow("resource.k8s.io", "resourceclaims resourceclaimtemplates", verbs=WRITE),
    allow("serving.kserve.io", "llminferenceserviceconfigs llminferenceservices", verbs=WRITE),
    allow(
        "serving.kserve.io",
        "llminferenceserviceconfigs/finalizers llminferenceservices/finalizers",
        verbs="update",
    ),
    allow(
        "serving.kserve.io",
        "llminferenceserviceconfigs/status llminferenceservices/status",
        verbs="get patch update",
    ),
    allow("serving.kserve.io", "localmodelcaches localmodelnamespacecaches", verbs=READ),
)
NEIGHBOURS: Mapping[str, tuple[PolicyRule, ...]] = {
    "LeaderWorkerSet.leaderworkerset.x-k8s.io": (allow("leaderworkerset.x-k8s.io", "leaderworkersets", verbs=WRITE),),
    "ScaledObject.keda.sh": (allow("keda.sh", "scaledobjects", verbs=WRITE),),
}
"""By the kind that must be there."""
