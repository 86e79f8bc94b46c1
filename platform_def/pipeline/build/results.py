"""Results of builds as objects, held once: stacks whose builds are alike have the same ones.

Of builds that differ, the objects that do not are the same too, so that what is found of an object is found once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from platform_def.checks.recent import Recent
from platform_def.config.platform import Platform
from platform_def.manifests.rendered import RenderedObject
from platform_def.pipeline.build.task import Result
from platform_def.pipeline.cache import Cache

_HELD_TEXT = 24 << 20
"""As much text of objects is held for the stacks that follow: as manifests it takes several times that."""

_Identity = tuple[str, str, str, str, str]


class Results:
    """The results that a cache keeps, for one run."""

    def __init__(self, cache: Cache):
        self._cache = cache
        self._results: Recent[str, Result] = Recent(_HELD_TEXT)
        self._objects: Recent[_Identity, RenderedObject] = Recent(_HELD_TEXT)

    def find(self, key: str, platform: Platform) -> Result | None:
        """The build kept under `key` for a platform whose facts, as far as that build read them, are the same."""
        for place in self._cache.places(key, platform):
            found = self._results.get(place)
            if found is None and (plain := self._cache.get(place)) is not None:
                found = self._shared(Result.from_json(plain))
                self._results.put(place, found, sum(len(item.text) for item in found.objects))
            if found is not None:
                return found
        return None

    def _shared(self, result: Result) -> Result:
        return replace(result, objects=tuple(self._once_each(result.objects)))

    def _once_each(self, objects: tuple[RenderedObject, ...]) -> Iterator[RenderedObject]:
        """The objects, those that are held already in place of equal ones; no two of a build become one."""
        given: set[int] = set()
        for item in objects:
            key = (item.component, item.part, item.origin, item.job, item.text)
            found = self._objects.get(key)
            if found is None:
                found = item
                self._objects.put(key, item, len(item.text))
            elif id(found) in given:
                found = item
            given.add(id(found))
            yield found
