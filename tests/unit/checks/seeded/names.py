"""Defects in what objects name."""

from __future__ import annotations

from tests.unit.checks.seeded.seed import missing, wrong
from tests.unit.checks.seeded.stacks import CLOUD, GUESTS, MESH, ONPREM, QUICK

_POD = "spec.template.spec"
_SHOP, _GUARD = "Deployment guests/shop", "Deployment guests/guard"
_ROUTE, _VIRTUAL = "HTTPRoute shop/web", "VirtualService shop/web"
_WEBHOOK = "ValidatingWebhookConfiguration guests-guard"

SEEDS = (
    wrong(GUESTS, _SHOP, f"{_POD}.serviceAccountName", "shpo", "reference-exists", "ServiceAccount 'shpo'"),
    wrong(GUESTS, _SHOP, f"{_POD}.priorityClassName", "guest", "reference-exists", "PriorityClass"),
    wrong(GUESTS, _SHOP, f"{_POD}.runtimeClassName", "nvdia", "reference-exists", "RuntimeClass"),
    wrong(
        GUESTS, _SHOP, f"{_POD}.imagePullSecrets", [{"name": "pull"}], "reference-exists", "Secret 'pull'", warns=True
    ),
    wrong(GUESTS, _SHOP, f"{_POD}.volumes[0].configMap.name", "setings", "reference-exists", "ConfigMap"),
    wrong(GUESTS, _SHOP, f"{_POD}.volumes[0].configMap.items[0].key", "mod", "reference-exists", "has no key 'mod'"),
    wrong(
        GUESTS,
        _SHOP,
        f"{_POD}.containers[0].env[0].valueFrom.configMapKeyRef.key",
        "moed",
        "reference-exists",
        "has no key 'moed'",
    ),
    wrong(
        GUESTS,
        _SHOP,
        f"{_POD}.containers[0].env[0].valueFrom.configMapKeyRef.name",
        "x",
        "reference-exists",
        "ConfigMap 'x'",
    ),
    wrong(
        GUESTS,
        _SHOP,
        f"{_POD}.containers[0].envFrom",
        [{"secretRef": {"name": "x"}}],
        "reference-exists",
        "Secret 'x'",
        warns=True,
    ),
    wrong(
        GUESTS,
        _GUARD,
        f"{_POD}.containers[0].env[0].valueFrom.secretKeyRef.key",
        "key.pem",
        "reference-exists",
        "has no key 'key.pem'",
    ),
    wrong(GUESTS, _GUARD, f"{_POD}.volumes[0].secret.items[0].key", "cert", "reference-exists", "has no key 'cert'"),
    wrong(
        GUESTS,
        "StatefulSet guests/store",
        f"{_POD}.volumes[0].persistentVolumeClaim.claimName",
        "dat",
        "reference-exists",
        "PersistentVolumeClaim",
    ),
    wrong(GUESTS, "StatefulSet guests/store", "spec.serviceName", "shope", "reference-exists", "Service", warns=True),
    wrong(
        GUESTS,
        "StatefulSet guests/store",
        "spec.volumeClaimTemplates[0].spec.storageClassName",
        "quick",
        "reference-exists",
        "StorageClass",
    ),
    wrong(
        GUESTS,
        "PersistentVolumeClaim guests/data",
        "spec.storageClassName",
        "shard",
        "reference-exists",
        "StorageClass",
    ),
    wrong(
        GUESTS,
        "HorizontalPodAutoscaler guests/shop",
        "spec.scaleTargetRef.name",
        "shp",
        "reference-exists",
        "Deployment 'shp'",
        warns=True,
    ),
    wrong(
        GUESTS, "Ingress guests/shop", "spec.ingressClassName", "nginx", "reference-exists", "IngressClass", warns=True
    ),
    wrong(
        GUESTS,
        "Ingress guests/shop",
        "spec.rules[0].http.paths[0].backend.service.name",
        "sho",
        "reference-exists",
        "Service 'sho'",
        warns=True,
    ),
    wrong(
        GUESTS, "Mapping guests/shop", "spec.service", "sho.guests:80", "reference-exists", "Service 'sho'", warns=True
    ),
    wrong(GUESTS, "RoleBinding guests/shop", "roleRef.name", "shopp", "reference-exists", "Role 'shopp'"),
    wrong(
        GUESTS,
        "RoleBinding guests/shop",
        "subjects[0].name",
        "shopp",
        "reference-exists",
        "ServiceAccount 'shopp'",
        warns=True,
    ),
    wrong(
        GUESTS, "ClusterRoleBinding guests-reader", "roleRef.name", "guests-readr", "reference-exists", "ClusterRole"
    ),
    wrong(GUESTS, "Certificate guests/guard", "spec.issuerRef.name", "hous", "reference-exists", "Issuer 'hous'"),
    wrong(
        GUESTS,
        "Certificate guests/guard",
        "spec.issuerRef.kind",
        "ClusterIssuer",
        "reference-exists",
        "ClusterIssuer 'house'",
    ),
    wrong(GUESTS, _WEBHOOK, "webhooks[0].clientConfig.service.name", "gaurd", "reference-exists", "Service 'gaurd'"),
    missing(GUESTS, "ConfigMap guests/settings", "reference-exists", "ConfigMap 'settings'", at=_SHOP),
    missing(GUESTS, "ServiceAccount guests/shop", "reference-exists", "ServiceAccount 'shop'", at=_SHOP),
    missing(GUESTS, "PersistentVolumeClaim guests/data", "reference-exists", "'data'", at="Job guests/render"),
    missing(GUESTS, "PriorityClass guests", "reference-exists", "'guests'", at=_SHOP),
    missing(GUESTS, "Role guests/shop", "reference-exists", "Role 'shop'", at="RoleBinding guests/shop"),
    missing(
        ONPREM, "RuntimeClass nvidia", "reference-exists", "RuntimeClass 'nvidia'", at="PyTorchJob team-vision/resnet-*"
    ),
    missing(
        ONPREM,
        "StorageClass shared",
        "reference-exists",
        "StorageClass 'shared'",
        at="PersistentVolumeClaim team-vision/faces-data",
    ),
    missing(
        ONPREM,
        "PersistentVolumeClaim team-vision/faces-data",
        "reference-exists",
        "faces-data",
        at="MXJob team-vision/faces-*",
    ),
    missing(
        ONPREM,
        "ConfigMap ceph-csi-cephfs/ceph-csi-config",
        "reference-exists",
        "ceph-csi-config",
        at="DaemonSet ceph-csi-cephfs/csi-cephfsplugin",
    ),
    missing(
        ONPREM,
        "ServiceAccount emissary/emissary-ingress",
        "reference-exists",
        "emissary-ingress",
        at="Deployment emissary/emissary-ingress",
    ),
    missing(
        ONPREM,
        "ClusterRole emissary-ingress",
        "reference-exists",
        "emissary-ingress",
        at="ClusterRoleBinding emissary-ingress",
    ),
    missing(
        ONPREM,
        "Service cert-manager/cert-manager-webhook",
        "reference-exists",
        "cert-manager-webhook",
        at="MutatingWebhookConfiguration cert-manager-webhook",
    ),
    missing(ONPREM, "Namespace team-vision", "namespace-exists", "team-vision", at="MXJob team-vision/faces-*"),
    missing(
        CLOUD,
        "RuntimeClass nvidia",
        "reference-exists",
        "RuntimeClass 'nvidia'",
        at="PyTorchJob team-language/pretrain-*",
    ),
    wrong(
        QUICK,
        "Service emissary/emissary-ingress-admin",
        "spec.selector.service",
        "ambasador",
        "service-target",
        "no pod here",
        warns=True,
    ),
    wrong(MESH, _ROUTE, "spec.rules[0].backendRefs[0].name", "wbe", "reference-exists", "Service 'wbe'", warns=True),
    wrong(MESH, _ROUTE, "spec.parentRefs[0].name", "publik", "reference-exists", "Gateway 'publik'", warns=True),
    wrong(MESH, _VIRTUAL, "spec.gateways[0]", "mesh/publik", "reference-exists", "Gateway 'publik'", warns=True),
    wrong(
        MESH, _VIRTUAL, "spec.http[0].route[0].destination.host", "wbe", "reference-exists", "Service 'wbe'", warns=True
    ),
    wrong(
        MESH,
        "LocalQueue shop/research",
        "spec.clusterQueue",
        "reserch",
        "reference-exists",
        "ClusterQueue 'reserch'",
        warns=True,
    ),
    wrong(
        MESH,
        "Job shop/train",
        'metadata.labels["kueue.x-k8s.io/queue-name"]',
        "reserch",
        "reference-exists",
        "LocalQueue 'reserch'",
        warns=True,
    ),
    wrong(
        MESH,
        "ClusterQueue research",
        "spec.resourceGroups[0].flavors[0].name",
        "cpu",
        "reference-exists",
        "ResourceFlavor 'cpu'",
        warns=True,
    ),
)
