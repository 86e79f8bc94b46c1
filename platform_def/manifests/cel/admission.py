"""ValidatingAdmissionPolicies on objects: what a policy says when an object is created.

It is unknown here who creates it, and what the server's defaults and webhooks add before policies are evaluated: an
expression that needs to know is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.manifests.cel.functions.function import AUTHORIZER
from platform_def.manifests.cel.programs import Evaluated, activation, program
from platform_def.manifests.loose import items, mapping, text

_NAMES = ("authorizer", "namespaceObject", "object", "oldObject", "params", "request", "variables")
_OF_THE_CALLER = re.compile(r"\brequest\s*\.\s*userInfo\b|\bauthorizer\b")
_VARIABLE = re.compile(r"\bvariables\s*\.\s*(\w+)")
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


def verdicts(spec: Mapping[str, Any], creation: Creation, params: Mapping[str, Any] | None) -> Iterator[Verdict]:
    """What the `spec` of a policy says against an object with these parameters, as far as it can be evaluated."""
    known = _Known(spec, creation, params)
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
    """The variables of a policy's expressions, its own ones computed when they are first asked for."""

    def __init__(self, spec: Mapping[str, Any], creation: Creation, params: Mapping[str, Any] | None):
        self._given = {
            "authorizer": {AUTHORIZER: ""},
            "namespaceObject": creation.namespace,
            "object": creation.manifest,
            "oldObject": None,
            "params": params,
            "request": _request(creation),
        }
        self._sources = {
            text(mapping(each).get("name")): text(mapping(each).get("expression"))
            for each in items(spec.get("variables"))
        }
        self._computed: dict[str, Evaluated] = {}

    def value(self, source: str) -> Evaluated:
        """What an expression gives, with the variables that it names."""
        if _OF_THE_CALLER.search(source):
            return Evaluated(judged=False)
        named = {name: self._variable(name) for name in _VARIABLE.findall(source) if name in self._sources}
        if any(not found.judged for found in named.values()):
            return Evaluated(judged=False)
        broken = next((found for found in named.values() if found.error), None)
        if broken:
            return broken
        variables = {name: found.value for name, found in named.items()}
        return program(source, _NAMES).evaluate(activation({**self._given, "variables": variables}))

    def _variable(self, name: str) -> Evaluated:
        if name not in self._computed:
            self._computed[name] = Evaluated(
                judged=False
            )  # one that names itself does not compile, and is reported there
            self._computed[name] = self.value(self._sources[name])
        return self._computed[name]


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
