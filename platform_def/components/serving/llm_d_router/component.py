"""llm-d's router as kinds: which requests go first, and models under other names. Its programs are KServe's to start.

KServe's scheduler for language models is this router's picker; it reads these kinds where the stack has them.
"""

from __future__ import annotations

from platform_def.config.model import Name
from platform_def.constructs import APACHE, Component, ComponentConfig, Crds, PeopleRoles, Release, releases

RELEASES = releases(
    # The kinds of 0.10.0 are those of 0.9.0, which KServe 0.20 starts.
    Release("0.10.0", kubernetes="1.30-1.37", needs={"gateway-api-inference-extension": ">=1.5"}),
    license=APACHE,
)


class LlmDRouterConfig(ComponentConfig):
    """What a stack may choose about llm-d's router."""

    releases = RELEASES

    namespace: Name = "default"
    """Not used: CRDs belong to the cluster."""


class LlmDRouter(Component[LlmDRouterConfig]):
    """CRDs, and roles for people who write their objects."""

    def build(self) -> None:
        """The kinds."""
        Crds(self)
        PeopleRoles(self)
