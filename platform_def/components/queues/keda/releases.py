"""Releases of KEDA."""

from __future__ import annotations

from platform_def.constructs import (
    APACHE,
    Release,
    Support,
    Upkeep,
    releases,
)

_HOST = "ghcr.io/kedacore"
# The table of tested clusters in upstream's documentation.
RELEASES = releases(
    Release(
        "2.21.0",
        kubernetes="1.34-1.36",
        kubernetes_by="upstream",
        # SECURITY.md: the newest three minor lines; the last advisory, CVE-2026-53572, was fixed in 2.20.0.
        upkeep=Upkeep(Support.CURRENT, ()),
        image=f"{_HOST}/keda:2.21.0",
        images={
            "metrics": f"{_HOST}/keda-metrics-apiserver:2.21.0",
            "webhooks": f"{_HOST}/keda-admission-webhooks:2.21.0",
        },
    ),
    license=APACHE,
)
