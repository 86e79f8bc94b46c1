"""Orders a stack, or recalls how an earlier run ordered the very same objects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from platform_def.delivery.order import order
from platform_def.errors import ConfigError, Source
from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.cache import Cache


def ordered(stack: RenderedStack, *, file: str, cache: Cache) -> RenderedStack:
    """The stack with waves and needs; raises ConfigError for circles, with the stack's file."""
    components = [
        [each.name, each.requires, each.makes, each.awaits, [[item.part, item.digest] for item in each.objects]]
        for each in stack.components.values()
    ]
    jobs = {name: [item.digest for item in objects] for name, objects in stack.jobs.items()}
    key = cache.key("order", _plain(components), jobs)
    kept: Any = cache.get(key)
    if kept is None:
        try:
            found = order(stack)
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


def _plain(value: object) -> object:
    """Named tuples as lists: what the key is made of is JSON."""
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
