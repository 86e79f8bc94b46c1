"""Constraints, references and health of API types as sentences of Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from platform_def.crds.health import AnyHealth, FinalizerHealth, StateHealth
from platform_def.crds.schema import Ref

_UNSAID = ("int32", "int64", "float", "double", "int-or-string", "byte")
"""Formats that the type says already, or that no author cares about."""
_SPANS = re.compile(r"(`+[^`]+`+)")
_SPECIAL = re.compile(r"[<*|\[\]`]|\{(?=\{)|(?<=\{)\{")
_LONGEST = 200
"""Values above this many characters are left to `platformctl explain api`."""


def prose(text: str) -> str:
    """Text for a cell of a table: what Markdown, HTML or a template engine would take for its own is escaped."""
    parts = _SPANS.split(" ".join(text.split()))
    return "".join(part.replace("|", "\\|") if index % 2 else _escaped(part) for index, part in enumerate(parts))


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def code(text: str) -> str:
    """Text as a code span in a table."""
    text = " ".join(text.split()).replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def constraint_sentences(constraints: Mapping[str, object]) -> list[str]:
    """What a value must be: `One of ...; default ...`, then its rules."""
    short = "; ".join(_short(constraints))
    return ([f"{short[:1].upper()}{short[1:]}."] if short else []) + rule_sentences(constraints)


def rule_sentences(constraints: Mapping[str, object], whose: str = "") -> list[str]:
    """The CEL rules of a value, of its items and its values, by the message of the refusal where there is one."""
    rules = constraints.get("x-kubernetes-validations")
    said = [_rule(rule) for rule in rules] if isinstance(rules, list) else []
    found = [f"{whose or 'Else refused'}: {'; '.join(said)}."] if said else []
    for key, part in (("items", "Each item, else refused"), ("values", "Each value, else refused")):
        inner = constraints.get(key)
        found += rule_sentences(inner, part) if isinstance(inner, Mapping) else []
    return found


def _rule(rule: Mapping[str, str]) -> str:
    message = rule.get("message", "").rstrip(".")
    return prose(message) if message else code(rule["rule"])


def _short(constraints: Mapping[str, object]) -> Iterator[str]:
    known = constraints.get
    if isinstance(choices := known("enum"), list):
        yield f"one of {', '.join(_value(choice) for choice in choices)}"
    if "default" in constraints:
        yield f"default {_value(known('default'))}"
    if known("nullable"):
        yield "may be null"
    yield from _bounds(constraints)
    if "pattern" in constraints and len(str(known("pattern"))) <= _LONGEST:
        yield f"matches {code(str(known('pattern')))}"
    if known("format") not in (None, *_UNSAID):
        yield f"format `{known('format')}`"
    yield from _kept(constraints)
    yield from _alternatives(constraints)
    for key, whose in (("items", "each item"), ("values", "each value")):
        inner = known(key)
        if isinstance(inner, Mapping) and (words := list(_short(inner))):
            yield f"{whose}: {', '.join(words)}"


def _bounds(constraints: Mapping[str, object]) -> Iterator[str]:
    for least, most, unit in (
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " character"),
        ("minItems", "maxItems", " item"),
        ("minProperties", "maxProperties", " key"),
    ):
        low, high = constraints.get(least), constraints.get(most)
        unit += "s" if unit and (low if high is None else high) != 1 else ""
        if low is not None and low == high:
            yield f"exactly {low}{unit}"
        elif low not in (None, 0) and high is not None:
            yield f"{low} to {high}{unit}"
        elif low is not None and not (low == 0 and unit):
            yield f"{'more than' if constraints.get('exclusiveMinimum') else 'at least'} {low}{unit}"
            yield from [f"at most {high}{unit}"] if high is not None else []
        elif high is not None:
            yield f"{'less than' if constraints.get('exclusiveMaximum') else 'at most'} {high}{unit}"
    if "multipleOf" in constraints:
        yield f"a multiple of {constraints['multipleOf']}"


def _kept(constraints: Mapping[str, object]) -> Iterator[str]:
    if constraints.get("x-kubernetes-embedded-resource"):
        yield "a whole object"
    if constraints.get("x-kubernetes-preserve-unknown-fields"):
        yield "any fields are kept"
    if isinstance(keys := constraints.get("x-kubernetes-list-map-keys"), list):
        yield f"no two with the same {' and '.join(f'`{key}`' for key in keys)}"
    if constraints.get("x-kubernetes-list-type") == "set":
        yield "no value twice"


def _alternatives(constraints: Mapping[str, object]) -> Iterator[str]:
    """`oneOf` and its like where they only ask for fields; what else they say is left to the schema."""
    for key, words in (("oneOf", "exactly one of"), ("anyOf", "at least one of")):
        branches = constraints.get(key)
        if isinstance(branches, list):
            fields = [branch["required"][0] for branch in branches if len(branch.get("required", ())) == 1]
            others = [branch for branch in branches if "required" not in branch]
            if len(fields) > 1 and len(fields) + len(others) == len(branches):
                count = words if not others else f"at most{words.removeprefix('exactly').removeprefix('at least')}"
                yield f"{count} {', '.join(f'`{field}`' for field in fields)}"


def _value(value: object) -> str:
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return code(text) if len(text) <= _LONGEST else "a longer value"


def reference_sentence(ref: Ref) -> str:
    """What a field names: `Names a Secret, with a key in `key`.`."""
    kind = f"{'an' if ref.kind[:1] in 'AEIO' else 'a'} {ref.kind}" + (f" of {ref.group}" if ref.group else "")
    if ref.kind_field:
        kind = f"an object of the kind in `{ref.kind_field}`" + (f", else {kind}" if ref.kind else "")
    if ref.host:
        kind += " by its address"
    more = [f"in the namespace of `{ref.namespace}`"] if ref.namespace else []
    more += [f"its key in `{ref.key}`"] if ref.key else []
    more += [f"its keys in `{ref.items}`"] if ref.items else []
    if isinstance(ref.optional, str):
        more.append(f"which may be missing if `{ref.optional}`")
    elif ref.optional:
        more.append("which may be missing")
    return f"Names {', '.join([kind, *more])}."


def health_sentences(health: AnyHealth | None) -> str:
    """When an object is ready, and when it has failed."""
    if health is None:
        return "as soon as it exists"
    if isinstance(health, FinalizerHealth):
        return f"the controller has added its finalizer `{health.name}`, after it carried the object out once"
    if isinstance(health, StateHealth):
        return _state_sentences(health)
    ready = f"{_all(health.ready)} true" if health.ready else "as soon as it exists"
    if health.generation:
        ready += ", said of the present generation"
    failed = [f"`{name}` is true" for name in health.failed] + [f"`{name}` is false" for name in health.false_is_failed]
    parts = [ready, f"failed when {' or '.join(failed)}"] if failed else [ready]
    if health.suspended:
        parts.append(f"suspended when {' or '.join(f'`{name}`' for name in health.suspended)} is true")
    return "; ".join(parts)


def _all(names: Sequence[str]) -> str:
    return f"{' and '.join(f'`{name}`' for name in names)} {'are' if len(names) > 1 else 'is'}"


def _state_sentences(health: StateHealth) -> str:
    chosen = (("", health.ready), ("failed at ", health.failed), ("suspended at ", health.suspended))
    said = [name + ", ".join(f"`{json.dumps(value)}`" for value in values) for name, values in chosen if values]
    return f"`{health.path}` is {'; '.join(said)}"
