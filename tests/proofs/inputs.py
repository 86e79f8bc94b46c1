"""What a module of the cluster tests reads, as one hash: its code, data files, stacks as rendered, pins of programs.

What renders stacks is no part of it where the objects that come out are known: those of stacks of this repository by
their own hashes, those of stacks that the module writes itself, and what functions that are `noted` give it, from the
ledger (`tests/proofs/rendering.py`). Where it is uncertain what is read, more is taken in: a proof that is due for nothing
costs minutes, one that is not due and should be costs the truth.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

OUTER = ("apis", "checks", "cli", "components", "explain", "reference")
"""Folders of platform_def of which a module reads only what it, or a component that it names, imports."""
INNER = ("checks", "cli", "explain", "reference")
"""Those of them that shape no object of a stack; a module that imports one may execute any code."""
RENDERING = ("pipeline.synth", "pipeline.files", "pipeline.load", "manifests.rendered")
"""Modules through which tests get rendered objects, which are hashed in their place."""
COMPONENTS = "components.catalogue"
"""The module that finds components, with any code of theirs, by their names."""
APIS = "crds.catalogue"
"""The one that finds types of APIs so."""
NOTED = "noted"
"""The decorator of functions that are known by what they give."""
RENDERERS = frozenset({"render", "rendered_stack", "only_stack"})
"""Names that a file imports which renders stacks of its own."""
UNREAD = ("tests/cluster/tools.py", "tests/cluster/ledger", "tests/proofs", "tests/renders")
"""Not hashed: how programs are obtained is part of the key of each program, stacks are hashed as rendered, and the ledger is
written of what is hashed."""
ALL_STACKS = frozenset({"manifests", "known_crds", "DIST", "COVERAGE", "dist_stacks", "coverage_stacks", "stack_names"})
"""Fixtures of a test, and names that its files import, by which it gets every stack of the repository."""
LOCKS = ("run", "dev", "cluster", "envoy")
"""Lock files of what is installed for every module; another is read where it is named."""
SHARED = ("conftest.py", "stacks.py")
"""Files that every module imports: that they name all stacks says nothing of one module."""
_WORD = re.compile(r"[a-z0-9][a-z0-9.-]*[a-z0-9]")
_API = re.compile(r"[a-z0-9_]+")
_STACK = re.compile(r"(?:dist|coverage)/[a-z0-9-]+")


@dataclass(frozen=True)
class Known:
    """What a module of the tests had the code make, and what therefore is hashed by what came out, elsewhere."""

    rendered: bool = False
    """All stacks that it renders itself."""
    asked: bool = False
    """All that functions gave it which are `noted`."""


NOTHING = Known()


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
        self._sources = cache(self._sources_of)
        self._file_of = cache(self._test_file)
        self._code_file = cache(self._file_of_code)
        self._inside = cache(self._imports_of_code)
        self._beside = cache(self._data_of_code)

    def hash_of(self, module: Path, *, stacks: bool = True, made: Known = NOTHING) -> str:
        """The hash of what a module reads; without stacks for one that is proven stack by stack."""
        digest = hashlib.sha256()
        for label, value in self.read_by(module, made=made):
            if not stacks and label.startswith("stack "):
                continue
            digest.update(f"{label}={value}\n".encode())
        return digest.hexdigest()[:20]

    def read_by(self, module: Path, *, made: Known = NOTHING) -> Iterator[tuple[str, str]]:
        """What the module reads, each with its hash, always in the same order; `made` is hashed elsewhere."""
        sources, anything = self._sources(module), made != NOTHING
        ran = self._without_noted(module) if anything else sources
        imports = {name for each in ran.values() for name in each.imports}
        words = {word for each in sources.values() for word in each.words}
        every = any(ALL_STACKS & each.names for file, each in ran.items() if file.name not in SHARED)
        code, certain = self._executed(ran)
        certain = certain and (made.rendered or not self.renders(module, through_noted=not anything))
        named = set() if certain and (anything or every) else words
        for path in (
            *sorted(sources),
            *self._data(sources),
            *(sorted(code) if certain else self._core),
            *self._imported(imports, named),
        ):
            yield self._name(path), self.hashed(path)
        yield from ((f"program {name}", self._pins[name]) for name in sorted(self._pins.keys() & words))
        for name, value in sorted(self._stacks.items()):
            if every or any(
                name in each.stacks or name.removeprefix("dist/") in each.texts for each in sources.values()
            ):
                yield f"stack {name}", value

    def renders(self, module: Path, *, through_noted: bool = True) -> bool:
        """Whether the module, or what it imports, renders stacks of its own."""
        files = self._closure([module], through_shared=False, through_noted=through_noted)
        return any(RENDERERS & self._source(file).names for file in files if file.name not in SHARED)

    def golden_files(self, module: Path) -> list[Path]:
        """Where it is seen in this repository that objects of components which the module names have changed."""
        words = {word for each in self._sources(module).values() for word in each.words}
        folders = self.components(words)
        files = [self._root / "tests" / "components" / folder.name / "golden.yaml" for folder in folders]
        return [file for file in files if file.is_file()]

    def components(self, words: Collection[str]) -> list[Path]:
        """The folders of components that are among some words."""
        return [folder for name, folder in self._components.items() if name in words]

    def _sources_of(self, module: Path) -> Mapping[Path, Source]:
        return {file: self._source(file) for file in self._closure([module, *self._conftests(module)])}

    def _without_noted(self, module: Path) -> Mapping[Path, Source]:
        """The same without files of which only functions are imported that are known by what they give."""
        files = self._closure([module, *self._conftests(module)], through_noted=False)
        return {file: self._source(file) for file in files}

    def _executed(self, sources: Mapping[Path, Source]) -> tuple[set[Path], bool]:
        """Files of platform_def that tests import, directly or not, with their data, and all types of APIs where they find
        these by name; and whether that is all that they may execute."""
        found: set[Path] = set()
        certain = not any("platform_def" in each.texts for each in sources.values())
        todo = []
        for file in sources:
            names = self._inside(file)
            if file.name not in SHARED:
                certain = certain and COMPONENTS not in names
                found |= {self._code / "apis", self._code / "crds"} if APIS in names else set()
            todo += names
        while todo:
            name = todo.pop()
            path = self._code_file(name)
            if path is None or path in found or name in (*RENDERING, COMPONENTS, APIS):
                continue
            found |= {path, *self._beside(path)}
            certain = certain and name.partition(".")[0] not in INNER
            todo += [*self._inside(path), *(".".join(name.split(".")[:end]) for end in range(1, name.count(".") + 1))]
        return found, certain

    def _file_of_code(self, name: str) -> Path | None:
        """The file of a module of platform_def, but for APIs and what one component has, which are hashed whole."""
        if name.partition(".")[0] == "apis":
            return None
        base = self._code / name.replace(".", "/")
        file = next((each for each in (base.with_suffix(".py"), base / "__init__.py") if each.is_file()), None)
        return None if file and self._owner(file) else file

    def _imports_of_code(self, file: Path) -> list[str]:
        """Modules of platform_def that a file imports, and names that may be modules, without that prefix."""
        found = self._source(file).imports
        return [name.removeprefix("platform_def.") for name in found if name.startswith("platform_def.")]

    def _data_of_code(self, file: Path) -> list[Path]:
        """Data files next to a file of code that it names."""
        return [each for each in self._named(file) if each.is_file() and each.suffix != ".py"]

    def _name(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()

    def _conftests(self, module: Path) -> list[Path]:
        above = [folder for folder in module.parents if folder.is_relative_to(self._root)]
        return [file for folder in above if (file := folder / "conftest.py").is_file()]

    def _closure(self, files: Iterable[Path], *, through_shared: bool = True, through_noted: bool = True) -> set[Path]:
        """The files of tests that these import, directly or not; what every module imports can be left out, and what is
        imported for functions alone that are noted."""
        found: set[Path] = set()
        todo = list(files)
        while todo:
            file = todo.pop()
            if file not in found and not self._name(file).startswith(UNREAD):
                found.add(file)
                imports = self._source(file).imports if through_shared or file.name not in SHARED else frozenset()
                others = ((name, other) for name in imports if (other := self._file_of(name)))
                todo += [other for name, other in others if through_noted or not self._only_noted(name, other, imports)]
        return found

    def _only_noted(self, name: str, file: Path, imports: frozenset[str]) -> bool:
        """Whether of the module `name` in that file only functions are imported that are noted."""
        wanted = {each.removeprefix(f"{name}.") for each in imports if each.startswith(f"{name}.")}
        return bool(wanted) and wanted <= self._source(file).noted

    def _test_file(self, name: str) -> Path | None:
        """The file of a module that is none of platform_def's."""
        base = self._root / name.replace(".", "/")
        files = (base.with_name(f"{base.name}.py"), base / "__init__.py")
        return None if name.startswith("platform_def") else next((each for each in files if each.is_file()), None)

    def _data(self, sources: Mapping[Path, Source]) -> list[Path]:
        """Files and folders next to a file of code that it names, pages, and lock files of what is installed."""
        named = {path for file in sources for path in self._named(file)}
        texts = {text for file in sources for text in self._source(file).texts}
        locks = [
            each for each in (self._root / "requirements").glob("*.txt") if {each.stem, each.name} & {*LOCKS, *texts}
        ]
        return sorted({*named, *locks} - sources.keys())

    def _named_in(self, file: Path) -> list[Path]:
        texts = (text for text in self._source(file).texts if 2 < len(text) < 100 and text.isprintable())
        found = [file.parent / text for text in texts if not text.startswith(("/", "."))]
        pages = [page for text in self._source(file).texts for page in self._pages.get(text, ())]
        return [path for path in (*found, *pages) if path.exists() and not self._unread(self._name(path))]

    def _unread(self, name: str) -> bool:
        """Whether that is not hashed, or holds what is not."""
        return name.startswith(UNREAD) or any(each.startswith(f"{name}/") for each in UNREAD)

    @cached_property
    def _pages(self) -> Mapping[str, list[Path]]:
        """Pages of docs/ by the names of their files."""
        found: dict[str, list[Path]] = {}
        for file in sorted((self._root / "docs").rglob("*.md")):
            found.setdefault(file.name, []).append(file)
        return found

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
    stacks: frozenset[str]
    """Stacks that the texts name, as `dist/NAME` or `coverage/NAME`."""
    names: frozenset[str]
    """What is imported, and in a module of tests what its functions are given."""
    noted: frozenset[str]
    """Functions that are known by what they give."""

    @classmethod
    def of(cls, file: Path) -> Source:
        """The file read."""
        imports, texts, names, noted = set(), set(), set(), set()
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
            elif isinstance(node, ast.FunctionDef) and any(
                isinstance(each, ast.Name) and each.id == NOTED for each in node.decorator_list
            ):
                noted.add(node.name)
        words = {word for text in texts for word in _WORD.findall(text)}
        stacks = {name for text in texts for name in _STACK.findall(text)}
        return cls(*map(frozenset, (imports, texts, words, stacks, names, noted)))


def content(path: Path) -> str:
    """The hash of a file, or of all files of a folder with their names."""
    digest = hashlib.sha256()
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    for file in files:
        if file.suffix != ".pyc":
            content = file.read_bytes()
            digest.update(b"%s\0%d\0%s" % (file.relative_to(path.parent).as_posix().encode(), len(content), content))
    return digest.hexdigest()[:20]
