"""Writes Kubernetes objects as typed Python data, without cdk8s: for objects that the tool itself adds to a stack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, cast

from platform_def.crds.model import Api
from platform_def.manifests.rendered import Manifest

S = TypeVar("S")


def manifest(
    api: Api[S],
    name: str,
    *,
    spec: S | None = None,
    fields: S | None = None,
    namespace: str | None = None,
    labels: Mapping[str, str],
    annotations: Mapping[str, str] | None = None,
    finalizers: tuple[str, ...] = (),
) -> Manifest:
    """One object; `spec` for kinds that have one, `fields` with all top-level fields for those that have none."""
    metadata: Manifest = {"name": name, "labels": dict(labels)}
    if namespace is not None:
        metadata["namespace"] = namespace
    if annotations:
        metadata["annotations"] = dict(annotations)
    if finalizers:
        metadata["finalizers"] = list(finalizers)
    body: Manifest = {"apiVersion": api.api_version, "kind": api.kind, "metadata": metadata}
    if spec is not None:
        body["spec"] = spec
    return body | cast(Manifest, fields or {})
