"""Defects that a cluster takes and its owner regrets."""

from __future__ import annotations

from tests.unit.checks.seeded.seed import Seed, beside, lacking, wrong
from tests.unit.checks.seeded.stacks import CLOUD, GUESTS, MESH, ONPREM, QUICK

_POD = "spec.template.spec"
_C = f"{_POD}.containers[0]"
_SHOP, _GUARD = "Deployment guests/shop", "Deployment guests/guard"
_WEBHOOK = "ValidatingWebhookConfiguration guests-guard"
_ROLE = "ClusterRole guests-reader"
_BINDING = "ClusterRoleBinding guests-reader"
_TRAIN = "Deployment kubeflow/training-operator"

PODS = (
    wrong(GUESTS, _SHOP, "spec.replicas", 9, "admission-policy", "five replicas are the most"),
    wrong(GUESTS, _GUARD, "spec.replicas", "many", "admission-policy"),
    wrong(MESH, "Deployment shop/web", f"{_C}.securityContext", {"privileged": True}, "host-access", warns=True),
    wrong(MESH, "Deployment shop/web", f"{_POD}.hostPID", True, "host-access", "processes", warns=True),
    wrong(
        MESH,
        "Deployment shop/web",
        f"{_POD}.volumes",
        [{"name": "run", "hostPath": {"path": "/run/containerd/containerd.sock"}}],
        "host-access",
        "controls the node",
        warns=True,
    ),
    wrong(GUESTS, _SHOP, f"{_C}.securityContext", {"privileged": True}, "pod-security", "privileged", warns=True),
    wrong(GUESTS, _SHOP, f"{_POD}.hostNetwork", True, "pod-security", warns=True),
    wrong(GUESTS, _SHOP, f"{_POD}.hostPID", True, "pod-security", warns=True),
    wrong(GUESTS, _SHOP, f"{_POD}.volumes[1]", {"name": "root", "hostPath": {"path": "/"}}, "pod-security", warns=True),
    wrong(GUESTS, _SHOP, f"{_C}.securityContext", {"capabilities": {"add": ["SYS_ADMIN"]}}, "pod-security", warns=True),
    wrong(GUESTS, _SHOP, f"{_C}.ports[0].hostPort", 8080, "pod-security", warns=True),
    wrong(ONPREM, _TRAIN, f"{_C}.securityContext.privileged", True, "pod-security", warns=True),
    wrong(
        GUESTS,
        "Namespace guests",
        'metadata.labels["pod-security.kubernetes.io/enforce"]',
        "restricted",
        "pod-security",
        at=_SHOP,
        warns=True,
    ),
    wrong(
        QUICK,
        "Namespace emissary",
        'metadata.labels["pod-security.kubernetes.io/enforce"]',
        "restricted",
        "pod-security",
        at="Deployment emissary/emissary-ingress",
        warns=True,
    ),
    wrong(
        GUESTS,
        _SHOP,
        f"{_C}.image",
        "registry.example.com/mirror/docker.io/library/busybox:latest",
        "image-tag",
        "latest",
        warns=True,
    ),
    wrong(
        GUESTS,
        _SHOP,
        f"{_C}.image",
        "registry.example.com/mirror/docker.io/library/busybox",
        "image-tag",
        "no tag",
        warns=True,
    ),
    wrong(GUESTS, _SHOP, f"{_C}.image", "docker.io/library/busybox:1.37", "image-mirror"),
    wrong(ONPREM, _TRAIN, f"{_C}.image", "docker.io/kubeflow/training-operator:v1-855e096", "image-mirror"),
    wrong(GUESTS, "ConfigMap guests/settings", "data.helper", "docker.io/library/busybox:1.37", "image-mirror"),
    wrong(
        GUESTS,
        "ConfigMap guests/settings",
        "data.helper",
        "registry.example.com/mirror/docker.io/library/alpine:3.22",
        "image-inventory",
        "alpine",
        warns=True,
    ),
    wrong(
        GUESTS, _SHOP, f"{_C}.args", ["--helper=quay.io/example/helper:2"], "image-inventory", "helper:2", warns=True
    ),
    wrong(
        GUESTS,
        _SHOP,
        f"{_C}.env[1]",
        {"name": "HELPER", "value": "quay.io/example/helper:2"},
        "image-inventory",
        "helper:2",
        warns=True,
    ),
    wrong(
        CLOUD,
        _TRAIN,
        f"{_C}.args",
        ["--pytorch-init-container-image=ghcr.io/example/init:1"],
        "image-inventory",
        "init:1",
        warns=True,
    ),
    wrong(CLOUD, _TRAIN, f"{_C}.image", "k8s.gcr.io/training-operator:1", "image-gone", "frozen", warns=True),
    wrong(CLOUD, _TRAIN, f"{_C}.image", "docker.io/bitnami/postgresql:10.7", "image-gone", "bitnamilegacy", warns=True),
    wrong(
        CLOUD, _TRAIN, f"{_C}.args", ["--proxy=gcr.io/kubebuilder/kube-rbac-proxy:v0.13.1"], "image-gone", warns=True
    ),
    wrong(QUICK, _TRAIN, f"{_C}.image", "gcr.io/kubeflow-images-public/training:1", "image-gone", warns=True),
    lacking(GUESTS, _SHOP, f"{_C}.readinessProbe", "workload-requests", "readinessProbe", warns=True),
    lacking(GUESTS, _GUARD, f"{_C}.resources", "workload-requests", "cpu and no memory", warns=True),
    lacking(
        GUESTS,
        "StatefulSet guests/store",
        f"{_C}.resources.requests.memory",
        "workload-requests",
        "no memory",
        warns=True,
    ),
)

AVAILABILITY = (
    wrong(GUESTS, "PodDisruptionBudget guests/shop", "spec.minAvailable", 2, "disruption-budget", "2 of 2", warns=True),
    wrong(
        GUESTS, "PodDisruptionBudget guests/shop", "spec.minAvailable", "100%", "disruption-budget", "100%", warns=True
    ),
    wrong(
        GUESTS,
        "PodDisruptionBudget guests/shop",
        "spec",
        {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "shop"}}},
        "disruption-budget",
        warns=True,
    ),
    Seed(
        GUESTS,
        "PodDisruptionBudget guests/shop",
        beside("spec.minAvailable", 1, name="second"),
        "disruption-budget",
        "two budgets",
        "evicts none",
        at="PodDisruptionBudget guests/second",
    ),
    wrong(
        ONPREM,
        "PodDisruptionBudget cert-manager/cert-manager",
        "spec",
        {"minAvailable": 9, "selector": {"matchLabels": {"app.kubernetes.io/name": "cert-manager"}}},
        "disruption-budget",
        warns=True,
    ),
    lacking(GUESTS, _WEBHOOK, "webhooks[0].namespaceSelector", "webhook-reach", "once they are gone", warns=True),
    wrong(
        GUESTS,
        _WEBHOOK,
        "webhooks[0].namespaceSelector.matchExpressions[0].values",
        ["guests"],
        "webhook-reach",
        "kube-system",
        warns=True,
    ),
    Seed(
        ONPREM,
        "Deployment cert-manager/cert-manager-webhook",
        beside("spec.replicas", 1),
        "duplicate-object",
        "one object twice",
    ),
    Seed(
        QUICK, "ClusterRole training-operator", beside("rules", []), "duplicate-object", "a name of the cluster twice"
    ),
    wrong(
        QUICK,
        "Mapping emissary/emissary-health",
        "spec.service",
        "katib-ui.kubeflow",
        "public-route",
        "has no login",
        warns=True,
    ),
    wrong(GUESTS, "Mapping guests/shop", "spec.service", "tensorboard:80", "public-route", "has no login", warns=True),
    wrong(GUESTS, "ConfigMap guests/settings", "kind", "Secret", "secret-content", at="Secret guests/settings"),
)

SEEDS = PODS + AVAILABILITY
