"""Whether a run has anything to do, told without loading models, cdk8s or Node.

The last run noted a hash of all it read and a signature of what it left; where both are the same, so is the result.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from platform_def.pipeline.output.tree import fingerprint

_OWN = ("stacks", "overlays")


@dataclass(frozen=True)
class Summary:
    """What a run came to, in numbers."""

    stacks: int
    components: int
    objects: int
    warnings: int = 0


class Note:
    """The note of the last run that wrote this output folder for these stacks."""

    def __init__(self, state: Path, out: Path, names: Sequence[str], code: str):
        key = hashlib.sha256(orjson.dumps([str(out), sorted(names)])).hexdigest()[:16]
        self._file = state / f"last-{key}.json"
        self._out = out
        self._code = code

    def find(self, root: Path) -> Summary | None:
        """The last run's summary when nothing that it read or wrote has changed since."""
        try:
            known = orjson.loads(self._file.read_bytes())
            if known["inputs"] != self._inputs(root, known["folders"]) or known["output"] != fingerprint(self._out):
                return None
            return Summary(**known["summary"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, root: Path, folders: Iterable[str], summary: Summary) -> None:
        """Note a run that has just ended; `folders` are those it read beside stacks and overlays."""
        named = sorted(set(folders))
        note = {
            "inputs": self._inputs(root, named),
            "folders": named,
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

    def _inputs(self, root: Path, folders: Iterable[str]) -> str:
        digest = hashlib.sha256(self._code.encode())
        for folder in (*_OWN, *folders):
            for path in _files(root / folder):
                name = str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
                content = path.read_bytes() if not path.is_symlink() else str(path.readlink()).encode()
                digest.update(f"{name}\0{len(content)}\0".encode(errors="surrogateescape") + content)
        return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    found = []
    for base, folders, files in os.walk(folder):
        folders.sort()
        found += [Path(base, name) for name in sorted(files)]
        found += [Path(base, name) for name in folders if Path(base, name).is_symlink()]
    return found
