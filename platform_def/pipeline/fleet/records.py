"""The record of each stack: what it was made from, what it left in the output folder, and its account.

Where all of that is as it was, rendering the stack once more would come to the same: it is settled. A record is kept
only once a stack is written, and holds hashes of what was read and a signature of what was left; a run by other code
knows none of them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from platform_def.pipeline.output.tree import Signature, signatures

if TYPE_CHECKING:
    from platform_def.pipeline.fleet.account import StackAccount
    from platform_def.pipeline.fleet.inputs import Inputs
    from platform_def.pipeline.fleet.run import Fleet

_ALL = "_all"
_ABSENT = "absent"
_MARGIN_NS = 100_000_000
"""How far the clock of a file system may be behind."""


class Records:
    """The records of one output folder."""

    def __init__(self, state: Path, out: Path, inputs: Inputs, *, code: str, started_ns: int):
        self._out, self._inputs, self._code = out, inputs, code
        self._started_ns = started_ns
        place = b"\0".join([os.fsencode(out), os.fsencode(os.path.realpath(inputs.root))])
        self._file = state / f"stacks-{hashlib.sha256(place).hexdigest()[:16]}.json"
        self._known: dict[str, dict[str, Any]] = {}
        self._seen: dict[str, Signature] = {}
        self.left: Mapping[str, Signature] = {}
        """How the folders of stacks looked when they were recorded, with what their indexes say in their files; none
        where nothing is to be recalled."""
        self._scopes: set[str] = set()
        """What overlays/ held before any of it was read."""
        self._read_at: object = None

    def settled(self, names: Collection[str], *, recall: bool = True) -> dict[str, StackAccount]:
        """The accounts of the stacks, of these names or all, that need no work; none where nothing is to be recalled.

        Begins a run: notes what overlays there are, and how the output folder looks.
        """
        self._known, self._seen, self._scopes, self.left = {}, {}, set(), {}
        self._read_at = self._identity()
        with suppress(OSError):  # told when they are read
            self._scopes = {entry.name for entry in os.scandir(self._inputs.root / "overlays")}
        self._inputs.take(f"overlays/{scope}" for scope in self._scopes)
        known = self._read()
        if not known or not recall:
            return {}
        self.left = {name: looks for name, each in known.items() if (looks := _signature(each))}
        moved = {name for name, each in known.items() if (not names or name in names) and not self._stayed(name, each)}
        with suppress(OSError):  # of what is worked anyway it does not matter how it looks
            self._seen = signatures(self._out, but=moved)
        self._known = {name: each for name, each in known.items() if name not in moved and self._left(name, each)}
        found: dict[str, StackAccount] = {}
        for name, record in self._known.items():
            if names and name not in names:
                continue
            with suppress(KeyError, TypeError, ValueError, AttributeError):
                found[name] = _account(record["account"])
        return found

    def beside(self, names: Iterable[str]) -> dict[str, str]:
        """What these stacks were made from beside stacks/ and overlays/, with the hashes."""
        return {path: found for name in names for path, found in self._known[name]["beside"].items()}

    def hold(self, names: Collection[str]) -> bool:
        """Whether these stacks are as they were: asked under the lock, which other runs may have had meanwhile."""
        if self._identity() == self._read_at:
            return True
        now, seen = signatures(self._out), self._seen
        self._known = {name: each for name, each in self._known.items() if name in names}
        self._seen = {}
        return all(now.get(name) == seen[name] for name in names)

    def mark(self) -> None:
        """Let runs that have read the records see that the output folder is about to change."""
        with suppress(OSError):
            os.utime(self._file)

    def keep(self, fleet: Fleet, lasting: Collection[str], touched: Collection[str]) -> dict[str, Signature]:
        """Record a run that has just written `touched` stacks; the signatures of the output folder as it is now."""
        one = {name: each for name, each in self._seen.items() if name not in {"", *touched}}
        # One stack is exchanged alone; with several, the files of all get another link.
        now = signatures(self._out, one if len(touched) < 2 else {})
        records: dict[str, Any] = {}
        for name, record in self._known.items():
            if name not in fleet.files and name in now and now[name].loose == record["output"][1]:
                records[name] = {**record, "output": list(now[name])}
        for name in lasting:
            if name in now and (made := self._record(fleet, name)):
                records[name] = {**made, "output": list(now[name])}
        self._write(records)
        return now

    def _record(self, fleet: Fleet, name: str) -> dict[str, Any] | None:
        beside, overlays = fleet.beside[name], self._overlays(name)
        scopes = {f"overlays/{scope}": found for scope, found in zip((_ALL, name), overlays, strict=True)}
        absent = [path for path, found in scopes.items() if found == _ABSENT]
        stayed = all(map(self._inputs.stayed, (*(scopes.keys() - absent), *beside)))
        if not stayed or any(map(self._inputs.is_there, absent)) or any(map(self._changed_meanwhile, beside)):
            return None
        found = {
            "files": [list(each) for each in fleet.loaded[name].read],
            "overlays": overlays,
            "beside": {path: self._inputs.of(path) for path in beside},
            "account": fleet.accounts[name].to_json(),
        }
        with suppress(TypeError):  # a name that is no text
            orjson.dumps(found)
            return found
        return None

    def _changed_meanwhile(self, path: str) -> bool:
        """Whether a file has changed since the run began: it may have been read before its hash was taken."""
        try:
            status = (self._inputs.root / path).stat()
        except OSError:
            return True
        return status.st_ctime_ns > self._started_ns - _MARGIN_NS

    def _left(self, name: str, record: Mapping[str, Any]) -> bool:
        return isinstance(record, dict) and name in self._seen and record.get("output") == list(self._seen[name])

    def _stayed(self, name: str, record: Mapping[str, Any]) -> bool:
        """Whether what a stack was made from is as it was; False for a record that is damaged."""
        with suppress(KeyError, TypeError, ValueError, AttributeError):
            return (
                bool(record["files"])
                and all(self._inputs.file(named, real) == found for named, real, found in record["files"])
                and record["overlays"] == self._overlays(name)
                and all(record["overlays"])
                and all(self._inputs.of(path) == found != "" for path, found in record["beside"].items())
            )
        return False

    def _overlays(self, name: str) -> list[str]:
        """The hashes of the overlays that a stack may have, as they were before any was read."""
        return [self._inputs.of(f"overlays/{scope}") if scope in self._scopes else _ABSENT for scope in (_ALL, name)]

    def _identity(self) -> object:
        with suppress(OSError):
            status = self._file.stat()
            return (status.st_ino, status.st_mtime_ns, status.st_size)
        return None

    def _read(self) -> dict[str, dict[str, Any]]:
        """The records of this code; none where the file is damaged."""
        with suppress(OSError, ValueError):
            body, _, checksum = self._file.read_bytes().rpartition(b"\n")
            if hashlib.sha256(body).hexdigest().encode() == checksum:
                found = orjson.loads(body)
                if isinstance(found, dict) and found.get("code") == self._code:
                    return dict(found["stacks"])
        return {}

    def _write(self, records: Mapping[str, Any]) -> None:
        body = orjson.dumps({"code": self._code, "stacks": records})
        partial = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        with suppress(OSError):
            partial.write_bytes(body + b"\n" + hashlib.sha256(body).hexdigest().encode())
            partial.replace(self._file)


def _signature(record: Mapping[str, Any]) -> Signature | None:
    """What a record says of the output; None where it is damaged."""
    with suppress(KeyError, TypeError):
        return Signature(*record["output"])
    return None


def _account(plain: Mapping[str, Any]) -> StackAccount:
    from platform_def.pipeline.fleet.account import StackAccount  # loads models

    return StackAccount.from_json(plain)
