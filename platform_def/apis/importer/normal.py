"""CRDs in one form: v1beta1 lifted to v1, and schemas without what the API server fills in or takes away.

Two schemas that are equal here mean the same to an API server.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from platform_def.apis.schema import Manifest, Schema
from platform_def.errors import ConfigError, Problem

_SUBSCHEMAS = ("items", "additionalProperties", "not")
_LISTS = ("allOf", "anyOf", "oneOf")
_EMPTY: tuple[Any, ...] = ("", None, [], {}, False, 0)
_FALSE_BY_DEFAULT = (
    "exclusiveMinimum",
    "exclusiveMaximum",
    "nullable",
    "uniqueItems",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
)
_TEXTS = ("description", "format", "pattern", "title")
_EMPTY_LISTS = ("enum", "x-kubernetes-list-map-keys", "x-kubernetes-validations")
_ROOT_FIELDS: Schema = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}


def crds_in(docs: list[Manifest]) -> list[Manifest]:
    """The CRDs among `docs` (members of a List too), as v1; raises ConfigError for documents that are broken."""
    found, problems = [], []
    for doc in _unlisted(docs):
        if doc.get("kind") != "CustomResourceDefinition":
            continue
        name = str((doc.get("metadata") or {}).get("name", "without a name"))
        try:
            found.append(_as_v1(doc))
        except (KeyError, TypeError, AttributeError) as error:
            problems.append(Problem(f"CustomResourceDefinition {name} is incomplete: {error}"))
    if problems:
        raise ConfigError(problems)
    return found


def _unlisted(docs: list[Manifest]) -> Iterator[Manifest]:
    for doc in docs:
        if isinstance(doc, dict) and str(doc.get("kind", "")).endswith("List") and "items" in doc:
            yield from _unlisted(doc["items"] or [])
        elif isinstance(doc, dict):
            yield doc


def _as_v1(doc: Manifest) -> Manifest:
    spec = doc["spec"]
    names = {**spec["names"]}
    names.setdefault("singular", names["kind"].lower())
    names.setdefault("listKind", f"{names['kind']}List")
    out: Manifest = {
        "group": spec["group"],
        "names": {key: value for key, value in names.items() if value not in _EMPTY},
        "scope": spec.get("scope") or "Namespaced",
        "versions": [_version(version, spec) for version in _versions(spec)],
    }
    conversion = spec.get("conversion") or {}
    if conversion.get("strategy", "None") == "Webhook":
        out["conversion"] = {"strategy": "Webhook", "webhook": _webhook(conversion)}
    metadata = {"name": f"{names['plural']}.{spec['group']}", **_kept_metadata(doc.get("metadata") or {})}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": out,
    }


def _versions(spec: Manifest) -> list[Manifest]:
    return spec.get("versions") or [{"name": spec["version"], "served": True, "storage": True}]


def _version(version: Manifest, spec: Manifest) -> Manifest:
    old = (spec.get("validation") or {}).get("openAPIV3Schema")
    schema = (version.get("schema") or {}).get("openAPIV3Schema") or old
    schema = {**(schema or {"type": "object", "x-kubernetes-preserve-unknown-fields": True})}
    if spec.get("preserveUnknownFields"):
        schema["x-kubernetes-preserve-unknown-fields"] = True
    schema.setdefault("type", "object")
    schema["properties"] = {**_ROOT_FIELDS, **(schema.get("properties") or {})}
    columns = version.get("additionalPrinterColumns") or spec.get("additionalPrinterColumns") or []
    optional = {
        "additionalPrinterColumns": [_column(column) for column in columns],
        "subresources": version.get("subresources") or spec.get("subresources"),
        "selectableFields": version.get("selectableFields"),
        "deprecated": version.get("deprecated"),
        "deprecationWarning": version.get("deprecationWarning"),
    }
    return {
        "name": version["name"],
        "served": version.get("served", True),
        "storage": version.get("storage", False),
        "schema": {"openAPIV3Schema": cleaned(schema)},
        **{key: value for key, value in optional.items() if value not in _EMPTY},
    }


def _column(column: Manifest) -> Manifest:
    path = column.get("jsonPath", column.get("JSONPath"))
    rest = {key: column[key] for key in ("priority", "format", "description") if column.get(key) not in _EMPTY}
    return {"name": column["name"], "type": column["type"], "jsonPath": path, **rest}


def _webhook(conversion: Manifest) -> Manifest:
    webhook = conversion.get("webhook") or {}
    client = webhook.get("clientConfig") or conversion.get("webhookClientConfig") or {}
    service = {key: value for key, value in (client.get("service") or {}).items() if value not in _EMPTY}
    versions = webhook.get("conversionReviewVersions") or conversion.get("conversionReviewVersions") or ["v1"]
    parts = {"service": service, "caBundle": client.get("caBundle"), "url": client.get("url")}
    return {
        "clientConfig": {key: value for key, value in parts.items() if value not in _EMPTY},
        "conversionReviewVersions": versions,
    }


def _kept_metadata(metadata: Manifest) -> Manifest:
    """Labels and annotations, without what generators and kubectl leave behind."""
    passing = ("controller-gen.kubebuilder.io/", "kubectl.kubernetes.io/", "meta.helm.sh/")
    notes = {k: v for k, v in (metadata.get("annotations") or {}).items() if not k.startswith(passing)}
    labels = metadata.get("labels") or {}
    return ({"annotations": notes} if notes else {}) | ({"labels": {**labels}} if labels else {})


def cleaned(schema: Schema) -> Schema:
    """The schema without empty and false-by-default keywords, its `required` sorted; a copy."""
    out: Schema = {}
    for key, value in schema.items():
        if key == "properties":
            if value:
                out[key] = {name: cleaned(inner) for name, inner in value.items()}
        elif key in _SUBSCHEMAS and isinstance(value, dict):
            out[key] = cleaned(value)
        elif key in _LISTS and isinstance(value, list):
            if value:
                out[key] = [cleaned(inner) for inner in value]
        elif key == "required":
            if value:
                out[key] = sorted(set(value))
        elif not _as_if_absent(key, value):
            out[key] = value
    return out


def _as_if_absent(key: str, value: object) -> bool:
    if key in _FALSE_BY_DEFAULT:
        return value is False
    return value == "" if key in _TEXTS else value == [] and key in _EMPTY_LISTS


def undescribed(schema: Schema) -> Schema:
    """The schema without descriptions at any depth; a copy."""
    out: Schema = {}
    for key, value in schema.items():
        if key == "properties":
            out[key] = {name: undescribed(inner) for name, inner in value.items()}
        elif key in _SUBSCHEMAS and isinstance(value, dict):
            out[key] = undescribed(value)
        elif key in _LISTS and isinstance(value, list):
            out[key] = [undescribed(inner) for inner in value]
        elif key != "description":
            out[key] = value
    return out


class Digests:
    """Fingerprints of schemas that ignore descriptions and the order of keys; memorised by identity.

    The schemas must outlive this object.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, str]] = {}

    def of(self, schema: Schema) -> str:
        """The fingerprint of a cleaned schema."""
        known = self._known.get(id(schema))
        if known is None:
            known = (schema, _digest(self._outline(schema)))
            self._known[id(schema)] = known
        return known[1]

    def fields(self, schema: Schema) -> str:
        """The fingerprint of its properties and of which are required."""
        properties: Mapping[str, Schema] = schema["properties"]
        required = sorted({*schema.get("required", ())} & {*properties})
        return _digest([{name: self.of(inner) for name, inner in properties.items()}, required])

    def _outline(self, schema: Schema) -> Manifest:
        out: Manifest = {}
        for key, value in schema.items():
            if key == "properties":
                out[key] = {name: self.of(inner) for name, inner in value.items()}
            elif key in _SUBSCHEMAS and isinstance(value, dict):
                out[key] = self.of(value)
            elif key == "required":
                out[key] = sorted(value)
            elif key != "description":
                out[key] = value
        return out


def _digest(value: object) -> str:
    return hashlib.blake2b(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()
