"""The smallest objects that show what a server takes and refuses."""

from __future__ import annotations

from typing import Any

from tests.cluster.client import Manifest


def config_map(name: str, *, namespace: str = "default", **fields: Any) -> Manifest:
    """A ConfigMap; `fields` are added at its top."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, **fields}


def namespace(name: str) -> Manifest:
    """A namespace with a label: the server changes a namespace that owns no field when it is applied again."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"test": "cluster"}}}


def crd(
    kind: str, properties: Manifest | None = None, *, group: str = "test.example.com", plural: str = ""
) -> Manifest:
    """A CRD in v1 with these properties of `spec`."""
    plural = plural or f"{kind.lower()}s"
    spec = {"type": "object", "properties": properties or {"size": {"type": "integer", "minimum": 1}}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


def custom(kind: str, name: str, spec: Any, *, group: str = "test.example.com") -> Manifest:
    """An object of a kind that `crd` made."""
    return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": spec}
