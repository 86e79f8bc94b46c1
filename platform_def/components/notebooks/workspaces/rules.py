"""What the controller and the backend of workspaces may do."""

from __future__ import annotations

from platform_def.constructs import READ, allow

ALL = f"create delete {READ} patch update"
CONTROLLER = (
    allow("kubeflow.org", "workspacekinds workspaces", verbs=ALL),
    allow("kubeflow.org", "workspacekinds/finalizers workspaces/finalizers", verbs="update"),
    allow("kubeflow.org", "workspacekinds/status workspaces/status", verbs="get patch update"),
    allow("", "configmaps events namespaces pods", verbs=READ),
    allow("", "pods/exec", verbs="create"),  # scripts that say whether a workspace is in use
    allow("", "serviceaccounts services", verbs=ALL),
    allow("apps", "statefulsets", verbs=ALL),
    allow("networking.istio.io", "virtualservices", verbs=ALL),
    # Accounts of workspaces get the roles that their kind names; upstream lets it give any role, cluster-admin too.
    allow("rbac.authorization.k8s.io", "clusterroles", verbs="bind", names="kubeflow-edit kubeflow-view"),
    allow("rbac.authorization.k8s.io", "rolebindings", verbs=ALL),
)
BACKEND = (
    allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),
    allow("kubeflow.org", "workspacekinds workspaces", verbs=ALL),
    allow("", "configmaps namespaces persistentvolumes pods", verbs=READ),
    allow("", "persistentvolumeclaims", verbs=f"create delete {READ}"),
    allow("", "secrets", verbs=f"create delete {READ} update"),
    allow("", "pods/log", verbs="get"),
    allow("storage.k8s.io", "storageclasses", verbs=READ),
    allow("metrics.k8s.io", "pods", verbs="get list"),
)
