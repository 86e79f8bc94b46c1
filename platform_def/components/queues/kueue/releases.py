"""Releases of Kueue."""

from __future__ import annotations

from platform_def.components.queues.kueue.metrics import METRICS
from platform_def.constructs import APACHE, CONTROLLER_RUNTIME, Release, Support, Upkeep, releases

# Upstream's README at the tag asks for 1.29 or newer; its end-to-end tests run on 1.34 to 1.36.
RELEASES = releases(
    Release(
        "0.19.2",
        kubernetes="1.29-1.36",
        kubernetes_by="upstream",
        upkeep=Upkeep(Support.CURRENT),  # upstream maintains the two lines before the one that it works on
        image="registry.k8s.io/kueue/kueue:v0.19.2",
        exports=(CONTROLLER_RUNTIME.honored, METRICS),
    ),
    license=APACHE,
)
