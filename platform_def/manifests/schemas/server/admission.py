"""Webhooks and policies that are asked about objects, and API servers beside the own one."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.names import GRAMMARS
from platform_def.manifests.schemas.server.words import (
    FILLED,
    PORT,
    SOME,
    Limits,
    Rules,
    Value,
    Wrong,
    choice,
    each,
    given,
    maybe,
    needed,
    number,
)
from platform_def.manifests.schemas.server.words import text as filled

_OPERATIONS = each(choice("CREATE", "UPDATE", "DELETE", "CONNECT", "*"), least=1)
_RULES = {
    "apiGroups": needed(SOME),
    "apiVersions": needed(each(FILLED, least=1)),
    "operations": needed(_OPERATIONS),
    "resources": needed(each(FILLED, least=1)),
    "scope": choice("Cluster", "Namespaced", "*"),
}
_FAILURE = choice("Ignore", "Fail")
_HOOK = {
    "name": filled("full-domain"),
    "failurePolicy": _FAILURE,
    "matchPolicy": choice("Exact", "Equivalent"),
    "sideEffects": choice("None", "NoneOnDryRun"),
    "timeoutSeconds": number(1, 30),
    "matchConditions": {"maxItems": 64},
    "clientConfig": needed(),
    "admissionReviewVersions": SOME,
}
_A = "admissionregistration.v1"
_AGGREGATION = "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1"
_REACTION = choice("Never", "IfNeeded")

LIMITS: Limits = {
    f"{_A}.ValidatingWebhook": _HOOK,
    f"{_A}.MutatingWebhook": {**_HOOK, "reinvocationPolicy": _REACTION},
    f"{_A}.RuleWithOperations": _RULES,
    f"{_A}.NamedRuleWithOperations": _RULES,
    f"{_A}.ServiceReference": {"name": FILLED, "namespace": FILLED, "port": PORT, "path": maybe("hook-path")},
    f"{_A}.MatchCondition": {"name": needed(filled("label-key")), "expression": needed(FILLED)},
    f"{_A}.ValidatingAdmissionPolicy": {"spec": needed()},
    f"{_A}.ValidatingAdmissionPolicySpec": {
        "failurePolicy": _FAILURE,
        "matchConstraints": needed(),
        "matchConditions": {"maxItems": 64},
    },
    f"{_A}.MatchResources": {"matchPolicy": choice("Exact", "Equivalent")},
    f"{_A}.ParamKind": {"apiVersion": needed(FILLED), "kind": needed(filled("kind"))},
    f"{_A}.Validation": {
        "expression": FILLED,
        "message": {"maxLength": 5120},
        "reason": choice("Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"),
    },
    f"{_A}.AuditAnnotation": {"key": filled("audit-key"), "valueExpression": {**FILLED, "maxLength": 5120}},
    f"{_A}.Variable": {"name": filled("identifier"), "expression": FILLED},
    f"{_A}.ValidatingAdmissionPolicyBinding": {"spec": needed()},
    f"{_A}.ValidatingAdmissionPolicyBindingSpec": {
        "policyName": needed(filled("subdomain")),
        "validationActions": needed(each(choice("Deny", "Warn", "Audit"), least=1)),
    },
    f"{_A}.ParamRef": {"parameterNotFoundAction": choice("Deny", "Allow")},
    f"{_A}.MutatingAdmissionPolicy": {"spec": needed()},
    f"{_A}.MutatingAdmissionPolicySpec": {
        "failurePolicy": _FAILURE,
        "reinvocationPolicy": needed(_REACTION),
        "mutations": needed(SOME),
        "matchConstraints": needed(),
        "matchConditions": {"maxItems": 64},
    },
    f"{_A}.Mutation": {"patchType": choice("ApplyConfiguration", "JSONPatch")},
    f"{_A}.ApplyConfiguration": {"expression": needed(FILLED)},
    f"{_A}.JSONPatch": {"expression": needed(FILLED)},
    f"{_A}.MutatingAdmissionPolicyBinding": {"spec": needed()},
    f"{_A}.MutatingAdmissionPolicyBindingSpec": {"policyName": needed(filled("subdomain"))},
    f"{_AGGREGATION}.APIService": {"spec": needed()},
    f"{_AGGREGATION}.APIServiceSpec": {
        "group": maybe("subdomain"),
        "version": needed(filled("label")),
        "groupPriorityMinimum": number(1, 20000),
        "versionPriority": number(1, 1000),
    },
    f"{_AGGREGATION}.ServiceReference": {"name": needed(FILLED), "namespace": needed(FILLED), "port": PORT},
}
_KNOWN_REVIEWS = ("v1", "v1beta1")


def _hook(value: Value) -> Iterator[Wrong]:
    versions = [text(each_) for each_ in items(value.get("admissionReviewVersions"))]
    if versions and not {*_KNOWN_REVIEWS} & {*versions}:
        yield Wrong(("admissionReviewVersions",), "needs v1 or v1beta1")
    for index, version in enumerate(versions):
        if problem := GRAMMARS["service"](version) if version else "is empty":
            yield Wrong(("admissionReviewVersions", index), problem)
        elif version in versions[:index]:
            yield Wrong(("admissionReviewVersions", index), f"{version} is listed twice")
    client = value.get("clientConfig")
    if isinstance(client, dict):
        yield from _client(client)
    yield from unique(value, "matchConditions", "name")


def _client(client: Value) -> Iterator[Wrong]:
    found = given(client, "url", "service")
    if not found:
        yield Wrong(("clientConfig",), "needs url or service")
    elif len(found) > 1:
        yield Wrong(("clientConfig", "url"), "is set together with service: set only one")
    url = client.get("url")
    if isinstance(url, str) and (problem := GRAMMARS["web-address"](url)):
        yield Wrong(("clientConfig", "url"), problem)


def unique(value: Value, field: str, key: str) -> Iterator[Wrong]:
    """No two items of a list are named alike."""
    names = [text(at(each_, key)) for each_ in items(value.get(field))]
    for index, name in enumerate(names):
        if name and name in names[:index]:
            yield Wrong((field, index, key), f"'{name[:60]}' is listed twice")


def _rule(value: Value) -> Iterator[Wrong]:
    for field in ("operations", "apiGroups", "apiVersions"):
        listed = items(value.get(field))
        if len(listed) > 1 and "*" in listed:
            yield Wrong((field,), "* means all: list nothing else")
    resources = [text(each_) for each_ in items(value.get("resources"))]
    if len(resources) > 1 and "*/*" in resources:
        yield Wrong(("resources",), "*/* means all: list nothing else")
    for index, name in enumerate(resources):
        whole, slash, part = name.partition("/")
        if slash and (not whole or not part or "/" in part):
            yield Wrong(("resources", index), f"'{name[:60]}' is no resource with a subresource")
            continue
        wider = ["*" if not slash else f"{whole}/*", f"*/{part}" if slash else ""]
        for other in wider:
            if other and other != name and other in resources:
                yield Wrong(("resources", index), f"{other} holds {name} already")


def _named_rule(value: Value) -> Iterator[Wrong]:
    yield from _rule(value)
    names = [text(each_) for each_ in items(value.get("resourceNames"))]
    for index, name in enumerate(names):
        if problem := GRAMMARS["segment"](name):
            yield Wrong(("resourceNames", index), problem)
        elif name in names[:index]:
            yield Wrong(("resourceNames", index), f"'{name[:60]}' is listed twice")


def _policy(value: Value) -> Iterator[Wrong]:
    constraints = value.get("matchConstraints")
    if isinstance(constraints, dict) and not items(constraints.get("resourceRules")):
        yield Wrong(("matchConstraints", "resourceRules"), "is missing: the policy is asked about nothing")
    yield from unique(value, "matchConditions", "name")
    yield from unique(value, "variables", "name")
    yield from unique(value, "auditAnnotations", "key")


def _validating_policy(value: Value) -> Iterator[Wrong]:
    yield from _policy(value)
    if not items(value.get("validations")) and not items(value.get("auditAnnotations")):
        yield Wrong(("validations",), "is missing, and there are no auditAnnotations")


def _validation(value: Value) -> Iterator[Wrong]:
    for field in ("message", "messageExpression"):
        given_text = value.get(field)
        if isinstance(given_text, str) and given_text and not given_text.strip():
            yield Wrong((field,), "is blank")
    message = value.get("message")
    if isinstance(message, str) and "\n" in message.strip():
        yield Wrong(("message",), "must be one line")
    if not message and "\n" in text(value.get("expression")).strip():
        yield Wrong(("message",), "is missing, and an expression of several lines needs it")


def _kind_of_parameters(value: Value) -> Iterator[Wrong]:
    version = text(value.get("apiVersion"))
    if version.count("/") > 1:
        yield Wrong(("apiVersion",), f"'{version[:60]}' is no group and version")
        return
    group, slash, name = version.rpartition("/")
    if (slash and (problem := GRAMMARS["subdomain"](group))) or (name and (problem := GRAMMARS["service"](name))):
        yield Wrong(("apiVersion",), problem)


def _binding(value: Value) -> Iterator[Wrong]:
    actions = [text(each_) for each_ in items(value.get("validationActions"))]
    if {"Deny", "Warn"} <= {*actions}:
        yield Wrong(("validationActions",), "Deny and Warn exclude each other")
    for index, action in enumerate(actions):
        if action in actions[:index]:
            yield Wrong(("validationActions", index), f"{action} is listed twice")


def _parameters(value: Value) -> Iterator[Wrong]:
    found = [field for field in ("name", "selector") if value.get(field) not in (None, "")]
    if len(found) != 1:
        yield Wrong((), "needs one of name, selector")
    name = text(value.get("name"))
    if name and (problem := GRAMMARS["segment"](name)):
        yield Wrong(("name",), problem)
    if value.get("parameterNotFoundAction") is None:
        yield Wrong(("parameterNotFoundAction",), "is missing")


def _mutation(value: Value) -> Iterator[Wrong]:
    fields = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}
    kind = text(value.get("patchType"))
    wanted = fields.get(kind)
    for field in fields.values():
        if wanted == field and value.get(field) is None:
            yield Wrong((field,), f"is missing, and patchType {kind} needs it")
        elif wanted and wanted != field and value.get(field) is not None:
            yield Wrong((field,), f"goes with no patchType {kind}")


def _service_of_an_api(value: Value) -> Iterator[Wrong]:
    spec = mapping(value.get("spec"))
    wanted = f"{text(spec.get('version'))}.{text(spec.get('group'))}"
    name = text(at(value, "metadata.name"))
    if name != wanted and isinstance(value.get("spec"), dict):
        yield Wrong(("metadata", "name"), f"'{name[:60]}' must be '{wanted[:120]}', version and group")
    if spec.get("insecureSkipTLSVerify") is True and (text(spec.get("caBundle")) or spec.get("service") is None):
        yield Wrong(("spec", "insecureSkipTLSVerify"), "goes with no caBundle, nor without a service")


RULES: Rules = {
    f"{_A}.ValidatingWebhook": _hook,
    f"{_A}.MutatingWebhook": _hook,
    f"{_A}.RuleWithOperations": _rule,
    f"{_A}.NamedRuleWithOperations": _named_rule,
    f"{_A}.ValidatingAdmissionPolicySpec": _validating_policy,
    f"{_A}.MutatingAdmissionPolicySpec": _policy,
    f"{_A}.Validation": _validation,
    f"{_A}.ParamKind": _kind_of_parameters,
    f"{_A}.ValidatingAdmissionPolicyBindingSpec": _binding,
    f"{_A}.ParamRef": _parameters,
    f"{_A}.Mutation": _mutation,
    f"{_AGGREGATION}.APIService": _service_of_an_api,
}
