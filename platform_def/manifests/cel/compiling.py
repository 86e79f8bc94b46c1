"""Whether expressions compile: syntax, names, fields and types, in words for their author."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from platform_def.crds.schema import Schema
from platform_def.manifests.cel.environment import checker
from platform_def.manifests.cel.rules import RULES, CelRule, optional_old
from platform_def.manifests.cel.syntax import literal_problem
from platform_def.manifests.cel.types import Types, variable, word_of
from platform_def.manifests.loose import items, mapping
from platform_def.manifests.paths import Path

if TYPE_CHECKING:
    from cel_expr_python.cel import Env

_ERROR = re.compile(r"ERROR: <input>:(\d+):(\d+): (.*)")
_FIELD = re.compile(r"undefined field '(.*)' not found in struct '.*'")
_UNKNOWN = re.compile(r"undeclared reference to '(.*)' \(in container ''\)")
_OPERANDS = re.compile(r"found no matching overload for '(\S+)' applied to '\((.*)\)'")
_TYPE = re.compile(r"object\.T\w+")
_KINDS = {"bool": "true or false", "string": "a string", "int": "a number", "null": "null", "dyn": "any value"}
_LITERALS = re.compile(r"[\[{]|duration|timestamp|matches|find")
"""What an expression with a literal that needs a second look has in it."""
_MOST, _LONGEST = 3, 200


class ExpressionProblem(NamedTuple):
    """Why an expression is refused."""

    path: Path
    """The keyword at fault, from the schema's root."""
    text: str


def compiled(env: Env, source: str, *, first_line: int = 1) -> tuple[str, str]:
    """The type that an expression gives, and why it does not compile; one of them is empty."""
    try:
        expression = env.compile(source)
    except (RuntimeError, TypeError) as error:  # of the latter type where a text is no Unicode
        return "", _worded(str(error), first_line)
    if _LITERALS.search(source) and (problem := literal_problem(expression.serialize())):
        return "", problem
    return word_of(expression.return_type().name()), ""


def slip_of(env: Env, source: str) -> str:
    """What is wrong with the syntax of an expression, whatever it means; empty where all is well."""
    try:
        env.compile(source, disable_check=True)
    except (RuntimeError, TypeError) as error:
        return _worded(str(error), 1)
    return ""


def problem_of(env: Env, source: str, *wanted: str, first_line: int = 1) -> str:
    """Why an expression does not compile, or gives something else than `wanted` (`bool`); empty where all is well."""
    found, problem = compiled(env, source, first_line=first_line)
    if problem or found in wanted:
        return problem
    return f"must give {' or '.join(_KINDS.get(each, each) for each in wanted)}, and gives {_KINDS.get(found, found)}"


def problems_of(schema: Mapping[str, Any], minor: int) -> Iterator[ExpressionProblem]:
    """The rules of a CRD's version that Kubernetes 1.`minor` does not compile; the schema itself is sound."""
    levels = [(level, level.digest(minor)) for level in _levels(dict(schema), dict(schema), (), correlatable=True)]
    _judge({digest: level for level, digest in levels if digest not in _JUDGED}, minor)
    for level, digest in levels:
        for problem in _JUDGED[digest]:
            yield ExpressionProblem((*level.path, *problem.path), problem.text)


_JUDGED: dict[str, tuple[ExpressionProblem, ...]] = {}
"""By a level's digest: versions of a CRD, and all that hold pods, have most of their rules in common."""


def _judge(levels: Mapping[str, _Level], minor: int) -> None:
    if not levels:
        return
    types = Types()
    words = [types.word(level.node, resource=not level.path) for level in levels.values()]
    pool = types.pool()
    environments: dict[str, Env] = {}
    for (digest, level), word in zip(levels.items(), words, strict=True):
        if word is not None and word not in environments:
            kind = variable(word)
            environments[word] = checker(pool, {"self": kind, "oldSelf": kind}, minor)
        _JUDGED[digest] = () if word is None else tuple(_of_level(level, environments[word]))


class _Level(NamedTuple):
    rules: Schema
    node: Schema
    path: Path
    correlatable: bool
    """Whether an item here can be told apart in an earlier version."""

    def digest(self, minor: int) -> str:
        """A hash of all that its rules are judged by."""
        said = [self.rules, self.node, self.correlatable, not self.path, minor]
        try:
            return sha256(orjson.dumps(said)).hexdigest()
        except TypeError:  # texts that are no Unicode, and numbers of any size
            return repr(said)


def _levels(rules: Schema, node: Schema, path: Path, *, correlatable: bool) -> Iterator[_Level]:
    if rules.get(RULES):
        yield _Level(rules, node, path, correlatable)
    below = mapping(node.get("properties"))
    for name, child in mapping(rules.get("properties")).items():
        if isinstance(child, dict) and isinstance(below.get(name), dict):
            yield from _levels(child, below[name], (*path, "properties", name), correlatable=correlatable)
    keyed = node.get("x-kubernetes-list-type") == "map"
    for key, still in (("items", correlatable and keyed), ("additionalProperties", correlatable)):
        if isinstance(rules.get(key), dict) and isinstance(node.get(key), dict):
            yield from _levels(rules[key], node[key], (*path, key), correlatable=still)
    for index, branch in enumerate(items(rules.get("allOf"))):
        if isinstance(branch, dict):
            yield from _levels(branch, node, (*path, "allOf", index), correlatable=correlatable)


def _of_level(level: _Level, env: Env) -> Iterator[ExpressionProblem]:
    """Its problems, with paths from the level."""
    for index, entry in enumerate(items(level.rules.get(RULES))):
        rule, where = CelRule.of(mapping(entry)), (RULES, index)
        if not rule.source.strip():
            continue
        if problem := _problem(env, rule, rule.source, "bool"):
            yield ExpressionProblem((*where, "rule"), problem)
            continue
        if rule.message_expression and (problem := _problem(env, rule, rule.message_expression, "string")):
            yield ExpressionProblem((*where, "messageExpression"), problem)
        uses_old = rule.uses_old
        if uses_old and not level.correlatable:
            yield ExpressionProblem(
                (*where, "rule"), "asks for oldSelf inside a list whose items are not told apart by keys"
            )
        if not uses_old and "optionalOldSelf" in mapping(entry):
            yield ExpressionProblem((*where, "optionalOldSelf"), "goes with a rule that asks for oldSelf")


def _problem(env: Env, rule: CelRule, source: str, wanted: str) -> str:
    if rule.optional_old:
        return problem_of(env, optional_old(source, "optional.of(oldSelf)"), wanted, first_line=2)
    return problem_of(env, source, wanted)


def _worded(error: str, first_line: int) -> str:
    found = [(int(line) - first_line + 1, column, said) for line, column, said in _ERROR.findall(error)]
    if not found:
        return f"does not compile: {_cut(error.partition(chr(10))[0])}"
    places = [
        f"{_cut(_said(text.removesuffix(' [INVALID_ARGUMENT]')))} (line {line}, column {column})"
        for line, column, text in found
    ]
    return f"does not compile: {'; '.join(places[:_MOST])}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _said(text: str) -> str:
    if field := _FIELD.fullmatch(text):
        return f"there is no field '{field[1]}'"
    if name := _UNKNOWN.fullmatch(text):
        return f"'{name[1].partition('.')[0]}' is not known"
    if operands := _OPERANDS.fullmatch(text):
        operator = operands[1].replace("_", "").removeprefix("@") or operands[1]
        return f"'{operator}' does not take {_named(operands[2])}"
    return _named(text)


def _named(text: str) -> str:
    return _TYPE.sub("object", text)
