"""Core types as they stand inside a CRD: references followed, defaults added.

The schemas hold no defaults, and the API server refuses a CRD whose list-map keys have neither a default nor are
required.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from platform_def.crds.core.definitions import META, definitions, referenced
from platform_def.crds.schema import INT_OR_STRING, QUANTITY, Schema

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
CORE = "io.k8s.api.core.v1"
SHAPES: Mapping[str, Schema] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": QUANTITY,
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": INT_OR_STRING,
    "io.k8s.apimachinery.pkg.runtime.RawExtension": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    f"{META}.FieldsV1": {"type": "object"},
    f"{META}.Condition": {
        "type": "object",
        "properties": {
            "lastTransitionTime": {"type": "string", "format": "date-time"},
            "message": {"type": "string", "maxLength": 32768},
            "observedGeneration": {"type": "integer", "format": "int64", "minimum": 0},
            "reason": {
                "type": "string",
                "minLength": 1,
                "maxLength": 1024,
                "pattern": r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
            },
            "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
            "type": {
                "type": "string",
                "maxLength": 316,
                "pattern": rf"^({_LABEL}(\.{_LABEL})*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
            },
        },
        "required": ["lastTransitionTime", "message", "reason", "status", "type"],
    },
}
"""What a CRD says of types that the JSON schemas describe in other words."""

_TEXT_MAP = {"type": "object", "additionalProperties": {"type": "string"}}
EMBEDDED_METADATA: Schema = {
    "type": "object",
    "properties": {
        "annotations": _TEXT_MAP,
        "finalizers": {"type": "array", "items": {"type": "string"}},
        "labels": _TEXT_MAP,
        "name": {"type": "string"},
        "namespace": {"type": "string"},
    },
}
"""The metadata of an embedded object, where the CRD lets its users write it."""

INLINED = (
    "ConfigMapEnvSource",
    "ConfigMapProjection",
    "ConfigMapVolumeSource",
    "SecretEnvSource",
    "SecretProjection",
)
"""Types that Kubernetes builds around an atomic LocalObjectReference."""

NAMED = ("ConfigMapKeySelector", "LocalObjectReference", "SecretKeySelector")

ALWAYS_DEFAULTED: Mapping[str, Schema] = {
    f"{CORE}.ContainerPort": {"protocol": "TCP"},
    f"{CORE}.ServicePort": {"protocol": "TCP"},
}
DEFAULTED_FROM_1_30: Mapping[str, Schema] = {f"{CORE}.{name}": {"name": ""} for name in (*INLINED, *NAMED)}
"""Since then lists of references are maps by name."""
DEFAULTED_FROM_1_31: Mapping[str, Schema] = {
    f"{CORE}.AzureDiskVolumeSource": {"fsType": "ext4", "readOnly": False},
    f"{CORE}.FileKeySelector": {"optional": False},
    f"{CORE}.GRPCAction": {"service": ""},
    f"{CORE}.ISCSIPersistentVolumeSource": {"iscsiInterface": "default"},
    f"{CORE}.ISCSIVolumeSource": {"iscsiInterface": "default"},
    f"{CORE}.RBDPersistentVolumeSource": {"keyring": "/etc/ceph/keyring", "pool": "rbd", "user": "admin"},
    f"{CORE}.RBDVolumeSource": {"keyring": "/etc/ceph/keyring", "pool": "rbd", "user": "admin"},
    f"{CORE}.ScaleIOPersistentVolumeSource": {"fsType": "xfs", "storageMode": "ThinProvisioned"},
    f"{CORE}.ScaleIOVolumeSource": {"fsType": "xfs", "storageMode": "ThinProvisioned"},
    "io.k8s.api.resource.v1.DeviceToleration": {"operator": "Equal"},
}
"""Operators compiled against 1.31 or later have these in their CRDs, earlier ones don't."""

_KEPT = ("format", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type")


class RecursiveTypeError(ValueError):
    """A type that contains itself (JSONSchemaProps): no structural schema can hold it."""


def expanded(name: str, version: str, *, embedded_metadata: bool = False) -> Schema:
    """Schema of a core type as of a Kubernetes minor version (`1.31`); shared, read-only.

    `embedded_metadata`: the metadata of objects inside it (pod templates) is spelled out, not left without fields.
    Raises ValueError where that version has no such type, RecursiveTypeError where the type contains itself.
    """
    return _expansion(version, embedded_metadata=embedded_metadata).of(name)


@cache
def _expansion(version: str, *, embedded_metadata: bool) -> _Expansion:
    return _Expansion(version, embedded_metadata=embedded_metadata)


class _Expansion:
    """Expands types of one version, each once."""

    def __init__(self, version: str, *, embedded_metadata: bool):
        self.version, self.embedded_metadata = version, embedded_metadata
        self.known = definitions(version)
        self.defaults = dict(ALWAYS_DEFAULTED)
        minor = int(version.partition(".")[2])
        self.defaults |= DEFAULTED_FROM_1_30 if minor >= 30 else {}
        self.defaults |= DEFAULTED_FROM_1_31 if minor >= 31 else {}
        self.done: dict[str, Schema] = dict(SHAPES)
        self.open: list[str] = []

    def of(self, name: str) -> Schema:
        """The type `name`."""
        if name == f"{META}.ObjectMeta":
            return EMBEDDED_METADATA if self.embedded_metadata and self.open else {"type": "object"}
        if name in self.done:
            return self.done[name]
        if name in self.open:
            raise RecursiveTypeError(f"{name} contains itself")
        if name not in self.known:
            raise ValueError(f"Kubernetes {self.version} has no type {name}")
        self.open.append(name)
        try:
            self.done[name] = self.finished(name, self.inlined(self.known[name]))
        finally:
            self.open.pop()
        return self.done[name]

    def finished(self, name: str, schema: Schema) -> Schema:
        """The schema with what the JSON schemas leave out."""
        for field, value in self.defaults.get(name, {}).items():
            schema["properties"][field] = {**schema["properties"][field], "default": value}
        if name == f"{CORE}.HostAlias" and self.version == "1.30":
            schema["required"] = ["ip"]  # 1.30.0 forgot it; the API server refuses a list-map key that may be absent
        if name.removeprefix(f"{CORE}.") in INLINED:
            schema["x-kubernetes-map-type"] = "atomic"
        return schema

    def inlined(self, schema: Schema) -> Schema:
        """A schema without references."""
        own = {key: schema[key] for key in _KEPT if key in schema}
        if target := referenced(schema):
            inner = self.of(target)
            return {**inner, **own} if own else inner
        kind = schema.get("type")
        if kind is None:
            return {"x-kubernetes-preserve-unknown-fields": True}
        own["type"] = next(word for word in kind if word != "null") if isinstance(kind, list) else kind
        if "properties" in schema:
            own["properties"] = {name: self.inlined(inner) for name, inner in schema["properties"].items()}
        for part in ("items", "additionalProperties"):
            if isinstance(schema.get(part), dict):
                own[part] = self.inlined(schema[part])
        if schema.get("required"):
            own["required"] = schema["required"]
        return own
