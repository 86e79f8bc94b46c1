"""Objects as expressions see them: defaults filled in, names of fields escaped, texts of moments and the like read.

A schema is turned into functions once, as far as objects reach. Where a part of it changes nothing there is none, and
values are passed as they are.
"""

from __future__ import annotations

import base64
import binascii
import copy
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from platform_def.crds.schema import Schema
from platform_def.manifests.cel.names import written
from platform_def.manifests.loose import mapping
from platform_def.manifests.schemas.mentions import DEFAULTS, mentions

Change = Callable[[Any], Any]

_UNITS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "ms": 1e-3,
    "s": 1,
    "sec": 1,
    "m": 60,
    "min": 60,
    "h": 3600,
    "hr": 3600,
    "hour": 3600,
    "d": 86400,
    "day": 86400,
    "w": 604800,
    "wk": 604800,
    "week": 604800,
}
_DURATION = re.compile(r"([0-9]*\.?[0-9]+)\s*([A-Za-zµμ]+)")


class Values:
    """What one schema makes of values; every level is looked at once."""

    def __init__(self) -> None:
        self._defaults: dict[int, Change | None] = {}
        self._readers: dict[int, Change | None] = {}

    def defaults(self, node: Schema) -> Change | None:
        """Fills in the defaults below a level, as the server does before it validates; the value itself stays."""
        if id(node) not in self._defaults:
            self._defaults[id(node)] = self._defaulting(node)
        return self._defaults[id(node)]

    def reader(self, node: Schema) -> Change | None:
        """Makes of a value of a level what its expressions see."""
        if id(node) not in self._readers:
            self._readers[id(node)] = self._reading(node)
        return self._readers[id(node)]

    def _defaulting(self, node: Schema) -> Change | None:
        if not mentions(node, DEFAULTS):
            return None
        properties, every, inner = mapping(node.get("properties")), node.get("additionalProperties"), node.get("items")
        own = {
            name: child["default"]
            for name, child in properties.items()
            if isinstance(child, dict) and "default" in child
        }
        strict = frozenset(name for name in own if not properties[name].get("nullable"))

        def change(value: Any) -> Any:
            if isinstance(value, list) and (deeper := self._below(inner)):
                return [deeper(each) for each in value]
            if not isinstance(value, dict):
                return value
            found = dict(value)
            for name, default in own.items():
                if name not in found or (found[name] is None and name in strict):
                    found[name] = copy.deepcopy(default)
            for name, each in found.items():
                if deeper := self._below(properties.get(name, every)):
                    found[name] = deeper(each)
            return found

        return change

    def _below(self, node: object) -> Change | None:
        return self.defaults(node) if isinstance(node, dict) else None

    def _reading(self, node: Schema) -> Change | None:
        kind = node.get("type")
        if node.get("x-kubernetes-int-or-string"):
            return None
        if kind == "array" and isinstance(node.get("items"), dict):
            return _listed(self.reader(node["items"]))
        if kind == "object" and isinstance(node.get("additionalProperties"), dict):
            return _mapped(self.reader(node["additionalProperties"]))
        if kind == "object" or "properties" in node:
            return self._object(mapping(node.get("properties")))
        if kind == "string":
            return _TEXTS.get(str(node.get("format")))
        return _number if kind == "number" else None

    def _object(self, properties: Mapping[str, Any]) -> Change | None:
        readers = _each(properties, self.reader)
        names = {name: others for name in properties if (others := written(name)) and others != (name,)}
        if not readers and not names:
            return None

        def change(value: Any) -> Any:
            if not isinstance(value, dict):
                return value
            found = {name: reader(each) if (reader := readers.get(name)) else each for name, each in value.items()}
            return {other: each for name, each in found.items() for other in names.get(name, (name,))}

        return change


def _each(properties: Mapping[str, Any], of: Callable[[Schema], Change | None]) -> dict[str, Change]:
    return {name: found for name, child in properties.items() if isinstance(child, dict) and (found := of(child))}


def _listed(inner: Change | None) -> Change | None:
    return (lambda value: [inner(each) for each in value] if isinstance(value, list) else value) if inner else None


def _mapped(inner: Change | None) -> Change | None:
    return (
        (lambda value: {key: inner(each) for key, each in value.items()} if isinstance(value, dict) else value)
        if inner
        else None
    )


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _moment(value: Any) -> Any:
    """RFC 3339 text, or a date alone, as a moment; nanoseconds are cut to microseconds."""
    from google.protobuf.timestamp_pb2 import Timestamp

    try:
        found = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", str(value).upper()))
    except ValueError:
        return value
    moment = Timestamp()
    moment.FromDatetime(found if found.tzinfo else found.replace(tzinfo=UTC))
    return moment


def _length(value: Any) -> Any:
    """A duration (`1h30m`, `3 days`) as a length of time."""
    from google.protobuf.duration_pb2 import Duration

    text = str(value)
    parts = _DURATION.findall(text)
    units = [_UNITS.get(unit) or _UNITS.get(unit.lower().rstrip("s")) for _, unit in parts]
    if not all(units):
        return value
    seconds = sum(float(number) * (unit or 0) for (number, _), unit in zip(parts, units, strict=True))
    length = Duration()
    length.FromNanoseconds(round(seconds * 1e9) * (-1 if text.startswith("-") else 1))
    return length


def _bytes(value: Any) -> Any:
    try:
        return base64.b64decode(str(value), validate=True)
    except (binascii.Error, ValueError):
        return value


_TEXTS: Mapping[str, Change] = {"date-time": _moment, "date": _moment, "duration": _length, "byte": _bytes}
