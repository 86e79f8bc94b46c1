"""Namespaces: every one that a component, a team or an application needs, with its Pod Security level, made once."""

from __future__ import annotations

from pydantic import Field

from platform_def.apis.core.core_v1 import NAMESPACE
from platform_def.config.component import ComponentConfig
from platform_def.config.model import Name
from platform_def.config.platform import NamespaceNeed, Offers
from platform_def.constructs.component import Component
from platform_def.constructs.resource import Resource

POD_SECURITY = "pod-security.kubernetes.io"
WHY = "platform-def/pod-security-reason"


class NamespacesConfig(ComponentConfig):
    """What a stack may choose about its namespaces."""

    namespace: Name = "default"
    """Not used: namespaces belong to the cluster."""
    existing: list[Name] = Field(default_factory=list)
    """Namespaces that somebody else makes, with their labels; they are left out here."""


class Namespaces(Component[NamespacesConfig]):
    """All Namespaces of a stack. No engine prunes or deletes them: what lives in them would go too."""

    @classmethod
    def offers(cls, config: NamespacesConfig) -> Offers:  # noqa: ARG003 - it needs none of its own
        """Nothing: it serves the others' needs."""
        return Offers()

    def build(self) -> None:
        """One Namespace for each need."""
        for need in self.platform.namespaces:
            if need.name not in self.config.existing:
                Resource(
                    self, NAMESPACE, need.name, labels=_labels(need), annotations={WHY: need.why} if need.why else None
                )


def _labels(need: NamespaceNeed) -> dict[str, str]:
    """Enforced at the needed level; one that is stricter only warns, so that nothing is refused that worked before."""
    level = {f"{POD_SECURITY}/enforce": need.pod_security, f"{POD_SECURITY}/enforce-version": "latest"}
    if need.pod_security == "baseline":
        level[f"{POD_SECURITY}/warn"] = "restricted"
    return {**dict(need.labels), **level}
