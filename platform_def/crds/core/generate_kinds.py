"""The table of core kinds: what the schemas say (which versions have them) and what they don't (scope, plural)."""

from __future__ import annotations

import re
from collections import defaultdict

from platform_def.crds.core.definitions import NEWEST, OLDEST, definitions

CLUSTER_SCOPED = frozenset(
    [
        "ComponentStatus",
        "Namespace",
        "Node",
        "PersistentVolume",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
        "CustomResourceDefinition",
        "APIService",
        "CertificateSigningRequest",
        "ClusterTrustBundle",
        "FlowSchema",
        "PriorityLevelConfiguration",
        "StorageVersion",
        "IngressClass",
        "IPAddress",
        "ServiceCIDR",
        "ClusterCIDR",
        "RuntimeClass",
        "ClusterRole",
        "ClusterRoleBinding",
        "DeviceClass",
        "ResourceClass",
        "ResourceSlice",
        "DeviceTaintRule",
        "ResourcePoolStatusRequest",
        "PriorityClass",
        "StorageClass",
        "CSIDriver",
        "CSINode",
        "VolumeAttachment",
        "VolumeAttributesClass",
        "StorageVersionMigration",
    ]
)
"""As every API server's discovery says."""
NOT_STORED = re.compile(r"(Review|List|^Binding|^Scale|^Status|^TokenRequest|^Eviction)$")
"""Requests and subresources: nothing that can be delivered."""
ALREADY_PLURAL = frozenset({"Endpoints", "ResourceClaimParameters", "ResourceClassParameters"})


def plural_of(kind: str) -> str:
    """`NetworkPolicy` → `networkpolicies`."""
    name = kind.lower()
    if kind in ALREADY_PLURAL:
        return name
    if name.endswith(("s", "x", "ch")):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") and name[-2] not in "aeiou" else f"{name}s"


def kinds_module() -> str:
    """Source of `kinds.py`."""
    seen: dict[tuple[str, str], list[int]] = defaultdict(list)
    for minor in range(OLDEST, NEWEST + 1):
        for schema in definitions(f"1.{minor}").values():
            for gvk in schema.get("x-kubernetes-group-version-kind", ()):
                if "metadata" in schema.get("properties", {}) and not NOT_STORED.search(gvk["kind"]):
                    group, version = gvk["group"], gvk["version"]
                    seen[(f"{group}/{version}" if group else version, gvk["kind"])].append(minor)
    rows = [
        f"{api} {kind} {plural_of(kind)} {_scope(kind)} {min(minors)} {max(minors)}"
        for (api, kind), minors in sorted(seen.items())
    ]
    return _MODULE.replace("ROWS", "\n".join(rows))


def _scope(kind: str) -> str:
    return "cluster" if kind in CLUSTER_SCOPED else "namespaced"


_MODULE = f'''"""Every core kind that can be delivered, with scope and plural; written by `generate.py`."""

from typing import NamedTuple


class CoreKind(NamedTuple):
    """What discovery says of a core kind, and which minor versions of Kubernetes 1.x know it (if behind a gate)."""

    plural: str
    namespaced: bool
    since: int
    """{OLDEST} also stands for earlier."""
    until: int
    """{NEWEST} also stands for later."""


_TABLE = """
ROWS
"""

CORE_KINDS: dict[tuple[str, str], CoreKind] = {{
    (api, kind): CoreKind(plural, scope == "namespaced", int(since), int(until))
    for api, kind, plural, scope, since, until in map(str.split, _TABLE.strip().splitlines())
}}
"""(apiVersion, kind) → what is known of it."""
'''
