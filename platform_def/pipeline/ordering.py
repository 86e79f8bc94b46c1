"""Orders a stack, and looks for its deadlocks, or recalls what an earlier run found for one with the same skeleton."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from platform_def.delivery.deadlocks import deadlocks
from platform_def.delivery.order import order
from platform_def.delivery.skeleton import identity, skeleton
from platform_def.errors import ConfigError, Source
from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.cache import Cache


def ordered(stack: RenderedStack, *, file: str, cache: Cache) -> RenderedStack:
    """The stack with waves and needs; raises ConfigError for circles, with the stack's file."""
    key = cache.key("order", identity(stack))
    kept: Any = cache.get(key)
    if kept is None:
        try:
            found = order(skeleton(stack))
        except ConfigError as error:
            raise ConfigError(replace(each, where=Source(file)) for each in error.problems) from None
        kept = {
            "waves": dict(found.waves),
            "needs": dict(found.needs),
            "servers": dict(found.servers),
            "job_needs": dict(found.job_needs),
        }
        cache.put(key, kept)
    return replace(stack, **kept)


def deadlocks_in(cache: Cache) -> Callable[[RenderedStack], list[list[str]]]:
    """What finds the deadlocks of a stack."""

    def found(stack: RenderedStack) -> list[list[str]]:
        key = cache.key("deadlocks", identity(stack))
        kept: Any = cache.get(key)
        if kept is None:
            kept = {"circles": deadlocks(skeleton(stack))}
            cache.put(key, kept)
        circles: list[list[str]] = kept["circles"]
        return circles

    return found
