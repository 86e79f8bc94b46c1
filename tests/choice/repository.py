"""What each file of tests may execute and read, found in the code: modules that it imports, directly or not, and names in texts."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path

from tests.proofs.inputs import Source

OWN = ("platform_def.", "tests.", "maintenance.", "benchmarks.")
DYNAMIC = ("platform_def/components/catalogue.py", "platform_def/crds/catalogue.py")
"""Modules that find components and APIs by their names, so that no import says which."""
ALL = frozenset({"BUILT_IN", "names_of", "ROOTS", "Store", "PROJECT", "REPOSITORY"})
"""Names by which a test, or what it imports, reaches all components, or all stacks, of this repository."""
FINDING = "catalogue"
"""Imported by a test it reaches them too; helpers look up by it what they are asked for."""
KEPT = "build/choice/sources.pickle"
"""What was found in files, by their content."""


class Repository:
    """Files of a repository that stay as they are meanwhile; all paths are texts, from its root."""

    def __init__(self, root: Path):
        self.root = root
        self._used: dict[str, Source] = {}
        self.source = cache(self._source_of)
        self.closure = cache(self._closure_of)
        self.words = cache(self._words_of)
        self.texts = cache(self._texts_of)

    @cached_property
    def tests(self) -> list[str]:
        """The files of tests that `make test` runs."""
        files = sorted((self.root / "tests").rglob("test_*.py"))
        return [name for file in files if not (name := self._name(file)).startswith("tests/cluster/")]

    @cached_property
    def components(self) -> Mapping[str, str]:
        """The folder of each component by its name."""
        found = sorted((self.root / "platform_def" / "components").glob("*/*/component.py"))
        return {file.parent.name.replace("_", "-"): self._name(file.parent) for file in found}

    @cached_property
    def stacks(self) -> Mapping[str, frozenset[str]]:
        """The words of each stack file with those of its bases, by `stacks/NAME` and `coverage/NAME`."""
        found = {}
        for place, root in (("stacks", self.root), ("coverage", self.root / "tests" / "coverage")):
            for file in sorted((root / "stacks").glob("*.yaml")):
                bases = [each for each in (root / "stacks").rglob("*.yaml") if each.parent != file.parent]
                words = self._words_in(file).union(*(self._words_in(each) for each in bases))
                found[f"{place}/{file.stem}"] = words
        return found

    def stacks_with(self, component: str) -> set[str]:
        """The stacks that name a component."""
        return {name for name, words in self.stacks.items() if component in words}

    def reaches(self, test: str, paths: Iterable[str]) -> bool:
        """Whether the test imports one of these, directly or not."""
        return not self.closure(test).isdisjoint(paths)

    def finds_by_name(self, test: str) -> bool:
        """Whether what the test executes finds components or APIs by their names."""
        return self.reaches(test, DYNAMIC)

    def looks_at_all(self, test: str) -> bool:
        """Whether the test, or a helper of it, reaches all components or stacks."""
        names = (self.source(each).names for each in self.helpers(test) if not each.endswith("conftest.py"))
        return FINDING in self.source(test).names or any(ALL & each for each in names)

    def scans(self, test: str) -> bool:
        """Whether the test itself reads files of the repository wherever they are."""
        return not {"platform_def", "ls-files"}.isdisjoint(self.source(test).texts)

    def helpers(self, test: str) -> list[str]:
        """The test, and what it imports beside the code of platform_def."""
        return [each for each in self.closure(test) if each.startswith(("tests/", "maintenance/", "benchmarks/"))]

    def _texts_of(self, test: str) -> frozenset[str]:
        """The texts of a test and of its helpers."""
        return frozenset().union(*(self.source(each).texts for each in self.helpers(test)))

    def _words_of(self, test: str) -> frozenset[str]:
        """The words of these texts, and the parts of its path."""
        parts = {part.removesuffix(".py").removeprefix("test_").replace("_", "-") for part in Path(test).parts}
        return frozenset(parts).union(*(self.source(each).words for each in self.helpers(test)))

    def _words_in(self, file: Path) -> frozenset[str]:
        return frozenset(
            file.read_text(encoding="utf-8").replace(":", " ").replace(",", " ").translate(_BRACKETS).split()
        )

    def _closure_of(self, test: str) -> frozenset[str]:
        """The test and the files of this repository that it imports; of APIs those alone that are named there."""
        found: set[str] = set()
        above = [parent / "conftest.py" for parent in Path(test).parents]
        todo = [test, *(each.as_posix() for each in above if (self.root / each).is_file())]
        while todo:
            file = todo.pop()
            if file in found:
                continue
            found.add(file)
            if not file.startswith("platform_def/apis/"):
                todo += self._imports(file)
        return frozenset(found)

    @cached_property
    def _imports(self) -> _Imports:
        return _Imports(self)

    def _source_of(self, path: str) -> Source:
        key = hashlib.sha256((self.root / path).read_bytes()).hexdigest()
        if key not in self._known:
            self._known[key] = Source.of(self.root / path)
        self._used[key] = self._known[key]
        return self._known[key]

    @cached_property
    def _known(self) -> dict[str, Source]:
        with suppress(OSError, EOFError, AttributeError, TypeError, pickle.UnpicklingError):
            known: dict[str, Source] = pickle.loads((self.root / KEPT).read_bytes())  # written here
            return known
        return {}

    def keep(self) -> None:
        """Spare the next run to read the files that stay as they are."""
        (self.root / KEPT).parent.mkdir(parents=True, exist_ok=True)
        (self.root / KEPT).write_bytes(pickle.dumps(self._used))

    def _name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()


class _Imports:
    """The files that a file imports, and the packages that are above these."""

    def __init__(self, repository: Repository):
        self._repository = repository
        self._of = cache(self._found)
        self._file = cache(self._file_of)

    def __call__(self, path: str) -> list[str]:
        return self._of(path)

    def _found(self, path: str) -> list[str]:
        names = [name for name in self._repository.source(path).imports if name.startswith(OWN)]
        prefixes = {name[:end] for name in names for end in (*_dots(name), len(name))}
        return [file for prefix in prefixes if (file := self._file(prefix))]

    def _file_of(self, name: str) -> str:
        base = name.replace(".", "/")
        found = (each for each in (f"{base}.py", f"{base}/__init__.py") if (self._repository.root / each).is_file())
        return next(found, "")


def _dots(name: str) -> list[int]:
    return [place for place, letter in enumerate(name) if letter == "."]


_BRACKETS = str.maketrans("{}[]", "    ")
