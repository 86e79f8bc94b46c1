"""KEDA's admission webhooks, by `config/webhooks` of 2.21: they see its own kinds alone, and nothing waits for them."""

from __future__ import annotations

from platform_def.constructs import Hook, rule

VERSION = "v1alpha1"
ADMITTED = (
    ("keda.sh", "ScaledObject"),
    ("keda.sh", "ScaledJob"),
    ("keda.sh", "TriggerAuthentication"),
    ("keda.sh", "ClusterTriggerAuthentication"),
    ("eventing.keda.sh", "CloudEventSource"),
    ("eventing.keda.sh", "ClusterCloudEventSource"),
)


def hooks() -> list[Hook]:
    """One a kind, in upstream's order."""
    return [_hook(group, kind.lower()) for group, kind in ADMITTED]


def _hook(group: str, kind: str) -> Hook:
    return Hook(
        name=f"v{kind}.kb.io",
        path=f"/validate-{group.replace('.', '-')}-{VERSION}-{kind}",
        rules=[rule(group, VERSION, f"{kind}s", "CREATE UPDATE")],
        failure_policy="Ignore",
    )
