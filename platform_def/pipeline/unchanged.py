"""Whether a run has anything to do, told without loading models, cdk8s or Node.

The last run noted a hash of all it read and a signature of what it left; where both are the same, so is the result.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from platform_def.pipeline.output.tree import fingerprint
from platform_def.pipeline.reading import leaves

_OWN = ("stacks", "overlays")


@dataclass(frozen=True)
class Summary:
    """What a run came to, in numbers, and the files in the output folder that are not its own."""

    stacks: int
    components: int
    objects: int
    warnings: int = 0
    foreign: Sequence[str] = ()


class RunNote:
    """The note of the last run that wrote this output folder for these stacks.

    A run is noted with what its files held before it read them: one that is changed meanwhile counts for the next run.
    """

    def __init__(self, root: Path, state: Path, out: Path, *, names: Sequence[str], code: str):
        key = hashlib.sha256(
            b"\0".join([os.fsencode(out), *(name.encode(errors="replace") for name in sorted(names))])
        ).hexdigest()[:16]
        self._file = state / f"last-{key}.json"
        self._root, self._out = root, out
        self._code = code
        self._own = ""
        self._beside: dict[str, object] = {}

    def find(self) -> Summary | None:
        """The last run's summary when nothing that it read or wrote has changed since."""
        try:
            known = orjson.loads(self._file.read_bytes())
            if (
                known["own"] != self._digest(_OWN)
                or known["beside"] != self._digest(known["paths"])
                or known["output"] != fingerprint(self._out)
            ):
                return None
            return Summary(**known["summary"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def begin(self) -> None:
        """Take in stacks and overlays, which are about to be read."""
        with suppress(OSError):  # told when it is read
            self._own = self._digest(_OWN)

    def beside(self, paths: Iterable[str]) -> None:
        """Take in what else is about to be read: folders and files, from the repository's root."""
        named = sorted(set(paths))
        with suppress(OSError):
            self._beside = {"paths": named, "beside": self._digest(named)}

    def keep(self, summary: Summary) -> None:
        """Note a run that has just ended."""
        note = {
            "own": self._own,
            **self._beside,
            "output": fingerprint(self._out),
            "summary": asdict(summary),
        }
        partial = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            partial.write_bytes(orjson.dumps(note))
            partial.replace(self._file)
        except OSError:
            return

    def forget(self) -> None:
        """Drop the note: the run that follows may end halfway."""
        self._file.unlink(missing_ok=True)

    def _digest(self, paths: Iterable[str]) -> str:
        digest = hashlib.sha256(self._code.encode())
        for given in paths:
            for path in _files(self._root / given, self._root):
                name = os.fsencode(path.relative_to(self._root) if path.is_relative_to(self._root) else path)
                # Of a device, and of what is refused because it leaves the repository, no more than the link.
                whole = path.is_file() and not (path.is_symlink() and leaves(path, self._root))
                content = path.read_bytes() if whole else os.fsencode(path.readlink()) if path.is_symlink() else b""
                digest.update(b"%s\0%d\0%s" % (name, len(content), content))
        return digest.hexdigest()


def _files(path: Path, root: Path) -> Iterator[Path]:
    """The file, or all below the folder, and it; links inside the repository are followed, each folder once.

    Folders and pipes count by name: where a file belongs they are refused.
    """
    if not path.is_dir() or leaves(path, root):
        if os.path.lexists(path):
            yield path
        return
    seen: set[str] = set()
    for base, folders, files in os.walk(path, followlinks=True):
        real = os.path.realpath(base)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        linked = [name for name in folders if os.path.islink(f"{base}/{name}")]  # noqa: PTH114 - cheaper than a Path
        outside = [name for name in linked if leaves(Path(base, name), root)]
        folders[:] = sorted(set(folders).difference(outside))
        yield Path(base)
        yield from (Path(base, name) for name in sorted([*files, *outside]))
