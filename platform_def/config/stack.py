"""A stack: one cluster's declaration, as a file holds it once everything that it extends is merged in."""

from __future__ import annotations

from itertools import combinations
from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from platform_def.config.cluster import Cluster, Delivery, Ingress
from platform_def.config.component import Availability
from platform_def.config.model import MisfitError, Model, Name
from platform_def.config.pools import SHARED_GPU, WHOLE_GPU, NodePool, offered, whole_cards
from platform_def.config.storage import StorageMap
from platform_def.config.teams import Team

API_VERSION = "platform-def/v1"
Gateway = Literal["emissary", "istio", "gateway-api", "none"]


class Stack(Model):
    """One cluster's declaration."""

    api_version: Literal["platform-def/v1"]
    """Format of the file; migrations between formats are the tool's."""
    extends: list[str] = Field(default_factory=list)
    """Files that this one builds on, relative to it; later ones win, this file wins over all."""
    cluster: Cluster
    """The cluster."""
    delivery: Delivery = Delivery()
    """Who applies dist/ to it."""
    gateway: Gateway = "none"
    """What serves the routes of the components; `none`: no routes are made."""
    ingress: Ingress = Ingress()
    """How traffic reaches the gateway."""
    availability: Availability = "standard"
    """`ha`: replicas, disruption budgets and spread for every component that can have them."""
    node_pools: list[NodePool] = Field(default_factory=list)
    """The nodes, by kind."""
    storage: StorageMap = Field(default_factory=dict)
    """Storage classes by name."""
    components: dict[Name, dict[str, JsonValue]] = Field(default_factory=dict)
    """What is installed: the catalogue's components, or a folder of your own with `path:`."""
    teams: list[Team] = Field(default_factory=list)
    """Who shares the cluster."""
    jobs: list[dict[str, JsonValue]] = Field(default_factory=list)
    """Training jobs rendered from templates."""

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        _refuse_twice("nodePools", "node pool", [pool.name for pool in self.node_pools])
        _refuse_twice("teams", "team", [team.name for team in self.teams])
        _refuse_twice("teams", "team namespace", [team.home for team in self.teams])
        for (_, one), (index, other) in combinations(enumerate(self.node_pools), 2):
            if one.selector and one.selector == other.selector:
                text = f"pools {one.name} and {other.name} have one selector: their nodes would be counted twice"
                raise MisfitError(text, "nodePools", index, "selector")
        defaults = [name for name, storage in self.storage.items() if storage.default]
        if len(defaults) > 1:
            text = f"only one storage class can be the default, not {' and '.join(sorted(defaults))}"
            raise MisfitError(text, "storage", defaults[-1], "default")
        return self

    @model_validator(mode="after")
    def _one_meaning_of_a_gpu(self) -> Self:
        """Pitfall: where whole cards and slices have one resource name, a job for 8 GPUs may get slices of two."""
        whole = [pool.name for pool in self.node_pools if whole_cards(pool)]
        for index, pool in enumerate(self.node_pools):
            if whole and pool.gpu and not whole_cards(pool) and WHOLE_GPU in offered(pool):
                does, write, then = (
                    ("shares", "sharing: {rename: true}", SHARED_GPU)
                    if pool.gpu.sharing
                    else ("cuts", "strategy: mixed", "named after their profile")
                )
                raise MisfitError(
                    f"pool {pool.name} {does} GPUs under the name {WHOLE_GPU}, which pool {whole[0]} uses for whole "
                    f"cards; write `{write}` there, so that the parts are {then}",
                    *("nodePools", index, "gpu"),
                )
        return self


def _refuse_twice(field: str, what: str, names: list[str]) -> None:
    twice = next((index for index, name in enumerate(names) if name in names[:index]), None)
    if twice is not None:
        raise MisfitError(f"two {what}s are called '{names[twice]}'", field, twice)
