"""Gates of the API server's own: policies that refuse an engine's object until what it waits for is there.

Argo CD's waves are barriers for all that comes later, whoever needs it, and at one Argo CD sees no newer commit. A gate
holds back one Application alone, and the root, refused, tries again with the newest commit. Neither engine orders what
it removes, so the object of an operator stays until that of its custom resources, with their finalizers, is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from platform_def.apis.core.admissionregistration_v1 import (
    VALIDATING_ADMISSION_POLICY,
    VALIDATING_ADMISSION_POLICY_BINDING,
    MatchResources,
    ParamRef,
    ValidatingAdmissionPolicySpec,
)
from platform_def.config.platform import Platform
from platform_def.crds.model import Api
from platform_def.delivery.target import BOOTSTRAP, COMPONENT, MANAGED, PART, Target
from platform_def.manifests.author import manifest
from platform_def.manifests.rendered import Manifest

SINCE = "1.30"
"""The first version of Kubernetes with these policies."""
AFTER = "after.platform-def/"
"""Label of an Application that waits for another one, before that one's name."""
ORDER, REMOVAL = "platform-def-order", "platform-def-removal"

Kind = Api[dict[str, Any]]

_SAID = "has(params.status) && has(params.status.sync) && has(params.status.health) && has(params.status.health.status)"
_IDLE = (
    "!has(params.operation)"
    " && !(has(params.status.operationState) && params.status.operationState.phase in ['Running', 'Terminating'])"
)
_SYNCED = "params.status.sync.status == 'Synced'"
# Somebody keeps changing it, but what Git says was applied, and its health was looked at after that.
_APPLIED = (
    "has(params.status.operationState) && has(params.status.operationState.syncResult)"
    " && params.status.operationState.phase == 'Succeeded'"
    " && params.status.operationState.syncResult.revision == params.status.sync.revision"
    " && timestamp(params.status.reconciledAt) > timestamp(params.status.operationState.finishedAt)"
)
_HEALTHY = "params.status.health.status in ['Healthy', 'Suspended']"
READY = f"{_SAID} && {_IDLE} && ({_SYNCED} || ({_APPLIED})) && {_HEALTHY}"
"""CEL: an Application has been synced and is healthy. One that is suspended waits for nothing but a person."""

_WAITS = (
    "object.metadata.name + ' waits for ' + params.metadata.name + ', which is '"
    f" + ({_SAID} ? params.status.sync.status + ' and ' + params.status.health.status : 'new')"
)


def waiting(needs: Iterable[str]) -> dict[str, str]:
    """Labels of an Application that is refused until these are synced and healthy."""
    return {f"{AFTER}{name}": "true" for name in needs}


def order_gates(
    target: Target, awaited: Iterable[str], api: Kind, *, annotations: Mapping[str, str]
) -> Iterator[Manifest]:
    """One policy, and a binding for each Application that others wait for."""
    yield _policy(
        ORDER,
        api,
        annotations=annotations,
        operation="CREATE",
        # What would be created is compared and tried first; that must go well for all at once.
        when=("is-no-trial", "!(has(request.dryRun) && request.dryRun)"),
        demand=(READY, _WAITS),
    )
    for name in sorted(awaited):
        yield _binding(
            f"{ORDER}-{name}",
            ORDER,
            params={"name": name, "namespace": target.namespace, "parameterNotFoundAction": "Deny"},
            chosen=_chosen(target, waiting([name])),
            annotations=annotations,
        )


def removal_gate(
    target: Target, api: Kind, *, takes: str, annotations: Mapping[str, str] | None = None
) -> Iterator[Manifest]:
    """The object of a component's `main` goes after that of its `after`.

    `takes`: CEL about `oldObject`, which is true where its deletion takes what it brought along.
    """
    others = f"params.metadata.labels['{COMPONENT}'] != oldObject.metadata.labels['{COMPONENT}']"
    yield _policy(
        REMOVAL,
        api,
        annotations=annotations,
        operation="DELETE",
        when=("takes-objects-along", takes),
        demand=(others, "oldObject.metadata.name + ' goes after ' + params.metadata.name"),
    )
    yield _binding(
        REMOVAL,
        REMOVAL,
        params={
            "namespace": target.namespace,
            "selector": {"matchLabels": MANAGED | {PART: "after"}},
            "parameterNotFoundAction": "Allow",
        },
        chosen=_chosen(target, MANAGED | {PART: "main"}),
        annotations=annotations,
    )


def possible(platform: Platform) -> bool:
    """Whether the cluster knows these policies."""
    return platform.kubernetes >= SINCE


def _chosen(target: Target, labels: Mapping[str, str]) -> MatchResources:
    return {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": target.namespace}},
        "objectSelector": {"matchLabels": dict(labels)},
    }


def _policy(
    name: str,
    api: Kind,
    *,
    annotations: Mapping[str, str] | None,
    operation: Literal["CREATE", "DELETE"],
    when: tuple[str, str],
    demand: tuple[str, str],
) -> Manifest:
    """`when`: a name and what must hold for the policy to be asked; `demand`: what must hold then, and what is said."""
    resources = {
        "apiGroups": [api.group],
        "apiVersions": [api.version],
        "operations": [operation],
        "resources": [api.plural],
    }
    spec: ValidatingAdmissionPolicySpec = {
        "failurePolicy": "Fail",
        "paramKind": {"apiVersion": api.api_version, "kind": api.kind},
        "matchConstraints": {"resourceRules": [resources]},  # type: ignore[list-item]
        "matchConditions": [{"name": when[0], "expression": when[1]}],
        "validations": [{"expression": demand[0], "messageExpression": demand[1]}],
    }
    return manifest(VALIDATING_ADMISSION_POLICY, name, labels=MANAGED | BOOTSTRAP, annotations=annotations, spec=spec)


def _binding(
    name: str, policy: str, *, params: ParamRef, chosen: MatchResources, annotations: Mapping[str, str] | None
) -> Manifest:
    return manifest(
        VALIDATING_ADMISSION_POLICY_BINDING,
        name,
        labels=MANAGED | BOOTSTRAP,
        annotations=annotations,
        spec={"policyName": policy, "paramRef": params, "matchResources": chosen, "validationActions": ["Deny"]},
    )
