"""The sync of a part that is told to go is ended.

Argo CD (3.6.1) deletes an Application only once no sync of it is under way. A sync that fails is tried again
without end, at the newest commit, which has no folder for the part once its removal is merged: such an Application
would stay for good, even after the first cause is mended, until a person says `argocd app terminate-op`. The same holds
for a sync that waits for an object which never gets ready. Where a policy can change objects, one does that.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.core.admissionregistration_v1 import (
    MUTATING_ADMISSION_POLICY,
    MUTATING_ADMISSION_POLICY_BINDING,
    MutatingAdmissionPolicySpec,
)
from platform_def.config.platform import Platform
from platform_def.delivery.comparisons import SINCE
from platform_def.delivery.gates import Kind, chosen, rule
from platform_def.delivery.target import BOOTSTRAP, MANAGED, Target
from platform_def.manifests.author import manifest
from platform_def.manifests.rendered import Manifest

NAME = "platform-def-endings"
_LABELS = MANAGED | BOOTSTRAP
_RUNS = "has(object.status) && has(object.status.operationState) && object.status.operationState.phase == 'Running'"
LEAVES = f"has(object.metadata.deletionTimestamp) && has(object.operation) && {_RUNS}"
"""CEL: an Application was told to go, and a sync of it is under way, or waits to be tried again."""
# What `argocd app terminate-op` writes.
_PATCH = "[JSONPatch{op: 'replace', path: '/status/operationState/phase', value: 'Terminating'}]"


def endings(target: Target, api: Kind, platform: Platform) -> Iterator[Manifest]:
    """A policy with its binding, on a cluster that knows such policies. It acts when Argo CD writes the next time what
    became of the sync or of a comparison, which it does at least every few minutes."""
    if platform.kubernetes < SINCE:
        return
    spec: MutatingAdmissionPolicySpec = {
        "failurePolicy": "Ignore",
        "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [rule(api, "UPDATE")]},
        "matchConditions": [{"name": "leaves", "expression": LEAVES}],
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": _PATCH}}],
    }
    yield manifest(MUTATING_ADMISSION_POLICY, NAME, labels=_LABELS, spec=spec)
    yield manifest(
        MUTATING_ADMISSION_POLICY_BINDING,
        NAME,
        labels=_LABELS,
        spec={"policyName": NAME, "matchResources": chosen(target)},
    )
