"""The way of a job's containers out of the cluster: the proxy and the private authorities of its team."""

from __future__ import annotations

from platform_def.config.platform import Platform
from platform_def.constructs.environment import proxied
from platform_def.jobs.pods.security import team_of
from platform_def.jobs.template import PlacedConfig


def way_out(config: PlacedConfig, platform: Platform) -> dict[str, str]:
    """Variables of the proxy, where the team has one."""
    team = team_of(config, platform)
    return proxied(team.proxy, platform.dns_domain) if team and team.proxy else {}


def authorities(config: PlacedConfig, platform: Platform) -> str | None:
    """ConfigMap of the team's namespace with private authorities; a job elsewhere does not see it."""
    team = team_of(config, platform)
    return team.ca_bundle if team and config.namespace in (None, team.home) else None
