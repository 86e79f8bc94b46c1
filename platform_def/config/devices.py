"""What pods can ask for on a pool, kind by kind: the one place that quotas, queues, notebooks and jobs go by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from platform_def.config.pools import (
    CORES_OF_A_CARD,
    WHOLE_GPU,
    NodePool,
    asked,
    dividing,
    offered,
    places,
    profiles,
    uncut,
    virtual,
    whole_cards,
)
from platform_def.config.teams import DeviceKind, Quota, Team


@dataclass(frozen=True)
class OfferedDevices:
    """Devices of one kind that pods on a pool can ask for."""

    title: str
    """For people: `a100-80gb`, `t4 1/4`, `h100-80gb 3g.40gb`, `google.com/tpu`."""
    profile: str
    """MIG profile, where pods choose one; `asked` and `places` take it."""
    resources: Mapping[str, int]
    """What a pod with one of them asks for."""
    per_node: int
    several: bool
    """Whether a pod may have more than one: shares may be of one card, and programs use one MIG device at a time."""
    kind: DeviceKind = "gpus"
    """The field of a quota that counts them."""
    key: str = ""
    """MIG profile or resource name under that field, where it has several."""


_WORDS: Mapping[DeviceKind, str] = {
    "gpus": "whole GPUs",
    "slices": "slices of GPUs",
    "virtualGpus": "virtual GPUs",
    "mig": "MIG devices",
    "accelerators": "accelerators",
}


def in_words(kind: DeviceKind, key: str) -> str:
    """What a quota counts there, for people: `whole GPUs`, `MIG devices 3g.40gb`."""
    return key if kind == "accelerators" else f"{_WORDS[kind]} {key}".rstrip()


def as_written(kind: DeviceKind, key: str, number: int | str) -> str:
    """How a quota says it: `slices: 4`, `mig: {3g.40gb: 4}`."""
    return f"{kind}: {{{key}: {number}}}" if key else f"{kind}: {number}"


def devices(pool: NodePool) -> tuple[OfferedDevices, ...]:
    """Each kind of device that the pool has; none where it has no accelerators."""
    if pool.accelerator:
        model, parts = pool.accelerator.resource, [""]
    elif pool.gpu:
        whole = [""] if pool.gpu.mig is None or uncut(pool.gpu) else []
        model, parts = pool.gpu.model, [*whole, *(pool.gpu.mig.profiles if pool.gpu.mig else ())]
    else:
        return ()
    share = f"1/{pool.gpu.sharing.replicas}" if pool.gpu and pool.gpu.sharing else ""
    found = []
    for part in parts:
        several = pool.gpu is None or (whole_cards(pool) and not part)
        kind = _kind(pool, part)
        profile = part if part in profiles(pool) else ""
        title = " ".join(filter(None, (model, part, share)))
        key = model if kind == "accelerators" else part
        found.append(OfferedDevices(title, profile, asked(pool, 1, profile), places(pool, profile), several, kind, key))
    return tuple(found)


def _kind(pool: NodePool, profile: str) -> DeviceKind:
    if pool.gpu is None:
        return "accelerators"
    if profile:
        return "mig"
    if virtual(pool):
        return "virtualGpus"
    return "slices" if pool.gpu.sharing else "gpus"


def device_of(pool: NodePool, profile: str = "") -> OfferedDevices | None:
    """What a pod on the pool gets: devices of the profile, by default the first; None where there are none."""
    found = devices(pool)
    return next((device for device in found if profile and device.profile == profile), next(iter(found), None))


def granted(quota: Quota, pool: NodePool | None = None, device: OfferedDevices | None = None) -> int | None:
    """How many such devices of the pool a team may use at once, by default whole GPUs; None where nothing says.

    A number without a pool holds for all pools that offer the kind, together.
    """
    named = _amounts(quota)
    amount = named.get((device.kind, device.key) if device else ("gpus", ""), 0)
    if not named:
        return None
    if isinstance(amount, dict):
        return amount.get(pool.name, 0) if pool else sum(amount.values())
    return amount


def quota_on(quota: Quota | None, pool: NodePool) -> dict[str, int]:
    """Limits that a quota has for this pool alone, by extended resource."""
    named = _amounts(quota)
    limits: dict[str, int] = {}
    for device in devices(pool):
        amount = named.get((device.kind, device.key))
        if isinstance(amount, dict):
            wanted = asked(pool, amount.get(pool.name, 0), device.profile)
            limits |= {name: wanted.get(name, 0) for name in offered(pool).keys() & device.resources.keys()}
    return limits


def gpu_quota(team: Team, pools: Sequence[NodePool]) -> dict[str, int]:
    """Limits of a team's namespace by extended resource, sorted; none where its quota names no devices.

    What pools offer and the quota does not name is 0. A number is of all pools that offer the kind; where virtual GPUs
    of pools differ in size, of the largest. Numbers by pool add up under one name, since that is all a namespace's
    limit knows.
    """
    named = _amounts(team.quota)
    if not named:
        return {}
    amounts: dict[str, int] = {}
    for (kind, key), places_of in by_kind(pools).items():
        amount = named.get((kind, key), 0)
        of_kind: dict[str, int] = {}
        for pool, device in places_of:
            count = amount.get(pool.name, 0) if isinstance(amount, dict) else amount
            wanted = asked(pool, count, device.profile)
            # Others are known to a scheduler alone, and are the same for any number of shares (percents of a card).
            for name in offered(pool).keys() & device.resources.keys():
                before, more = of_kind.get(name, 0), wanted.get(name, 0)
                of_kind[name] = before + more if isinstance(amount, dict) else max(before, more)
        for name, limit in of_kind.items():
            amounts[name] = amounts.get(name, 0) + limit
    whole = named.get(("gpus", ""))
    if isinstance(whole, int):
        # Nodes that no pool describes have whole cards too.
        amounts.setdefault(WHOLE_GPU, whole)
    return dict(sorted(amounts.items()))


def by_kind(pools: Sequence[NodePool]) -> dict[tuple[DeviceKind, str], list[tuple[NodePool, OfferedDevices]]]:
    """What pools offer by what a quota counts apart: its field, and the profile or resource name under it."""
    found: dict[tuple[DeviceKind, str], list[tuple[NodePool, OfferedDevices]]] = {}
    for pool in pools:
        for device in devices(pool):
            found.setdefault((device.kind, device.key), []).append((pool, device))
    return found


@dataclass(frozen=True)
class Excess:
    """A quota above what there is."""

    what: str
    limit: int
    there: int
    where: str
    """`the node pools have`, `pool train has`."""
    instead: str = ""
    """What a quota could name there, where there is none of this: `slices: 16`."""


def excesses(team: Team, pools: Sequence[NodePool]) -> Iterator[Excess]:
    """Where a team may use more devices at once than pools have: such a limit limits nothing."""
    if team.quota is None:
        return
    offering = by_kind(pools)
    others = offering.keys() - _amounts(team.quota).keys()
    for kind, key, amount in team.quota.of_devices():
        there = {pool.name: device.per_node * pool.nodes for pool, device in offering.get((kind, key), ())}
        if isinstance(amount, dict):
            for name, limit in amount.items():
                if limit > there.get(name, 0):
                    yield Excess(in_words(kind, key), limit, there.get(name, 0), f"pool {name} has")
        elif amount > sum(there.values()):
            instead = " or ".join(f"`{as_written(*other, amount)}`" for other in sorted(others) if not there)
            yield Excess(in_words(kind, key), amount, sum(there.values()), "the node pools have", instead)


def _amounts(quota: Quota | None) -> dict[tuple[DeviceKind, str], int | dict[str, int]]:
    return {(kind, key): amount for kind, key, amount in quota.of_devices()} if quota else {}


_SLICES, _SLICES_OF_A30 = 7, 4
"""Compute slices of a card: seven, but for A30."""
_MIG = "nvidia.com/mig-"


def card_shares(pool: NodePool) -> dict[str, Fraction]:
    """Which part of a card one unit of each resource of a pool with GPUs is: what hours and prices are counted by."""
    assert pool.gpu is not None
    if (by := dividing(pool)) and by.cores:
        return {by.cores: Fraction(1, CORES_OF_A_CARD)}
    times = pool.gpu.sharing.replicas if pool.gpu.sharing else 1
    found = {}
    for resource, amount in offered(pool).items():
        if resource.startswith(_MIG):
            found[resource] = slices_of(pool, resource.removeprefix(_MIG)) / times
        elif pool.gpu.mig and pool.gpu.mig.strategy == "mixed":  # cards that MIG leaves whole
            found[resource] = Fraction(1)
        else:
            found[resource] = Fraction(pool.gpu.per_node, amount)
    return found


def slices_of(pool: NodePool, profile: str) -> Fraction:
    """Which part of a card a MIG device of a profile (`3g.40gb`) computes with."""
    model = pool.gpu.model if pool.gpu else ""
    return Fraction(int(profile[0]), _SLICES_OF_A30 if model.startswith("a30") else _SLICES)


def card_price(pool: NodePool) -> Fraction | None:
    """What a card of the pool costs in an hour: its part of what the node costs."""
    if pool.gpu is None or pool.price_per_hour is None:
        return None
    return Fraction(f"{pool.price_per_hour:.15g}") / pool.gpu.per_node
