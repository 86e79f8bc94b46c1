"""ValidatingAdmissionPolicies deny here what they deny on a real API server."""

from __future__ import annotations

import time
from typing import Any

import pytest

from platform_def.checks.engine import check
from platform_def.checks.rules.policy.admission_policy import ADMISSION_POLICY
from platform_def.checks.rules.server.expression_valid import EXPRESSION_VALID
from tests.cluster.client import Api, Manifest
from tests.cluster.samples import config_map, namespace
from tests.cluster.snapshots import Boot
from tests.unit.checks.samples import rendered

pytestmark = pytest.mark.cluster

PATIENCE_SECONDS = 60
API = "admissionregistration.k8s.io/v1"
TEAM = "team-policies"
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap"}
ALLOWED, DENIED = {"size": "1"}, {"size": "9"}
"""What every policy here takes, and what it denies."""

POLICIES: dict[str, dict[str, Any]] = {
    "plain": {"validations": [{"expression": "int(object.data.size) <= 5", "message": "five are the most"}]},
    "variables": {
        "variables": [
            {"name": "size", "expression": "int(object.data.size)"},
            {"name": "twice", "expression": "variables.size * 2"},
        ],
        "validations": [
            {"expression": "variables.twice <= 10", "messageExpression": "'twice is %d'.format([variables.twice])"}
        ],
    },
    "conditions": {
        "matchConditions": [{"name": "large", "expression": "object.data.size == '9'"}],
        "validations": [{"expression": "false", "reason": "Forbidden"}],
    },
    "namespaces": {
        "validations": [
            {"expression": "object.data.size == '1' || namespaceObject.metadata.labels['test'] != 'cluster'"},
        ]
    },
    "requests": {
        "validations": [
            {"expression": "request.operation == 'CREATE' && request.resource.resource == 'configmaps'"},
            {"expression": "request.namespace == 'team-policies' && request.name.endsWith(object.data.size)"},
            {"expression": "oldObject == null && int(object.data.size) < 2"},
        ]
    },
    "parameters": {
        "paramKind": CONFIG,
        "validations": [{"expression": "int(object.data.size) <= int(params.data.most)"}],
    },
    "functions": {
        "validations": [
            {"expression": "quantity(object.data.size + 'Gi').isLessThan(quantity('5000Mi'))"},
            {"expression": "!format.dns1123Label().validate('a' + object.data.size).hasValue()"},
            {"expression": "semver('1.' + object.data.size + '.0').isLessThan(semver('1.5.0'))"},
        ]
    },
    "errors": {"validations": [{"expression": "object.data.size == '1' || object.data.missing == 'x'"}]},
    "ignored": {"failurePolicy": "Ignore", "validations": [{"expression": "object.data.missing == 'x'"}]},
    "audited": {"validations": [{"expression": "object.data.size == '1'"}]},
}
NEVER_DENY = {"ignored", "audited"}
UNSURE = {"errors"}
"""Denied there, and a warning here: the object leaves out what the policy reads."""


def policy(name: str) -> Manifest:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["configmaps"]}
    chosen = {"resourceRules": [rule], "objectSelector": {"matchLabels": {"policy": name}}}
    spec = {"failurePolicy": "Fail", "matchConstraints": chosen, **POLICIES[name]}
    return {"apiVersion": API, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name}, "spec": spec}


def binding(name: str) -> Manifest:
    spec: Manifest = {"policyName": name, "validationActions": ["Audit" if name == "audited" else "Deny"]}
    if "paramKind" in POLICIES[name]:
        spec["paramRef"] = {"name": "limits", "namespace": TEAM, "parameterNotFoundAction": "Deny"}
    return {"apiVersion": API, "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name}, "spec": spec}


def asked(name: str, data: dict[str, str]) -> Manifest:
    made = config_map(f"{name}-{data['size']}", namespace=TEAM, data=data)
    made["metadata"]["labels"] = {"policy": name}
    return made


def test_policies_deny_what_the_server_denies(boot: Boot) -> None:
    limits = config_map("limits", namespace=TEAM, data={"most": "5"})
    surroundings = [namespace(TEAM), limits, *map(policy, POLICIES), *map(binding, POLICIES)]
    objects = [asked(name, data) for name in POLICIES for data in (ALLOWED, DENIED)]
    api = boot().api
    assert [str(each) for each in map(api.apply, surroundings) if each.refusal] == []
    refused = settled(api, objects)
    findings = check(rendered(*surroundings, *objects), rules=(ADMISSION_POLICY, EXPRESSION_VALID))
    errors: dict[str, list[str]] = {}
    for finding in findings:
        if finding.severity == "error":
            errors.setdefault(finding.key[3], []).append(finding.text)
    warnings = {finding.key[3] for finding in findings if finding.severity == "warning"}

    assert {*refused} == {f"{name}-9" for name in {*POLICIES} - NEVER_DENY}
    assert {*errors} == {name for name in refused if name.removesuffix("-9") not in UNSURE}
    assert {name.removesuffix("-9") for name in warnings} == UNSURE
    assert [name for name, texts in errors.items() if not any(text in refused[name] for text in texts)] == []


def settled(api: Api, objects: list[Manifest]) -> dict[str, str]:
    """What is refused once every policy that denies is in force: a server learns of policies after it took them."""
    expected = len({*POLICIES} - NEVER_DENY)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        answers = api.apply_all(objects, dry_run=True)
        refused = {answer.key.name: answer.refusal for answer in answers if answer.refusal}
        if len(refused) >= expected or time.monotonic() > deadline:
            return refused
        time.sleep(0.2)
