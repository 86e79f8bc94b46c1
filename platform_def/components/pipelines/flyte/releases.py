"""The releases of the Flyte that are offered."""

from __future__ import annotations

from platform_def.constructs import (
    APACHE,
    Release,
    releases,
)

RELEASES = releases(
    Release(
        "1.16.8",
        # What the release's own chart names; the tree's names `latest` of an image without `-release`.
        image="cr.flyte.org/flyteorg/flyte-binary-release:v1.16.8",
        images={"copilot": "cr.flyte.org/flyteorg/flytecopilot:v1.16.8"},
        runtime_images=("cr.flyte.org/flyteorg/flytecopilot:v1.16.8",),
    ),
    license=APACHE,
)
