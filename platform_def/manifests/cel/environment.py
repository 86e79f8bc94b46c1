"""Kubernetes' CEL environments (k8s.io/apiserver/pkg/cel/environment): one that checks types, and one that evaluates.

A server compiles new expressions with what the release before it knows already, so that it can be rolled back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from platform_def.manifests.cel.functions import FUNCTIONS, Function
from platform_def.manifests.cel.functions.function import OPAQUE, OPTIONAL, UnjudgedError

if TYPE_CHECKING:
    from cel_expr_python.cel import CelExtension, Env, EnvConfig, FunctionDecl, Overload, Type

NEWEST = 99
_UNJUDGED = "not judged here: "
_ADDED = "kubernetes"
_OPTIONAL_VALUE = "optional"
_SCALARS = ("bool", "int", "uint", "double", "string", "bytes", "duration", "timestamp", "dyn")
_NUMBERS = {"int64": "int", "uint64": "uint", "double": "double"}
_ORDERED = ("bool", "string", "bytes", "timestamp", "duration")
_COMPARISONS = {"_<_": "less", "_<=_": "less_equals", "_>_": "greater", "_>=_": "greater_equals"}
_EXTENSIONS = (("optional", 28), ("sets", 29), ("two-var-comprehensions", 32), ("lists", 34))
_FORMAT_SINCE = 29
"""Texts have `format` from here on: version 2 of their extension instead of 0, which has no `join` in this library."""
_JOINS = (
    Function("join", ("list(string)",), "string", "".join, 0),
    Function("join", ("list(string)", "string"), "string", lambda texts, between: between.join(texts), 0),
)


def checker(types: object, variables: Mapping[str, Type], minor: int, *, binds: bool = False) -> Env:
    """An environment whose `compile` refuses what Kubernetes 1.`minor` refuses of a new expression.

    `types` is a pool of descriptors that holds the types of `variables` and of the library; `binds`: with `cel.bind`,
    which expressions about devices have.
    """
    from cel_expr_python import cel

    return cel.NewEnv(
        types,
        config=_config(minor - 1, binds=binds),
        variables=dict(variables),
        extensions=[_declared(minor - 1)],
        functions=_comparisons(),
    )


@cache
def evaluator(variables: tuple[str, ...]) -> Env:
    """An environment that compiles what was checked elsewhere, and evaluates it on plain values."""
    from cel_expr_python import cel

    return cel.NewEnv(
        config=_config(NEWEST),
        variables=dict.fromkeys(variables, cel.Type.DYN),
        extensions=[cel.CelExtension(_ADDED, _bound())],
        functions=_comparisons(),
    )


def is_unjudged(error: str) -> bool:
    """Whether an evaluation ended with what only a cluster, or only Go's libraries, can tell."""
    # Google's library evaluates `orValue` and the like without asking for overloads, on optionals of its own alone.
    return _UNJUDGED in error or any(f"found : {name}" in error for name in ("orValue", "or", "optMap", "optFlatMap"))


@cache
def _config(minor: int, *, binds: bool = False) -> EnvConfig:
    from cel_expr_python import cel

    wanted = [name for name, since in _EXTENSIONS if since <= minor] + ["bindings"] * binds
    lines = ["stdlib:", "  exclude_functions:", *(f'  - name: "{name}"' for name in _COMPARISONS), "extensions:"]
    lines += ["- name: strings", f"  version: {2 if minor >= _FORMAT_SINCE else 0}"]
    lines += [f"- name: {name}" for name in wanted]
    return cel.NewEnvConfigFromYaml("\n".join(lines))


@cache
def _comparisons() -> list[FunctionDecl]:
    """Numbers of any kind are compared with each other; the library by itself asks for two of one kind."""
    from cel_expr_python import cel

    found = []
    for operator, name in _COMPARISONS.items():
        pairs = [(one, other) for one in _NUMBERS for other in _NUMBERS]
        overloads = [
            _overload(f"{name}_{one}" if one == other else f"{name}_{one}_{other}", (_NUMBERS[one], _NUMBERS[other]))
            for one, other in pairs
        ]
        overloads += [_overload(f"{name}_{kind}", (kind, kind)) for kind in _ORDERED]
        found.append(cel.FunctionDecl(operator, overloads))
    return found


def _overload(identity: str, parameters: tuple[str, ...]) -> Overload:
    from cel_expr_python import cel

    return cel.Overload(identity, return_type=cel.Type.BOOL, parameters=[type_of(each) for each in parameters])


@cache
def type_of(word: str) -> Type:
    """A type as the library has it, of its name in signatures."""
    from cel_expr_python import cel

    kind = cel.Type
    if word in _SCALARS:
        found: Type = getattr(kind, word.upper())
        return found
    if word.startswith(OPTIONAL):
        return kind.AbstractType("optional_type", [type_of(word.removeprefix(OPTIONAL))])
    if word.startswith("list("):
        return kind.List(type_of(word[len("list(") : -1]))
    if word.startswith("map("):
        key, _, value = word[len("map(") : -1].partition(",")
        return kind.Map(type_of(key), type_of(value))
    return kind(word) if word in OPAQUE else kind("~A")


@cache
def _declared(minor: int) -> CelExtension:
    """The library's functions with their types and without bodies."""
    from cel_expr_python import cel

    named: defaultdict[str, list[Overload]] = defaultdict(list)
    for function in (*FUNCTIONS, *(_JOINS if minor < _FORMAT_SINCE else ())):
        if function.since <= minor:
            overload = cel.Overload(
                _identity(function.name, function.parameters, method=function.method),
                return_type=type_of(function.returns),
                parameters=[type_of(each) for each in function.parameters],
                is_member=function.method,
            )
            named[function.name].append(overload)
    return cel.CelExtension(_ADDED, [cel.FunctionDecl(name, overloads) for name, overloads in named.items()])


def _bound() -> list[FunctionDecl]:
    """The library's functions with their bodies; those that plain values cannot tell apart share one."""
    from cel_expr_python import cel

    alike: defaultdict[tuple[str, bool, tuple[str, ...]], list[Function]] = defaultdict(list)
    for function in FUNCTIONS:
        alike[function.name, function.method, tuple(map(_plain, function.parameters))].append(function)
    named: defaultdict[str, list[Overload]] = defaultdict(list)
    kinds = {"map": cel.Type.MAP, "list": cel.Type.LIST}
    for (name, method, parameters), functions in alike.items():
        overload = cel.Overload(
            _identity(name, parameters, method=method),
            return_type=cel.Type.DYN,
            parameters=[kinds[each] if each in kinds else type_of(each) for each in parameters],
            is_member=method,
            impl=_chosen(functions),
        )
        named[name].append(overload)
    for name, returns, body in (("hasValue", cel.Type.BOOL, bool), ("value", cel.Type.DYN, _only)):
        named[name].append(
            cel.Overload(
                _identity(name, ("map",), method=True),
                return_type=returns,
                parameters=[cel.Type.MAP],
                is_member=True,
                impl=_of_optional(body),
            )
        )
    return [cel.FunctionDecl(name, overloads) for name, overloads in named.items()]


def _only(values: list[Any]) -> Any:
    if not values:
        raise ValueError("optional.none() dereference")
    return values[0]


def _of_optional(body: Callable[[list[Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    """Methods of an optional that a function of ours returned; those of the library know its own alone."""
    return lambda optional: body(optional[_OPTIONAL_VALUE])


def _identity(name: str, parameters: Iterable[str], *, method: bool) -> str:
    return f"{_ADDED} {name} {'method' if method else 'function'} {' '.join(parameters)}"


def _plain(word: str) -> str:
    """The kind of value by which an argument of a type is passed."""
    if word in OPAQUE:
        return "map"
    return "list" if word.startswith("list(") else "dyn" if word == "A" else word


def _chosen(functions: list[Function]) -> Callable[..., Any]:
    """Calls the first function whose parameters the arguments fit."""

    def call(*arguments: Any) -> Any:
        for function in functions:
            if all(map(_fits, function.parameters, arguments)):
                given = [_opened(word, value) for word, value in zip(function.parameters, arguments, strict=True)]
                try:
                    return _closed(function.returns, function.body(*given))
                except UnjudgedError as error:
                    raise ValueError(f"{_UNJUDGED}{error}") from error
        raise TypeError("no such overload")

    return call


def _fits(word: str, value: object) -> bool:
    return word not in OPAQUE or (isinstance(value, dict) and word in value)


def _opened(word: str, value: Any) -> Any:
    return value[word] if word in OPAQUE else value


def _closed(word: str, value: Any) -> Any:
    if word.startswith(OPTIONAL):
        return {_OPTIONAL_VALUE: [_closed(word.removeprefix(OPTIONAL), each) for each in value]}
    return {word: value} if word in OPAQUE else value
