"""A pod that a webhook must change does not come before that webhook.

Where no gate keeps the order, pods may come before a webhook such as that of Istio's sidecar is registered, and nothing
would start them again. So from the first sync on the API server refuses them as it does later while the webhook does
not answer: the same pods, by the webhook's own selectors. The controller that makes a pod tries again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from platform_def.apis.core.admissionregistration_v1 import MUTATING_WEBHOOK_CONFIGURATION, MatchResources
from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.delivery.pods.refusals import binding, refusal
from platform_def.delivery.target import Target
from platform_def.manifests.admission import Gate, StackWebhooks
from platform_def.manifests.index import ObjectIndex
from platform_def.manifests.loose import items, mapping
from platform_def.manifests.rendered import Manifest, RenderedObject, RenderedStack

NAME = "platform-def-injectors"
_KIND = MUTATING_WEBHOOK_CONFIGURATION
HAS_CA = "params.webhooks.all(each, !has(each.clientConfig.service) || has(each.clientConfig.caBundle))"
"""CEL about a configuration of webhooks: from here on the API server asks them, and refuses what they do not answer."""


def changed_pods(stack: RenderedStack) -> dict[Gate, list[RenderedObject]]:
    """Webhooks that change pods and refuse them while they do not answer, with the stack's own workloads whose pods
    these are, and its namespaces in which other pods are."""
    index = ObjectIndex(item for _, component in sorted(stack.components.items()) for item in component.objects)
    webhooks = StackWebhooks(index)
    found: dict[Gate, list[RenderedObject]] = {}
    for item in index.objects:
        about = webhooks.of_pods_in(item) if item.kind == "Namespace" and not item.group else webhooks.of_pods(item)
        for hook in about:
            if hook.refuses and hook.configuration.kind == _KIND.kind:
                found.setdefault(hook, []).append(item)
    return found


def injection_gate(target: Target, hooks: Iterable[Gate]) -> Iterator[Manifest]:
    """The policy, and a binding for each webhook; nothing where there are none.

    Pods of the engine, which is to bring the webhooks, are left out.
    """
    bindings = [_binding(hook, target) for hook in hooks]
    if bindings:
        message = "'the pod waits for ' + params.metadata.name + ', which is to change it'"
        yield refusal(NAME, api_version=_KIND.api_version, kind=_KIND.kind, until=HAS_CA, message=message)
        yield from bindings


def _binding(hook: Gate, target: Target) -> Manifest:
    """What the webhook chooses."""
    namespaces = mapping(hook.body.get("namespaceSelector"))
    elsewhere = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": [target.namespace]}
    expressions = [*items(namespaces.get("matchExpressions")), elsewhere]
    selector = cast(LabelSelector, {**namespaces, "matchExpressions": expressions})
    chosen: MatchResources = {"namespaceSelector": selector}
    if hook.body.get("objectSelector"):
        chosen["objectSelector"] = hook.body["objectSelector"]
    name = f"{hook.configuration.name}.{hook.name}"
    return binding(NAME, name, awaited=hook.configuration.name, chosen=chosen)
