"""The core types of Kubernetes 1.25 to 1.37, as the JSON schemas that the package kubernetes-validate ships.

They are read as data: importing that package itself costs a third of a second.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import orjson

from platform_def.crds.schema import Schema

OLDEST, NEWEST = 25, 37
META = "io.k8s.apimachinery.pkg.apis.meta.v1"
PREFIXES: Mapping[str, str] = {
    "meta_v1": META,
    "core_v1": "io.k8s.api.core.v1",
    "apps_v1": "io.k8s.api.apps.v1",
    "batch_v1": "io.k8s.api.batch.v1",
    "autoscaling_v2": "io.k8s.api.autoscaling.v2",
    "policy_v1": "io.k8s.api.policy.v1",
    "networking_v1": "io.k8s.api.networking.v1",
    "rbac_v1": "io.k8s.api.rbac.v1",
    "storage_v1": "io.k8s.api.storage.v1",
    "node_v1": "io.k8s.api.node.v1",
    "scheduling_v1": "io.k8s.api.scheduling.v1",
    "coordination_v1": "io.k8s.api.coordination.v1",
    "discovery_v1": "io.k8s.api.discovery.v1",
    "resource_v1": "io.k8s.api.resource.v1",
    "admissionregistration_v1": "io.k8s.api.admissionregistration.v1",
    "apiextensions_v1": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
    "apiregistration_v1": "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
}
"""Module under `apis/core` → prefix of its definitions; a type's name is the same in both."""

_PACKAGE = "platform_def.apis.core."


@cache
def definitions(version: str) -> Mapping[str, Schema]:
    """All definitions of a minor version (`1.31`) by full name; read-only."""
    spec = find_spec("kubernetes_validate")
    if spec is None or spec.origin is None:
        raise RuntimeError("the package kubernetes-validate is not installed")
    folder = Path(spec.origin).parent / "kubernetes-json-schema" / f"v{version}.0-local"
    if not folder.is_dir():
        raise ValueError(f"core types of Kubernetes {version!r} are not known: 1.{OLDEST} to 1.{NEWEST} are")
    found: Mapping[str, Schema] = orjson.loads((folder / "_definitions.json").read_bytes())["$defs"]
    return found


def definition_name(cls: type) -> str | None:
    """The definition that a TypedDict of `apis/core` stands for; None for any other class."""
    module = cls.__module__
    if not module.startswith(_PACKAGE):
        return None
    prefix = PREFIXES.get(module[len(_PACKAGE) :])
    return f"{prefix}.{cls.__name__}" if prefix else None


def referenced(schema: Schema) -> str:
    """Full name that a `$ref` points at; empty where there is none."""
    ref: str = schema.get("$ref", "")
    return ref.rpartition("/")[2]
