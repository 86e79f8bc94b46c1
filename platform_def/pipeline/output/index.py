"""index.json of a stack's folder: which files are the tool's own, with hashes, and what a reader wants to know first.

Without a readable index every file is foreign, and foreign files are never removed or replaced.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import orjson

from platform_def import __version__
from platform_def.checks.recent import Recent
from platform_def.errors import ConfigError, Problem, Source

FILE = "index.json"
API_VERSION = "platform-def/v1"
_HELD_BYTES = 8 << 20
"""As much of the contents of files is held to be compared."""

_MARK = re.compile(rb"^(?:<{7}|\|{7}|={7}|>{7})(?:[ \r].*)?$", re.MULTILINE)
_SEGMENT = r"(?!\.\.?(?:/|\Z))[^/\\\x00-\x1f\x7f]{1,255}"
_OWNED_PATH = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT})*\Z")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}\Z")
_CONFLICT = re.compile(
    rb"^<{7}[^\n]*\n(.*?)(?:^\|{7}[^\n]*\n.*?)?^={7}[^\n]*\n(.*?)^>{7}[^\n]*\n?", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """What one stack's folder holds; `files` maps a path in that folder to `sha256:…`, the index itself left out."""

    stack: str
    files: Mapping[str, str]
    components: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    images: tuple[str, ...] = ()
    waves: Mapping[str, object] = field(default_factory=dict)
    cluster: Mapping[str, object] = field(default_factory=dict)
    """What the stack says of its cluster that the next comparison needs: `kubernetes`, `registry`, `mirrors`."""
    tool: str = __version__

    def encode(self) -> bytes:
        """The bytes of index.json: keys sorted, one file a line, so that merges and reviews stay small."""
        document = {
            "apiVersion": API_VERSION,
            "kind": "Index",
            "tool": self.tool,
            "stack": self.stack,
            **({"cluster": dict(self.cluster)} if self.cluster else {}),
            "files": dict(self.files),
            "components": {name: dict(facts) for name, facts in self.components.items()},
            "images": sorted(set(self.images)),
            "waves": dict(self.waves),
        }
        return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def digest(content: bytes) -> str:
    """A file's hash as the index spells it."""
    return f"sha256:{sha256(content).hexdigest()}"


class KnownContents:
    """Hashes of the files of many stacks: what the index leads to expect is compared, in a tenth of hashing's time."""

    def __init__(self) -> None:
        self._known: Recent[str, bytes] = Recent(_HELD_BYTES)

    def digest(self, content: bytes, expected: Iterable[str | None]) -> str:
        """The hash of a content, whichever was expected."""
        for each in expected:
            if each is not None and self._known.get(each) == content:
                return each
        found = digest(content)
        self._known.put(found, content, len(content))
        return found


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """The `files` of an index, from the files' contents."""
    return {path: digest(content) for path, content in files.items() if path != FILE}


@lru_cache(maxsize=16384)
def is_path(path: str) -> bool:
    """Whether `path` is relative, stays in its folder and can be a file's name everywhere: no `..`, no backslash."""
    return _OWNED_PATH.match(path) is not None


def decode(content: bytes) -> tuple[Index, ...]:
    """The indexes in an index.json: one, none if it is unreadable, both sides of a git conflict not yet settled."""
    sides = [_CONFLICT.sub(side, content) for side in (rb"\1", rb"\2")] if b"<<<<<<<" in content else [content]
    found = [_parsed(side) for side in sides]
    return tuple(index for index in found if index is not None) if all(found) else ()


def read(out: Path, stack: str) -> tuple[Index, ...]:
    """The indexes of a stack in an output folder, as `decode` finds them; none where there is no file."""
    path = f"{out}/{stack}/{FILE}"
    try:
        if not os.path.isfile(path):  # noqa: PTH113 - a fleet has thousands
            return ()
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            return decode(file.read())
    except OSError:
        return ()


def damage(content: bytes, where: Source) -> Problem:
    """Why `decode` finds no index in a file, at the line that keeps it from being one."""
    hint = (
        f"put it back as it was: git checkout HEAD -- {where.file}; or take over what lies there: "
        "platformctl synth --adopt"
    )
    if mark := _MARK.search(content):
        line = content.count(b"\n", 0, mark.start()) + 1
        return Problem("a merge conflict of git that is not settled", Source(where.file, line), hint)
    try:
        orjson.loads(content)
    except orjson.JSONDecodeError as error:
        line = min(error.lineno, content.count(b"\n") + 1)
        return Problem("is not JSON from here on", Source(where.file, line), hint)
    return Problem("is no index that synth wrote", where, hint)


def refuse_newer(index: Index, where: Source) -> None:
    """Raise ConfigError if a newer tool wrote the index."""
    if _version(index.tool) > _version(__version__):
        raise ConfigError(
            f"written by platform-def {index.tool}, and this is {__version__}",
            where=where,
            hint=f"install platform-def {index.tool} or newer",
        )


@lru_cache(maxsize=8)
def _parsed(content: bytes) -> Index | None:
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(document, dict) or (document.get("apiVersion"), document.get("kind")) != (API_VERSION, "Index"):
        return None
    match document:
        case {
            "tool": str(tool),
            "stack": str(stack),
            "files": dict(files),
            "components": dict(components),
            "images": list(images),
            "waves": dict(waves),
        }:
            pass
        case _:
            return None
    digests_of = files.values()
    if not all(map(is_path, files)) or not all(isinstance(each, str) for each in digests_of):
        return None
    if not all(map(_DIGEST.match, digests_of)):
        return None
    if not all(isinstance(facts, dict) for facts in components.values()):
        return None
    cluster = document.get("cluster")
    return Index(
        stack=stack,
        files=files,
        components=components,
        images=tuple(map(str, images)),
        waves=waves,
        cluster=cluster if isinstance(cluster, dict) else {},
        tool=tool,
    )


def _version(text: str) -> tuple[tuple[int, ...], bool, str]:
    """Orders `1.2`, `1.2.0rc1` and `1.2.0`: numbers first, then a pre-release before its release."""
    numbers = re.match(r"\d+(?:\.\d+)*", text)
    release = numbers[0] if numbers else ""
    parts = [int(part) for part in release.split(".") if part]
    while parts and parts[-1] == 0:
        parts.pop()
    rest = text[len(release) :]
    return (tuple(parts), not rest or rest[0] == "+", rest)
