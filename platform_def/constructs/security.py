"""What a container may do: as little as its image is known to work with, else what upstream gives it.

Untested hardening breaks in the cluster, so it rests on facts of the image, recorded with their source.
"""

from __future__ import annotations

from dataclasses import dataclass

from platform_def.apis.core.core_v1 import SecurityContext

RESTRICTED: SecurityContext = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""For images that are known to work with it: the `restricted` Pod Security level and a read-only root."""


@dataclass(frozen=True, kw_only=True)
class ImageFacts:
    """What is known of an image, so that its containers can be given no more than they need."""

    source: str
    """Where it is said: its Dockerfile, the context in upstream's own manifests."""
    user: int | None = None
    """User that it runs as where the image names it by number, 0 for root; None: not known, or a name that the kubelet
    cannot tell from root."""
    runs_as: int | None = None
    """User that it is set to run as, where the image names none or a name."""
    read_only: bool = False
    """It writes nothing outside its volumes."""
    capabilities: tuple[str, ...] = ()
    """Capabilities that it needs, such as NET_BIND_SERVICE; all others are dropped."""


def secured(facts: ImageFacts | None, upstream: SecurityContext | None = None) -> SecurityContext:
    """The context of a container: everything refused that the facts allow to refuse; without facts upstream's own."""
    if facts is None:
        return upstream if upstream is not None else {}
    made: SecurityContext = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"], **({"add": [*facts.capabilities]} if facts.capabilities else {})},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    if facts.read_only:
        made["readOnlyRootFilesystem"] = True
    if facts.runs_as is not None:
        made["runAsUser"] = facts.runs_as
    if (facts.runs_as if facts.runs_as is not None else facts.user or 0) > 0:
        made["runAsNonRoot"] = True
    return made
