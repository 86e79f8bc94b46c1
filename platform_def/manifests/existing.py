"""Objects that a cluster has and no stack renders: those of every cluster, and those that a stack says exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_def.manifests.links import Name

if TYPE_CHECKING:
    from platform_def.config.platform import Platform

_RBAC = "rbac.authorization.k8s.io"
_EVERYWHERE = frozenset(
    {
        ("", "ServiceAccount", "default"),
        ("", "ConfigMap", "kube-root-ca.crt"),
        # Istio's control plane and OpenShift put these two into every namespace.
        ("", "ConfigMap", "istio-ca-root-cert"),
        ("", "ConfigMap", "openshift-service-ca.crt"),
    }
)
"""In every namespace."""
_CLUSTER = frozenset(
    {
        ("scheduling.k8s.io", "PriorityClass", "system-cluster-critical"),
        ("scheduling.k8s.io", "PriorityClass", "system-node-critical"),
        # Volcano makes these two when it starts.
        ("scheduling.volcano.sh", "Queue", "default"),
        ("scheduling.volcano.sh", "Queue", "root"),
        # Behind Emissary, of Ingresses that cert-manager makes for challenges and no controller is to read.
        ("networking.k8s.io", "IngressClass", "acme-http01"),
        # The proxies of a mesh themselves.
        ("networking.istio.io", "Gateway", "mesh"),
        # Istio's control plane makes these.
        *(("gateway.networking.k8s.io", "GatewayClass", name) for name in ("istio", "istio-remote", "istio-waypoint")),
        *((_RBAC, "ClusterRole", name) for name in ("admin", "cluster-admin", "edit", "view")),
    }
)
_SYSTEM = frozenset({("kube-system", _RBAC, "Role", "extension-apiserver-authentication-reader")})
"""In a namespace of its own, by the API server."""


def exists(name: Name, platform: Platform) -> bool:
    """Whether the object that is named is in every cluster, or in the stack's own by its word."""
    return exists_unasked(name, platform) or any(
        each.kind == name.kind
        and each.name == name.name
        and each.group in ("", name.group)
        and each.namespace in ("", name.namespace)
        for each in platform.existing
    )


def exists_unasked(name: Name, platform: Platform) -> bool:
    """Whether a cluster of this version and distribution has the object without anybody's doing."""
    known = (name.group, name.kind, name.name)
    if (name.namespace, *known) in _SYSTEM:
        return True
    if known in _EVERYWHERE or known in _CLUSTER:
        return True
    if name.group == _RBAC and name.name.startswith("system:"):
        return True
    if known[:2] != ("node.k8s.io", "RuntimeClass"):
        return False
    from platform_def.config.cluster import brought_classes

    return name.name in brought_classes(platform.distribution, platform.kubernetes)
