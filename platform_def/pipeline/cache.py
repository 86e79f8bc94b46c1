"""Results of builds and overlays, kept by content in `.platformctl/cache/`: JSON files, safe to delete at any time.

A build is kept under its inputs and the values of those platform facts that it read; the names of these facts are kept
beside it, so that the next run knows which values to ask for.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import orjson

from platform_def.config.platform import Platform

Json = dict[str, object]

LARGEST_BYTES = 256 << 20
"""Above that the oldest results go."""

_DAY_SECONDS = 86_400


class Cache:
    """The results of one repository; without a folder they last as long as the run."""

    def __init__(self, folder: Path | None, code: str):
        self._folder = folder
        self._code = code
        self._memory: dict[str, Json] = {}

    def key(self, *inputs: object) -> str:
        """A key from JSON-like inputs and the hash of the code."""
        return hashlib.sha256(orjson.dumps([self._code, *inputs], option=orjson.OPT_SORT_KEYS)).hexdigest()

    def get(self, key: str) -> Json | None:
        """The result kept under a key; a file that cannot be read counts as absent."""
        if key in self._memory:
            return self._memory[key]
        if self._folder is None:
            return None
        try:
            data = (self._folder / key[:2] / key).read_bytes()
        except OSError:
            return None
        body, _, checksum = data.rpartition(b"\n")
        if hashlib.sha256(body).hexdigest().encode() != checksum:
            return None
        found: Json = orjson.loads(body)
        self._memory[key] = found
        return found

    def put(self, key: str, result: Json) -> None:
        """Keep a result; a full or read-only disk only costs time in the next run."""
        self._memory[key] = result
        if self._folder is None:
            return
        body = orjson.dumps(result)
        path = self._folder / key[:2] / key
        partial = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(body + b"\n" + hashlib.sha256(body).hexdigest().encode())
            partial.replace(path)
        except OSError:
            with suppress(OSError):
                partial.unlink()

    def let_go(self) -> None:
        """Hold no result in memory that can be read again."""
        if self._folder is not None:
            self._memory.clear()

    def tidy(self) -> None:
        """Once a day, by the file `tidied`, remove the oldest results where there are too many."""
        if self._folder is None:
            return
        mark = self._folder / "tidied"
        with suppress(OSError):
            if mark.exists() and time.time() - mark.stat().st_mtime < _DAY_SECONDS:
                return
            mark.touch()
            files = [(path.stat(), path) for path in self._folder.glob("??/*")]
            size = sum(status.st_size for status, _ in files)
            for status, path in sorted(files, key=lambda each: each[0].st_mtime_ns):
                if size <= LARGEST_BYTES:
                    return
                path.unlink(missing_ok=True)
                size -= status.st_size

    def facts(self, key: str) -> tuple[str, ...]:
        """The facts that the newest build under `key` has read; empty when there is none."""
        sets = _fact_sets(self.get(key))
        return sets[-1] if sets else ()

    def places(self, key: str, platform: Platform) -> Iterator[str]:
        """Under which keys the build of `key` may be kept for this platform: by the facts that earlier ones read."""
        for facts in _fact_sets(self.get(key)):
            yield self.key(key, platform.digest(facts))

    def keep(self, key: str, platform: Platform, facts: tuple[str, ...], result: Json) -> None:
        """Keep a build that read these facts."""
        sets = _fact_sets(self.get(key))
        if facts not in sets:
            self.put(key, {"facts": [list(each) for each in (*sets, facts)]})
        self.put(self.key(key, platform.digest(facts)), result)


def _fact_sets(known: Json | None) -> list[tuple[str, ...]]:
    sets = known.get("facts") if known else None
    return [tuple(map(str, each)) for each in sets] if isinstance(sets, list) else []
