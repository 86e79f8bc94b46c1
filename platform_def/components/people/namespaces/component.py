"""Namespaces: every one that is needed, with its Pod Security level; what teams may use, reach and read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import Field

from platform_def.apis.core.core_v1 import LIMIT_RANGE, NAMESPACE, RESOURCE_QUOTA, SERVICE_ACCOUNT
from platform_def.apis.core.networking_v1 import NETWORK_POLICY
from platform_def.components.people.namespaces.team import defaults, network_policy, unheld
from platform_def.config.devices import gpu_quota
from platform_def.config.model import Name
from platform_def.config.platform import Platform
from platform_def.config.reads import independently
from platform_def.config.teams import Team, with_rooms
from platform_def.constructs import Component, ComponentConfig, NamespaceNeed, Problem, Resource, Setting
from platform_def.constructs.dataset import Dataset
from platform_def.constructs.protection import protection

POD_SECURITY = "pod-security.kubernetes.io"
WHY = "platform-def/pod-security-reason"
PROFILES = ("default-editor", "default-viewer")
"""Accounts of a Profile's namespace, under which notebooks run; its controller keeps those that are there."""


class NamespacesConfig(ComponentConfig):
    """What a stack may choose about its namespaces."""

    namespace: Name = "default"
    """Not used: namespaces belong to the cluster."""
    existing: list[Name] = Field(default_factory=list)
    """Namespaces that exist already, with their labels; they are left out here."""


class Namespaces(Component[NamespacesConfig]):
    """All Namespaces of a stack, and what its teams may use and reach.

    No engine prunes or deletes a Namespace: what lives in it would go too.
    """

    @classmethod
    def problems(cls, at: Setting[NamespacesConfig]) -> Iterator[Problem]:
        """Datasets that no storage or no disk of a pool can hold, and those whose copies would have one name."""
        teams = at.platform.teams
        yield from independently(_unheld(index, team, at.platform) for index, team in enumerate(teams))
        yield from _copy_problems(teams)

    def build(self) -> None:
        """One Namespace for each need; quotas, defaults, datasets and a network policy for each team."""
        for need in self.platform.namespaces:
            if need.name not in self.config.existing:
                Resource(
                    self,
                    NAMESPACE,
                    need.name,
                    labels=_labels(need, self.platform),
                    annotations={**dict(need.annotations), **({WHY: need.why} if need.why else {})} or None,
                )
        if self.platform.pull_secrets:
            self.accounts_that_pull()
        for team in with_rooms(self.platform.teams):
            limits = gpu_quota(team, self.platform.node_pools) if team.limits_devices else {}
            # The API server enforces extended resources by their requests alone.
            self.quota(team, "gpus", {f"requests.{name}": str(amount) for name, amount in limits.items()})
            self.quota(team, "compute", team.quota.of_pods() if team.quota else {})
            item = defaults(team)
            if item:
                Resource(self, LIMIT_RANGE, "defaults", spec={"limits": [item]}, namespace=team.home)
            for name, dataset in team.datasets.items():
                # Behind classes of storage, whose components have their own namespaces from here.
                Dataset(self, name, dataset, pools=self.platform.node_pools, namespace=team.home, part="after")
            if team.network.closed:
                spec = network_policy(team, self.platform)
                Resource(self, NETWORK_POLICY, "team", spec=spec, namespace=team.home)

    def accounts_that_pull(self) -> None:
        """Accounts that no component renders, so that they name the stack's pull secrets as all others do.

        Pods that operators make run under them. No engine deletes them: tokens of pods that run would end with them.
        """
        homes = {home for team in self.platform.teams for home in team.homes}
        profiles = self.platform.serves("Profile.kubeflow.org")
        for need in self.platform.namespaces:
            if need.name not in self.config.existing:
                for name in ("default", *(PROFILES if profiles and need.name in homes else ())):
                    kept = protection("Namespace", self.platform.delivery)
                    Resource(self, SERVICE_ACCOUNT, name, fields={}, namespace=need.name, annotations=kept)

    def quota(self, team: Team, name: str, limits: Mapping[str, str]) -> None:
        """A limit of the team's namespace, where there is any."""
        if limits:
            Resource(self, RESOURCE_QUOTA, name, spec={"hard": {**limits}}, namespace=team.home)


def _labels(need: NamespaceNeed, platform: Platform) -> dict[str, str]:
    """Enforced at the needed level; one that is stricter only warns, so that nothing is refused that worked before.

    The version is the stack's, so that what a level means changes with the stack file and not with the cluster alone.
    """
    version = f"v{platform.kubernetes}"
    level = {f"{POD_SECURITY}/enforce": need.pod_security, f"{POD_SECURITY}/enforce-version": version}
    if need.pod_security == "baseline":
        level |= {f"{POD_SECURITY}/warn": "restricted", f"{POD_SECURITY}/warn-version": version}
    return {**dict(need.labels), **level}


def _unheld(index: int, team: Team, platform: Platform) -> Iterator[Problem]:
    for name, dataset in team.datasets.items():
        yield from unheld(dataset, team, platform, place=("teams", index, "datasets", name))


def _copy_problems(teams: Sequence[Team]) -> Iterator[Problem]:
    """Copies of datasets whose volumes would have one name."""
    copied: dict[str, str] = {}
    for index, team in enumerate(teams):
        for name in (each for each, dataset in team.datasets.items() if dataset.local_copy):
            whose, alike = f"datasets.{name} of team {team.name}", f"{team.home}-{name}"
            if copied.setdefault(alike, whose) != whose:
                text = f"{whose} and {copied[alike]}: the volumes of their copies would have one name"
                yield Problem(text, hint="rename one of the datasets", at=("teams", index, "datasets", name))
