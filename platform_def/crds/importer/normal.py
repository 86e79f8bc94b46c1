"""CRDs in one form: v1beta1 lifted to v1, and schemas without what the API server fills in or takes away.

Two schemas that are equal here mean the same to an API server.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import orjson

from platform_def.crds.importer.form import API_GROUP, wrong_in
from platform_def.crds.schema import Manifest, Schema
from platform_def.errors import ConfigError, Problem, Source

KIND = "CustomResourceDefinition"
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
_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_TEXTS = ("$ref", "description", "format", "pattern", "title", "type")
_EMPTY_LISTS = ("enum", "x-kubernetes-list-map-keys", "x-kubernetes-validations")
_ROOT_FIELDS: Schema = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}


def crds_in(docs: list[Manifest], files: Sequence[str] = ()) -> list[Manifest]:
    """The CRDs among `docs` (members of a List too), as v1; one that is there several times counts once.

    `files` says where each document is from. Raises ConfigError for CRDs that no API server could read, and for
    different ones of one name.
    """
    found: dict[str, tuple[Manifest, str]] = {}
    problems: list[Problem] = []
    for doc, file in _unlisted(docs, files or [""] * len(docs)):
        where = Source(file) if file else None
        if wrong := [*wrong_in(doc)]:
            name = (doc["metadata"] or {}).get("name") if isinstance(doc.get("metadata"), dict) else None
            said = f"CustomResourceDefinition {name or 'without a name'}"
            problems += [Problem(f"{said}: {path}: {text}", where, hint) for path, text, hint in wrong]
            continue
        crd = _as_v1(doc)
        known, other = found.setdefault(crd["metadata"]["name"], (crd, file))
        if known is not crd and _outline(known) != _outline(crd):
            twice = f"{crd['metadata']['name']} is there twice, and not the same"
            problems.append(Problem(twice, where, f"import one of them; the other is in {other or 'the same input'}"))
    if problems:
        raise ConfigError(problems)
    return [crd for crd, _ in found.values()]


def _unlisted(docs: Iterable[object], files: Iterable[str]) -> Iterator[tuple[Manifest, str]]:
    """The documents that claim to be CRDs, each with its file."""
    for doc, file in zip(docs, files, strict=True):
        if not isinstance(doc, dict):
            continue
        if str(doc.get("kind", "")).endswith("List") and isinstance(doc.get("items"), list):
            yield from _unlisted(doc["items"], repeat(file, len(doc["items"])))
        elif doc.get("kind") == KIND and str(doc.get("apiVersion", API_GROUP)).partition("/")[0] == API_GROUP:
            yield doc, file


def _outline(crd: Manifest) -> Manifest:
    """What two CRDs of one name must share: all but descriptions, labels and annotations."""
    versions = []
    for version in crd["spec"]["versions"]:
        columns = [{**column, "description": ""} for column in version.get("additionalPrinterColumns", ())]
        schema = undescribed(version["schema"]["openAPIV3Schema"])
        versions.append({**version, "additionalPrinterColumns": columns, "schema": schema})
    return {**crd["spec"], "versions": versions}


def _as_v1(doc: Manifest) -> Manifest:
    spec = {**doc["spec"]}
    if doc["apiVersion"].endswith("/v1beta1") and spec.get("preserveUnknownFields") is None:
        spec["preserveUnknownFields"] = True  # the default of its day
    given = {key: value for key, value in spec["names"].items() if value not in _EMPTY}
    names = {"singular": given["kind"].lower(), "listKind": f"{given['kind']}List", **given}
    out: Manifest = {
        "group": spec["group"],
        "names": names,
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
    schema = {**(schema or {"type": "object", _PRESERVE: True})}
    schema["type"] = schema.get("type") or "object"
    schema["properties"] = {**_ROOT_FIELDS, **(schema.get("properties") or {})}
    schema = cleaned(schema)
    columns = version.get("additionalPrinterColumns") or spec.get("additionalPrinterColumns") or []
    optional = {
        "additionalPrinterColumns": [_column(column) for column in columns],
        "subresources": _subresources(version.get("subresources") or spec.get("subresources") or {}),
        "selectableFields": version.get("selectableFields"),
        "deprecated": version.get("deprecated"),
        "deprecationWarning": version.get("deprecationWarning"),
    }
    return {
        "name": version["name"],
        "served": version.get("served") is not False,
        "storage": bool(version.get("storage")),
        "schema": {"openAPIV3Schema": _unpruned(schema) if spec.get("preserveUnknownFields") else schema},
        **{key: value for key, value in optional.items() if value not in _EMPTY},
    }


def _subresources(given: Manifest) -> Manifest:
    return {name: value for name, value in given.items() if value is not None}


def _unpruned(schema: Schema, *, top: bool = True) -> Schema:
    """The schema where nothing is dropped at any depth, as before CRDs had to be structural."""
    out: Schema = {**schema}
    if "properties" in schema:
        fields: dict[str, Schema] = schema["properties"]
        out["properties"] = {
            name: inner if top and name in _ROOT_FIELDS else _unpruned(inner, top=False)
            for name, inner in fields.items()
        }
        out.setdefault("type", "object")
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), dict):
            out[part] = _unpruned(schema[part], top=False)
    if out.get("type") == "object" and "additionalProperties" not in out:
        out[_PRESERVE] = True
    return out


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
        if value is None and key not in ("default", "example"):
            continue
        if key == "properties":
            if value:
                out[key] = {name: cleaned(inner or {}) for name, inner in value.items()}
        elif key in _SUBSCHEMAS and isinstance(value, dict):
            out[key] = cleaned(value)
        elif key in _LISTS and isinstance(value, list):
            if value:
                out[key] = [cleaned(inner or {}) for inner in value]
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

    Each schema that was asked for is held until it is let go.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, str]] = {}
        self._lasting = 0

    def settle(self) -> None:
        """Keep what is known by now."""
        self._lasting = len(self._known)

    def let_go(self) -> None:
        """Forget what was asked for since, and with it these schemas."""
        while len(self._known) > self._lasting:
            self._known.popitem()

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
