"""An explained API as text for a terminal, laid out as `kubectl explain` does."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from platform_def.explain.api import ApiField, Explained

_WIDTH = 100
_WORDS = {
    "x-kubernetes-list-type": "list type",
    "x-kubernetes-list-map-keys": "list keys",
    "x-kubernetes-map-type": "map type",
    "x-kubernetes-preserve-unknown-fields": "unknown fields kept",
    "x-kubernetes-embedded-resource": "whole object",
}


def text(explained: Explained, *, recursive: bool = False) -> str:
    """The lines; with `recursive` names, types and constraints of all fields, without descriptions."""
    return "\n".join(_lines(explained, recursive=recursive)).rstrip()


def _lines(explained: Explained, *, recursive: bool) -> Iterator[str]:
    served, field = explained.found.served, explained.field
    releases = explained.other_releases if served.api else []
    facts = {
        "GROUP": served.group,
        "KIND": served.kind,
        "VERSION": served.version + _also(explained.other_versions),
        "RELEASE": served.source + _also(releases),
        "DEPRECATED": explained.deprecated,
        "NAMESAKES": ", ".join(explained.found.namesakes),
    }
    yield from (f"{name + ':':<12}{value}" for name, value in facts.items() if value)
    yield ""
    if explained.path:
        yield from (f"FIELD: {_head(field)}", "")
    if field.description:
        yield from ("DESCRIPTION:", *_wrapped(field.description, "    "), "")
    if field.constraints:
        yield from ("CONSTRAINTS:", *_constraints(field.constraints, "    "), "")
    if field.fields:
        yield "FIELDS:"
        for inner in field.fields:
            yield from _tree(inner, "  ") if recursive else _one(inner, "  ")


def _also(others: Sequence[str]) -> str:
    return f" (also {', '.join(others)})" if others else ""


def _head(field: ApiField) -> str:
    return f"{field.name} <{field.type}>{' -required-' if field.required else ''}"


def _one(field: ApiField, indent: str) -> Iterator[str]:
    yield indent + _head(field)
    yield from _constraints(field.constraints, f"{indent}  ")
    yield from _wrapped(field.description, f"{indent}  ")
    yield ""


def _tree(field: ApiField, indent: str) -> Iterator[str]:
    yield indent + _head(field)
    yield from _constraints(field.constraints, f"{indent}    ")
    for inner in field.fields:
        yield from _tree(inner, f"{indent}  ")


def _wrapped(description: str, indent: str) -> list[str]:
    wrapper = textwrap.TextWrapper(
        _WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [wrapped for line in description.splitlines() for wrapped in wrapper.wrap(line.strip())]


def _constraints(constraints: Mapping[str, object], indent: str, of: str = "") -> Iterator[str]:
    for key, value in constraints.items():
        if key == "x-kubernetes-validations" and isinstance(value, list):
            yield from (f"{indent}{of}rule: {_rule(rule)}" for rule in value)
        elif key in ("items", "values") and isinstance(value, Mapping):
            yield from _constraints(value, indent, f"{of}{key} ")
        elif value is True and key != "default":
            yield f"{indent}{of}{_WORDS.get(key, key)}"
        else:
            yield f"{indent}{of}{_WORDS.get(key, key)}: {_value(key, value)}"


def _value(key: str, value: object) -> str:
    if isinstance(value, list) and key in ("enum", "x-kubernetes-list-map-keys"):
        return ", ".join(item if isinstance(item, str) and item else json.dumps(item) for item in value)
    if isinstance(value, str) and (value and key != "default"):
        return value
    return json.dumps(value, ensure_ascii=False)


def _rule(rule: Mapping[str, str]) -> str:
    said = rule.get("message") or rule.get("messageExpression", "")
    return " ".join(rule["rule"].split()) + (f"  ({' '.join(said.split())})" if said else "")
