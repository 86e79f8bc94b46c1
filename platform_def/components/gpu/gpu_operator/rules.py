"""What the GPU Operator may do: upstream's roles, since it makes all GPU programs and their roles by itself."""

from __future__ import annotations

from platform_def.constructs import READ, WRITE
from platform_def.constructs.rbac import allow

CLUSTER_RULES = (
    allow("", "namespaces nodes", verbs="get list watch update patch"),
    allow("", "events", verbs="get list watch create delete"),
    allow("", "pods", verbs="get list watch patch"),
    allow("", "pods/eviction", verbs="create"),
    allow("apps", "daemonsets", verbs=READ),
    allow("coordination.k8s.io", "leases", verbs="create get update"),
    allow("events.k8s.io", "events", verbs="create patch"),
    allow(
        "nvidia.com",
        "clusterpolicies clusterpolicies/finalizers clusterpolicies/status "
        "nvidiadrivers nvidiadrivers/finalizers nvidiadrivers/status "
        "gpuclusters gpuclusters/finalizers gpuclusters/status",
        verbs=f"{WRITE} deletecollection",
    ),
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs="get list watch create update patch"),
    allow("rbac.authorization.k8s.io", "clusterroles clusterrolebindings", verbs=WRITE),
    allow("node.k8s.io", "runtimeclasses", verbs="get list watch create update delete"),
    allow("scheduling.k8s.io", "priorityclasses", verbs="get list watch create"),
    allow(
        "admissionregistration.k8s.io",
        "validatingadmissionpolicies validatingadmissionpolicybindings",
        verbs="get list watch create update delete",
    ),
    # The experimental DRA way, which the operator watches whether or not it is used.
    allow(
        "resource.k8s.io",
        "deviceclasses resourceclaimtemplates resourceslices",
        verbs="get list watch create update delete",
    ),
    allow("resource.k8s.io", "resourceclaims", verbs=READ),
    allow("resource.nvidia.com", "computedomaincliques", verbs="get list watch create update patch"),
    allow("resource.nvidia.com", "computedomains computedomains/status", verbs="get list watch update patch"),
    allow("config.openshift.io", "clusterversions proxies", verbs=READ),
    allow("image.openshift.io", "imagestreams", verbs=READ),
    allow("security.openshift.io", "securitycontextconstraints", verbs=f"{WRITE} use"),
)
"""Everywhere."""

OWN_RULES = (
    allow(
        "",
        "configmaps endpoints pods pods/eviction secrets serviceaccounts services services/finalizers",
        verbs=WRITE,
    ),
    allow("apps", "controllerrevisions", verbs=READ),
    allow("apps", "daemonsets deployments", verbs=WRITE),
    allow("coordination.k8s.io", "leases", verbs=WRITE),
    allow("rbac.authorization.k8s.io", "roles rolebindings", verbs=WRITE),
    allow("monitoring.coreos.com", "prometheusrules servicemonitors", verbs="get list watch create update delete"),
    allow("nfd.k8s-sigs.io", "nodefeatures", verbs="get list watch create update"),
)
"""In its own namespace."""
