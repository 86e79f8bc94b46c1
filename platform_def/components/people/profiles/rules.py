"""What the profile controller and access management may do. Upstream's account is cluster-admin; neither needs that."""

from __future__ import annotations

from collections.abc import Sequence

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs import READ, allow

ROLES = "kubeflow-admin kubeflow-edit kubeflow-view"
RULES: Sequence[PolicyRule] = (
    # Profiles; access management also makes and removes them where people may register.
    allow("kubeflow.org", "profiles", verbs=f"{READ} update"),
    allow("kubeflow.org", "profiles/finalizers profiles/status", verbs="get patch update"),
    # What the controller makes for each, from controllers/profile_controller.go.
    allow("", "namespaces serviceaccounts", verbs=f"{READ} create patch update"),
    allow("", "resourcequotas", verbs=f"{READ} create delete update"),
    # Both bind people and accounts to the three roles; the API server asks for `bind` where one holds less than those.
    allow("rbac.authorization.k8s.io", "rolebindings", verbs=f"{READ} create delete patch update"),
    allow("rbac.authorization.k8s.io", "clusterroles", verbs="bind", names=ROLES),
    allow("security.istio.io", "authorizationpolicies", verbs=f"{READ} create delete patch update"),
)
REGISTRATION = allow("kubeflow.org", "profiles", verbs="create delete")
