"""Admission webhooks: configurations that point at a component's Service, and how the server comes to trust it.

The CA arrives in one of two ways: cert-manager injects it, or the component writes it itself at run time. Either way
the field is the cluster's, and delivery engines are configured to ignore it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from platform_def.apis.core.admissionregistration_v1 import (
    MUTATING_WEBHOOK_CONFIGURATION,
    VALIDATING_WEBHOOK_CONFIGURATION,
    MatchCondition,
    MutatingWebhook,
    RuleWithOperations,
    ValidatingWebhook,
)
from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.config.objects import Drift
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.resource import Resource


def rule(group: str, versions: str, resources: str, operations: str, *, scope: str = "*") -> RuleWithOperations:
    """What a webhook is called for; words are separated by spaces."""
    return {
        "apiGroups": [group],
        "apiVersions": versions.split(),
        "resources": resources.split(),
        "operations": operations.split(),
        "scope": scope,
    }


@dataclass(frozen=True, kw_only=True)
class Hook:
    """One webhook of a configuration."""

    name: str
    path: str
    rules: Sequence[RuleWithOperations]
    """What it is asked about; none: the component's program writes it."""
    failure_policy: Literal["Fail", "Ignore"] = "Fail"
    side_effects: Literal["None", "NoneOnDryRun"] = "None"
    timeout_seconds: int = 10
    namespace_selector: LabelSelector = field(default_factory=lambda: cast(LabelSelector, {}))
    object_selector: LabelSelector = field(default_factory=lambda: cast(LabelSelector, {}))
    match_policy: Literal["Equivalent", "Exact"] = "Equivalent"
    match_conditions: Mapping[str, str] = field(default_factory=dict)
    """CEL by name, all of which must hold for the server to be asked."""


class Webhooks(Piece):
    """A validating or mutating webhook configuration."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        kind: Literal["validating", "mutating"],
        service: str,
        hooks: Sequence[Hook],
        ca_from: str = "",
        port: int = 443,
        labels: Mapping[str, str] | None = None,
        written: Sequence[str] = (),
    ):
        """`ca_from` is an annotation `key=value` for cert-manager's injector; without, the component writes the CA.

        `written` are further fields of each hook that the component's program changes while it runs.
        """
        super().__init__(scope, f"{kind}-{name}")
        key, _, value = ca_from.partition("=")
        reference = {"name": service, "namespace": self.component.namespace, "port": port}
        entries = [
            {
                "name": hook.name,
                "clientConfig": {"service": {**reference, "path": hook.path}},
                # The API server drops an empty list.
                **({"rules": [*hook.rules]} if hook.rules else {}),
                "failurePolicy": hook.failure_policy,
                "sideEffects": hook.side_effects,
                "timeoutSeconds": hook.timeout_seconds,
                "matchPolicy": hook.match_policy,
                "admissionReviewVersions": ["v1"],
                "namespaceSelector": hook.namespace_selector,
                "objectSelector": hook.object_selector,
                **_conditions(hook),
            }
            for hook in hooks
        ]
        annotations = {key: value} if value else None
        if kind == "validating":
            typed = cast(list[ValidatingWebhook], entries)
            Resource(
                self,
                VALIDATING_WEBHOOK_CONFIGURATION,
                name,
                fields={"webhooks": typed},
                annotations=annotations,
                labels=labels,
            )
        else:
            both = cast(list[MutatingWebhook], [{**entry, "reinvocationPolicy": "Never"} for entry in entries])
            Resource(
                self,
                MUTATING_WEBHOOK_CONFIGURATION,
                name,
                fields={"webhooks": both},
                annotations=annotations,
                labels=labels,
            )
        api = VALIDATING_WEBHOOK_CONFIGURATION if kind == "validating" else MUTATING_WEBHOOK_CONFIGURATION
        changed = ("clientConfig/caBundle", *written)
        pointers = tuple(f"/webhooks/{index}/{field}" for index in range(len(hooks)) for field in changed)
        self.component.mutated(Drift(api.api_version, api.kind, name, pointers))


def _conditions(hook: Hook) -> dict[str, list[MatchCondition]]:
    found: list[MatchCondition] = [
        {"name": name, "expression": expression} for name, expression in hook.match_conditions.items()
    ]
    return {"matchConditions": found} if found else {}
