"""The releases of the admission webhook that are offered."""

from __future__ import annotations

from platform_def.constructs import (
    APACHE,
    Release,
    releases,
)

RELEASES = releases(
    Release("2.0.0", image="ghcr.io/kubeflow/dashboard/poddefaults-webhook:v2.0.0", kubernetes="1.29-1.37"),
    license=APACHE,
)
