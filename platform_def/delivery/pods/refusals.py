"""The policy by which the API server refuses pods until something is as it must be; who makes a pod tries again."""

from __future__ import annotations

from platform_def.apis.core.admissionregistration_v1 import (
    VALIDATING_ADMISSION_POLICY,
    VALIDATING_ADMISSION_POLICY_BINDING,
    MatchResources,
    ValidatingAdmissionPolicyBindingSpec,
    ValidatingAdmissionPolicySpec,
)
from platform_def.delivery.target import BOOTSTRAP, MANAGED
from platform_def.manifests.author import manifest
from platform_def.manifests.rendered import Manifest

_LABELS = MANAGED | BOOTSTRAP


def refusal(name: str, *, api_version: str, kind: str, until: str, message: str) -> Manifest:
    """The policy: new pods wait for an object of this kind, of which `until` holds. Both texts are CEL."""
    spec: ValidatingAdmissionPolicySpec = {
        "failurePolicy": "Fail",
        "paramKind": {"apiVersion": api_version, "kind": kind},
        "matchConstraints": {
            "resourceRules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
            ]
        },
        "validations": [{"expression": until, "messageExpression": message}],
    }
    return manifest(VALIDATING_ADMISSION_POLICY, name, labels=_LABELS, spec=spec)


def binding(policy: str, name: str, *, awaited: str, chosen: MatchResources) -> Manifest:
    """The pods that wait for one object; that it is not there yet counts as a failure."""
    spec: ValidatingAdmissionPolicyBindingSpec = {
        "policyName": policy,
        "paramRef": {"name": awaited, "parameterNotFoundAction": "Deny"},
        "matchResources": chosen,
        "validationActions": ["Deny"],
    }
    return manifest(VALIDATING_ADMISSION_POLICY_BINDING, f"{policy}.{name}", labels=_LABELS, spec=spec)
