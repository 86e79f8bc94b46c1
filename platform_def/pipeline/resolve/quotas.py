"""Quotas of teams that cannot mean what they say, since limits of a namespace know devices by resource name alone."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.capabilities import JobQueue
from platform_def.config.devices import as_written, by_kind, devices, in_words
from platform_def.config.platform import Platform
from platform_def.config.teams import DeviceKind
from platform_def.errors import Problem, nearest
from platform_def.pipeline.load import Loaded


def quota_problems(loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """Pools that a quota names and that give no such device; numbers that are of several things at once."""
    for index, team in enumerate(platform.teams):
        if team.quota is None:
            continue
        for kind, key, amount in team.quota.of_devices():
            at = ("teams", index, "quota", kind, *([key] if key else []))
            wrong = _of_pools(kind, key, amount, platform) if isinstance(amount, dict) else _of_all(kind, key, platform)
            for text, hint in wrong:
                shown = f"teams[{index}].quota.{kind}{f'.{key}' if key else ''}"
                yield Problem(f"{shown}: {text}", loaded.where(*at), hint)
        if any(True for _ in team.quota.of_devices()):
            yield from _mixed(index, loaded, platform)


def _of_pools(kind: DeviceKind, key: str, amount: dict[str, int], platform: Platform) -> Iterator[tuple[str, str]]:
    offering = {pool.name: device for pool, device in by_kind(platform.node_pools).get((kind, key), ())}
    for name in amount:
        pool = platform.pool(name)
        if pool is None:
            yield f"pool '{name}' is not in nodePools", nearest(name, [each.name for each in platform.node_pools])
        elif name not in offering:
            has = [as_written(each.kind, each.key, f"{{{name}: {amount[name]}}}") for each in devices(pool)]
            hint = f"it has others: write `{' or '.join(has)}`" if has else "name a pool with `gpu:` or `accelerator:`"
            yield f"pool {name} has no {in_words(kind, key)}", hint
    names = [next(iter(device.resources)) for device in offering.values()]
    shared = next((name for name in names if names.count(name) > 1), None)
    if shared and not _by_pool(platform):
        pools = " and ".join(pool for pool, device in offering.items() if shared in device.resources)
        total = as_written(kind, key, sum(amount.values()))
        text = f"pools {pools} offer {shared} alike, and {_limit(platform)} cannot tell them apart"
        yield text, f"write one number for both (`{total}`), or add a component that queues jobs pool by pool"


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
    if _by_pool(platform):
        return
    meaning: dict[str, tuple[str, str]] = {}
    for (kind, key), offering in by_kind(platform.node_pools).items():
        for pool, device in offering:
            resource = next(iter(device.resources))
            what, where = meaning.setdefault(resource, (in_words(kind, key), pool.name))
            if what != in_words(kind, key):
                text = (
                    f"teams[{index}].quota: {resource} is {what} on pool {where} and {in_words(kind, key)} on pool "
                    f"{pool.name}, and {_limit(platform)} cannot tell them apart"
                )
                hint = "write `rename: true` in `sharing:` or `strategy: mixed` in `mig:` of one of the pools"
                yield Problem(text, loaded.where("teams", index, "quota"), hint)
                return


def _by_pool(platform: Platform) -> bool:
    """Whether queues count what each pool has; limits of a namespace never do."""
    return any(given.value.by_pool for given in platform.all(JobQueue))


def _limit(platform: Platform) -> str:
    keepers = [given.by for given in platform.all(JobQueue)]
    return f"a queue of {keepers[0]}" if keepers else "a limit of a namespace"
