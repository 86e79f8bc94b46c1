"""Gates of the API server's own: policies that refuse an engine's object until what it waits for is there.

Argo CD's waves are barriers for all that comes later, needed or not, and at one Argo CD sees no newer commit. A gate
holds back only one Application: when it comes, when what it needs has changed, and when it goes on to
a new content, which its marker begins. What is refused is tried again with the newest commit. Neither engine orders
what it removes, so a part stays until those that need it are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from platform_def.apis.core import CONFIG_MAP
from platform_def.apis.core.admissionregistration_v1 import (
    VALIDATING_ADMISSION_POLICY,
    VALIDATING_ADMISSION_POLICY_BINDING,
    MatchResources,
    NamedRuleWithOperations,
    ParamRef,
    ValidatingAdmissionPolicySpec,
)
from platform_def.config.platform import Platform
from platform_def.crds.model import Api
from platform_def.delivery.target import BOOTSTRAP, MANAGED, ROOT, Target
from platform_def.manifests.author import manifest
from platform_def.manifests.rendered import Manifest

SINCE = "1.30"
"""The first version of Kubernetes with these policies."""
AFTER = "after.platform-def/"
"""Label of an Application, and of its marker, that waits for another one, before that one's name."""
THERE = "true"
"""Value of that label where it is enough that the other one has come."""
BEFORE = "before.platform-def/"
"""Label of the object of a part that is to go before another one's, before that one's name."""
MARKER = {"platform-def/marker": "true"}
"""Label of the ConfigMap, named as the Application, that each sync of a part begins with."""
CONTENT = "content"
"""Key of a marker: a number made from what its part holds, which its wave has too."""
WAIVED = "platform-def/ready"
"""Annotation by which a person lets others go on before the Application is ready."""
ORDER, CONTENTS = "platform-def-order", "platform-def-contents"
NEEDS, REMOVAL = "platform-def-needs", "platform-def-removal"

Kind = Api[dict[str, Any]]

_SAID = "has(params.status) && has(params.status.sync) && has(params.status.health) && has(params.status.health.status)"
_IDLE = (
    "!has(params.operation)"
    " && !(has(params.status.operationState) && params.status.operationState.phase in ['Running', 'Terminating'])"
)
_SYNCED = "params.status.sync.status == 'Synced'"
# A controller keeps changing it, but what Git says was applied, and its health was looked at after that.
_APPLIED = (
    "has(params.status.operationState) && has(params.status.operationState.syncResult)"
    " && params.status.operationState.phase == 'Succeeded'"
    " && params.status.operationState.syncResult.revision == params.status.sync.revision"
    " && timestamp(params.status.reconciledAt) > timestamp(params.status.operationState.finishedAt)"
)
_HEALTHY = "params.status.health.status in ['Healthy', 'Suspended']"
_WAIVES = f"has(params.metadata.annotations) && '{WAIVED}' in params.metadata.annotations"
READY = f"({_WAIVES}) || ({_SAID} && {_IDLE} && ({_SYNCED} || ({_APPLIED})) && {_HEALTHY})"
"""CEL: an Application has been synced and is healthy, or a person says so. Where it is suspended, nothing goes on by
itself."""

_KEY = f"'{AFTER}' + params.metadata.name"
# It does not wait, or its last sync waited for the same content: what became of that since delays nothing.
_SETTLED = (
    f"!(has(object.metadata.labels) && ({_KEY}) in object.metadata.labels) || "
    f"(request.operation == 'UPDATE' && has(oldObject.metadata.labels) && ({_KEY}) in oldObject.metadata.labels"
    f" && oldObject.metadata.labels[{_KEY}] == object.metadata.labels[{_KEY}])"
)
MAY_COME = f"{_SETTLED} || {READY}"
"""CEL about an Application or a marker, and an Application that it may wait for."""
_AWAITED = f"object.metadata.labels[{_KEY}]"
_MARKED = (
    f"each.kind == '{CONFIG_MAP.kind}' && each.name == params.metadata.name && has(each.status)"
    f" && each.status == 'Synced' && has(each.syncWave) && string(-each.syncWave) == {_AWAITED}"
)
MAY_GO_ON = (
    f"{_SETTLED} || {_AWAITED} == '{THERE}' || (has(params.status) && has(params.status.resources)"
    f" && params.status.resources.exists(each, {_MARKED}))"
)
"""CEL about an Application or a marker, and an Application that it may wait for: that one's marker is there, with the
content that is waited for. What an Application says of its health is of the commit before, for a moment after each
commit; its list of objects says of each only its state and its wave, so the marker's wave is the content.

The marker itself is no parameter of the policy: once no policy asks about a kind of the API server's own, the server
(1.30 to 1.37, kubernetes 130887) reads no more of that kind until it is restarted, and answers later policies by what
it read before."""

ARE_THERE = (
    "!has(object.metadata.labels) || object.metadata.labels.all(label, "
    f"!label.startsWith('{AFTER}') || (request.operation == 'UPDATE'"
    " && has(oldObject.metadata.labels) && label in oldObject.metadata.labels)"
    " || (has(params.status) && has(params.status.resources) && params.status.resources.exists(each,"
    f" each.kind == 'Application' && '{AFTER}' + each.name == label && each.status == 'Synced')))"
)
"""CEL about an Application or a marker, and the root: what it needs is there in its new content."""

_WAITS = "object.metadata.name + ' waits for ' + params.metadata.name"
_STATE = f"', which is ' + ({_SAID} ? params.status.sync.status + ' and ' + params.status.health.status : 'new')"

# What would be written is compared and tried first; that must go well for all at once.
_NO_TRIAL = ("is-no-trial", "!(has(request.dryRun) && request.dryRun)")
# Engines write into their objects all the time.
_OTHERWISE = (
    "request.operation == 'CREATE' || !has(object.metadata.labels) || !has(oldObject.metadata.labels)"
    " || object.metadata.labels != oldObject.metadata.labels"
)
_ANEW = ("waits-anew", _OTHERWISE)


def waiting(needs: Iterable[str] | Mapping[str, str]) -> dict[str, str]:
    """Labels of what is refused until these Applications are synced and healthy; for markers, with which content."""
    contents = needs if isinstance(needs, Mapping) else dict.fromkeys(needs, THERE)
    return {f"{AFTER}{name}": content for name, content in contents.items()}


def goes_before(servers: Iterable[str]) -> dict[str, str]:
    """Labels of what is to be gone before these may go."""
    return {f"{BEFORE}{name}": "true" for name in servers}


def order_gates(target: Target, api: Kind) -> Iterator[Manifest]:
    """Policies with bindings: what comes or changes is asked about each Application that there is, and whether the root
    has brought all that it needs; so no object depends on an Application that is gone."""
    both = [rule(api, "CREATE", "UPDATE"), rule(CONFIG_MAP, "CREATE", "UPDATE")]
    root: ParamRef = {"name": ROOT, "namespace": target.namespace, "parameterNotFoundAction": "Allow"}
    for name, params, asked, rules, demand in (
        (ORDER, api, _any(target, MANAGED), both, (MAY_COME, f"{_WAITS} + {_STATE}")),
        (CONTENTS, api, _any(target, MANAGED), both, (MAY_GO_ON, f"{_WAITS} + ', which is to change first'")),
        (NEEDS, api, root, both, (ARE_THERE, "object.metadata.name + ' waits for others, which are to come first'")),
    ):
        yield _policy(name, params, rules=rules, when=[_NO_TRIAL, _ANEW], demand=demand)
        yield _binding(name, asked, chosen(target))


def removal_gate(target: Target, api: Kind, *, takes: str, needs: str) -> Iterator[Manifest]:
    """The object of a part goes after those of the parts that need it.

    `takes`: CEL about `oldObject`, which is true where its deletion takes what it brought along. `needs`: CEL about
    `params`, another object, which is true where that one needs `oldObject`. Labels (`goes_before`) say the rest.
    """
    first = f"has(params.metadata.labels) && ('{BEFORE}' + oldObject.metadata.name) in params.metadata.labels"
    yield _policy(
        REMOVAL,
        api,
        rules=[rule(api, "DELETE")],
        when=[("takes-objects-along", takes)],
        demand=(f"!({needs}) && !({first})", "oldObject.metadata.name + ' goes after ' + params.metadata.name"),
    )
    yield _binding(REMOVAL, _any(target, MANAGED), chosen(target))


def possible(platform: Platform) -> bool:
    """Whether the cluster knows these policies."""
    return platform.kubernetes >= SINCE


def chosen(target: Target) -> MatchResources:
    """What is this tool's own in the engine's namespace."""
    return {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": target.namespace}},
        "objectSelector": {"matchLabels": MANAGED},
    }


def _any(target: Target, labels: dict[str, str]) -> ParamRef:
    """Each of the objects with these labels is asked about; where there are none, nothing is refused."""
    return {"namespace": target.namespace, "selector": {"matchLabels": labels}, "parameterNotFoundAction": "Allow"}


def rule(api: Api[Any], *operations: str) -> NamedRuleWithOperations:
    """Operations of the API server on objects of a kind."""
    return {
        "apiGroups": [api.group],
        "apiVersions": [api.version],
        "operations": list(operations),
        "resources": [api.plural],
    }


def _policy(
    name: str,
    params: Api[Any],
    *,
    rules: list[NamedRuleWithOperations],
    when: Iterable[tuple[str, str]],
    demand: tuple[str, str],
) -> Manifest:
    """`when`: names, and what must hold for the policy to be asked; `demand`: what must hold then, and what is said."""
    spec: ValidatingAdmissionPolicySpec = {
        "failurePolicy": "Fail",
        "paramKind": {"apiVersion": params.api_version, "kind": params.kind},
        "matchConstraints": {"resourceRules": rules},
        "matchConditions": [{"name": name, "expression": expression} for name, expression in when],
        "validations": [{"expression": demand[0], "messageExpression": demand[1]}],
    }
    return manifest(VALIDATING_ADMISSION_POLICY, name, labels=MANAGED | BOOTSTRAP, spec=spec)


def _binding(policy: str, params: ParamRef, chosen: MatchResources) -> Manifest:
    return manifest(
        VALIDATING_ADMISSION_POLICY_BINDING,
        policy,
        labels=MANAGED | BOOTSTRAP,
        spec={"policyName": policy, "paramRef": params, "matchResources": chosen, "validationActions": ["Deny"]},
    )
