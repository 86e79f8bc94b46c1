"""How far a changed file reaches: which files of tests may notice it, by imports and by names. A doubt counts as yes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from tests.choice.repository import Repository

EVERYTHING = (
    "pyproject.toml",
    "requirements/",
    "package.json",
    "package-lock.json",
    "tests/conftest.py",
    "tests/renders/",
)
"""What shapes all tests."""
OTHER_LANES = ("tests/cluster/", "benchmarks/", "maintenance/", "tests/mutants/", "tests/proofs/", "tests/choice/")
"""Code that tests reach by imports and names alone, and that none may reach."""


_OTHERWISE = ("tests/cluster/", "tests/components/", "tests/coverage/")
"""Data that is not searched for names: its tests are chosen by the folder, or by the stack."""


@dataclass(frozen=True)
class Reach:
    """What may notice a change."""

    everything: str = ""
    """Why all tests run; empty where they need not."""
    tests: Set[str] = field(default_factory=frozenset)
    """Files of which all tests run."""
    parts: Set[str] = field(default_factory=frozenset)
    """Files that look at all components or stacks: the tests of others than `about` need not run."""
    about: Set[str] = field(default_factory=frozenset)
    """Components, and stacks as `stacks/NAME` and `coverage/NAME`."""


class Reaches:
    """Answers for the files of one repository."""

    def __init__(self, repository: Repository):
        self._repository = repository
        self.of = cache(self._of)

    def _of(self, path: str) -> Reach:
        parts = path.split("/")
        if path.startswith(EVERYTHING):
            return Reach(everything=f"{path} shapes all tests")
        if parts[-1] == "conftest.py":
            folder = path.removesuffix("conftest.py")
            return Reach(
                tests={each for each in self._repository.tests if each.startswith(folder)} | self._importing(path)
            )
        if parts[0] == "platform_def":
            return self._of_code(path)
        if path.endswith(".py"):
            return self._of_tests(path)
        if path.startswith("tests/components/") and (name := self._component_tested(parts[2])):
            beside = {each for each in self._repository.tests if each.startswith(f"tests/components/{parts[2]}/")}
            naming = self._naming(path, folders=False)
            partly = {each for each in naming if self._repository.looks_at_all(each)} - beside
            return Reach(tests=beside | naming - partly, parts=partly, about={name})
        for place, folder in (("stacks", "stacks/"), ("coverage", "tests/coverage/stacks/")):
            if path.startswith(folder) and f"{place}/{parts[-1].removesuffix('.yaml')}" in self._repository.stacks:
                return self._of_stack(f"{place}/{parts[-1].removesuffix('.yaml')}", path)
        return self._of_data(path)

    def _of_tests(self, path: str) -> Reach:
        found = self._importing(path) | self._naming(path, folders=False)
        if not found and not path.startswith(OTHER_LANES):
            return Reach(everything=f"{path} is read by no test that is known")
        return Reach(tests=found)

    def _of_code(self, path: str) -> Reach:
        parts = path.split("/")
        if parts[1] == "components":
            for name, folder in self._repository.components.items():
                if path.startswith(f"{folder}/"):
                    return self._about(name, self._importing(path))
            if len(parts) > 4:
                return self._removed(parts[3].replace("_", "-"), path)
            return Reach(tests=self._importing(path) | self._finding())
        if parts[1] == "apis" and len(parts) > 3 and parts[2] != "core":
            return self._of_api(parts[2], path)
        if parts[1] == "apis":
            return Reach(tests=self._importing(path) | self._finding())
        if parts[1] == "checks":
            # Rules are found by an index: whatever checks anything may execute each.
            return Reach(tests={each for each in self._repository.tests if self._checks(each)} | self._naming(path))
        if path.endswith(".py"):
            return Reach(tests=self._importing(path))
        return self._of_data_of_code(path)

    def _removed(self, name: str, path: str) -> Reach:
        return Reach(everything=f"{path} is of a component that is not there: {name}")

    def _about(self, component: str, tests: Iterable[str]) -> Reach:
        """Tests of a component, and those that name it or a stack that has it."""
        repository = self._repository
        if component in self._always:
            return Reach(tests={*tests} | self._finding())
        stacks = repository.stacks_with(component)
        named = {component, component.replace("-", "_"), *stacks}
        bare = {each.removeprefix("stacks/") for each in stacks if each.startswith("stacks/")}
        found, partly = {*tests} | self._data_naming(component), set[str]()
        for test in self._finding():
            texts = repository.texts(test)
            if not named.isdisjoint(repository.words(test)) or not (named | bare).isdisjoint(texts):
                found.add(test)
            elif repository.looks_at_all(test):
                partly.add(test)
        partly |= {each for each in found if repository.looks_at_all(each) and each not in tests}
        return Reach(tests=found - partly, parts=partly, about={component, *stacks})

    def _data_naming(self, component: str) -> set[str]:
        """Tests that name a data file of tests in which the component is named."""
        found: set[str] = set()
        for file in (self._repository.root / "tests").rglob("*.yaml"):
            path = self._name(file)
            if not path.startswith(_OTHERWISE) and re.search(
                rf"(?<![\w-]){component}(?![\w-])", file.read_text("utf-8")
            ):
                found |= self._naming(path, folders=False)
        return found

    @property
    def _always(self) -> Set[str]:
        """Components that stacks have without naming them."""
        file = self._repository.root / "platform_def" / "components" / "catalogue.py"
        return self._repository.source("platform_def/components/catalogue.py").words if file.exists() else frozenset()

    def _of_api(self, group: str, path: str) -> Reach:
        """Of an API: what imports or names it, and what is about components that name it."""
        found = self._importing(path) | {
            each for each in self._repository.tests if group in self._repository.words(each)
        }
        return joined([Reach(tests=found), *(self._about(name, ()) for name in self._components_naming(group))])

    def _components_naming(self, group: str) -> list[str]:
        return [
            name
            for name, folder in self._repository.components.items()
            if any(group in file.read_text(encoding="utf-8") for file in _files(self._repository.root / folder))
        ]

    def _of_stack(self, stack: str, path: str) -> Reach:
        name, repository = stack.rpartition("/")[2], self._repository
        whole = {each for each in repository.tests if {name, stack, f"dist/{name}", path} & repository.texts(each)}
        whole |= {each for each in repository.tests if repository.scans(each)}
        partly = {each for each in repository.tests if repository.looks_at_all(each)} - whole
        return Reach(tests=whole, parts=partly, about={stack})

    def _of_data_of_code(self, path: str) -> Reach:
        """Of a data file in platform_def: what imports the code that names it."""
        names = _names(path, folders=True)
        readers = [
            self._name(each)
            for each in (self._repository.root / "platform_def").rglob("*.py")
            if "apis" not in each.parts and not names.isdisjoint(self._repository.source(self._name(each)).texts)
        ]
        found = set().union(*(self._importing(each) for each in readers)) | self._naming(path)
        return Reach(tests=found) if readers else Reach(everything=f"{path} is read by no code that is known")

    def _of_data(self, path: str) -> Reach:
        found = self._naming(path)
        return Reach(tests=found) if found else Reach(everything=f"{path} is read by no test that is known")

    def _importing(self, path: str) -> set[str]:
        return {each for each in self._repository.tests if self._repository.reaches(each, (path,))}

    def _finding(self) -> set[str]:
        return {each for each in self._repository.tests if self._repository.finds_by_name(each)}

    def _checks(self, test: str) -> bool:
        return any(each.startswith("platform_def/checks/") for each in self._repository.closure(test))

    def _naming(self, path: str, *, folders: bool = True) -> set[str]:
        """Tests with a text that names a file, a folder that it is in, or a pattern of its name."""
        repository, names = self._repository, _names(path, folders=folders)
        named = {each for each in repository.tests if not names.isdisjoint(repository.texts(each))}
        return named | {each for each in repository.tests if self._lists(path, each)}

    def _lists(self, path: str, test: str) -> bool:
        """Whether a test, or a helper of it, has a pattern for files that lie where it does."""
        file, repository = Path(path), self._repository
        return any(
            fnmatch(file.name, text.rpartition("/")[2])
            for each in repository.helpers(test)
            if file.is_relative_to(Path(each).parent)
            for text in repository.source(each).texts
            if "*" in text and len(text) < 40
        )

    def _name(self, path: Path) -> str:
        return path.relative_to(self._repository.root).as_posix()

    def _component_tested(self, folder: str) -> str:
        name = folder.replace("_", "-")
        return name if name in self._repository.components else ""


def joined(reaches: Iterable[Reach]) -> Reach:
    """What may notice any of several changes."""
    found = [*reaches]
    tests = frozenset[str]().union(*(each.tests for each in found))
    return Reach(
        everything=next((each.everything for each in found if each.everything), ""),
        tests=tests,
        parts=frozenset[str]().union(*(each.parts for each in found)) - tests,
        about=frozenset[str]().union(*(each.about for each in found)),
    )


def _files(folder: Path) -> list[Path]:
    return [*folder.rglob("*.py"), *folder.glob("*.yaml")]


def _names(path: str, *, folders: bool) -> set[str]:
    """Texts that name a file, or a folder that it is in."""
    file = Path(path)
    return {path, file.name, file.stem, *(file.parts[:-1] if folders else ())} - {"platform_def", "tests"}
