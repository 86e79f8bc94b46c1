"""Releases of the KAI scheduler, and the programs that its operator runs."""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.components.queues.kai_scheduler.metrics import QUEUES, SCHEDULED
from platform_def.constructs import APACHE, CONTROLLER_RUNTIME, ImageFacts, Release, Support, Upkeep, releases

_HOST, _TAG = "ghcr.io/kai-scheduler/kai-scheduler", "v0.17.0"


def _image(name: str) -> str:
    return f"{_HOST}/{name}:{_TAG}"


OPERANDS: Mapping[str, str] = {
    "admission": _image("admission"),
    "binder": _image("binder"),
    "node-scale-adjuster": _image("nodescaleadjuster"),
    "pod-grouper": _image("podgrouper"),
    "podgroup-controller": _image("podgroupcontroller"),
    "queue-controller": _image("queuecontroller"),
    "resource-reservation": _image("resourcereservation"),
    "scaling-pod": _image("scalingpod"),
    "scheduler": _image("scheduler"),
}
"""Images of what the operator runs, by the names of its pods."""
# Kubernetes: the matrix in upstream's SUPPORT.md at the tag.
RELEASES = releases(
    Release(
        "0.17.0",
        kubernetes="1.28-1.36",
        kubernetes_by="upstream",
        upkeep=Upkeep(Support.CURRENT),  # until 0.18, as SUPPORT.md says of odd minor versions
        image=_image("operator"),
        exports=(CONTROLLER_RUNTIME, SCHEDULED, QUEUES),
        runtime_images=tuple(sorted(OPERANDS.values())),
    ),
    license=APACHE,
)
FACTS = ImageFacts(
    user=65532, read_only=True, source="upstream's Dockerfile at v0.17.0: USER 65532, a static program that writes none"
)
