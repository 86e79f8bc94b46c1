"""ValidatingAdmissionPolicies on objects: what a policy says when an object is created.

It is unknown here who creates it, and what the server's defaults and webhooks add before policies are evaluated: an
expression that needs to know is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from platform_def.manifests.cel.functions.function import AUTHORIZER
from platform_def.manifests.cel.programs import Evaluated, activation, program
from platform_def.manifests.loose import items, mapping, text

if TYPE_CHECKING:
    from cel_expr_python.cel import Activation

_NAMES = ("authorizer", "namespaceObject", "object", "oldObject", "params", "request", "variables")
_OF_THE_CALLER = re.compile(r"\brequest\s*\.\s*userInfo\b|\bauthorizer\b")
_VARIABLE = re.compile(r"\bvariables\s*\.\s*(\w+)")
_PARAMETER = re.compile(r"\bparams\b")
_ABSENT = "no such key"


class Verdict(NamedTuple):
    """What a policy says against an object."""

    text: str
    validation: int
    """The place in `validations`; -1 where the policy itself could not be asked."""
    judged: bool = True
    """False where the object leaves out what the policy reads, and the server may fill it in."""


class Creation(NamedTuple):
    """An object that is to be created."""

    manifest: Mapping[str, Any]
    group: str
    version: str
    resource: str
    namespace: Mapping[str, Any] | None
    """The Namespace that it belongs to; None for objects of the cluster."""


class Judge:
    """The `spec` of a policy about an object that is created, for as many parameters as there are."""

    def __init__(self, spec: Mapping[str, Any], creation: Creation):
        self._spec = spec
        self._known = _Known(spec, creation)

    def verdicts(self, params: Mapping[str, Any] | None) -> Iterator[Verdict]:
        """What the policy says against the object, as far as it can be evaluated; with None where it has no parameters.

        What does not ask for parameters is evaluated once for all of them.
        """
        self._known.take(params)
        yield from _verdicts(self._spec, self._known)


def _verdicts(spec: Mapping[str, Any], known: _Known) -> Iterator[Verdict]:
    fails = spec.get("failurePolicy") != "Ignore"
    conditions = [known.value(text(mapping(each).get("expression"))) for each in items(spec.get("matchConditions"))]
    if any(found.value is False or not found.judged for found in conditions):
        return
    wrong = next((found for found in conditions if found.error), None)
    if wrong:
        if fails:
            yield _unsure(wrong, -1)
        return
    for index, validation in enumerate(items(spec.get("validations"))):
        source = text(mapping(validation).get("expression"))
        found = known.value(source)
        if not found.judged or found.value is True:
            continue
        if found.error:
            if fails:
                yield _unsure(found, index)
            continue
        yield Verdict(_message(known, mapping(validation), source), index)


def _unsure(found: Evaluated, index: int) -> Verdict:
    if _ABSENT in found.error:
        return Verdict(f"{found.error}, which the policy reads", index, judged=False)
    return Verdict(f"{found.error}, where the policy is evaluated", index)


def _message(known: _Known, validation: Mapping[str, Any], source: str) -> str:
    said = known.value(text(validation.get("messageExpression"))).value if validation.get("messageExpression") else None
    if isinstance(said, str) and said.strip() and "\n" not in said.strip():
        return said.strip()
    return text(validation.get("message")).strip() or f"failed expression: {' '.join(source.split())}"


class _Known:
    """The variables of a policy's expressions, its own ones computed when they are first asked for.

    What does not ask for parameters is computed once for all of them.
    """

    def __init__(self, spec: Mapping[str, Any], creation: Creation):
        self._given = {
            "authorizer": {AUTHORIZER: ""},
            "namespaceObject": creation.namespace,
            "object": creation.manifest,
            "oldObject": None,
            "params": None,
            "request": _request(creation),
        }
        self._sources = {
            text(mapping(each).get("name")): text(mapping(each).get("expression"))
            for each in items(spec.get("variables"))
        }
        self._asking = frozenset(name for name, source in self._sources.items() if self._asks(source, set()))
        self._lasting: dict[str, Evaluated] = {}
        self._varies: dict[str, bool] = {}
        self._computed: dict[str, Evaluated] = {}
        self._plain: Activation | None = None

    def take(self, params: Mapping[str, Any] | None) -> None:
        """Go on with other parameters."""
        self._given["params"] = params
        self._computed = {name: found for name, found in self._computed.items() if name not in self._asking}
        self._plain = None

    def value(self, source: str) -> Evaluated:
        """What an expression gives, with the variables that it names."""
        if source not in self._varies:
            self._varies[source] = self._asks(source, set())
        if self._varies[source]:
            return self._value(source)
        if source not in self._lasting:
            self._lasting[source] = self._value(source)
        return self._lasting[source]

    def _value(self, source: str) -> Evaluated:
        if _asks_for_the_caller(source):
            return Evaluated(judged=False)
        named = {name: self._variable(name) for name in _variables_in(source) if name in self._sources}
        if any(not found.judged for found in named.values()):
            return Evaluated(judged=False)
        broken = next((found for found in named.values() if found.error), None)
        if broken:
            return broken
        return program(source, _NAMES).evaluate(self._activation({name: found.value for name, found in named.items()}))

    def _activation(self, variables: Mapping[str, Any]) -> Activation:
        if variables:
            return activation({**self._given, "variables": variables})
        if self._plain is None:
            self._plain = activation({**self._given, "variables": {}})
        return self._plain

    def _variable(self, name: str) -> Evaluated:
        if name not in self._computed:
            # One that names itself does not compile, and is reported there.
            self._computed[name] = Evaluated(judged=False)
            self._computed[name] = self._value(self._sources[name])
        return self._computed[name]

    def _asks(self, source: str, seen: set[str]) -> bool:
        """Whether an expression, or a variable that it names, asks for parameters."""
        if _asks_for_parameters(source):
            return True
        named = [name for name in _variables_in(source) if name in self._sources and name not in seen]
        seen.update(named)
        return any(self._asks(self._sources[name], seen) for name in named)


@cache
def _asks_for_the_caller(source: str) -> bool:
    return _OF_THE_CALLER.search(source) is not None


@cache
def _asks_for_parameters(source: str) -> bool:
    return _PARAMETER.search(source) is not None


@cache
def _variables_in(source: str) -> tuple[str, ...]:
    return tuple(_VARIABLE.findall(source))


def _request(creation: Creation) -> dict[str, Any]:
    manifest = creation.manifest
    kind = {"group": creation.group, "version": creation.version, "kind": text(manifest.get("kind"))}
    resource = {"group": creation.group, "version": creation.version, "resource": creation.resource}
    metadata = mapping(manifest.get("metadata"))
    return {
        "kind": kind,
        "requestKind": kind,
        "resource": resource,
        "requestResource": resource,
        "subResource": "",
        "requestSubResource": "",
        "name": text(metadata.get("name")),
        "namespace": text(metadata.get("namespace")),
        "operation": "CREATE",
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
        "userInfo": {},
    }
