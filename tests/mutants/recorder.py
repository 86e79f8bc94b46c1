"""A plugin of pytest (`-p tests.mutants.recorder`) that writes down which test executes which line, and how long it computes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

OUT = "MUTANTS_OUT"
"""Variable of the environment: the file that is written."""
FOLDERS = "MUTANTS_FOLDERS"
"""Folders of the code that counts."""


def pytest_configure(config: pytest.Config) -> None:
    """Before anything of the project is imported."""
    config.pluginmanager.register(Recorder(os.environ[FOLDERS].split()))


class Recorder:
    """Each test is a context of its own, with what its fixtures do."""

    def __init__(self, folders: list[str]):
        self.coverage = coverage.Coverage(data_file=None, include=[f"{folder}/*" for folder in folders])
        self.seconds: dict[str, float] = {}
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """One test, with setup and teardown."""
        self.coverage.switch_context(item.nodeid)
        began = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.process_time() - began
            self.coverage.switch_context("")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write what was found."""
        self.coverage.stop()
        data = self.coverage.get_data()
        lines = {
            Path(file).relative_to(session.config.rootpath).as_posix(): {
                line: [test for test in tests if test] for line, tests in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        Path(os.environ[OUT]).write_text(json.dumps({"lines": lines, "seconds": self.seconds}), encoding="utf-8")
