"""Quotas of teams that cannot mean what they say, since limits of a namespace know devices by resource name alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from platform_def.capabilities import JobQueue
from platform_def.config.devices import OfferedDevices, as_written, by_kind, devices, in_words
from platform_def.config.platform import Platform
from platform_def.config.pools import common
from platform_def.config.reads import independently
from platform_def.config.teams import Amount, DeviceKind, Team
from platform_def.errors import Problem, nearest
from platform_def.pipeline.load import Loaded


def quota_problems(index: int, team: Team, loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """Pools that a quota names and that give no such device; numbers that are of several things at once."""
    if team.quota is None:
        return
    of_devices = team.quota.of_devices()
    yield from independently(_amount_problems(index, *each, loaded=loaded, platform=platform) for each in of_devices)
    if any(True for _ in team.quota.of_devices()):
        yield from _mixed(index, loaded, platform)


def _amount_problems(
    index: int, kind: DeviceKind, key: str, amount: Amount, *, loaded: Loaded, platform: Platform
) -> Iterator[Problem]:
    at = ("teams", index, "quota", kind, *([key] if key else []))
    wrong = _of_pools(kind, key, amount, platform) if isinstance(amount, dict) else _of_all(kind, key, platform)
    for text, hint in wrong:
        shown = f"teams[{index}].quota.{kind}{f'.{key}' if key else ''}"
        yield Problem(f"{shown}: {text}", loaded.where(*at), hint)


def _of_pools(kind: DeviceKind, key: str, amount: dict[str, int], platform: Platform) -> Iterator[tuple[str, str]]:
    yield from independently(_of_pool(kind, key, name, amount[name], platform) for name in amount)
    offering = {pool.name: device for pool, device in by_kind(platform.node_pools).get((kind, key), ())}
    for limit, alike in _blind(platform):
        there = {name: device for name, device in offering.items() if name in alike}
        names = [next(iter(device.resources)) for device in there.values()]
        shared = next((name for name in names if names.count(name) > 1), None)
        if shared:
            pools = " and ".join(pool for pool, device in there.items() if shared in device.resources)
            total = as_written(kind, key, sum(amount.values()))
            text = f"pools {pools} offer {shared} alike, and {limit} cannot tell them apart"
            yield text, f"write one number for both (`{total}`), or add a component that queues jobs pool by pool"


def _of_pool(kind: DeviceKind, key: str, name: str, amount: int, platform: Platform) -> Iterator[tuple[str, str]]:
    pool = platform.pool(name)
    if pool is None:
        yield f"pool '{name}' is not in nodePools", nearest(name, [each.name for each in platform.node_pools])
    elif (kind, key) not in by_kind([pool]):
        has = [as_written(each.kind, each.key, f"{{{name}: {amount}}}") for each in devices(pool)]
        hint = f"it has others: write `{' or '.join(has)}`" if has else "name a pool with `gpu:` or `accelerator:`"
        yield f"pool {name} has no {in_words(kind, key)}", hint


def _of_all(kind: DeviceKind, key: str, platform: Platform) -> Iterator[tuple[str, str]]:
    names = {
        pool.name: next(iter(found.resources)) for pool, found in by_kind(platform.node_pools).get((kind, key), ())
    }
    if len(set(names.values())) > 1:
        which = " and ".join(f"{name} on pool {pool}" for pool, name in names.items())
        by_pool = ", ".join(f"{pool}: …" for pool in names)
        yield (
            f"they are {which}, and one number would hold for each",
            f"write `{as_written(kind, key, f'{{{by_pool}}}')}`",
        )


def _mixed(index: int, loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """Devices of different kinds under one resource name: a limit of one would be one of the other."""
    for limit, alike in _blind(platform):
        meaning: dict[str, tuple[str, str]] = {}
        for kind, key, pool, device in _devices_on(alike, platform):
            resource = next(iter(device.resources))
            what, where = meaning.setdefault(resource, (in_words(kind, key), pool))
            if what != in_words(kind, key):
                text = (
                    f"teams[{index}].quota: {resource} is {what} on pool {where} and {in_words(kind, key)} on pool "
                    f"{pool}, and {limit} cannot tell them apart"
                )
                hint = "write `rename: true` in `sharing:` or `strategy: mixed` in `mig:` of one of the pools"
                yield Problem(text, loaded.where("teams", index, "quota"), hint)
                return


def _devices_on(names: Collection[str], platform: Platform) -> Iterator[tuple[DeviceKind, str, str, OfferedDevices]]:
    for (kind, key), offering in by_kind(platform.node_pools).items():
        for pool, device in offering:
            if pool.name in names:
                yield kind, key, pool.name, device


def _blind(platform: Platform) -> Iterator[tuple[str, list[str]]]:
    """Limits that know devices by resource name alone, in words, and the pools that each cannot tell apart.

    Queues may count what each pool has, and of pools that one of several keeps it knows no others; limits of a
    namespace never do.
    """
    given = platform.all(JobQueue)
    for each in given:
        if not each.value.of_all_pools and not each.value.by_pool:
            yield f"a queue of {each.by}", each.value.pools
    rest = [pool.name for pool in (common(platform.node_pools) if given else platform.node_pools)]
    of_all = [each for each in given if each.value.of_all_pools]
    if not any(each.value.by_pool for each in of_all):
        yield f"a queue of {of_all[0].by}" if of_all else "a limit of a namespace", rest
