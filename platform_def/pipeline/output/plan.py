"""What a write would do: the wanted files held against what lies on disk and what the index says was written before.

All paths are relative to the output folder: `<stack>/<component>/…`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from platform_def.errors import ConfigError, PlatformError, Problem, Source
from platform_def.pipeline.output import index
from platform_def.pipeline.output.tree import Listing, Signature, folders_of, read, seen

Stacks = Mapping[str, Mapping[str, bytes]]
"""Every owned file of each stack, index.json among them, by its path in the stack's folder."""


_SHOWN = 5


@dataclass(slots=True)
class Plan:
    """Each path of the stacks concerned stands in one list of what is to happen, and may stand in one of why."""

    out: str
    title: str
    """The output folder as the user wrote it."""
    names: tuple[str, ...]
    wanted: dict[str, bytes]
    present: dict[str, int] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    """Foreign files, other than the wanted ones, at wanted places."""
    blocked: list[str] = field(default_factory=list)
    """Files, links or folders with foreign files where a wanted file or its folder must go."""
    damaged: list[Problem] = field(default_factory=list)
    """Indexes that cannot be read."""
    known: index.KnownContents = field(default_factory=index.KnownContents, repr=False, compare=False)

    @property
    def touched(self) -> tuple[str, ...]:
        """The stacks in which something is to happen."""
        paths = (*self.added, *self.changed, *self.removed)
        hit = {path.partition("/")[0] for path in paths}
        return tuple(name for name in self.names if name in hit)


def plan(
    out: str,
    stacks: Stacks,
    remove: Collection[str],
    *,
    title: str,
    left: Mapping[str, Signature] = MappingProxyType({}),
) -> Plan:
    """Compare the files of the stacks named in the real folder `out`, and change nothing.

    A stack that looks as it was `left`, with what its index says in its files, is compared by its index; of the others
    every file is read. Raises ConfigError for a name or path that would leave its folder, PlatformError for what can't
    be read.
    """
    _refuse_odd(stacks, remove)
    names = tuple(sorted({*stacks, *remove}))
    wanted = {f"{name}/{path}": content for name, files in stacks.items() for path, content in files.items()}
    made = Plan(out, title, names, wanted)
    problems: list[Problem] = []
    for name in names:
        try:
            _compare(made, name, stacks.get(name, {}), left.get(name))
        except ConfigError as error:
            problems += error.problems
    _find_unknown(made)
    _find_blocked(made)
    if problems:
        raise ConfigError(problems)
    return made


def _compare(made: Plan, name: str, files: Mapping[str, bytes], left: Signature | None) -> None:
    found, looks = _stack_listing(made.out, name)
    made.present |= found.files
    indexes = _indexes(made, name, found)
    before = {f"{name}/{path}" for one in indexes for path in (*one.files, index.FILE)}
    untouched = left is not None and looks == left and len(indexes) == 1
    held = indexes[0].files if untouched else {}
    wanted = _wanted(files) if untouched else {}
    for path, content in files.items():
        place = f"{name}/{path}"
        if place not in found.files:
            made.added.append(place)
            continue
        if path in held and path in wanted:
            same, there = held[path] == wanted[path], None
        else:
            there = _content(made.out, place, found, len(content))
            same = there == content
        if same:
            made.unchanged.append(place)
            continue
        made.changed.append(place)
        if path in held:
            made.stale.append(place)
        elif place in before:
            _why(made, path, place, there, indexes)
        else:
            made.taken.append(place)
    for place in [path for path in found.files if path not in made.wanted]:
        path = place[len(name) + 1 :]
        if place not in before:
            made.foreign.append(place)
            continue
        made.removed.append(place)
        if path in held:
            made.stale.append(place)
        else:
            _why(made, path, place, _content(made.out, place, found), indexes)


def _wanted(files: Mapping[str, bytes]) -> Mapping[str, str]:
    """The hashes of what is to be written, as its own index has them."""
    found = index.decode(files[index.FILE]) if index.FILE in files else ()
    return found[0].files if found else {}


def _content(out: str, place: str, found: Listing, expected_size: int = 0) -> bytes | None:
    return None if place in found.odd else read(f"{out}/{place}", expected_size)


def _why(made: Plan, path: str, place: str, content: bytes | None, indexes: tuple[index.Index, ...]) -> None:
    """The index knows no hash of its own, so it counts as stale whenever it differs."""
    expected = {one.files.get(path) for one in indexes}
    as_written = content is not None and (path == index.FILE or made.known.digest(content, expected) in expected)
    (made.stale if as_written else made.edited).append(place)


def _stack_listing(out: str, name: str) -> tuple[Listing, Signature | None]:
    folder = Path(out, name)
    return seen(out, name) if folder.is_dir() and not folder.is_symlink() else (Listing(), None)


def _indexes(made: Plan, name: str, found: Listing) -> tuple[index.Index, ...]:
    place = f"{name}/{index.FILE}"
    content = _content(made.out, place, found) if place in found.files else None
    indexes = index.decode(content) if content is not None else ()
    if content is not None and not indexes:
        made.damaged.append(index.damage(content, Source(f"{made.title}/{place}")))
    for one in indexes:
        index.refuse_newer(one, Source(f"{made.title}/{place}"))
    return indexes


def _find_unknown(made: Plan) -> None:
    """Foreign at the top: files, and folders without an index that are no stack of this run."""
    if not Path(made.out).is_dir():
        return
    with os.scandir(made.out) as entries:
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                made.foreign.append(entry.name)
            elif entry.name not in made.names and not os.path.lexists(f"{entry.path}/{index.FILE}"):
                made.foreign.append(f"{entry.name}/")


def _find_blocked(made: Plan) -> None:
    folders = folders_of(made.wanted)
    kept = set(made.foreign)
    made.blocked += sorted(folders & kept)
    made.blocked += sorted(path for path in kept if any(parent in made.wanted for parent in _parents(path)))


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(2, len(parts))]


def _refuse_odd(stacks: Stacks, remove: Collection[str]) -> None:
    problems = [
        Problem(f"'{name}' can't be a stack's folder")
        for name in sorted({*stacks, *remove})
        if not index.is_path(name) or "/" in name or name.startswith(".")
    ]
    problems += [Problem(f"stack '{name}' is both to write and to remove") for name in sorted({*stacks} & {*remove})]
    for name, files in stacks.items():
        folders = {parent for path in files for parent in _parents(f"{name}/{path}")}
        for path in files:
            if not index.is_path(path):
                problems.append(Problem(f"{path!r} of stack {name} can't be a file's path below {name}/"))
            elif f"{name}/{path}" in folders:
                problems.append(Problem(f"{path} of stack {name} is to be a file and a folder"))
        if index.FILE not in files:
            raise AssertionError(f"stack {name} comes without its {index.FILE}")
    if problems:
        raise ConfigError(problems)


def refuse_taken(made: Plan, *, adopt: bool) -> None:
    """Stop if foreign files are in the way; `adopt` takes those over that lie where a file of ours goes."""
    if made.damaged and not adopt:
        raise PlatformError(made.damaged)
    text = "something that synth did not write is in the way"
    problems = [Problem(text, Source(f"{made.title}/{path}"), "move it elsewhere") for path in made.blocked]
    for name in made.names if not adopt else ():
        taken = sorted(path for path in made.taken if path.startswith(name + "/"))
        if taken:
            text = f"synth did not write {_some(taken)} and would have to replace what is there"
            problems.append(Problem(text, Source(f"{made.title}/{name}"), "--adopt takes such files over"))
    if problems:
        raise PlatformError(problems)


def _some(paths: list[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(path.partition("/")[2] for path in paths[:_SHOWN]) + more
