"""All or nothing where folders can't be exchanged: file by file, with a journal that a later run completes.

Everything new is staged and everything replaced is set aside before the journal appears. From then on the change is
decided and only carried out, or, if that turns out impossible, taken back whole. Holds against a kill, not a power cut:
after one of those the next synth finds what is wrong by comparing every byte.
"""

from __future__ import annotations

import errno
import json
import os
from dataclasses import dataclass
from pathlib import Path

from platform_def.pipeline.output import tree
from platform_def.pipeline.output.index import is_path
from platform_def.pipeline.output.plan import Plan


@dataclass(frozen=True, slots=True)
class Journal:
    """A change of `out`: what is to come lies in `staging/new`, what it replaces or removes in `staging/old`."""

    file: Path
    staging: str
    out: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def back(self) -> Path:
        """The journal's name once the change is being taken back: a rename needs no room on a full disk."""
        return self.file.with_suffix(".back")

    @property
    def draft(self) -> Path:
        """The journal's name while it is being written."""
        return self.file.with_suffix(".draft")


def carry_out(made: Plan, file: Path, staging: str) -> None:
    """Carry the plan out with the journal `file`; an OSError leaves the previous files, or else the journal."""
    change = Journal(file, staging, made.out, tuple(made.added), tuple(made.changed), tuple(made.removed))
    _refuse_closed_folders(change)
    tree.discard(staging)
    try:
        _stage(change, made)
        _save(change)
    except OSError:
        change.draft.unlink(missing_ok=True)
        tree.discard(staging)
        raise
    _settle(change)


def _refuse_closed_folders(change: Journal) -> None:
    """Files come and go with the right to write to their folder: found out here, before anything is decided."""
    for path in sorted({*change.added, *change.changed, *change.removed}):
        folder = Path(change.out, path).parent
        while not folder.is_dir():
            folder = folder.parent
        if not os.access(folder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def resume(file: Path, *, staging: str, out: str) -> bool:
    """Finish what a killed run's journal says and clear its drafts; whether there was a journal."""
    change = _load(file, staging=staging, out=out)
    if change is not None and change.back.exists():
        _take_back(change)
    elif change is not None:
        _settle(change)
    for each in (file, file.with_suffix(".back"), file.with_suffix(".draft")):
        each.unlink(missing_ok=True)
    tree.discard(staging)
    return change is not None


def _stage(change: Journal, made: Plan) -> None:
    put = (*change.added, *change.changed)
    new, old = f"{change.staging}/new", f"{change.staging}/old"
    tree.make_folders(new, tree.folders_of(put))
    for path in put:
        tree.write_file(f"{new}/{path}", made.wanted[path])
    replaced = (*change.changed, *change.removed)
    tree.make_folders(old, tree.folders_of(replaced))
    for path in replaced:
        tree.link(f"{change.out}/{path}", f"{old}/{path}")


def _save(change: Journal) -> None:
    """Write it in one step: its appearance is what decides the change."""
    document = {"added": change.added, "changed": change.changed, "removed": change.removed}
    with tree.naming(str(change.draft)):
        change.draft.write_text(json.dumps(document), encoding="utf-8")
    change.draft.replace(change.file)


def _load(file: Path, *, staging: str, out: str) -> Journal | None:
    for each in (file, file.with_suffix(".back")):
        try:
            document = json.loads(each.read_bytes())
        except (OSError, ValueError):
            continue
        match document:
            case {"added": list(added), "changed": list(changed), "removed": list(removed)}:
                if all(isinstance(path, str) and is_path(path) for path in (*added, *changed, *removed)):
                    return Journal(file, staging, out, tuple(added), tuple(changed), tuple(removed))
    return None


def _settle(change: Journal) -> None:
    """Safe to repeat from any point: what was moved before is no longer staged, what was removed is gone."""
    try:
        for path in change.removed:
            Path(change.out, path).unlink(missing_ok=True)
        tree.prune(change.out, change.removed)
        put = (*change.added, *change.changed)
        tree.make_folders(change.out, tree.folders_of(put))
        for path in put:
            tree.replace(f"{change.staging}/new/{path}", f"{change.out}/{path}")
    except OSError:
        change.file.replace(change.back)
        _take_back(change)
        raise
    with tree.translated(f"clear the journal, though {change.out} is written"):
        change.file.unlink()
        tree.discard(change.staging)


def _take_back(change: Journal) -> None:
    for path in change.added:
        Path(change.out, path).unlink(missing_ok=True)
    tree.prune(change.out, change.added)
    replaced = (*change.changed, *change.removed)
    tree.make_folders(change.out, tree.folders_of(replaced))
    for path in replaced:
        tree.replace(f"{change.staging}/old/{path}", f"{change.out}/{path}")
    change.back.unlink()
    tree.discard(change.staging)
