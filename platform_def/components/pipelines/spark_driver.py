"""What drivers of Spark may do in their namespace, with the Spark operator and under Flyte."""

from __future__ import annotations

from platform_def.constructs import allow

DRIVER_RULES = (
    # They make their executors, and clear them away.
    allow(
        "",
        "configmaps persistentvolumeclaims pods services",
        verbs="create delete deletecollection get list patch update watch",
    ),
)
