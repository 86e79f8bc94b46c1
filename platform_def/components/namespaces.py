"""Namespaces: every one that a component, a team or an application needs, with its Pod Security level; GPU quotas."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from platform_def.apis.core.core_v1 import NAMESPACE, RESOURCE_QUOTA
from platform_def.config.component import ComponentConfig
from platform_def.config.devices import devices
from platform_def.config.model import Name
from platform_def.config.platform import NamespaceNeed, Offers
from platform_def.config.pools import NodePool, asked, offered
from platform_def.config.teams import Team
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
    """All Namespaces of a stack, and the GPU quotas of its teams.

    No engine prunes or deletes a Namespace: what lives in it would go too.
    """

    @classmethod
    def offers(cls, config: NamespacesConfig) -> Offers:  # noqa: ARG003 - it needs none of its own
        """Nothing: it serves the others' needs."""
        return Offers()

    def build(self) -> None:
        """One Namespace for each need, one ResourceQuota for each team with a limit."""
        for need in self.platform.namespaces:
            if need.name not in self.config.existing:
                Resource(
                    self, NAMESPACE, need.name, labels=_labels(need), annotations={WHY: need.why} if need.why else None
                )
        for team in self.platform.teams:
            hard = gpu_quota(team, self.platform.node_pools)
            if hard:
                Resource(self, RESOURCE_QUOTA, "gpus", spec={"hard": hard}, namespace=team.home)


def gpu_quota(team: Team, pools: Sequence[NodePool]) -> dict[str, str | int]:
    """Limits by resource: the API server enforces extended resources by their requests alone.

    The team's number holds for each kind of device that pools offer, so it bounds whole cards and shares apart.
    """
    if team.quota is None or team.quota.gpus is None:
        return {}
    amounts: dict[str, int] = {}
    for pool in pools:
        for kind in devices(pool):
            wanted = asked(pool, team.quota.gpus, kind.profile)
            # Others are known to a scheduler alone, and are the same for any number of shares (HAMi's cores).
            for name in offered(pool).keys() & kind.resources.keys():
                amounts[name] = max(wanted.get(name, 0), amounts.get(name, 0))
    return {f"requests.{name}": str(amount) for name, amount in sorted(amounts.items())}


def _labels(need: NamespaceNeed) -> dict[str, str]:
    """Enforced at the needed level; one that is stricter only warns, so that nothing is refused that worked before."""
    level = {f"{POD_SECURITY}/enforce": need.pod_security, f"{POD_SECURITY}/enforce-version": "latest"}
    if need.pod_security == "baseline":
        level[f"{POD_SECURITY}/warn"] = "restricted"
    return {**dict(need.labels), **level}
