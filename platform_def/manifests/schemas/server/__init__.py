"""What the API server's own validation asks of Kubernetes' types beyond their OpenAPI schemas, type by type.

Limits are keywords of one field; rules see a whole value of a type. Both hold wherever the type stands, in a Pod as in
the template of a CronJob. Modelled on `pkg/apis/*/validation` of Kubernetes 1.36; `SINCE` has what changed later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from platform_def.crds.schema import Schema
from platform_def.manifests.schemas.server.words import NEEDED, Rule, Since

RULE = "server:rule"
"""Keyword: the type whose rule a value keeps."""
_MODULES = (
    "containers",
    "pods",
    "volumes",
    "selectors",
    "workloads",
    "networks",
    "access",
    "capacity",
    "admission",
    "devices",
)
_PREFIX = "io.k8s.api."


@cache
def _tables() -> tuple[Mapping[str, Mapping[str, Schema]], Mapping[str, Rule]]:
    limits: dict[str, Mapping[str, Schema]] = {}
    rules: dict[str, Rule] = {}
    for name in _MODULES:
        module = import_module(f"{__name__}.{name}")
        limits |= {_full(each): fields for each, fields in module.LIMITS.items()}
        rules |= {_full(each): rule for each, rule in module.RULES.items()}
    return limits, rules


def _full(name: str) -> str:
    return name if name.startswith("io.") else f"{_PREFIX}{name}"


def rule_of(name: str) -> Rule:
    """The rule of a type."""
    return _tables()[1][name]


@cache
def _since() -> Since:
    modules = (import_module(f"{__name__}.{name}") for name in _MODULES)
    return {_full(name): each for module in modules for name, each in getattr(module, "SINCE", {}).items()}


def typed(name: str, schema: Schema, *, minor: int) -> Schema:
    """The schema of a type with what the validation of Kubernetes 1.`minor` adds."""
    limits, rules = _tables()
    fields = dict(limits.get(name, {}))
    for since, later in sorted(_since().get(name, {}).items()):
        fields |= later if minor >= since else {}
    properties = schema.get("properties", {})
    known = {field: limit for field, limit in fields.items() if field in properties}
    if known:
        limited = {field: _limited(properties[field], limit) for field, limit in known.items()}
        required = dict.fromkeys([*schema.get("required", ()), *_needed(known)])
        schema = {**schema, "properties": {**properties, **limited}}
        schema |= {"required": [*required]} if required else {}
    return {**schema, RULE: name} if name in rules else schema


def _needed(limits: Mapping[str, Schema]) -> Iterator[str]:
    return (field for field, limit in limits.items() if limit.get(NEEDED))


def _limited(field: Schema, limit: Schema) -> Schema:
    merged = {**field, **{key: value for key, value in limit.items() if key != NEEDED}}
    for key in ("items", "additionalProperties"):
        if key in limit and isinstance(field.get(key), dict):
            merged[key] = _limited(field[key], limit[key])
    if limit.get(NEEDED) and isinstance(field.get("type"), list):
        merged["type"] = [each for each in field["type"] if each != "null"]
    if "minimum" in field and "minimum" in limit:
        merged["minimum"] = max(field["minimum"], limit["minimum"])
    if "maximum" in field and "maximum" in limit:
        merged["maximum"] = min(field["maximum"], limit["maximum"])
    return merged
