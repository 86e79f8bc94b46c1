"""What a policy of the set asks of its parameters."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.policy.admission_policy import ADMISSION_POLICY
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
