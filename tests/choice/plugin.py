"""A plugin of pytest (`-p tests.choice.plugin`) that runs what `python -m tests.choice` chose last."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.choice.chosen import Choice


def pytest_configure(config: pytest.Config) -> None:
    """All processes read the same choice."""
    config.pluginmanager.register(Chosen(Choice.read(config.rootpath), config.rootpath))


class Chosen:
    """Leaves files of tests, and of those that look at all components or stacks the tests of others."""

    def __init__(self, choice: Choice, root: Path):
        self._choice, self._root = choice, root
        self._files = {*choice.tests, *choice.parts}
        self._about, self._others = {*choice.about}, {*choice.others}

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Files that nothing of was chosen are not even imported."""
        if self._choice.everything or not collection_path.name.startswith("test_"):
            return None
        return None if collection_path.relative_to(self._root).as_posix() in self._files else True

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Of a file that looks at all, a test that is about another component or stack is left."""
        if self._choice.everything:
            return
        left = [item for item in items if self._of_another(item)]
        items[:] = [item for item in items if item not in left]
        config.hook.pytest_deselected(items=left)

    def _of_another(self, item: pytest.Item) -> bool:
        if item.path.relative_to(self._root).as_posix() not in self._choice.parts:
            return False
        values = {*_texts(item)}
        return bool(values & self._others) and not values & self._about


def _texts(item: pytest.Item) -> Iterator[str]:
    """The parameters of a test that are texts."""
    parameters = getattr(item, "callspec", None)
    for value in parameters.params.values() if parameters else ():
        if isinstance(value, str):
            yield value
