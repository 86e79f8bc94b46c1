"""A comparison that failed is made again.

Argo CD by itself keeps what came of it, as if nothing differed, until the next commit (3.3.4 to 3.6.1, `useDiffCache`,
argo-cd 28722, which 3.6.2 says it mends): where a webhook is away while a commit is compared, an Application is Synced
that is not. It compares again where it finds another commit than the last time. So an Application of which it could say
nothing forgets which; on a cluster that cannot change objects, it does not come to know it; and where there are no
policies at all, Argo CD keeps nothing for longer than a while.

Where no gate keeps the order, a comparison fails too when one commit brings a field and an object with that field, and
the object is compared first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.apis.core.admissionregistration_v1 import (
    MUTATING_ADMISSION_POLICY,
    MUTATING_ADMISSION_POLICY_BINDING,
    VALIDATING_ADMISSION_POLICY,
    VALIDATING_ADMISSION_POLICY_BINDING,
    MatchResources,
    MutatingAdmissionPolicySpec,
    ValidatingAdmissionPolicySpec,
)
from platform_def.config.platform import Platform
from platform_def.delivery.gates import Kind, chosen, rule
from platform_def.delivery.target import BOOTSTRAP, MANAGED, Target
from platform_def.manifests.author import manifest
from platform_def.manifests.rendered import Manifest

SINCE = "1.36"
"""The first version of Kubernetes with policies that change objects."""
NAME = "platform-def-comparisons"
HARD = "timeout.hard.reconciliation"
"""Key of argocd-cm: how old a comparison may be before the next one keeps nothing of it. The application controller
reads it as it starts; it is never reached where `timeout.reconciliation`, two minutes by default, is shorter."""
_HARD = {HARD: "90s"}
_LABELS = MANAGED | BOOTSTRAP

_SAID = "has(object.status) && has(object.status.sync) && has(object.status.sync.revision)"
UNKNOWN = f"{_SAID} && object.status.sync.status == 'Unknown' && object.status.sync.revision != ''"
"""CEL: the last comparison of an Application failed, and says of which commit it was."""
# Argo CD takes none for a new commit of the branch or tag; with the name of that here it would see no change, and sync
# as after a drift: parts of an Application, and nothing where it does not undo drifts.
_PATCH = "[JSONPatch{op: 'replace', path: '/status/sync/revision', value: ''}]"

# Problems of an object are reported as usual.
_PASSING = (
    "(failed calling|conversion) webhook|connection re(fused|set)|time(d )?-?out|deadline exceeded|EOF"
    "|unable to handle the request|etcdserver"
)
# What the API server says of an object whose definition does not have the field, the value or the version yet.
_EARLY = "field not declared in schema|Unsupported value|no matches for kind|could not find the requested resource"


def _why(reasons: str) -> str:
    return f"each.type == 'ComparisonError' && each.message.matches('{reasons}')"


def _passing(reasons: str) -> str:
    return (
        f"{_SAID} && has(oldObject.status) && has(oldObject.status.sync) && has(oldObject.status.sync.revision)"
        " && object.status.sync.revision != oldObject.status.sync.revision"
        f" && has(object.status.conditions) && object.status.conditions.exists(each, {_why(reasons)})"
    )


PASSING = _passing(_PASSING)
"""CEL: a new commit could not be compared, for a reason that passes."""
EARLY = _passing(f"{_PASSING}|{_EARLY}")
"""CEL: the same where no gate keeps the order: a definition of the same commit may still be on its way."""


def comparisons(target: Target, api: Kind, platform: Platform, *, ordered: bool) -> Iterator[Manifest]:
    """A policy about what Argo CD writes into its Applications, with its binding; `ordered`: gates keep the order."""
    where: MatchResources = {"resourceRules": [rule(api, "UPDATE")]}
    if platform.kubernetes >= SINCE:
        return _forgotten(where, chosen(target))
    return _untold(where, chosen(target), ordered=ordered)


def settings(*, policies: bool) -> Mapping[str, str]:
    """Keys of argocd-cm that do it where there are no policies."""
    return {} if policies else _HARD


def _forgotten(where: MatchResources, whose: MatchResources) -> Iterator[Manifest]:
    """The status no longer says of which commit it is. None is refused for its sake."""
    spec: MutatingAdmissionPolicySpec = {
        "failurePolicy": "Ignore",
        "reinvocationPolicy": "Never",
        "matchConstraints": where,
        "matchConditions": [{"name": "is-unknown", "expression": UNKNOWN}],
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": _PATCH}}],
    }
    yield manifest(MUTATING_ADMISSION_POLICY, NAME, labels=_LABELS, spec=spec)
    yield manifest(
        MUTATING_ADMISSION_POLICY_BINDING, NAME, labels=_LABELS, spec={"policyName": NAME, "matchResources": whose}
    )


def _untold(where: MatchResources, whose: MatchResources, *, ordered: bool) -> Iterator[Manifest]:
    """What Argo CD would write is refused, which it says in its log; the Application stays at the commit before."""
    why = _why(_PASSING if ordered else f"{_PASSING}|{_EARLY}")
    told = f"object.metadata.name + ' is compared again: ' + object.status.conditions.filter(each, {why})[0].message"
    spec: ValidatingAdmissionPolicySpec = {
        "failurePolicy": "Ignore",
        "matchConstraints": where,
        "matchConditions": [{"name": "fails-for-a-while", "expression": PASSING if ordered else EARLY}],
        "validations": [{"expression": "false", "messageExpression": told}],
    }
    yield manifest(VALIDATING_ADMISSION_POLICY, NAME, labels=_LABELS, spec=spec)
    yield manifest(
        VALIDATING_ADMISSION_POLICY_BINDING,
        NAME,
        labels=_LABELS,
        spec={"policyName": NAME, "matchResources": whose, "validationActions": ["Deny"]},
    )
