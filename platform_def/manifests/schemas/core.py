"""Core kinds as schemas that refuse what the API server refuses, from the definitions that `apis/core` reads.

Those definitions are more lenient and in places stricter than the server; what is put right is written down here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from platform_def.config.kubernetes import Kubernetes
from platform_def.crds.core.definitions import META, definitions
from platform_def.crds.schema import Schema
from platform_def.manifests.schemas.bounds import MAP_KEYS, bound
from platform_def.manifests.schemas.formats import CORE_BYTES
from platform_def.manifests.schemas.server import typed
from platform_def.manifests.schemas.server.words import LOOSE_SELECTOR

OBJECT_META = f"{META}.ObjectMeta"
_APIEXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"
_PROPS = f"{_APIEXTENSIONS}.JSONSchemaProps"

_REPLACED: Mapping[str, Schema] = {
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
        "type": ["integer", "string", "null"],
        "minimum": -(2**31),
        "maximum": 2**31 - 1,
    },
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {
        "type": ["string", "number", "null"],
        "format": "server:quantity",
    },
    LOOSE_SELECTOR: {
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": {
            "matchLabels": {
                "type": ["object", "null"],
                "propertyNames": {"format": "server:label-key"},
                "additionalProperties": {"type": "string"},
            },
            "matchExpressions": {
                "type": ["array", "null"],
                "items": {"type": "object", "required": ["key", "operator"]},
            },
        },
    },
    f"{_PROPS}OrArray": {"$ref": f"#/$defs/{_PROPS}"},
    f"{_PROPS}OrBool": {"if": {"type": "boolean"}, "else": {"$ref": f"#/$defs/{_PROPS}"}},
}
"""Definitions that hold a union, written so that a mismatch has one reason."""

_SERVER_FILLS: Mapping[str, frozenset[str]] = {
    "io.k8s.api.apps.v1.StatefulSetSpec": frozenset({"serviceName"}),
    "io.k8s.api.apps.v1.ControllerRevision": frozenset({"revision"}),
    "io.k8s.api.batch.v1.PodFailurePolicyRule": frozenset({"onPodConditions"}),
    "io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern": frozenset({"status"}),
    "io.k8s.api.core.v1.HTTPHeader": frozenset({"value"}),
    "io.k8s.api.core.v1.ISCSIVolumeSource": frozenset({"lun"}),
    "io.k8s.api.core.v1.ISCSIPersistentVolumeSource": frozenset({"lun"}),
    "io.k8s.api.core.v1.LimitRangeSpec": frozenset({"limits"}),
    "io.k8s.api.core.v1.Sysctl": frozenset({"value"}),
    "io.k8s.api.discovery.v1.EndpointSlice": frozenset({"endpoints"}),
    "io.k8s.api.networking.v1.NetworkPolicySpec": frozenset({"podSelector"}),
    "io.k8s.api.rbac.v1.RoleRef": frozenset({"apiGroup"}),
    "io.k8s.api.scheduling.v1.PriorityClass": frozenset({"value"}),
    "io.k8s.api.storage.v1.CSIDriver": frozenset({"spec"}),
    "io.k8s.api.batch.v1.PodFailurePolicy": frozenset({"rules"}),
    "io.k8s.api.core.v1.PreferredSchedulingTerm": frozenset({"preference"}),
    "io.k8s.api.core.v1.SleepAction": frozenset({"seconds"}),
    "io.k8s.api.core.v1.TypedLocalObjectReference": frozenset({"kind", "name"}),
    "io.k8s.api.resource.v1.DeviceCapacity": frozenset({"value"}),
    "io.k8s.api.resource.v1.DeviceClass": frozenset({"spec"}),
    "io.k8s.api.resource.v1.ResourceClaim": frozenset({"spec"}),
    "io.k8s.api.resource.v1.ResourceClaimTemplate": frozenset({"spec"}),
    "io.k8s.api.resource.v1.ResourceClaimTemplateSpec": frozenset({"spec"}),
    "io.k8s.api.resource.v1.ResourcePool": frozenset({"generation"}),
    "io.k8s.api.storage.v1.CSINode": frozenset({"spec"}),
    "io.k8s.api.storage.v1.CSINodeSpec": frozenset({"drivers"}),
    "io.k8s.api.storage.v1.TokenRequest": frozenset({"audience"}),
    f"{_APIEXTENSIONS}.CustomResourceDefinitionVersion": frozenset({"served", "storage"}),
}
"""Fields that the definitions require and the server does not miss: it has a default, or takes the empty value."""

_KEY_DEFAULTS = {"protocol": "TCP"}
_CREATED_BY_SERVER = ("Status", "Condition")


class CoreSchemas:
    """Schemas of the core kinds of one Kubernetes minor version, converted as they are asked for."""

    def __init__(self, kubernetes: str):
        self._minor = Kubernetes(kubernetes).minor
        self._definitions = definitions(kubernetes)
        self._converted: dict[str, Schema] = {}
        self._needed: dict[str, tuple[str, ...]] = {}

    @cached_property
    def _names(self) -> Mapping[tuple[str, str], str]:
        names: dict[tuple[str, str], str] = {}
        for name, schema in self._definitions.items():
            for gvk in (
                schema.get("x-kubernetes-group-version-kind", ()) if "metadata" in schema.get("properties", {}) else ()
            ):
                api_version = f"{gvk['group']}/{gvk['version']}" if gvk["group"] else gvk["version"]
                names[api_version, gvk["kind"]] = name
        return names

    def schema(self, api_version: str, kind: str) -> Schema | None:
        """The whole schema of a kind, or None where this version of Kubernetes has no such kind."""
        name = self._names.get((api_version, kind))
        return {"$ref": f"#/$defs/{name}", "$defs": self.with_needed(name)} if name else None

    def with_needed(self, name: str) -> dict[str, Schema]:
        """A definition and all that it refers to, by name."""
        found: dict[str, Schema] = {}
        todo = [name]
        while todo:
            current = todo.pop()
            if current not in found:
                found[current] = self._definition(current)
                todo += self._needed[current]
        return found

    def _definition(self, name: str) -> Schema:
        if name not in self._converted:
            schema = dict(_REPLACED.get(name, {})) or _converted(self._definitions[name])
            if name == _PROPS:
                # The server takes one CEL rule twice, whatever the list's keys say.
                schema["properties"]["x-kubernetes-validations"].pop(MAP_KEYS, None)
            optional = _SERVER_FILLS.get(name, frozenset())
            if name.endswith(_CREATED_BY_SERVER):
                schema.pop("required", None)
            elif optional and "required" in schema:
                schema["required"] = [field for field in schema["required"] if field not in optional]
            self._converted[name] = schema = typed(name, schema, minor=self._minor)
            self._needed[name] = tuple(dict.fromkeys(_references(schema)))
        return self._converted[name]


def _converted(node: Schema) -> Schema:
    schema: Schema = {key: node[key] for key in ("$ref", "type", "required", "enum") if key in node}
    if "properties" in node:
        schema["properties"] = {name: _converted(child) for name, child in node["properties"].items()}
        schema["additionalProperties"] = False
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            schema[key] = _converted(node[key])
    if "format" in node:
        _formatted(schema, node["format"])
    if node.get("x-kubernetes-list-type") == "set":
        schema["uniqueItems"] = True
    if node.get("x-kubernetes-list-type") == "map":
        named = node["items"].get("$ref", "").endswith(".LocalObjectReference")
        defaults = {**_KEY_DEFAULTS, **({"name": ""} if named else {})}
        schema[MAP_KEYS] = {key: defaults.get(key) for key in node["x-kubernetes-list-map-keys"]}
    return schema


def _formatted(schema: Schema, name: str) -> None:
    if name == "date-time":
        schema["format"] = "server:datetime"
    elif name == "byte":
        schema["format"] = f"server:{CORE_BYTES}"
    else:
        bound(schema, name)


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref" and isinstance(value, str):
                yield value.rpartition("/")[2]
            else:
                yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)
