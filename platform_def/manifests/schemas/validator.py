"""One kind's schema, compiled when first used; mismatches come as a path, what is wrong, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from platform_def.crds.schema import Schema
from platform_def.manifests.rendered import Manifest
from platform_def.manifests.schemas.bounds import MAP_KEYS
from platform_def.manifests.schemas.formats import checked_formats
from platform_def.manifests.schemas.mentions import RULES, mentions
from platform_def.manifests.schemas.messages import mismatches_of
from platform_def.manifests.schemas.server import RULE, rule_of

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

    from platform_def.manifests.cel.rules import Rules


class Mismatch(NamedTuple):
    """One way in which an object differs from its schema."""

    path: str
    text: str
    hint: str = ""


class ObjectSchema:
    """What an API server accepts of one kind; equal only to itself, so results may be kept under it."""

    def __init__(self, make: Callable[[], Schema], structural: Schema | None = None):
        self._make = make
        self._structural = structural

    @cached_property
    def _schema(self) -> Schema:
        return self._make()

    @cached_property
    def _validator(self) -> Draft202012Validator:
        with suppress(ValueError):
            return compiled(self._schema)
        with suppress(ValueError):  # a pattern of Go's that this engine cannot read is left to the server
            return compiled(_without_patterns(self._schema))
        return compiled({})  # no schema at all; what is wrong with its CRD is said there

    @cached_property
    def rules(self) -> Rules | None:
        """The CEL rules of a custom kind; None where it has none."""
        if not mentions(self._structural, RULES):
            return None
        from platform_def.manifests.cel.rules import Rules

        return Rules(self._structural or {})

    def is_valid(self, manifest: Manifest) -> bool:
        """Whether the server would find nothing but rules to complain of."""
        return self._validator.is_valid(manifest)

    def mismatches(self, manifest: Manifest) -> tuple[Mismatch, ...]:
        """Everything that the server would refuse; never shows a value of a Secret."""
        if self._validator.is_valid(manifest):
            return ()
        errors, secret = self._validator.iter_errors(manifest), manifest.get("kind") == "Secret"
        found = mismatches_of(errors, self._schema, secret=secret, fits=_fits)
        return tuple(sorted({Mismatch(*each) for each in found}))


def _fits(schema: Schema, value: object) -> bool:
    with suppress(ValueError):  # a part of a schema may lead to what only the whole has
        return compiled(schema).is_valid(value)
    return True


class _MapKeys:
    """Checks that no two items of a list have the same keys: server-side apply refuses such a list."""

    def __init__(self, parent_schema: dict[str, Any], value: Mapping[str, Any], schema_path: list[str | int]):  # noqa: ARG002
        self._keys = value

    def validate(self, instance: Any) -> None:
        for message in self.iter_errors(instance):
            raise message

    def iter_errors(self, instance: Any) -> Iterator[ValueError]:
        seen: dict[tuple[str, ...], int] = {}
        for index, item in enumerate(instance if isinstance(instance, list) else ()):
            if isinstance(item, dict):
                values = {key: item.get(key, default) for key, default in self._keys.items()}
                if all(value is None for value in values.values()):
                    yield ValueError(f"[{index}] has no {' and no '.join(self._keys)}, by which entries are told apart")
                first = seen.setdefault(tuple(map(repr, values.values())), index)
                if first != index:
                    same = ", ".join(f"{key} {value}" for key, value in values.items() if value is not None)
                    yield ValueError(f"[{first}] and [{index}] are the same entry ({same})")


class _Rule:
    """Checks what holds between the fields of a type: what the server's validation refuses."""

    def __init__(self, parent_schema: dict[str, Any], value: str, schema_path: list[str | int]):  # noqa: ARG002
        self._rule = rule_of(value)

    def validate(self, instance: Any) -> None:
        for message in self.iter_errors(instance):
            raise message

    def iter_errors(self, instance: Any) -> Iterator[ValueError]:
        if isinstance(instance, dict):
            for wrong in self._rule(instance):
                yield ValueError(orjson.dumps([*wrong]).decode())


def compiled(schema: Schema) -> Draft202012Validator:
    """A validator with the formats and keywords that the server has."""
    from jsonschema_rs import Draft202012Validator, RegexOptions

    return Draft202012Validator(
        schema,
        formats=checked_formats(),
        validate_formats=True,
        pattern_options=RegexOptions(),
        keywords={MAP_KEYS: _MapKeys, RULE: _Rule},
        offline=True,
    )


def _without_patterns(node: Any) -> Any:
    if isinstance(node, dict):
        return {
            key: _without_patterns(value)
            for key, value in node.items()
            if not (key == "pattern" and isinstance(value, str))
        }
    return [_without_patterns(value) for value in node] if isinstance(node, list) else node
