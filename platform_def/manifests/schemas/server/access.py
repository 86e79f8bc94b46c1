"""Who may do what: roles, bindings, accounts; and the content of ConfigMaps and Secrets."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping

from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.names import GRAMMARS
from platform_def.manifests.schemas.server.words import (
    FILLED,
    SOME,
    Limits,
    Rules,
    Value,
    Wrong,
    choice,
    each,
    keyed,
    needed,
)
from platform_def.manifests.schemas.server.words import text as filled

GROUP = "rbac.authorization.k8s.io"
LARGEST_BYTES = 2**20
"""Of the content of a ConfigMap or a Secret."""

LIMITS: Limits = {
    "rbac.v1.PolicyRule": {"verbs": needed(SOME)},
    "rbac.v1.RoleRef": {
        "apiGroup": choice(GROUP, empty=True),
        "kind": choice("Role", "ClusterRole"),
        "name": filled("segment"),
    },
    "rbac.v1.Subject": {"kind": choice("ServiceAccount", "User", "Group"), "name": FILLED},
    "rbac.v1.AggregationRule": {"clusterRoleSelectors": needed(SOME)},
    "rbac.v1.ClusterRoleBinding": {"roleRef": needed()},
    "rbac.v1.RoleBinding": {"roleRef": needed()},
    "core.v1.ConfigMap": {"data": keyed("config-key"), "binaryData": keyed("config-key")},
    "core.v1.Secret": {"data": keyed("config-key"), "stringData": keyed("config-key")},
    "core.v1.NamespaceSpec": {"finalizers": each(filled("finalizer"))},
    "core.v1.Taint": {
        "key": filled("label-key"),
        "value": {"format": "server:label-value"},
        "effect": choice("NoSchedule", "PreferNoSchedule", "NoExecute"),
    },
    "core.v1.NodeSpec": {"podCIDR": {"format": "server:network?"}},
}


def _policy(value: Value) -> Iterator[Wrong]:
    urls, resources, names = (items(value.get(key)) for key in ("nonResourceURLs", "resources", "resourceNames"))
    groups = items(value.get("apiGroups"))
    if urls:
        for field, held in (("apiGroups", groups), ("resources", resources), ("resourceNames", names)):
            if held:
                yield Wrong((field,), "goes with no nonResourceURLs", "make two rules of it")
        return
    if not groups:
        yield Wrong(("apiGroups",), "is missing", 'write apiGroups: [""] for pods, services and other core kinds')
    if not resources:
        yield Wrong(("resources",), "is missing", "name the resources, in plural: pods, deployments")


def _role(value: Value) -> Iterator[Wrong]:
    for index, rule in enumerate(items(value.get("rules"))):
        if items(at(rule, "nonResourceURLs")):
            yield Wrong(("rules", index, "nonResourceURLs"), "belong to no namespace", "make it a ClusterRole")


def _subject(value: Value) -> Iterator[Wrong]:
    kind, group, name = value.get("kind"), value.get("apiGroup"), text(value.get("name"))
    if kind == "ServiceAccount":
        if name and (problem := GRAMMARS["subdomain"](name)):
            yield Wrong(("name",), problem)
        if group:
            yield Wrong(("apiGroup",), "goes with User and Group alone", "leave it out")
    elif kind in ("User", "Group") and group not in (None, "", GROUP):
        yield Wrong(("apiGroup",), f"must be {GROUP}", "leave it out")


def _cluster_binding(value: Value) -> Iterator[Wrong]:
    if at(value, "roleRef.kind") == "Role":
        yield Wrong(("roleRef", "kind"), "must be ClusterRole: a Role belongs to a namespace", "make it a RoleBinding")
    for index, subject in enumerate(items(value.get("subjects"))):
        if at(subject, "kind") == "ServiceAccount" and not text(at(subject, "namespace")):
            yield Wrong(("subjects", index, "namespace"), "is missing: an account belongs to a namespace")


def _config(value: Value) -> Iterator[Wrong]:
    data, binary = mapping(value.get("data")), mapping(value.get("binaryData"))
    for key in {*data} & {*binary}:
        yield Wrong(("binaryData", key), "is a key of data too")
    size = sum(len(text(each_).encode("utf-8", "surrogatepass")) for each_ in data.values())
    size += sum(len(_decoded(each_)) for each_ in binary.values())
    yield from _fits(size, ("data",))


def _fits(size: int, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    if size > LARGEST_BYTES:
        yield Wrong(
            path, f"{size:,} bytes together, more than {LARGEST_BYTES:,}", "put large files into an image or a volume"
        )


def _decoded(value: object) -> bytes:
    try:
        return base64.b64decode(text(value))
    except ValueError:
        return b""


_NEEDED: Mapping[str, tuple[str, ...]] = {
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}
_ACCOUNT = "kubernetes.io/service-account.name"


def _secret(value: Value) -> Iterator[Wrong]:
    data = {**mapping(value.get("data")), **mapping(value.get("stringData"))}
    kind = text(value.get("type"))
    for key in _NEEDED.get(kind, ()):
        if key not in data or (kind.endswith("ssh-auth") and not data[key]):
            yield Wrong(("data", key), f"is missing, and type {kind} needs it")
    if kind == "kubernetes.io/basic-auth" and not {"username", "password"} & {*data}:
        yield Wrong(("data",), f"has neither username nor password, and type {kind} needs one")
    if kind == "kubernetes.io/service-account-token" and not mapping(at(value, "metadata.annotations")).get(_ACCOUNT):
        yield Wrong(("metadata", "annotations", _ACCOUNT), f"is missing, and type {kind} needs it")
    for key in _NEEDED.get(kind, ()):
        if kind.startswith("kubernetes.io/dockerc") and key in data and not _is_map(value, key):
            yield Wrong(("data", key), "is no JSON map")
    plain = mapping(value.get("stringData"))
    size = sum(len(text(each_).encode("utf-8", "surrogatepass")) for each_ in plain.values())
    size += sum(len(_decoded(each_)) for key, each_ in mapping(value.get("data")).items() if key not in plain)
    yield from _fits(size, ("data",))


def _is_map(value: Value, key: str) -> bool:
    plain = mapping(value.get("stringData")).get(key)
    try:
        parsed = json.loads(text(plain) if plain is not None else _decoded(mapping(value.get("data")).get(key)))
    except ValueError:
        return False
    return isinstance(parsed, dict) or parsed is None


def _node(value: Value) -> Iterator[Wrong]:
    seen = set()
    for index, taint in enumerate(items(value.get("taints"))):
        key = (text(at(taint, "key")), text(at(taint, "effect")))
        if key in seen:
            yield Wrong(("taints", index), f"{key[0]} with {key[1]} is listed twice")
        seen.add(key)


_LEVEL = "pod-security.kubernetes.io/"


def _namespace(value: Value) -> Iterator[Wrong]:
    for key, level in mapping(at(value, "metadata.labels")).items():
        if key.startswith(_LEVEL) and isinstance(level, str):
            versioned = key.endswith("-version")
            fine = (
                re.fullmatch(r"latest|v1\.\d+", level)
                if versioned
                else level in ("privileged", "baseline", "restricted")
            )
            if not fine:
                known = "latest or a version, as v1.36" if versioned else "privileged, baseline or restricted"
                yield Wrong(("metadata", "labels", key), f"'{level[:60]}' must be {known}")


RULES: Rules = {
    "core.v1.Namespace": _namespace,
    "rbac.v1.PolicyRule": _policy,
    "rbac.v1.Role": _role,
    "rbac.v1.Subject": _subject,
    "rbac.v1.ClusterRoleBinding": _cluster_binding,
    "core.v1.ConfigMap": _config,
    "core.v1.Secret": _secret,
    "core.v1.NodeSpec": _node,
}
