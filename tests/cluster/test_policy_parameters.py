"""A policy that goes and comes back judges by what its parameters are now, of each kind that policies of ours ask about.

It does not of every kind of the API server's own: of a ConfigMap the server would remember what it was (kubernetes 130887).
"""

from __future__ import annotations

import time

import pytest

from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import until
from tests.cluster.samples import config_map, crd, namespace
from tests.cluster.snapshots import Boot

pytestmark = pytest.mark.cluster

API, TEAM, NOTE = "admissionregistration.k8s.io/v1", "team-parameters", "example.com/note"
FORGETS_SECONDS = 3.0
"""After which the server has let go of what no policy asks about any more; it looks each second."""


def webhook() -> Manifest:
    metadata = {"name": "awaited", "annotations": {}}
    return {"apiVersion": API, "kind": "MutatingWebhookConfiguration", "metadata": metadata, "webhooks": []}


AWAITED = {"webhooks": webhook(), "definitions": crd("Awaited", group="awaited.example.com")}
"""What pods are refused for; of custom kinds, which Applications are, the server reads anew each time."""


@pytest.mark.parametrize("name", AWAITED)
def test_a_policy_that_comes_back_knows_what_has_changed_meanwhile(name: str, boot: Boot) -> None:
    api, awaited = boot().api, AWAITED[name]
    policies = [policy(awaited), binding(awaited)]
    for each in (namespace(TEAM), noted(awaited, "before"), *policies):
        assert not api.apply(each).refusal
    until(lambda: "before" in refused(api), seconds=60, what="the policy is in force")

    for each in reversed(policies):
        assert api.request("DELETE", api.path(each) or "").status == 200
    until(lambda: not refused(api), seconds=60, what="the policy is gone")
    time.sleep(FORGETS_SECONDS)
    for each in (noted(awaited, "after"), *policies):
        assert not api.apply(each).refusal
    until(lambda: bool(refused(api)), seconds=60, what="the policy is in force again")

    until(lambda: "after" in refused(api), seconds=30, what="it knows the change")


def noted(awaited: Manifest, note: str) -> Manifest:
    metadata = awaited["metadata"]
    return {**awaited, "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), NOTE: note}}}


def policy(awaited: Manifest) -> Manifest:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    spec = {
        "failurePolicy": "Fail",
        "paramKind": {"apiVersion": awaited["apiVersion"], "kind": awaited["kind"]},
        "matchConstraints": {"resourceRules": [rule]},
        "validations": [{"expression": "false", "messageExpression": f"string(params.metadata.annotations['{NOTE}'])"}],
    }
    return {"apiVersion": API, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "asks"}, "spec": spec}


def binding(awaited: Manifest) -> Manifest:
    spec = {
        "policyName": "asks",
        "paramRef": {"name": awaited["metadata"]["name"], "parameterNotFoundAction": "Deny"},
        "matchResources": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": TEAM}}},
        "validationActions": ["Deny"],
    }
    return {"apiVersion": API, "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "asks"}, "spec": spec}


def refused(api: Api) -> str:
    """What a new object is refused for; empty: it is taken."""
    (answer,) = api.apply_all([config_map("new", namespace=TEAM, data={})], dry_run=True)
    return str(answer.refusal or "")
