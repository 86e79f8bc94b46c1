"""What a module of the cluster tests reads, as one hash: code, data files, components, rendered stacks, pins of programs.

Where it cannot be told what is read, more is taken in: a proof that is due for nothing costs minutes, one that is not due
and should be costs the truth.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

OUTER = ("apis", "checks", "cli", "components", "explain", "reference")
"""Folders of platform_def of which a module reads only what it, or a component that it names, imports."""
INNER = ("checks", "cli", "explain", "reference")
"""Those of them that shape no object of a stack."""
UNREAD = ("tests/cluster/tools.py", "tests/cluster/ledger", "tests/proofs")
"""Not hashed: how programs are obtained is part of each program's own key, and the ledger is written of what is hashed."""
ALL_STACKS = frozenset({"manifests", "known_crds", "DIST", "COVERAGE", "dist_stacks", "coverage_stacks", "stack_names"})
"""Fixtures of a test, and names that its files import, by which it gets every stack of the repository."""
SHARED = ("conftest.py", "stacks.py")
"""Files that every module imports: that they name all stacks says nothing of one module."""
_WORD = re.compile(r"[a-z0-9][a-z0-9.-]*[a-z0-9]")
_API = re.compile(r"[a-z0-9_]+")


class Inputs:
    """Hashes of what modules of tests read, in a repository whose files stay as they are meanwhile."""

    def __init__(self, root: Path, *, pins: Mapping[str, str], stacks: Mapping[str, str]):
        """`pins` has a key of each program that tests run, `stacks` a hash of each rendered stack, by their names."""
        self._root, self._pins, self._stacks = root, pins, stacks
        self._code = root / "platform_def"
        self.hashed = cache(content)
        self._source = cache(Source.of)
        self._named = cache(self._named_in)
        self._words = cache(self._words_of)

    def hash_of(self, module: Path, *, stacks: bool = True) -> str:
        """The hash of what a module reads; without stacks for one that is proven stack by stack."""
        digest = hashlib.sha256()
        for label, value in self.read_by(module):
            if not stacks and label.startswith("stack "):
                continue
            digest.update(f"{label}={value}\n".encode())
        return digest.hexdigest()[:20]

    def read_by(self, module: Path) -> Iterator[tuple[str, str]]:
        """What the module reads, each with its hash, always in the same order."""
        own = sorted(self._closure([module, *self._conftests(module)]))
        sources = {file: self._source(file) for file in own}
        imports = {name for each in sources.values() for name in each.imports}
        words = {word for each in sources.values() for word in each.words}
        for path in (*own, *self._data(sources), *self._core, *self._imported(imports, words)):
            yield self._name(path), self.hashed(path)
        yield from ((f"program {name}", self._pins[name]) for name in sorted(self._pins.keys() & words))
        every = any(ALL_STACKS & each.names for file, each in sources.items() if file.name not in SHARED)
        for name, value in sorted(self._stacks.items()):
            if every or name.rpartition("/")[2] in words:
                yield f"stack {name}", value

    def _name(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()

    def _conftests(self, module: Path) -> list[Path]:
        above = [folder for folder in module.parents if folder.is_relative_to(self._root)]
        return [file for folder in above if (file := folder / "conftest.py").is_file()]

    def _closure(self, files: Iterable[Path]) -> set[Path]:
        """The files of tests that these import, directly or not."""
        found: set[Path] = set()
        todo = list(files)
        while todo:
            file = todo.pop()
            if file not in found and not self._name(file).startswith(UNREAD):
                found.add(file)
                todo += [other for name in self._source(file).imports if (other := self._file_of(name))]
        return found

    def _file_of(self, name: str) -> Path | None:
        """The file of a module that is none of platform_def's."""
        base = self._root / name.replace(".", "/")
        files = (base.with_name(f"{base.name}.py"), base / "__init__.py")
        return None if name.startswith("platform_def") else next((each for each in files if each.is_file()), None)

    def _data(self, sources: Mapping[Path, Source]) -> list[Path]:
        """Files and folders next to a file of code that it names, and what is installed."""
        named = {path for file in sources for path in self._named(file)}
        return sorted({*named, *(self._root / "requirements").glob("*.txt")} - sources.keys())

    def _named_in(self, file: Path) -> list[Path]:
        texts = (text for text in self._source(file).texts if 2 < len(text) < 100 and text.isprintable())
        found = (file.parent / text for text in texts if not text.startswith(("/", ".")))
        return [path for path in found if path.exists() and not self._name(path).startswith(UNREAD)]

    @cached_property
    def _core(self) -> list[Path]:
        """The code that any rendering may execute, with the API types that it imports."""
        top = [path for path in sorted(self._code.iterdir()) if path.name not in OUTER and path.name != "__pycache__"]
        between = [path for path in (self._code / "components").rglob("*.py") if not self._owner(path)]
        files = [file for path in (*top, *between) for file in ([path] if path.is_file() else path.rglob("*.py"))]
        apis = {name for file in files if file.suffix == ".py" for name in self._source(file).imports}
        return [*top, *sorted(between), *self._apis({"core", *_groups(apis)})]

    def _owner(self, file: Path) -> Path | None:
        """The folder of the component that a file belongs to."""
        return next((each for each in file.parents if (each / "component.py").is_file()), None)

    def _apis(self, groups: Iterable[str]) -> list[Path]:
        return [path for group in sorted(set(groups)) if (path := self._code / "apis" / group).exists()]

    @cached_property
    def _components(self) -> Mapping[str, Path]:
        """The folder of each component by its name."""
        found = (self._code / "components").glob("*/*/component.py")
        return {file.parent.name.replace("_", "-"): file.parent for file in sorted(found)}

    def _imported(self, imports: set[str], words: set[str]) -> list[Path]:
        """Of the outer folders what tests import, and components that they name, with the APIs of these."""
        found = [
            self._code / each for each in INNER if any(name.startswith(f"platform_def.{each}") for name in imports)
        ]
        groups = _groups(imports)
        packages = {".".join(each.split(".")[:4]) for each in imports if each.startswith("platform_def.components.")}
        for name, folder in self._components.items():
            if name in words or f"platform_def.components.{folder.parent.name}.{folder.name}" in packages:
                found.append(folder)
                groups |= self._words(folder)
        return [*found, *self._apis(groups)]

    def _words_of(self, component: Path) -> set[str]:
        """The words of a component's files, among them the API groups that it has."""
        texts = (file.read_text(encoding="utf-8") for file in (*component.rglob("*.py"), *component.glob("kinds.yaml")))
        return {word for text in texts for word in _API.findall(text)}


def _groups(imports: Iterable[str]) -> set[str]:
    """The groups of `platform_def.apis` among modules."""
    return {name.split(".")[2] for name in imports if name.startswith("platform_def.apis.")}


@dataclass(frozen=True)
class Source:
    """What is written in a file of Python."""

    imports: frozenset[str]
    """Modules, and names that may be modules, with dots."""
    texts: frozenset[str]
    words: frozenset[str]
    """Those of the texts."""
    names: frozenset[str]
    """What is imported, and in a module of tests what its functions are given."""

    @classmethod
    def of(cls, file: Path) -> Source:
        """The file read."""
        imports, texts, names = set(), set(), set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                imports |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
                names |= {each.name for each in node.names}
            elif isinstance(node, ast.Import):
                imports |= {each.name for each in node.names}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            elif isinstance(node, ast.arg) and file.name.startswith("test_"):
                names.add(node.arg)
        words = {word for text in texts for word in _WORD.findall(text)}
        return cls(frozenset(imports), frozenset(texts), frozenset(words), frozenset(names))


def content(path: Path) -> str:
    """The hash of a file, or of all files of a folder with their names."""
    digest = hashlib.sha256()
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    for file in files:
        if file.suffix != ".pyc":
            content = file.read_bytes()
            digest.update(b"%s\0%d\0%s" % (file.relative_to(path.parent).as_posix().encode(), len(content), content))
    return digest.hexdigest()[:20]
