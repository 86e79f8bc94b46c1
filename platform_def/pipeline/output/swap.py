"""All or nothing where folders can be exchanged: the new tree is made in a spare one, then the two change places.

The spare tree stays, with links to the files of the present one, so that the next change only touches what differs:
ext4 is slow to make folders within a minute of removing as many, which a new tree each time would run into.
"""

# Strings and os calls: a fleet has 20,000 files, and a Path object costs more than the system call it is for.
# ruff: noqa: PTH106, PTH108, PTH105

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from platform_def.pipeline.output import exchange, tree
from platform_def.pipeline.output.plan import Plan


@dataclass(slots=True)
class _Change:
    """What a tree is to hold: `fresh` files with new bytes, `kept` ones by inode; `prefix` is '' or `<stack>/`."""

    prefix: str
    fresh: list[str]
    kept: dict[str, int]
    folders: list[str] = field(default_factory=list)


def swap(made: Plan, spare: str) -> bool:
    """Carry the plan out; False, with nothing changed, where the kernel or the files' permissions do not allow it."""
    whole = len(made.touched) > 1 or not Path(made.out).is_dir()
    if not _suits(made, spare, whole=whole):
        return False
    change = _whole(made) if whole else _one(made, made.touched[0] + "/")
    if not _may_be_moved(made, change):
        return False
    try:
        _fill(spare, made, change)
        replaced = _put(f"{spare}/{change.prefix}", f"{made.out}/{change.prefix}", change)
    except OSError as error:
        tree.discard(spare)
        if error.errno in exchange.CANNOT:
            return False
        raise
    if replaced:
        with tree.translated(f"clear what was replaced, though {made.out} is written"):
            _clear(spare, made, change)
    return True


def _suits(made: Plan, spare: str, *, whole: bool) -> bool:
    """A git repository is never moved, nor is a mount."""
    if not Path(made.out).is_dir():
        return True
    folder = made.out if whole else f"{made.out}/{made.touched[0]}"
    if whole and os.path.lexists(f"{folder}/.git"):
        return False
    return not exchange.mounted(folder) and exchange.supported(f"{spare}.probe")


def _may_be_moved(made: Plan, change: _Change) -> bool:
    """Folders of another user could neither be moved nor cleared afterwards."""
    folders = tree.folders_of(path for path in made.present if path.startswith(change.prefix))
    needed = os.W_OK | os.X_OK
    return all(
        os.access(f"{made.out}/{folder}", needed, effective_ids=os.access in os.supports_effective_ids)
        for folder in folders.union(change.folders)
    )


def _whole(made: Plan) -> _Change:
    rest = tree.listing(made.out, skip=made.names) if Path(made.out).is_dir() else tree.Listing()
    kept = {path: made.present[path] for path in (*made.unchanged, *made.foreign) if path in made.present}
    return _Change("", [*made.added, *made.changed], kept | rest.files, rest.folders)


def _one(made: Plan, prefix: str) -> _Change:
    kept = {path: made.present[path] for path in (*made.unchanged, *made.foreign) if path.startswith(prefix)}
    return _Change(prefix, [path for path in (*made.added, *made.changed) if path.startswith(prefix)], kept)


def _fill(spare: str, made: Plan, change: _Change) -> None:
    """Make the spare tree, or its one stack, hold exactly what is wanted, from whatever it held before."""
    if Path(spare).is_symlink() or Path(spare).is_file():
        Path(spare).unlink()
    tree.make_folders(spare, tree.folders_of([change.prefix]))
    held = tree.listing(spare, change.prefix.rstrip("/"))
    for path, inode in held.files.items():
        if change.kept.get(path) != inode:
            os.unlink(f"{spare}/{path}")
    needed = tree.folders_of([*change.fresh, *change.kept]) | set(change.folders)
    for folder in reversed(held.folders):
        if folder not in needed:
            os.rmdir(f"{spare}/{folder}")
    tree.make_folders(spare, needed.difference(held.folders))
    for path in change.fresh:
        tree.write_file(f"{spare}/{path}", made.wanted[path])
    for path, inode in change.kept.items():
        if held.files.get(path) != inode:
            os.link(f"{made.out}/{path}", f"{spare}/{path}", follow_symlinks=False)


def _put(new: str, target: str, change: _Change) -> bool:
    """Let the new tree take its place in one step; whether there was another, which is then where the new one was."""
    new, target = new.rstrip("/"), target.rstrip("/")
    if not Path(target).is_dir():
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(new).rename(target)
        return False
    if change.prefix and not change.fresh and not change.kept:
        Path(target).rename(new)
    else:
        exchange.exchange(new, target)
    return True


def _clear(spare: str, made: Plan, change: _Change) -> None:
    """Leave only links to what is in place; a foreign file that came while the tree was made follows to its place."""
    foreign, ours = {*made.foreign}, {*made.wanted, *made.removed}
    for path, inode in tree.listing(spare, change.prefix.rstrip("/")).files.items():
        in_place = change.kept.get(path) == inode
        if in_place and foreign.isdisjoint((path, path.partition("/")[0] + "/")):
            continue
        if in_place or path in ours:
            os.unlink(f"{spare}/{path}")
        else:
            tree.make_folders(made.out, tree.folders_of([path]))
            os.replace(f"{spare}/{path}", f"{made.out}/{path}")
