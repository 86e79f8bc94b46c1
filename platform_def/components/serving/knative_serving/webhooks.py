"""Knative's webhooks. Its programs write their rules and their authority while they run.

They fail closed, on Knative's own kinds alone. ConfigMaps that are delivered from Git have no label by which the two
for ConfigMaps would choose them: a webhook that is down never stands between Git and its own repair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.constructs import Hook, Webhooks, rule

if TYPE_CHECKING:
    from platform_def.components.serving.knative_serving.config import AnyKnativeServing

GROUPS = ("autoscaling.internal.knative.dev", "networking.internal.knative.dev", "serving.knative.dev")
KINDS = (
    "metrics podautoscalers certificates ingresses serverlessservices configurations revisions routes services "
    "domainmappings domainmappings/status"
)
UNLESS_EXCLUDED: LabelSelector = {
    "matchExpressions": [{"key": "webhooks.knative.dev/exclude", "operator": "DoesNotExist"}]
}
"""What the programs add in any case."""
CONFIGURED: LabelSelector = {
    "matchExpressions": [
        {"key": "app.kubernetes.io/name", "operator": "In", "values": ["knative-serving"]},
        {
            "key": "app.kubernetes.io/component",
            "operator": "In",
            "values": [
                "autoscaler",
                "controller",
                "logging",
                "networking",
                "observability",
                "tracing",
                "net-certmanager",
            ],
        },
    ]
}
OF_NET_ISTIO: LabelSelector = {
    "matchLabels": {"app.kubernetes.io/name": "knative-serving", "app.kubernetes.io/component": "net-istio"}
}
OF_CONFIGURATIONS: LabelSelector = {
    "matchExpressions": [{"key": "serving.knative.dev/configuration", "operator": "Exists"}]
}


def webhooks(component: AnyKnativeServing) -> None:
    """The five configurations."""
    every = [(group, KINDS) for group in GROUPS]
    _hook(component, "webhook.serving.knative.dev", "mutating", "/defaulting", kinds=every)
    _hook(
        component,
        "validation.webhook.serving.knative.dev",
        "validating",
        "/resource-validation",
        kinds=every,
        operations="CREATE UPDATE DELETE",
    )
    _hook(component, "config.webhook.serving.knative.dev", "validating", "/config-validation", objects=CONFIGURED)
    _hook(
        component,
        "webhook.istio.networking.internal.knative.dev",
        "mutating",
        "/defaulting",
        objects=OF_CONFIGURATIONS,
        service="net-istio-webhook",
    )
    _hook(
        component,
        "config.webhook.istio.networking.internal.knative.dev",
        "validating",
        "/config-validation",
        objects=OF_NET_ISTIO,
        service="net-istio-webhook",
    )


def _hook(
    component: AnyKnativeServing,
    name: str,
    kind: Literal["mutating", "validating"],
    path: str,
    *,
    kinds: list[tuple[str, str]] | None = None,
    operations: str = "CREATE UPDATE",
    objects: LabelSelector | None = None,
    service: str = "webhook",
) -> None:
    hook = Hook(
        name=name,
        path=path,
        rules=[rule(group, "*", resources, operations) for group, resources in kinds or ()],
        object_selector=objects or {},
        namespace_selector={} if path == "/config-validation" else UNLESS_EXCLUDED,
    )
    Webhooks(component, name, kind=kind, service=service, hooks=[hook], written=["rules"])
