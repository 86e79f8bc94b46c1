"""Puts rendered stacks on disk, all or nothing: a reader, at any moment, finds the previous tree or the new one.

One changed stack is exchanged as a folder, several by exchanging the whole output folder (swap.py); where the kernel
can't, journal.py. Only files that an index names are ever replaced or removed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote

from platform_def.errors import PlatformError, visible
from platform_def.pipeline.output import journal, tree
from platform_def.pipeline.output.plan import Plan, Stacks, plan, refuse_taken
from platform_def.pipeline.output.swap import swap
from platform_def.pipeline.output.tree import Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a write did, as sorted paths below the output folder; `edited` files are among `changed` or `removed`.

    `foreign` files were left where they are.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    edited: tuple[str, ...]
    foreign: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputDrift:
    """How the output folder differs from what would be written, as sorted paths below it.

    missing: wanted and not there; stale: as written, but no longer wanted so; edited: neither what was written nor what
    is wanted; foreign: not ours, which a write leaves where it is.
    """

    missing: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether a write would do anything."""
        return bool(self.missing or self.stale or self.edited)

    def __add__(self, other: OutputDrift) -> OutputDrift:
        return OutputDrift(
            **{each.name: (*getattr(self, each.name), *getattr(other, each.name)) for each in fields(self)}
        )


def compare(out: Path, stacks: Stacks, remove: Collection[str] = ()) -> OutputDrift:
    """Hold `out` against the stacks and change nothing; arguments as in `write`."""
    with tree.translated(f"read {out}"):
        made = plan(_real(out), stacks, remove, title=str(out))
    if made.damaged:
        raise PlatformError(made.damaged)
    return OutputDrift(
        missing=shown(made.added),
        stale=shown(made.stale),
        edited=shown([*made.edited, *made.taken, *made.blocked]),
        foreign=shown(made.foreign),
    )


def write(
    out: Path,
    stacks: Stacks,
    *,
    state: Path,
    remove: Collection[str] = (),
    adopt: bool = False,
    left: Mapping[str, Signature] = MappingProxyType({}),
) -> Written:
    """Make the folders of the stacks hold these files, and those of `remove` none of ours; nothing else is touched.

    `stacks` maps a stack to all its owned files, index.json among them, by path in its folder. `state` is a folder for
    drafts, best on the same file system as `out`; its lock is the caller's to hold, and `recover` to have been run.
    With `adopt` foreign files in the way become ours. `left` says how the folders of stacks looked when an earlier
    write ended: the files of one that still looks so are not read. Nothing to change touches nothing. Any failure is a
    PlatformError and leaves the previous files.
    """
    with tree.translated(f"read {out}"):
        root = _real(out)
        made = plan(root, stacks, remove, title=str(out), left=left)
    refuse_taken(made, adopt=adopt)
    if made.touched:
        with tree.translated(f"write {out}", drafts=Path(os.path.realpath(state))):
            _commit(made, _Drafts.of(root, state))
    return Written(
        added=shown(made.added),
        changed=shown(made.changed),
        removed=shown(made.removed),
        unchanged=shown(made.unchanged),
        edited=shown(made.edited),
        foreign=shown(made.foreign),
    )


def recover(out: Path, state: Path) -> str:
    """Complete or undo what a killed run began; call it under the lock, before all else. Says what it did, or ''."""
    with tree.translated(f"repair {out}"):
        root = _real(out)
        drafts = _Drafts.of(root, state)
        finished = journal.resume(drafts.journal, staging=str(drafts.staging), out=root)
    return f"an interrupted run had begun to write {out}: put that right" if finished else ""


@dataclass(frozen=True, slots=True)
class _Drafts:
    """Where a change is prepared: one place for each output folder that shares the state folder."""

    spare: Path
    staging: Path
    journal: Path

    @classmethod
    def of(cls, out: str, state: Path) -> _Drafts:
        real = os.path.realpath(state)
        if real == out or real.startswith(out + os.sep):
            raise PlatformError(
                f"the state folder {state} lies in the output folder {out}", hint="choose another output folder"
            )
        # Relative, so that a repository that is moved after an interrupted run still finds its journal.
        key = quote(os.path.relpath(out, Path(real).parent), safe="")[-150:]
        return cls(Path(real, f"spare-{key}"), Path(real, f"staging-{key}"), Path(real, f"journal-{key}.json"))


def _real(out: Path) -> str:
    """The folder itself where `out` is a link to it."""
    real = os.path.realpath(out)
    if os.path.lexists(real) and not Path(real).is_dir():
        raise PlatformError(f"{out} is a file, and the output needs a folder", hint="move it or choose another --out")
    return real


def _commit(made: Plan, drafts: _Drafts) -> None:
    drafts.spare.parent.mkdir(parents=True, exist_ok=True)
    if not swap(made, str(drafts.spare)):
        journal.carry_out(made, drafts.journal, str(drafts.staging))


def shown(paths: Iterable[str]) -> tuple[str, ...]:
    """Sorted, and printable even where a foreign file's name is no text, or no letters."""
    return tuple(sorted(visible(os.fsencode(path).decode(errors="backslashreplace")) for path in paths))
