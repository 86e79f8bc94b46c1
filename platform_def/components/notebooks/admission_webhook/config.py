"""What a stack says of admission-webhook."""

from __future__ import annotations

from typing import Literal

from platform_def.components.notebooks.admission_webhook.releases import RELEASES
from platform_def.config.component import Proxy
from platform_def.config.model import Name
from platform_def.constructs import (
    Component,
    ComponentConfig,
)


class AdmissionWebhookConfig(ComponentConfig):
    """What a stack may choose about PodDefaults."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of the webhook, upstream's."""
    injection_failure: Literal["Fail", "Ignore"] = "Fail"
    """What becomes of new pods of teams while the webhook is away: they wait, or start without their defaults."""
    object_store: bool = False
    """Offer each team the stack's object store: endpoint, region, and credentials from a Secret of the namespace."""
    team_proxy: Proxy | None = None
    """Proxy that pods of teams may choose for their way out."""


AnyAdmissionWebhook = Component[AdmissionWebhookConfig]
"""The component, as its parts see it."""
