"""A stack: one cluster's declaration, as a file holds it once everything that it extends is merged in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue

from platform_def.config.cluster import Cluster, Delivery, Ingress
from platform_def.config.component import Availability, CapabilityName
from platform_def.config.model import MisfitError, Model, Name, ObjectName, SlashedName, Subdomain, conflict
from platform_def.config.pools import SHARED_GPU, WHOLE_GPU, NodePool, offered, whole_cards
from platform_def.config.reads import independently
from platform_def.config.storage import ExistingStorage, StorageKind, StorageMap
from platform_def.config.teams import Team
from platform_def.config.written.watch import names_of
from platform_def.errors import nearest

API_VERSION = "platform-def/v1"
Reason = Annotated[str, Field(min_length=1, max_length=500)]
"""Why something goes, or may stay, for those who review it."""


def _day(value: str) -> str:
    try:
        if date.fromisoformat(value).isoformat() == value:
            return value
    except ValueError:
        pass
    raise ValueError(f"'{value[:40]}' is no day: write 2027-01-31")


Day = Annotated[str, AfterValidator(_day)]
"""A day as `2027-01-31`; days compare as their texts do."""


class Waiver(Model):
    """Findings of one rule in one object that count no more."""

    rule: Name
    """Id of the rule: `platformctl list checks`."""
    object: ObjectName
    """The object: `Kind name` or `Kind namespace/name`, with `.group` behind the kind where that alone is ambiguous."""
    reason: Reason
    """Why it may be so, for those who review it."""
    until: Day | None = None
    """The last day on which it holds. Synth knows no day: `platformctl check --date` tells one."""


class Checks(Model):
    """How the checks judge a stack."""

    waive: list[Waiver] = Field(default_factory=list)
    """Findings that are waived, each with a reason; a waiver without a finding is a finding itself."""


class StackHead(Model):
    """How a stack begins: what it builds on, its cluster, and who brings it there."""

    api_version: Literal["platform-def/v1"]
    """Format of the file; migrations between formats are the tool's."""
    extends: list[str] = Field(default_factory=list)
    """Files that this one builds on, relative to it; later ones win, this file wins over all."""
    cluster: Cluster
    """The cluster."""
    delivery: Delivery = Delivery.of_defaults()
    """Who applies dist/ to it."""


class StackFacts(Model):
    """What a stack says beside its cluster and components read; a field more is a fact of `Platform` more."""

    gateway: Name = "none"
    """The component that serves the routes of the others; `none`: no routes are made."""
    ingress: Ingress = Ingress.of_defaults()
    """How traffic reaches the gateway."""
    availability: Availability = "standard"
    """`ha`: replicas, disruption budgets and spread for every component that can have them."""
    network_policies: bool = False
    """Admit only the expected clients to every component's pods; the API server always reaches webhooks."""
    system_priority: Subdomain | None = None
    """PriorityClass of all components' controllers, such as `system-cluster-critical`; by default none."""
    node_pools: tuple[NodePool, ...] = Field(default_factory=tuple)
    """The nodes, by kind."""
    storage: StorageMap = Field(default_factory=dict)
    """Storage classes by name."""
    storage_kinds: dict[StorageKind, Name] = Field(default_factory=dict)
    """Which entry of `storage` serves a kind that components and jobs ask for: `{shared: ceph, fast: nvme}`. An entry
    with the name of a kind serves it; `shared` is also served by the only entry that many nodes can mount."""
    uses: dict[CapabilityName, Name] = Field(default_factory=dict)
    """Who gives a capability, where several components do: `{sqlDatabase: mysql}`; `external` is outside."""
    teams: tuple[Team, ...] = Field(default_factory=tuple)
    """Who shares the cluster."""


class Stack(StackFacts, StackHead):
    """One cluster's declaration."""

    components: dict[Name, dict[str, JsonValue]] = Field(default_factory=dict)
    """What is installed: the catalogue's components, or a folder of your own with `path:`."""
    external: dict[CapabilityName, dict[str, JsonValue]] = Field(default_factory=dict)
    """What components use outside the cluster: an object store, a database, an identity provider …"""
    retire: dict[Name, Reason] | Reason = Field(default_factory=dict)
    """Components that leave the cluster, each with the reason; for the change that takes them out of `components`. A
    namespace whose team goes is named here too: `{team-vision: "the project ended"}`.

    What was delivered and is no longer named is an error without it. A text, in a file that holds nothing else but
    `apiVersion`, retires the whole stack: its folder in dist/ goes.
    """
    replace: dict[SlashedName, Reason] = Field(default_factory=dict)
    """Objects that the engine may delete and recreate, each with the reason: `{StatefulSet/mysql: "larger claims"}`.

    For the change that the API server refuses to make of an object that exists. `synth` names what is lost. Take the
    entry out once the cluster has the new object.
    """
    jobs: list[dict[str, JsonValue]] = Field(default_factory=list)
    """Training jobs rendered from templates."""
    serving: list[dict[str, JsonValue]] = Field(default_factory=list)
    """Models that are served, rendered from templates; each is delivered like a component of its name."""
    checks: Checks = Checks.of_defaults()
    """Settings of the checks."""

    @conflict
    def _distinct_pools(self) -> Iterator[ValueError]:
        yield from _twice("nodePools", "node pool", (pool.name for pool in self.node_pools))

    @conflict
    def _distinct_selectors(self) -> Iterator[ValueError]:
        pools = self.node_pools
        yield from independently(_twin_selector(index, pools) for index in range(len(pools)))

    @conflict
    def _retired(self) -> Iterator[ValueError]:
        for name in self.retire if isinstance(self.retire, dict) else ():
            if name in self.components:
                yield MisfitError(f"{name} is retired, and `components` names it", "retire", name)
            if team := next((team.name for team in self.teams if name in team.homes), None):
                yield MisfitError(f"{name} is retired, and is the namespace of team {team}", "retire", name)

    @conflict
    def _distinct_teams(self) -> Iterator[ValueError]:
        yield from _twins(self.teams)

    @conflict
    def _distinct_classes(self) -> Iterator[ValueError]:
        yield from _twin_classes(self.storage)

    @conflict
    def _served_kinds(self) -> Iterator[ValueError]:
        yield from _strange_kinds(self.storage, self.storage_kinds)

    @conflict
    def _one_default_class(self) -> Iterator[ValueError]:
        defaults = [name for name, storage in self.storage.items() if storage.default]
        if len(defaults) > 1:
            text = f"only one storage class can be the default, not {' and '.join(sorted(defaults))}"
            yield MisfitError(text, "storage", defaults[-1], "default")

    @conflict
    def _one_meaning_of_a_gpu(self) -> Iterator[ValueError]:
        """Pitfall: where whole cards and slices have one resource name, a job for 8 GPUs may get slices of two."""
        whole = [pool.name for pool in self.node_pools if whole_cards(pool)]
        for index, pool in enumerate(self.node_pools):
            if whole and pool.gpu and not whole_cards(pool) and WHOLE_GPU in offered(pool):
                does, write, then = (
                    ("shares", "sharing: {rename: true}", SHARED_GPU)
                    if pool.gpu.sharing
                    else ("cuts", "strategy: mixed", "named after their profile")
                )
                yield MisfitError(
                    f"pool {pool.name} {does} GPUs under the name {WHOLE_GPU}, which pool {whole[0]} uses for whole "
                    f"cards; write `{write}` there, so that the parts are {then}",
                    *("nodePools", index, "gpu"),
                )


def _twice(field: str, what: str, names: Iterable[str]) -> Iterator[ValueError]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield MisfitError(f"two {what}s are called '{name}'", field, index)
        seen.add(name)


def _twin_selector(index: int, pools: Sequence[NodePool]) -> Iterator[ValueError]:
    pool = pools[index]
    if not pool.selector:
        return
    alike = (each for each in pools[:index] if each.selector == pool.selector)
    other = next((each for each in alike if each.name != pool.name), None)
    if other:
        text = f"pools {other.name} and {pool.name} have one selector: their nodes would be counted twice"
        yield MisfitError(text, "nodePools", index, "selector")


def _twins(teams: Sequence[Team]) -> Iterator[ValueError]:
    """Teams of one name, or in one namespace: those of one name have one namespace as well."""
    yield from _twice("teams", "team", (team.name for team in teams))
    owners: dict[str, str] = {}
    for index, team in enumerate(teams):
        for home in team.homes:
            if owners.setdefault(home, team.name) != team.name:
                yield MisfitError(f"two team namespaces are called '{home}'", "teams", index)


def _strange_kinds(storage: StorageMap, kinds: Mapping[StorageKind, str]) -> Iterator[ValueError]:
    """A kind is served by an entry that there is, and `shared` by one that many nodes can mount."""
    yield from independently(_strange_kind(storage, kind, name) for kind, name in kinds.items())


def _strange_kind(storage: StorageMap, kind: StorageKind, name: str) -> Iterator[ValueError]:
    entry = storage.get(name)
    if entry is None:
        known = names_of(storage)
        near = nearest(name, known)
        hint = near if near.startswith("did you mean") else f"entries: {', '.join(known) or 'there is none'}"
        yield MisfitError(f"storage '{name}' is not in the stack; {hint}", "storageKinds", kind)
    elif kind == "shared" and "ReadWriteMany" not in entry.modes:
        text = f"storage '{name}' cannot be mounted by many nodes: it can be {', '.join(entry.modes)}"
        yield MisfitError(text, "storageKinds", kind)


def _twin_classes(storage: StorageMap) -> Iterator[ValueError]:
    """Entries may share a class that the cluster has; one that a component makes is of one entry."""
    seen: dict[str, str] = {}
    for name, entry in storage.items():
        called = entry.class_name or name
        other = storage.get(seen.setdefault(called, name))
        if other is not entry and not (isinstance(entry, ExistingStorage) and isinstance(other, ExistingStorage)):
            text = f"its class is called '{called}', as that of storage.{seen[called]} is"
            yield MisfitError(text, "storage", name, "className")
