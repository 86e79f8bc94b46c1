"""Results of builds as objects, held once: stacks whose builds are alike have the same ones.

Of builds that differ, the objects that do not are the same too, so that what is found of an object is found once. So
are those that delivery adds to stacks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import orjson

from platform_def.checks.recent import Recent
from platform_def.config.platform import Platform
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.pipeline.build.task import Result
from platform_def.pipeline.cache import Cache

_HELD_TEXT = 24 << 20
"""As much text of objects is held for the stacks that follow: as manifests it takes several times that."""
_HELD_DELIVERED = 2 << 20
"""Of what delivery adds much less: most of it is a stack's own, and what many have is asked for again and again."""

_Identity = tuple[object, ...]
"""Where an object is, what made it, and what it says."""


class Results:
    """The results that a cache keeps, for one run."""

    def __init__(self, cache: Cache):
        self._cache = cache
        self._results: Recent[str, Result] = Recent(_HELD_TEXT)
        self._objects: Recent[_Identity, RenderedObject] = Recent(_HELD_TEXT)
        self._delivered: Recent[_Identity, RenderedObject] = Recent(_HELD_DELIVERED)

    def find(self, key: str, platform: Platform) -> Result | None:
        """The build kept under `key` for a platform whose facts, as far as that build read them, are the same."""
        for place in self._cache.places(key, platform):
            found = self._results.get(place)
            if found is None and (plain := self._cache.get(place)) is not None:
                found = self.shared(Result.from_json(plain))
                self._results.put(place, found, sum(len(item.text) for item in found.objects))
            if found is not None:
                return found
        return None

    def shared(self, result: Result) -> Result:
        """The result with objects of other results in place of equal ones."""
        return replace(result, objects=_once_each(result.objects, self._objects))

    def with_known(self, stack: RenderedStack) -> RenderedStack:
        """The stack with objects of other stacks in place of equal ones of which no more than the manifest is known."""
        components = {
            name: replace(component, objects=self._with_known(component.objects))
            for name, component in stack.components.items()
        }
        return replace(stack, components=components, delivery=self._with_known(stack.delivery))

    def _with_known(self, objects: tuple[RenderedObject, ...]) -> tuple[RenderedObject, ...]:
        if all(item.is_written for item in objects):
            return objects
        added = iter(_once_each((item for item in objects if not item.is_written), self._delivered))
        return tuple(item if item.is_written else next(added) for item in objects)


def _once_each(
    objects: Iterable[RenderedObject], held: Recent[_Identity, RenderedObject]
) -> tuple[RenderedObject, ...]:
    """The objects, those that are held already in place of equal ones; no two of these become one."""
    given: set[int] = set()
    found: list[RenderedObject] = []
    for item in objects:
        known = _known(item, held)
        found.append(item if id(known) in given else known)
        given.add(id(known))
    return tuple(found)


def _known(item: RenderedObject, held: Recent[_Identity, RenderedObject]) -> RenderedObject:
    content = item.text if item.is_written else orjson.dumps(item.manifest)
    key = (item.component, item.part, item.origin, item.job, item.overlays, item.document, content)
    found = held.get(key)
    if found is None:
        found = item
        held.put(key, item, len(content))
    return found
