"""Whether a CRD has the form that an API server can read, told before anything is made of it.

What is wrong is named by its path. Names are checked too: they become names in Python, and must never become code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from platform_def.crds.schema import Manifest
from platform_def.errors import nearest

Wrong = tuple[str, str, str]
"""Path, what is wrong there, and a hint."""
Check = Callable[[object, str], Iterator[Wrong]]

API_GROUP = "apiextensions.k8s.io"
VERSIONS = ("v1", "v1beta1")
_LABEL = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", re.IGNORECASE)
_GROUP = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_WORDS: dict[type | tuple[type, ...], str] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    (int, float): "a number",
    list: "a list",
    dict: "an object",
}


def wrong_in(doc: Manifest) -> Iterator[Wrong]:
    """Everything that keeps a document of kind CustomResourceDefinition from being one."""
    version = str(doc.get("apiVersion", "")).rpartition("/")[2]
    if version not in VERSIONS:
        yield "apiVersion", f"{doc.get('apiVersion')!r} is not known", f"{API_GROUP}/v1 and {API_GROUP}/v1beta1 are"
        return
    found = [*_head(doc)]
    yield from found
    if not found:
        yield from _versions(doc["spec"], old=version == "v1beta1")
        yield from _conversion(doc["spec"].get("conversion"))


def _head(doc: Manifest) -> Iterator[Wrong]:
    """Metadata, names and scope: where these are wrong, nothing else is looked at."""
    metadata, spec = doc.get("metadata"), {} if doc.get("spec") is None else doc["spec"]
    for path, value in (("metadata", metadata), ("spec", spec)):
        yield from _needed(value, path, dict)
    if not isinstance(metadata, dict) or not isinstance(spec, dict):
        return
    for key in ("annotations", "labels"):
        yield from _each(metadata.get(key), f"metadata.{key}", _is(str), dict)
    if not spec.keys() & {"group", "names", "version"}:
        yield "spec", "says neither group nor names", "a patch for kustomize? import the CRD that it patches"
        return
    yield from _named(spec.get("group"), "spec.group", _GROUP)
    yield from _names(spec.get("names"), "spec.names")
    if spec.get("scope") not in (None, "", "Namespaced", "Cluster"):
        yield "spec.scope", f"{_short(spec['scope'])} is no scope", "Namespaced or Cluster"
    plural = spec["names"].get("plural") if isinstance(spec.get("names"), dict) else None
    if plural and spec.get("group") and metadata.get("name") not in (None, f"{plural}.{spec['group']}"):
        yield "metadata.name", f"{_short(metadata['name'])} is not <plural>.<group>", ""


def _names(names: object, path: str) -> Iterator[Wrong]:
    yield from _needed(names, path, dict)
    if isinstance(names, dict):
        for key in ("kind", "plural"):
            yield from _label(names.get(key), f"{path}.{key}")
        for key in ("singular", "listKind"):
            yield from _label(names.get(key) or "x", f"{path}.{key}")
        for key in ("shortNames", "categories"):
            yield from _each(names.get(key), f"{path}.{key}", _label, list)


def _versions(spec: Manifest, *, old: bool) -> Iterator[Wrong]:
    versions = spec.get("versions")
    if old:
        yield from _schema_of(spec.get("validation"), "spec.validation")
        yield from _facets(spec, "spec")
        if not versions:
            yield from _label(spec.get("version"), "spec.version")
            return
    yield from _needed(versions, "spec.versions", list)
    yield from _each(versions, "spec.versions", _version, list)
    if not isinstance(versions, list) or not all(isinstance(version, dict) for version in versions):
        return
    if not versions:
        yield "spec.versions", "there must be one at least", ""
    names = [version.get("name") for version in versions]
    yield from (
        (f"spec.versions[{at}].name", f"{name!r} is there twice", "")
        for at, name in enumerate(names)
        if name in names[:at]
    )
    stored = [str(version.get("name")) for version in versions if version.get("storage")]
    if versions and len(stored) != 1:
        yield "spec.versions", f"one of them has storage: true, not {' and '.join(stored) or 'none'}", ""


def _version(version: object, path: str) -> Iterator[Wrong]:
    yield from _needed(version, path, dict)
    if isinstance(version, dict):
        yield from _label(version.get("name"), f"{path}.name")
        for key in ("served", "storage", "deprecated"):
            yield from _is(bool)(version.get(key), f"{path}.{key}")
        yield from _is(str)(version.get("deprecationWarning"), f"{path}.deprecationWarning")
        yield from _schema_of(version.get("schema"), f"{path}.schema")
        yield from _facets(version, path)


def _facets(holder: Manifest, path: str) -> Iterator[Wrong]:
    """Printer columns, subresources and selectable fields."""
    yield from _each(holder.get("additionalPrinterColumns"), f"{path}.additionalPrinterColumns", _column, list)
    yield from _each(holder.get("selectableFields"), f"{path}.selectableFields", _texts("jsonPath"), list)
    sub, here = holder.get("subresources"), f"{path}.subresources"
    yield from _is(dict)(sub, here)
    if isinstance(sub, dict):
        yield from _is(dict)(sub.get("status"), f"{here}.status")
        if sub.get("scale") is not None:
            yield from _texts("specReplicasPath", "statusReplicasPath")(sub["scale"], f"{here}.scale")


def _column(column: object, path: str) -> Iterator[Wrong]:
    place = "JSONPath" if isinstance(column, dict) and "JSONPath" in column else "jsonPath"
    yield from _texts("name", "type", place)(column, path)
    if isinstance(column, dict):
        yield from _is(int)(column.get("priority"), f"{path}.priority")
        for key in ("format", "description"):
            yield from _is(str)(column.get(key), f"{path}.{key}")


def _conversion(conversion: object) -> Iterator[Wrong]:
    here = "spec.conversion"
    yield from _is(dict)(conversion, here)
    if not isinstance(conversion, dict) or conversion.get("strategy") in (None, "", "None"):
        return
    if conversion["strategy"] != "Webhook":
        yield f"{here}.strategy", f"{conversion['strategy']!r} is no strategy", "None or Webhook"
        return
    webhook = conversion.get("webhook") or {"clientConfig": conversion.get("webhookClientConfig")}
    yield from _needed(webhook, f"{here}.webhook", dict)
    client = webhook.get("clientConfig") if isinstance(webhook, dict) else {}
    yield from _needed(client, f"{here}.webhook.clientConfig", dict)
    if isinstance(client, dict) and client.get("service") is not None:
        yield from _texts("name", "namespace")(client["service"], f"{here}.webhook.clientConfig.service")


def _schema_of(validation: object, path: str) -> Iterator[Wrong]:
    yield from _is(dict)(validation, path)
    if isinstance(validation, dict):
        yield from schema_wrong(validation.get("openAPIV3Schema"), f"{path}.openAPIV3Schema")


def schema_wrong(schema: object, path: str) -> Iterator[Wrong]:
    """What of a schema no API server can read; keywords that are not known pass."""
    yield from _is(dict)(schema, path)
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in _KEYWORDS:
                yield from _KEYWORDS[key](value, f"{path}.{key}")


def _type(value: object, path: str) -> Iterator[Wrong]:
    if value not in ("", None) and value not in _TYPES:
        hint = nearest(value, _TYPES) if isinstance(value, str) else "one of " + ", ".join(_TYPES)
        yield path, f"{value!r} is no type", hint


def _additional(value: object, path: str) -> Iterator[Wrong]:
    return iter(()) if isinstance(value, bool) else schema_wrong(value, path)


def _reference(value: object, path: str) -> Iterator[Wrong]:
    if value:
        yield path, "a CRD has no references", "write out what it points at"


def _rule(value: object, path: str) -> Iterator[Wrong]:
    yield from _texts("rule")(value, path)
    if isinstance(value, dict):
        for key in ("message", "messageExpression", "reason", "fieldPath"):
            yield from _is(str)(value.get(key), f"{path}.{key}")


def _is(kind: type | tuple[type, ...]) -> Check:
    """Of a Python type, or left out (null, as an API server reads it)."""

    def check(value: object, path: str) -> Iterator[Wrong]:
        fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        if value is not None and not fits:
            yield path, f"is {_short(value)}, not {_WORDS[kind]}", ""

    return check


def _needed(value: object, path: str, kind: type) -> Iterator[Wrong]:
    if value is None:
        yield path, "is missing", ""
    else:
        yield from _is(kind)(value, path)


def _named(value: object, path: str, form: re.Pattern[str]) -> Iterator[Wrong]:
    wrong = [*_needed(value, path, str)]
    yield from wrong
    if not wrong and not form.fullmatch(str(value)):
        yield path, f"{_short(value)} is no name that Kubernetes takes", ""


def _label(value: object, path: str) -> Iterator[Wrong]:
    return _named(value, path, _LABEL)


def _texts(*keys: str) -> Check:
    """An object in which these are texts."""

    def check(value: object, path: str) -> Iterator[Wrong]:
        yield from _needed(value, path, dict)
        for key in keys if isinstance(value, dict) else ():
            yield from _needed(value.get(key), f"{path}.{key}", str)  # type: ignore[attr-defined]

    return check


def _each(value: object, path: str, check: Check, kind: type) -> Iterator[Wrong]:
    """A list or an object whose members pass `check`."""
    yield from _is(kind)(value, path)
    inner: Iterable[tuple[str, object]] = ()
    if isinstance(value, list):
        inner = ((f"{path}[{at}]", item) for at, item in enumerate(value))
    elif isinstance(value, dict):
        inner = ((f"{path}.{key}", item) for key, item in value.items())
    for place, item in inner if isinstance(value, kind) else ():
        yield from check(item, place)


def _many(check: Check, kind: type = list) -> Check:
    return lambda value, path: _each(value, path, check, kind)


def _short(value: object) -> str:
    said = repr(value)
    return said if len(said) <= 60 else f"{said[:57]}..."


_NUMBER = _is((int, float))
_KEYWORDS: dict[str, Check] = {
    "type": _type,
    "$ref": _reference,
    "additionalProperties": _additional,
    "x-kubernetes-validations": _many(_rule),
    "properties": _many(schema_wrong, dict),
    "enum": _is(list),
    **dict.fromkeys(
        ("description", "title", "format", "pattern", "x-kubernetes-list-type", "x-kubernetes-map-type"), _is(str)
    ),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _is(int)),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "nullable"), _is(bool)),
    **dict.fromkeys(("required", "x-kubernetes-list-map-keys"), _many(_is(str))),
    **dict.fromkeys(("items", "not"), schema_wrong),
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), _many(schema_wrong)),
    **dict.fromkeys(
        ("x-kubernetes-int-or-string", "x-kubernetes-embedded-resource", "x-kubernetes-preserve-unknown-fields"),
        _is(bool),
    ),
}
