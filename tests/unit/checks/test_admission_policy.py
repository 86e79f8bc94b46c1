"""What a policy of the set asks of its parameters."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.checks.context import Memo
from platform_def.checks.rules.policy.admission_policy import ADMISSION_POLICY
from platform_def.manifests.cel.programs import CompiledExpression, Evaluated
from platform_def.manifests.rendered import Manifest

from .samples import found, rendered

API = "admissionregistration.k8s.io/v1"
LIMITS: Manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "limits", "namespace": "default"}}
SETTINGS: Manifest = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "other", "namespace": "default"}}
BINDING: Manifest = {
    "apiVersion": API,
    "kind": "ValidatingAdmissionPolicyBinding",
    "metadata": {"name": "ready"},
    "spec": {
        "policyName": "ready",
        "paramRef": {"name": "limits", "namespace": "default", "parameterNotFoundAction": "Deny"},
        "validationActions": ["Deny"],
    },
}


def policy(expression: str) -> Manifest:
    """One that is asked about Secrets, with a ConfigMap as its parameter."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["secrets"]}
    return {
        "apiVersion": API,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "ready"},
        "spec": {
            "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
            "matchConstraints": {"resourceRules": [rule]},
            "validations": [{"expression": expression}],
        },
    }


@pytest.mark.parametrize(
    ("expression", "refused"),
    [("has(params.data)", 1), ("has(params.status) && params.status.phase == 'Ready'", 0)],
)
def test_what_has_become_of_a_parameter_is_for_the_cluster_to_say(expression: str, refused: int) -> None:
    stack = rendered(LIMITS, SETTINGS, policy(expression), BINDING)

    assert len(list(found(ADMISSION_POLICY, stack))) == refused


def test_the_ca_of_a_webhook_is_for_the_cluster_to_say() -> None:
    hooks: Manifest = {"apiVersion": API, "kind": "MutatingWebhookConfiguration", "metadata": {"name": "limits"}}
    asked = policy("params.webhooks.exists(each, has(each.clientConfig.caBundle))")
    kind = {"apiVersion": hooks["apiVersion"], "kind": hooks["kind"]}
    of_hooks = {**asked, "spec": {**asked["spec"], "paramKind": kind}}
    binding = {
        **BINDING,
        "spec": {**BINDING["spec"], "paramRef": {"name": "limits", "parameterNotFoundAction": "Deny"}},
    }

    assert list(found(ADMISSION_POLICY, rendered(hooks | {"webhooks": []}, SETTINGS, of_hooks, binding))) == []


def test_what_asks_for_no_parameter_is_evaluated_once_for_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated: list[int] = []
    evaluate = CompiledExpression.evaluate

    def counted(self: CompiledExpression, activation: Any) -> Evaluated:
        evaluated.append(1)
        return evaluate(self, activation)

    monkeypatch.setattr(CompiledExpression, "evaluate", counted)
    limits = [{**LIMITS, "metadata": {**LIMITS["metadata"], "name": name}} for name in ("a", "b", "c")]
    binding = {**BINDING, "spec": {**BINDING["spec"], "paramRef": {"selector": {}, "namespace": "default"}}}
    asked = policy("has(params.data)")
    asked["spec"]["matchConditions"] = [{"name": "named", "expression": "has(object.metadata.name)"}]

    assert len(found(ADMISSION_POLICY, rendered(*limits, SETTINGS, asked, binding))) == 1
    assert len(evaluated) == 1 + len(limits)


READS = {
    "another field": "!has(object.data)",
    "another field, in another line": "has(object.metadata) &&\n!has(\nobject.data)",
    "a field that may be missing": "!object.?data.hasValue()",
    "two fields": "!has(object.data) || object.metadata.name == 'x'",
    "the object as a whole": "!('data' in\nobject)",
    "the label": "!has(object.metadata.labels)",
    "the parameter": "!has(params.data)",
}


@pytest.mark.parametrize("reads", READS)
def test_what_was_found_in_one_stack_is_not_told_of_another_that_a_policy_judges_otherwise(reads: str) -> None:
    memo = Memo()
    changed = {
        "the label": ({**SETTINGS, "metadata": {**SETTINGS["metadata"], "labels": {"a": "b"}}}, LIMITS),
        "the parameter": (SETTINGS, {**LIMITS, "data": {"a": "b"}}),
    }
    secret, limits = changed.get(reads, ({**SETTINGS, "data": {"a": "Yg=="}}, LIMITS))
    rule, first = policy(READS[reads]), (LIMITS, SETTINGS)

    assert len(found(ADMISSION_POLICY, rendered(*first, rule, BINDING), memo=memo)) == 0
    assert len(found(ADMISSION_POLICY, rendered(limits, secret, rule, BINDING), memo=memo)) == 1
    assert len(found(ADMISSION_POLICY, rendered(*first, rule, BINDING), memo=memo)) == 0
