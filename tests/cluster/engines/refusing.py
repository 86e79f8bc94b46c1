"""An API server that takes no change of a definition for a while: the worst order in which a commit can arrive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import until

ADMISSION = "admissionregistration.k8s.io/v1"


@contextmanager
def definitions_refused(api: Api, known: str = "lefts.left.example.com") -> Iterator[None]:
    """The API server takes no change of a definition, but trials, for as long as the context lasts; one is `known`."""
    rules = [
        {
            "apiGroups": ["apiextensions.k8s.io"],
            "apiVersions": ["v1"],
            "operations": ["UPDATE"],
            "resources": ["customresourcedefinitions"],
        }
    ]
    refusal = {"expression": "false", "message": "not now"}
    objects: Sequence[Manifest] = (
        {
            "apiVersion": ADMISSION,
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": "test-definitions"},
            "spec": {
                "matchConstraints": {"resourceRules": rules},
                "matchConditions": [{"name": "is-no-trial", "expression": "!(has(request.dryRun) && request.dryRun)"}],
                "validations": [refusal],
            },
        },
        {
            "apiVersion": ADMISSION,
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": "test-definitions"},
            "spec": {"policyName": "test-definitions", "validationActions": ["Deny"]},
        },
    )
    for each in objects:
        assert not api.apply(each).refusal
    trial = {"metadata": {"labels": {"test": "changed"}}}
    path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{known}"
    until(
        lambda: api.request("PATCH", path, trial, content="application/merge-patch+json").status == 422,
        seconds=60,
        what="definitions are refused",
    )
    yield
    for each in reversed(objects):
        assert api.request("DELETE", api.path(each) or "", {}).status == 200
