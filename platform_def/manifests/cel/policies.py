"""The expressions in Kubernetes' own kinds that the API server compiles: of policies, webhooks, selectors of devices.

What each may speak of and must give follows k8s.io/apiserver/pkg/admission/plugin/cel and
k8s.io/dynamic-resource-allocation/cel. Of patches that build objects (`Object{…}`) only the syntax is judged: their
types depend on the objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.manifests.cel.compiling import compiled, problem_of, slip_of
from platform_def.manifests.cel.environment import checker
from platform_def.manifests.cel.functions.function import AUTHORIZER, RESOURCE_CHECK
from platform_def.manifests.cel.types import Types, variable
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import Path

POLICIES = ("ValidatingAdmissionPolicy", "MutatingAdmissionPolicy")
WEBHOOKS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
DEVICES = ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate")
KINDS = frozenset({*POLICIES, *WEBHOOKS, *DEVICES})

_BUILDS_OBJECTS = re.compile(r"\b(?:Object|JSONPatch)\b")
_IDENTIFIER = re.compile("[_a-zA-Z][_a-zA-Z0-9]*")
_ANY_BOOL = ("bool", "dyn")


class PolicyProblem(NamedTuple):
    """Why an expression is refused."""

    path: Path
    text: str


class _Asked(NamedTuple):
    path: Path
    source: str
    wanted: tuple[str, ...]
    """The types that it may give; none: only its syntax is looked at."""
    without: frozenset[str] = frozenset()
    """Variables that it may not speak of."""


def policy_problems(manifest: Mapping[str, Any], minor: int) -> Iterator[PolicyProblem]:
    """The expressions of an object of `KINDS` that Kubernetes 1.`minor` does not compile."""
    kind = manifest.get("kind")
    if kind in WEBHOOKS:
        yield from _webhooks(manifest, minor)
    elif kind in DEVICES:
        yield from _devices(manifest, minor)
    else:
        yield from _policy(mapping(manifest.get("spec")), minor)


def _webhooks(manifest: Mapping[str, Any], minor: int) -> Iterator[PolicyProblem]:
    asked = [
        _Asked(("webhooks", index, *each.path), each.source, each.wanted)
        for index, hook in enumerate(items(manifest.get("webhooks")))
        for each in _conditions(mapping(hook), ())
    ]
    if asked:
        types = Types()
        yield from _problems(asked, types, _admission(types), minor)


def _devices(manifest: Mapping[str, Any], minor: int) -> Iterator[PolicyProblem]:
    asked = [
        _Asked(path, source, _ANY_BOOL)
        for path, selector in _selectors(manifest.get("spec"), ("spec",))
        if (source := text(at(selector, "cel.expression")))
    ]
    if asked:
        types = Types()
        attributes = "map(string,map(string,dyn))"
        fields = {
            "driver": "string",
            "attributes": attributes,
            "capacity": attributes,
            "allowMultipleAllocations": "bool",
        }
        yield from _problems(asked, types, {"device": types.message(fields)}, minor, binds=True)


def _selectors(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Every `selectors` entry below a specification, with the path of its expression."""
    if isinstance(value, dict):
        for index, selector in enumerate(items(value.get("selectors"))):
            yield (*path, "selectors", index, "cel", "expression"), selector
        for key, inner in value.items():
            yield from _selectors(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _selectors(inner, (*path, index))


def _conditions(body: Mapping[str, Any], path: Path) -> Iterator[_Asked]:
    for index, each in enumerate(items(body.get("matchConditions"))):
        source = text(mapping(each).get("expression")).strip()
        if source:
            yield _Asked((*path, "matchConditions", index, "expression"), source, ("bool",))


def _policy(spec: Mapping[str, Any], minor: int) -> Iterator[PolicyProblem]:
    types = Types()
    known = _admission(types) | ({"params": "dyn"} if mapping(spec.get("paramKind")) else {})
    yield from _problems([*_conditions(spec, ("spec",))], types, known, minor)
    found: dict[str, str] = {}
    for index, each in enumerate(items(spec.get("variables"))):
        name, source = text(mapping(each).get("name")), text(mapping(each).get("expression"))
        if _IDENTIFIER.fullmatch(name) and source.strip():
            known["variables"] = types.message(found)
            env = checker(types.pool(), {key: variable(word) for key, word in known.items()}, minor)
            word, problem = compiled(env, source)
            found[name] = word or "dyn"
            if problem:
                yield PolicyProblem(("spec", "variables", index, "expression"), problem)
    known["variables"] = types.message(found)
    yield from _problems([*_judgements(spec), *_mutations(spec)], types, known, minor)


def _judgements(spec: Mapping[str, Any]) -> Iterator[_Asked]:
    for index, each in enumerate(items(spec.get("validations"))):
        where = ("spec", "validations", index)
        yield _Asked((*where, "expression"), text(mapping(each).get("expression")), ("bool",))
        message, none = text(mapping(each).get("messageExpression")), frozenset(_AUTHORIZERS)
        yield _Asked((*where, "messageExpression"), message, ("string",), none)
    for index, each in enumerate(items(spec.get("auditAnnotations"))):
        source = text(mapping(each).get("valueExpression")).strip()
        yield _Asked(("spec", "auditAnnotations", index, "valueExpression"), source, ("string", "null"))


def _mutations(spec: Mapping[str, Any]) -> Iterator[_Asked]:
    for index, each in enumerate(items(spec.get("mutations"))):
        for field in ("applyConfiguration", "jsonPatch"):
            source = text(at(each, f"{field}.expression"))
            built = ("list(dyn)",) if field == "jsonPatch" else ("dyn",)
            wanted = () if _BUILDS_OBJECTS.search(source) else built
            yield _Asked(("spec", "mutations", index, field, "expression"), source, wanted)


def _problems(
    asked: list[_Asked], types: Types, known: Mapping[str, str], minor: int, *, binds: bool = False
) -> Iterator[PolicyProblem]:
    pool = types.pool()
    variables = {name: variable(word) for name, word in known.items()}
    for without in sorted({each.without for each in asked}, key=len):
        allowed = {name: kind for name, kind in variables.items() if name not in without}
        env = checker(pool, allowed, minor, binds=binds)
        for each in asked:
            if each.without == without and each.source.strip():
                problem = problem_of(env, each.source, *each.wanted) if each.wanted else slip_of(env, each.source)
                if problem:
                    yield PolicyProblem(each.path, problem)


_AUTHORIZERS = {"authorizer": AUTHORIZER, "authorizer.requestResource": RESOURCE_CHECK}


def _admission(types: Types) -> dict[str, str]:
    """What the expressions of admission speak of."""
    return {
        "object": "dyn",
        "oldObject": "dyn",
        "request": _request(types),
        "namespaceObject": _namespace(types),
        **_AUTHORIZERS,
    }


def _request(types: Types) -> str:
    kind = types.message({"group": "string", "version": "string", "kind": "string"})
    resource = types.message({"group": "string", "version": "string", "resource": "string"})
    extra = "map(string,list(string))"
    user = types.message({"username": "string", "uid": "string", "groups": "list(string)", "extra": extra})
    fields = {
        **dict.fromkeys(("name", "namespace", "operation", "subResource", "requestSubResource"), "string"),
        **dict.fromkeys(("kind", "requestKind"), kind),
        **dict.fromkeys(("resource", "requestResource"), resource),
        "userInfo": user,
        "dryRun": "bool",
        "options": "dyn",
    }
    return types.message(fields)


def _namespace(types: Types) -> str:
    texts = ("name", "generateName", "namespace", "UID", "resourceVersion")
    metadata = {
        **dict.fromkeys(texts, "string"),
        **dict.fromkeys(("labels", "annotations"), "map(string,string)"),
        **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), "timestamp"),
        **dict.fromkeys(("deletionGracePeriodSeconds", "generation"), "int"),
        "finalizers": "list(string)",
    }
    said = dict.fromkeys(("status", "type", "message", "reason"), "string")
    condition = types.message({**said, "lastTransitionTime": "timestamp"})
    fields = {
        "metadata": types.message(metadata),
        "spec": types.message({"finalizers": "list(string)"}),
        "status": types.message({"conditions": f"list({condition})", "phase": "string"}),
    }
    return types.message(fields)
