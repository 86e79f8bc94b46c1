"""Gateway API: the kinds in which routes are written for whichever controller serves them; nothing of its own runs."""

from __future__ import annotations

from platform_def.config.model import Name
from platform_def.constructs import APACHE, Component, ComponentConfig, Crds, Release, releases


def _release(version: str, istio: str) -> Release:
    """A bundle, and the releases of Istio that were made with it or with the next one; 1.31 with 1.6, 1.30 with 1.5."""
    # Its CRDs use CEL of Kubernetes 1.31.
    return Release(version, kubernetes="1.31-1.37", needs={"istio": istio})


RELEASES = releases(
    _release("1.6.1", ">=1.31,<1.33"),
    _release("1.7.0", ">=1.32"),
    _release("1.6.1-experimental", ">=1.31,<1.33"),
    _release("1.5.1", "<1.32"),
    license=APACHE,
)


class GatewayApiConfig(ComponentConfig):
    """What a stack may choose about Gateway API."""

    releases = RELEASES

    namespace: Name = "default"
    """Not used: CRDs belong to the cluster."""


class GatewayApi(Component[GatewayApiConfig]):
    """CRDs of the standard channel, or with the release `1.6.1-experimental` of the experimental one."""

    def build(self) -> None:
        """The CRDs; their annotations say of which bundle they are, without which Istio passes over them."""
        Crds(self)
