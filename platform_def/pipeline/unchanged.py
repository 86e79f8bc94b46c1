"""Whether a run has anything to do, told without loading models, cdk8s or Node.

The last run noted a hash of all it read and a signature of what it left; where both are the same, so is the result.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from platform_def.pipeline.fleet.inputs import Inputs, digest
from platform_def.pipeline.output.tree import fingerprint

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
        self._beside: dict[str, str] = {}
        self.inputs = Inputs(root)

    def find(self) -> Summary | None:
        """The last run's summary when nothing that it read or wrote has changed since."""
        try:
            known = orjson.loads(self._file.read_bytes())
            if (
                known["own"] != self._own_digest()
                or any(found != digest(self._root, (path,)) for path, found in known["beside"].items())
                or known["output"] != fingerprint(self._out)
            ):
                return None
            return Summary(**known["summary"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def begin(self) -> None:
        """Take in stacks and overlays, which are about to be read."""
        with suppress(OSError):  # told when it is read
            self._own = self._own_digest()

    def beside(self, paths: Iterable[str]) -> Mapping[str, str]:
        """Take in what else is about to be read, folders and files from the repository's root; gives the hashes."""
        found = {path: self.inputs.of(path) for path in paths}
        self._beside |= found
        return found

    def beside_known(self, found: Mapping[str, str]) -> None:
        """Take in what this process does not read, with the hashes that it had when it was compared or read."""
        self.inputs.known(found)
        self._beside |= found

    def keep(self, summary: Summary, output: str = "") -> None:
        """Note a run that has just ended; `output` is the output folder's signature where it is known.

        Where anything that it read has changed meanwhile it is not noted: who knows which state was read.
        """
        if not self._stayed():
            return
        note = {
            "own": self._own,
            "beside": self._beside,
            "output": output or fingerprint(self._out),
            "summary": asdict(summary),
        }
        partial = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            partial.write_bytes(orjson.dumps(note, option=orjson.OPT_SORT_KEYS))
            partial.replace(self._file)
        except (OSError, TypeError):  # TypeError: a path that is no text
            return

    def forget(self) -> None:
        """Drop the note: the run that follows may end halfway."""
        self._file.unlink(missing_ok=True)

    def _stayed(self) -> bool:
        with suppress(OSError):
            return self._own == self._own_digest() and all(map(self.inputs.stayed, self._beside))
        return False

    def _own_digest(self) -> str:
        return f"{self._code} {digest(self._root, _OWN)}"
