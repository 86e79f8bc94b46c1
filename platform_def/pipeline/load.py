"""Reads stack files: safe YAML, `extends` merged, validated; every problem of every stack in one error.

A stack is a file directly in `stacks/`; files in folders below it are bases, rendered only through what extends them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from pydantic import JsonValue

from platform_def.config.kubernetes import SUPPORTED_KUBERNETES
from platform_def.config.stack import API_VERSION, Stack
from platform_def.config.written.provenance import Traced, idle_nulls, merge, trace
from platform_def.config.written.salvage import salvage
from platform_def.errors import ConfigError, PlatformError, Problem, Source, nearest
from platform_def.pipeline.user_files import followed, is_there, leaves, reading
from platform_def.yaml import parse

FOLDER = "stacks"
SUFFIXES = (".yaml", ".yml")
_MAX_FILES = 64
_DEFAULTS: Mapping[str, JsonValue] = {
    "apiVersion": API_VERSION,
    "cluster": {"name": "unknown", "kubernetes": SUPPORTED_KUBERNETES[-1]},
}
"""What stands for a missing or wrong head of a stack, so that the rest of it can be judged."""


class ReadFile(NamedTuple):
    """A file that a stack is made of, as it was read."""

    named: str
    """The path by which it was reached; a link may be on it."""
    real: str
    """The file itself."""
    digest: str


@dataclass(frozen=True)
class Loaded:
    """A stack as its files say it, with where each value came from."""

    name: str
    file: str
    stack: Stack
    traced: Traced
    root: Path = Path()
    """The repository."""
    doubts: frozenset[tuple[str | int, ...]] = frozenset()
    """Paths of what is wrong in the files, which `stack` lacks."""
    sound: bool = True
    """Whether nothing was found wrong: another stack is judged as far as that goes, and never built."""
    read: tuple[ReadFile, ...] = ()
    """The stack file and all that it extends."""

    def where(self, *path: str | int) -> Source | None:
        """The place in the user's files that decides the value at `path`."""
        return self.traced.locate(path)

    def job_names(self) -> Iterator[str]:
        """What the stack calls its jobs, whatever else is wrong with them."""
        yield from (str(job["name"]) for job in self.stack.jobs if "name" in job)


def stack_files(root: Path) -> dict[str, Path]:
    """The stacks of a repository: name to file, sorted by name."""
    folder = root / FOLDER
    if not folder.is_dir():
        raise ConfigError(
            f"{FOLDER}/ is not there", hint="run this in a platform repository, or make one: platformctl init DIR"
        )
    _refuse_leaving(folder, root, FOLDER)
    with reading(FOLDER):
        paths = sorted(folder.iterdir())
    found: dict[str, Path] = {}
    for path in paths:
        where = Source(f"{FOLDER}/{path.name}")
        if path.suffix in SUFFIXES and not is_there(path):
            raise ConfigError("is a link that leads nowhere", where=where)
        if path.suffix in SUFFIXES:
            _refuse_leaving(path, root, where.file)
        if path.suffix not in SUFFIXES:
            continue
        if path.is_dir():
            hint = "give the folder a name without the ending, or move the stack's file out of it"
            raise ConfigError("is a folder, and a stack is a file", where=where, hint=hint)
        if not path.is_file():
            raise ConfigError("cannot be read: it is no regular file", where=where)
        if path.stem in found:
            raise ConfigError(f"two files are stack '{path.stem}'", where=where)
        found[path.stem] = path
    if not found:
        raise ConfigError(f"{FOLDER}/ holds no stack", hint="a stack is a file such as stacks/my-cluster.yaml")
    return found


def _refuse_leaving(path: Path, root: Path, file: str) -> None:
    if leaves(path, root):
        hint = "what a stack is made of is in the repository, so that its reviewers see it"
        raise ConfigError("is a link to outside the repository", where=Source(file), hint=hint)


def retired_stacks(root: Path) -> dict[str, str]:
    """Stacks whose file says nothing but that they are retired, with the reason."""
    found = {name: _retired(path) for name, path in stack_files(root).items()}
    return {name: reason for name, reason in found.items() if reason}


def _retired(path: Path) -> str:
    """The reason; empty for a file that is no such one, or that is wrong: `load` says so."""
    file = f"{FOLDER}/{path.name}"
    with suppress(PlatformError), reading(file):
        content = path.read_bytes()
        node = parse(content, file=file) if b"retire" in content else None
        if node is not None and isinstance(node.value, dict) and node.value.keys() == {"apiVersion", "retire"}:
            reason, version = node.value["retire"].value, node.value["apiVersion"].value
            return reason.strip() if isinstance(reason, str) and version == API_VERSION else ""
    return ""


def load(root: Path, names: Sequence[str] = ()) -> list[Loaded]:
    """Load the named stacks, or all; raises ConfigError with the problems of all of them."""
    loaded, problems = read(root, names)
    if problems:
        raise ConfigError(problems)
    return loaded


def read(root: Path, names: Sequence[str] = (), *, but: Collection[str] = ()) -> tuple[list[Loaded], list[Problem]]:
    """The named stacks, or all, without those of `but`, as far as they can be read, and what is wrong with them."""
    files = stack_files(root)
    retired = retired_stacks(root)
    problems = [
        Problem(f"stack '{name[:64]}' is not there", hint=nearest(name, files)) for name in names if name not in files
    ]
    problems += [
        Problem("is retired: nothing is rendered of it", Source(f"{FOLDER}/{files[name].name}"))
        for name in names
        if name in retired
    ]
    loaded: list[Loaded] = []
    parsed = _Parsed(root)
    for name in sorted((set(names or files) & files.keys() - retired.keys()).difference(but)):
        try:
            found = _load(name, files[name], parsed, problems)
        except PlatformError as error:
            problems += error.problems
            continue
        loaded += [found] if found else []
    return loaded, problems


def _load(name: str, path: Path, parsed: _Parsed, problems: list[Problem]) -> Loaded | None:
    """The stack, or with `problems` added what is sound of it, if anything."""
    file = f"{FOLDER}/{path.name}"
    traced = parsed.with_bases(path, ())
    if not isinstance(traced.value, dict):
        raise ConfigError(
            "a stack file holds a map", where=Source(file, 1), hint=f"start with apiVersion: {API_VERSION}"
        )
    traced.value.pop("extends", None)
    retire = traced.value.get("retire")
    if retire is not None and isinstance(retire.value, str):
        hint = 'let the file hold nothing but apiVersion and retire; a component goes with retire: {its-name: "why"}'
        raise ConfigError("retire: a text retires the whole stack", where=traced.locate(["retire"]), hint=hint)
    before = len(problems)
    problems += [*idle_nulls(traced), *_name_problems(name, file)]
    _name_cluster(traced, name)
    plain = traced.plain()
    assert isinstance(plain, dict)
    found = salvage(Stack, plain, traced, defaults=_DEFAULTS)
    problems += found.problems
    if found.value is None:
        return None
    sound = len(problems) == before
    return Loaded(name, file, found.value, traced, parsed.root, found.doubts, sound, parsed.read_for(path))


def _name_problems(name: str, file: str) -> Iterator[Problem]:
    from platform_def.config.written.explain import name_problem

    text = name_problem(name)
    if text:
        yield Problem(f"the stack's name is its file's: {text}", Source(file), "rename the file")


def _name_cluster(traced: Traced, name: str) -> None:
    """A cluster is called as its stack unless the file says otherwise."""
    cluster = traced.value.get("cluster") if isinstance(traced.value, dict) else None
    if cluster is not None and isinstance(cluster.value, dict) and "name" not in cluster.value:
        cluster.value["name"] = Traced(name.encode(errors="replace").decode(), cluster.chain)


class _Parsed:
    """Files parsed once a run, however many stacks extend them."""

    def __init__(self, root: Path):
        self.root = followed(root)
        """The repository."""
        self._traced: dict[Path, Traced] = {}
        self._merged: dict[Path, Traced] = {}
        self._digests: dict[Path, str] = {}
        self._needed: dict[Path, dict[str, Path]] = {}
        """By file, what it extends at any depth: where each path leads."""

    def with_bases(self, path: Path, above: tuple[Path, ...]) -> Traced:
        """The file laid on everything it extends; `above` are the files that led here."""
        path = followed(path)
        if path in self._merged:
            return _copy(self._merged[path])
        own = self.one(path)
        merged: Traced | None = None
        needed = self._needed[path] = {}
        for named, base in self._bases(own, path, (*above, path)):
            under = self.with_bases(base, (*above, path))
            needed |= {named: base, **self._needed[base]}
            merged = under if merged is None else merge(merged, under)
        result = own if merged is None else merge(merged, own)
        if above:
            self._merged[path] = _copy(result)
        return result

    def read_for(self, path: Path) -> tuple[ReadFile, ...]:
        """What was read for a stack file: it, and what it extends."""
        real = followed(path)
        named = {str(self.root / FOLDER / path.name): real, **self._needed[real]}
        return tuple(ReadFile(each, str(file), self._digests[file]) for each, file in sorted(named.items()))

    def one(self, path: Path) -> Traced:
        """One file as traced values."""
        if path not in self._traced:
            file = self.shown(path)
            with reading(file):
                content = path.read_bytes()
                self._digests[path] = sha256(content).hexdigest()
                self._traced[path] = trace(parse(content, file=file), file)
        return _copy(self._traced[path])

    def shown(self, path: Path) -> str:
        """The path as messages name it: from the repository's root."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)

    def _bases(self, own: Traced, path: Path, chain: tuple[Path, ...]) -> Iterator[tuple[str, Path]]:
        """The files that one extends, by the paths that it writes."""
        extends = own.value.get("extends") if isinstance(own.value, dict) else None
        if extends is None:
            return
        if not isinstance(extends.value, list) or not all(isinstance(item.value, str) for item in extends.value):
            raise ConfigError(
                "extends: a list of files is wanted", where=extends.chain[-1], hint="extends: [base/shared.yaml]"
            )
        for item in extends.value:
            place, text = item.chain[-1], str(item.value)
            if PurePosixPath(text).is_absolute() or "\0" in text:
                raise ConfigError(f"extends '{text[:80]}': a path relative to this file is wanted", where=place)
            base = followed(path.parent / text)
            if not base.is_relative_to(self.root):
                raise ConfigError(f"extends '{text[:80]}', which is outside the repository", where=place)
            if base in chain:
                loop = " → ".join(self.shown(step) for step in (*chain[chain.index(base) :], base))
                raise ConfigError(f"extends goes in a circle: {loop}", where=place)
            if len(chain) > _MAX_FILES:
                raise ConfigError(f"extends is more than {_MAX_FILES} files deep", where=place)
            if not is_there(base):
                raise ConfigError(f"extends '{text[:80]}', which is not there", where=place)
            if not base.is_file():
                hint = "name the files in it" if base.is_dir() else ""
                raise ConfigError(f"extends '{text[:80]}', which is no file", where=place, hint=hint)
            yield str(path.parent / text), base


def _copy(traced: Traced) -> Traced:
    if isinstance(traced.value, dict):
        return Traced({key: _copy(item) for key, item in traced.value.items()}, traced.chain, dict(traced.key_lines))
    if isinstance(traced.value, list):
        return Traced([_copy(item) for item in traced.value], traced.chain)
    return Traced(traced.value, traced.chain)
