"""Reads stack files: safe YAML, `extends` merged, validated; every problem of every stack in one error.

A stack is a file directly in `stacks/`; files in folders below it are bases, rendered only through what extends them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from platform_def.config.cluster import SUPPORTED_KUBERNETES
from platform_def.config.explain import problems_of
from platform_def.config.provenance import Traced, idle_nulls, merge, trace
from platform_def.config.stack import API_VERSION, Stack
from platform_def.errors import ConfigError, PlatformError, Problem, Source, nearest
from platform_def.pipeline.reading import followed, is_there, reading
from platform_def.yaml import parse

FOLDER = "stacks"
_MAX_FILES = 64


@dataclass(frozen=True)
class Loaded:
    """A stack as its files say it, with where each value came from."""

    name: str
    file: str
    stack: Stack
    traced: Traced

    def where(self, *path: str | int) -> Source | None:
        """The place in the user's files that decides the value at `path`."""
        return self.traced.locate(path)


def stack_files(root: Path) -> dict[str, Path]:
    """The stacks of a repository: name to file, sorted by name."""
    folder = root / FOLDER
    if not folder.is_dir():
        raise ConfigError(
            f"{FOLDER}/ is not there", hint="run this in a platform repository, or make one: platformctl init DIR"
        )
    with reading(FOLDER):
        paths = sorted(folder.iterdir())
    found: dict[str, Path] = {}
    for path in paths:
        where = Source(f"{FOLDER}/{path.name}")
        if path.suffix in (".yaml", ".yml") and not is_there(path):
            raise ConfigError("is a link that leads nowhere", where=where)
        if path.suffix not in (".yaml", ".yml") or not path.is_file():
            continue
        if path.stem in found:
            raise ConfigError(f"two files are stack '{path.stem}'", where=where)
        found[path.stem] = path
    if not found:
        raise ConfigError(f"{FOLDER}/ holds no stack", hint="a stack is a file such as stacks/my-cluster.yaml")
    return found


def load(
    root: Path, names: Sequence[str] = (), *, further: Callable[[Loaded], Iterable[Problem]] = lambda _: ()
) -> list[Loaded]:
    """Load the named stacks, or all; raises ConfigError with the problems of all of them.

    Then `further` is asked too, of what could be read of each stack, so that the user hears of everything at once.
    """
    files = stack_files(root)
    unknown = [
        Problem(f"stack '{name[:64]}' is not there", hint=nearest(name, files)) for name in names if name not in files
    ]
    loaded: list[Loaded] = []
    problems: list[Problem] = list(unknown)
    parsed = _Parsed(root)
    for name in sorted(set(names) & set(files)) if names else files:
        try:
            readable = _load(name, files[name], parsed, problems)
        except PlatformError as error:
            problems += error.problems
            continue
        loaded += [readable] if readable else []
    if problems:
        raise ConfigError([*problems, *(problem for each in loaded for problem in further(each))])
    return loaded


def _load(name: str, path: Path, parsed: _Parsed, problems: list[Problem]) -> Loaded | None:
    """The stack, or with `problems` added what is sound of it, if anything."""
    file = f"{FOLDER}/{path.name}"
    traced = parsed.with_bases(path, ())
    if not isinstance(traced.value, dict):
        raise ConfigError(
            "a stack file holds a map", where=Source(file, 1), hint=f"start with apiVersion: {API_VERSION}"
        )
    traced.value.pop("extends", None)
    problems += [*idle_nulls(traced), *_name_problems(name, file)]
    _name_cluster(traced, name)
    stack: Stack | None
    try:
        stack = Stack.from_file(traced.plain())
    except ValidationError as error:
        problems += problems_of(error, Stack, traced)
        stack = _sound(traced, error)
    return Loaded(name, file, stack, traced) if stack else None


def _sound(traced: Traced, error: ValidationError) -> Stack | None:
    """The stack without the parts that are wrong; None where it is wrong as a whole."""
    wrong = {detail["loc"][0] for detail in error.errors() if detail["loc"]}
    plain = traced.plain()
    assert isinstance(plain, dict)
    rest = {key: value for key, value in plain.items() if key not in wrong}
    cluster = {"name": "unknown", "kubernetes": SUPPORTED_KUBERNETES[-1]}
    try:
        return Stack.from_file({"apiVersion": API_VERSION, "cluster": cluster, **rest})
    except ValidationError:
        return None


def _name_problems(name: str, file: str) -> Iterator[Problem]:
    from platform_def.config.explain import name_problem

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
        self._root = followed(root)
        self._traced: dict[Path, Traced] = {}
        self._merged: dict[Path, Traced] = {}

    def with_bases(self, path: Path, above: tuple[Path, ...]) -> Traced:
        """The file laid on everything it extends; `above` are the files that led here."""
        path = followed(path)
        if path in self._merged:
            return _copy(self._merged[path])
        own = self.one(path)
        merged: Traced | None = None
        for base in self._bases(own, path, (*above, path)):
            under = self.with_bases(base, (*above, path))
            merged = under if merged is None else merge(merged, under)
        result = own if merged is None else merge(merged, own)
        if above:
            self._merged[path] = _copy(result)
        return result

    def one(self, path: Path) -> Traced:
        """One file as traced values."""
        if path not in self._traced:
            file = self.shown(path)
            with reading(file):
                self._traced[path] = trace(parse(path.read_bytes(), file=file), file)
        return _copy(self._traced[path])

    def shown(self, path: Path) -> str:
        """The path as messages name it: from the repository's root."""
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else str(path)

    def _bases(self, own: Traced, path: Path, chain: tuple[Path, ...]) -> Iterator[Path]:
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
            if not base.is_relative_to(self._root):
                raise ConfigError(f"extends '{text[:80]}', which is outside the repository", where=place)
            if base in chain:
                loop = " → ".join(self.shown(step) for step in (*chain[chain.index(base) :], base))
                raise ConfigError(f"extends goes in a circle: {loop}", where=place)
            if len(chain) > _MAX_FILES:
                raise ConfigError(f"extends is more than {_MAX_FILES} files deep", where=place)
            if not is_there(base):
                raise ConfigError(f"extends '{text[:80]}', which is not there", where=place)
            yield base


def _copy(traced: Traced) -> Traced:
    if isinstance(traced.value, dict):
        return Traced({key: _copy(item) for key, item in traced.value.items()}, traced.chain, dict(traced.key_lines))
    if isinstance(traced.value, list):
        return Traced([_copy(item) for item in traced.value], traced.chain)
    return Traced(traced.value, traced.chain)
