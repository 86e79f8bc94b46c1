"""Teams: who shares the cluster, with which namespaces and quotas, and whom their pods reach."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_network
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from platform_def.config.component import Proxy
from platform_def.config.model import LabelKey, MisfitError, Model, Name, Quantity, Subdomain, conflict
from platform_def.config.pools import MIG_PROFILE
from platform_def.config.storage import DatasetConfig

PodSecurity = Literal["privileged", "baseline", "restricted"]
DeviceKind = Literal["gpus", "slices", "virtualGpus", "mig", "accelerators"]
"""Kinds of devices that a quota counts apart, by its fields."""


def _numbers(value: object) -> object:
    """Said in one sentence, where a union would say one for each of its branches."""
    if isinstance(value, Mapping):
        wrong = [pool for pool, number in value.items() if not _is_count(number)]
        if wrong:
            raise ValueError(f"pool '{str(wrong[0])[:80]}': a whole number is wanted, 0 or more")
    elif not _is_count(value):
        raise ValueError("a whole number is wanted, 0 or more, or one for each pool, such as {train: 8}")
    return value


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


Count = Annotated[int, Field(ge=0)]
Amount = Annotated[Count | dict[Name, Count], BeforeValidator(_numbers)]
"""Devices in use at once: on all pools together, or by pool; a pool that such a map leaves out gives none."""


class DeviceAmounts(Model):
    """Numbers of devices, each kind under a name of its own."""

    gpus: Amount | None = None
    """Whole NVIDIA GPUs; a number, or one for each pool (`{train: 8}`)."""
    slices: Amount | None = None
    """Shares of cards on pools with `sharing: {mode: time-slicing}` or `mps`, each as large as its pool says."""
    virtual_gpus: Amount | None = None
    """Shares of cards on pools with `sharing: {mode: vgpu}`."""
    mig: dict[str, Amount] = Field(default_factory=dict)
    """MIG devices by profile: `{3g.40gb: 4}`."""
    accelerators: dict[LabelKey, Amount] = Field(default_factory=dict)
    """Other accelerators by resource name: `{google.com/tpu: 32}`."""

    @field_validator("mig")
    @classmethod
    def _profiles(cls, mig: dict[str, Amount]) -> dict[str, Amount]:
        for profile in mig:
            if not MIG_PROFILE.fullmatch(profile):
                raise ValueError(f"'{profile[:40]}' is not a MIG profile: write <compute>g.<memory>gb, such as 3g.40gb")
        return mig

    @field_validator("accelerators")
    @classmethod
    def _of_others(cls, accelerators: dict[str, Amount]) -> dict[str, Amount]:
        for name in accelerators:
            if name.startswith("nvidia.com/"):
                raise ValueError(f"{name} is NVIDIA's: count it under `gpus`, `slices`, `virtualGpus` or `mig`")
        return accelerators

    def of_devices(self) -> Iterator[tuple[DeviceKind, str, Amount]]:
        """What it grants of devices: kind, MIG profile or resource name where the kind has several, amount."""
        if self.gpus is not None:
            yield "gpus", "", self.gpus
        if self.slices is not None:
            yield "slices", "", self.slices
        if self.virtual_gpus is not None:
            yield "virtualGpus", "", self.virtual_gpus
        for profile, amount in sorted(self.mig.items()):
            yield "mig", profile, amount
        for resource, amount in sorted(self.accelerators.items()):
            yield "accelerators", resource, amount


class Quota(DeviceAmounts):
    """What a team may use at once. What is left out has no limit; but a quota that names any devices names all.

    So `{gpus: 16}` is sixteen whole cards, and no slice, MIG device or other accelerator.
    """

    cpu: Quantity | None = None
    """Processor cores that all pods together ask for: `"200"`."""
    memory: Quantity | None = None
    """Memory that all pods together ask for: `2Ti`."""
    storage: Quantity | None = None
    """Storage that all claims together ask for: `10Ti`."""
    pods: Count | None = None
    """Pods that have not ended."""

    def of_pods(self) -> dict[str, str]:
        """Limits of everything else, by the names that a ResourceQuota has for them."""
        named = {"requests.cpu": self.cpu, "requests.memory": self.memory, "requests.storage": self.storage}
        limits = {name: limit for name, limit in named.items() if limit is not None}
        return limits if self.pods is None else {**limits, "pods": str(self.pods)}


_NAME: TypeAdapter[str] = TypeAdapter(Name, config=ConfigDict(defer_build=True))


def _peer(text: str) -> str:
    """A namespace by name, or a network of addresses."""
    try:
        if "/" in text or ":" in text:
            return str(ip_network(text))
        _NAME.validate_python(text)
    except ValidationError:
        raise ValueError(f"'{text[:80]}' is neither a namespace nor a network such as 10.20.0.0/16") from None
    except ValueError:
        raise ValueError(
            f"'{text[:80]}' is no network: write it as 10.20.0.0/16, with no bits set beyond its prefix"
        ) from None
    return text


def _anywhere(value: object) -> object:
    if value != "anywhere" and not isinstance(value, list):
        raise ValueError("write `anywhere`, or a list of namespaces and networks, such as [storage, 10.20.0.0/16]")
    return value


Peer = Annotated[str, AfterValidator(_peer)]
"""A namespace by name, or a network of addresses outside the cluster's pods: `monitoring`, `10.20.0.0/16`."""


class TeamNetwork(Model):
    """Connections of a team's pods, by NetworkPolicy; `open` alone is none. Pods in their node's network have none."""

    policy: Literal["closed", "open"] = "closed"
    """`closed`: pods are reached from the team's namespace and those of the stack's components alone."""
    ingress_from: list[Peer] = Field(default_factory=list)
    """Who else may connect to them: namespaces, and networks of addresses (`10.20.0.0/16`), such as the nodes'."""
    egress_to: Annotated[Literal["anywhere"] | list[Peer], BeforeValidator(_anywhere)] = "anywhere"
    """Where they may connect to beside names (DNS), the namespace, and components; a list leaves out the API server
    too, unless it holds its address."""
    node_credentials: bool = False
    """Whether they may ask the cloud's metadata service, which gives out the node's own credentials. On GKE they may:
    pods get their own from it."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: object) -> object:
        return {"policy": data} if isinstance(data, str) else data

    @conflict
    def _of_closed_ones(self) -> Iterator[ValueError]:
        if self.policy == "open" and self.model_fields_set - {"policy"}:
            yield ValueError("without a policy everything is open: leave out the other fields, or `policy: open`")

    @property
    def closed(self) -> bool:
        """Whether there is a policy."""
        return self.policy == "closed"


class PodDefaults(Model):
    """What containers of a team ask for that name nothing; `none` alone: they ask for nothing."""

    cpu: Quantity | None = "100m"
    """Cores."""
    memory: Quantity | None = "256Mi"
    """Memory."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: object) -> object:
        return {"cpu": None, "memory": None} if data == "none" else data


TeamRole = Literal["view", "edit", "admin"]
"""What a person may do in a team's namespace: see, work, or also give roles."""


class Member(Model):
    """A person or a service account of a team."""

    name: Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[^\s*]+$")]
    """The name that the identity provider gives, usually an e-mail address."""
    role: TeamRole = "edit"
    """What the member may do in the team's namespace: `view`, `edit`, or `admin`, who also gives roles."""
    quota: Quota | None = None
    """What the member may use in a namespace of their own, `<team's>-<member>`. Where the team has a queue, the member
    has one below it, called as the namespace: what runs there counts to the team's devices, and a job says `member:`.
    Everything else counts beside the team's quota. Absent: the member works in the team's namespace alone."""

    @property
    def slug(self) -> str:
        """The name as a part of names of objects: `li` for li@example.com."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.rpartition(":")[2].partition("@")[0].lower()).strip("-")


class TeamGroup(Model):
    """A group of the identity provider whose people belong to a team."""

    name: Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[^\s*,]+$")]
    """The group's name, as tokens have it; it is compared as a whole."""
    role: TeamRole = "edit"
    """What its people may do in the team's namespace."""


_LONGEST_HOME = 63


class Team(Model):
    """A team with a namespace of its own."""

    name: Name
    """Name of the team."""
    namespace: Name | None = None
    """Its namespace; by default `team-<name>`."""
    quota: Quota | None = None
    """What the whole team may use: ResourceQuotas of its namespace; devices, where it names a `queue`, are what that
    queue has of its own."""
    queue: Name | None = None
    """Queue that its jobs wait in until their quota is free; teams that name the same one share it."""
    borrow: DeviceAmounts | None = None
    """What its queue may use beyond its own while others leave it idle, for all pools a number of each: `{gpus: 8}`.
    Absent: nothing; for a team whose quota names no devices, all that is idle."""
    datasets: dict[Annotated[Name, Field(max_length=40)], DatasetConfig] = Field(default_factory=dict)
    """Data that its jobs read, by the name that they say in `datasets:`. Its claim is in the team's namespace."""
    members: list[Member] = Field(default_factory=list)
    """Who belongs to it: roles in its namespace, and for members with a quota a namespace of their own."""
    groups: list[TeamGroup] = Field(default_factory=list)
    """Groups of the identity provider whose people belong to it."""
    network: TeamNetwork = TeamNetwork.of_defaults()
    """Who may connect to its pods, and where these connect to; `open`: no NetworkPolicy."""
    pod_defaults: PodDefaults = PodDefaults.of_defaults()
    """Requests of containers that set none, by a LimitRange; `none`: no LimitRange."""
    proxy: Proxy | None = None
    """Way out of the cluster for what fetches code (`code: {git: …}`) and data (`dataset-load`) of its jobs."""
    ca_bundle: Subdomain | None = None
    """ConfigMap (key `ca.crt`) in its namespace with private authorities, by which code of its jobs is fetched too."""
    pod_security: PodSecurity = "baseline"
    """Pod Security level of its namespace. RDMA jobs need `privileged`: baseline forbids IPC_LOCK and host networks."""

    @conflict
    def _home_is_a_name(self) -> Iterator[ValueError]:
        if len(self.home) > _LONGEST_HOME:
            text = f"its namespace {self.home} has {len(self.home)} characters, at most {_LONGEST_HOME} are taken: "
            yield MisfitError(f"{text}shorten it, or write `namespace:`", "name")

    @conflict
    def _members_apart(self) -> Iterator[ValueError]:
        for field, names in (
            ("members", [each.name for each in self.members]),
            ("groups", [each.name for each in self.groups]),
        ):
            for twice in dict.fromkeys(each for each in names if names.count(each) > 1):
                yield MisfitError(f"{twice} is there twice", field)
        rooms: dict[str, str] = {}
        for index, member in enumerate(self.members):
            if member.quota is None:
                continue
            home = f"{self.home}-{member.slug}"
            if not member.slug or len(home) > _LONGEST_HOME:
                text = f"the namespace of {member.name} would be {home}, no name of at most {_LONGEST_HOME} letters"
                yield MisfitError(text, "members", index, "name")
            elif (other := rooms.get(home, member.name)) != member.name:
                yield MisfitError(
                    f"{member.name} and {other} would share the namespace {home}", "members", index, "name"
                )
            rooms[home] = member.name

    @conflict
    def _lent_by_queues(self) -> Iterator[ValueError]:
        if self.borrow is not None and self.queue is None:
            yield MisfitError("only a team whose jobs wait in a queue can borrow: say `queue:` beside it", "borrow")

    @property
    def home(self) -> str:
        """The team's namespace."""
        return self.namespace or f"team-{self.name}"

    @property
    def owner(self) -> str:
        """What jobs are told apart by: the team's name."""
        return self.name

    @property
    def in_words(self) -> str:
        """What a sentence calls it."""
        return f"team {self.name}"

    @property
    def limits_devices(self) -> bool:
        """Whether a ResourceQuota limits its devices. Where its queue lends and borrows, it would refuse pods of jobs
        that the queue let in."""
        return self.queue is None

    @property
    def rooms(self) -> tuple[Room, ...]:
        """Namespaces of members with a quota, each as a team of that one person.

        Where the team has a queue, each has one below it, which is called as the namespace.
        """
        return tuple(
            Room(
                name=self.name,
                namespace=f"{self.home}-{member.slug}",
                queue=f"{self.home}-{member.slug}" if self.queue else None,
                quota=member.quota,
                network=self.network,
                pod_defaults=self.pod_defaults,
                proxy=self.proxy,
                ca_bundle=self.ca_bundle,
                pod_security=self.pod_security,
                members=[Member(name=member.name, role="edit")],
            )
            for member in self.members
            if member.quota is not None
        )

    @property
    def homes(self) -> tuple[str, ...]:
        """All its namespaces: its own, and those of members."""
        return (self.home, *(room.home for room in self.rooms))


class Room(Team):
    """The namespace of a member, as a team of that one person."""

    @property
    def owner(self) -> str:
        """What jobs are told apart by: the team's name and the member's."""
        return owner_of(self.name, self.members[0].name)

    @property
    def in_words(self) -> str:
        """What a sentence calls it."""
        return f"{self.members[0].name} of team {self.name}"

    @property
    def limits_devices(self) -> bool:
        """It does beside a queue too: its queue never has more than the quota."""
        return True


def owner_of(team: str | None, member: str | None) -> str:
    """Whose a job is, `vision` or `vision/li@example.com`; empty for what belongs to no team."""
    return f"{team or ''}{f'/{member}' if member else ''}"


def with_rooms(teams: Iterable[Team]) -> Iterator[Team]:
    """Each team, and the namespaces of its members."""
    for team in teams:
        yield team
        yield from team.rooms


def owned(owner: str, teams: Iterable[Team]) -> Team | None:
    """The team, or the member's namespace, of that owner."""
    return next((team for team in with_rooms(teams) if team.owner == owner), None)
