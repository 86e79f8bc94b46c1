"""Defects that give somebody more than was meant: rights, and credentials in Git."""

from __future__ import annotations

from tests.unit.checks.seeded.seed import wrong
from tests.unit.checks.seeded.stacks import GUESTS, MESH, ONPREM, QUICK

_POD = "spec.template.spec"
_C = f"{_POD}.containers[0]"
_SHOP, _GUARD = "Deployment guests/shop", "Deployment guests/guard"
_WEBHOOK = "ValidatingWebhookConfiguration guests-guard"
_ROLE = "ClusterRole guests-reader"
_BINDING = "ClusterRoleBinding guests-reader"
_TRAIN = "Deployment kubeflow/training-operator"

RIGHTS = (
    wrong(
        GUESTS,
        _ROLE,
        "rules[0]",
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        "rbac-escalation",
        "everything",
        warns=True,
    ),
    wrong(
        ONPREM,
        "ClusterRole training-operator",
        "rules[0]",
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        "rbac-escalation",
        "everything",
        warns=True,
    ),
    wrong(
        GUESTS,
        "Role guests/shop",
        "rules[0]",
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        "rbac-escalation",
        "everything",
        warns=True,
    ),
    wrong(
        GUESTS,
        _ROLE,
        "rules[1]",
        {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterroles"], "verbs": ["bind"]},
        "rbac-escalation",
        "`bind`",
        warns=True,
    ),
    wrong(
        GUESTS,
        _ROLE,
        "rules[1]",
        {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"], "verbs": ["escalate"]},
        "rbac-escalation",
        "escalate",
        warns=True,
    ),
    wrong(
        QUICK,
        "ClusterRole training-operator",
        "rules[1]",
        {"apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"]},
        "rbac-escalation",
        "act as anybody",
        warns=True,
    ),
    wrong(GUESTS, _ROLE, "rules[0].resources", ["secrets"], "rbac-escalation", "Secrets", warns=True),
    wrong(
        GUESTS,
        _ROLE,
        "rules[1]",
        {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["create"]},
        "rbac-escalation",
        "commands",
        warns=True,
    ),
    wrong(
        GUESTS,
        _ROLE,
        "rules[1]",
        {"apiGroups": [""], "resources": ["nodes/proxy"], "verbs": ["get"]},
        "rbac-escalation",
        "kubelet",
        warns=True,
    ),
    wrong(
        GUESTS,
        _ROLE,
        "rules[1]",
        {"apiGroups": [""], "resources": ["serviceaccounts/token"], "verbs": ["create"]},
        "rbac-escalation",
        "tokens",
        warns=True,
    ),
    wrong(
        GUESTS,
        _BINDING,
        "subjects[0]",
        {"kind": "Group", "name": "system:authenticated", "apiGroup": "rbac.authorization.k8s.io"},
        "rbac-escalation",
        "every pod",
        warns=True,
    ),
    wrong(
        GUESTS,
        _BINDING,
        "subjects[0]",
        {"kind": "User", "name": "system:anonymous", "apiGroup": "rbac.authorization.k8s.io"},
        "rbac-escalation",
        "everybody",
        warns=True,
    ),
    wrong(GUESTS, _BINDING, "subjects[0].name", "default", "rbac-escalation", "names none", warns=True),
    wrong(GUESTS, _BINDING, "roleRef.name", "cluster-admin", "rbac-escalation", "everything", warns=True),
    wrong(
        ONPREM,
        "ClusterRoleBinding emissary-ingress",
        "roleRef.name",
        "cluster-admin",
        "rbac-escalation",
        "everything",
        warns=True,
    ),
)

SECRETS = (
    wrong(
        GUESTS, "ConfigMap guests/settings", "data.url", "postgres://bob:word@db.example.com/app", "credential-shape"
    ),
    wrong(GUESTS, _SHOP, f"{_C}.args", ["--url=redis://:word@cache.example.com:6379"], "credential-shape"),
    wrong(GUESTS, _SHOP, f"{_C}.env[1]", {"name": "DB_PASSWORD", "value": "word"}, "credential-shape"),
    wrong(MESH, "Gateway mesh/public", "spec.listeners[0].hostname", "*.example.com", "gateway-tls", warns=True),
)

_OPERATOR, _STATUS = "ClusterRole training-operator", "rules[11].resources[3]"

OPERATORS = (
    wrong(ONPREM, _OPERATOR, _STATUS, "pytorchjobs/scale", "operator-role", "pytorchjobs.kubeflow.org", warns=True),
    wrong(ONPREM, _OPERATOR, _STATUS, "pytorchjob/status", "operator-role", "'pytorchjob/status'", warns=True),
    wrong(
        ONPREM,
        "Role ceph-csi-cephfs/cephfs-external-provisioner-cfg",
        "rules[1].verbs",
        ["get"],
        "operator-role",
        "elects a leader",
        at="Deployment ceph-csi-cephfs/csi-cephfsplugin-provisioner",
        warns=True,
    ),
)

SEEDS = OPERATORS + RIGHTS + SECRETS
