"""`make freshness`, without a network: where each version is asked for, what is read of an answer, and the table."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path
from typing import cast
from unittest.mock import patch

import pytest

from maintenance.freshness import Offered, offered, row, tables
from maintenance.sources import TABLE, Source, UnansweredError, ask, components, of_go, of_npm, of_pypi, versions_in
from platform_def.components.catalogue import BUILT_IN
from platform_def.yaml import load
from tests.acceptance.repository import PROJECT

INDEX = """\
apiVersion: v1
entries:
  base:
  - apiVersion: v2
    appVersion: 9.9.9
  hami:
  - annotations:
      note: "appVersion: 7.0.0"
    appVersion: 2.10.0
    version: 1.0.0
  - appVersion: "2.9.1"
  - appVersion: v2.11.0-rc.1
  hami-webui:
  - appVersion: 8.0.0
generated: "2026-11-01T00:00:00Z"
"""


def said(stdout: str, *, code: int = 0, stderr: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess([], code, stdout, stderr)


def test_sources_are_modules_charts_of_an_index_or_a_reason() -> None:
    table = components()

    assert all(len(said) == 1 for said in cast("dict[str, dict[str, str]]", load(TABLE.read_text())).values())
    assert {*table} <= {*BUILT_IN}
    assert {source.kind for source in table.values()} == {"go", "helm", "none", "pypi"}
    assert all(re.fullmatch(r"https://\S+ \S+", source.name) for source in table.values() if source.kind == "helm")
    assert all(re.fullmatch(r"\S+\.\S+/\S+", source.name) for source in table.values() if source.kind == "go")


def test_the_pins_of_the_tool_are_asked_for_too() -> None:
    kinds = {each.name: each.source.kind for each in offered()}

    assert (kinds["cdk8s"], kinds["cdk8s-cli"], kinds["flux"]) == ("pypi", "npm", "go")


def test_a_component_of_which_nothing_is_stated_is_listed_as_such() -> None:
    with patch("maintenance.freshness.components", return_value={}):
        [flux] = [each for each in offered() if each.name == "flux"]

    with pytest.raises(UnansweredError, match="does not name it"):
        ask(flux.source)


def test_versions_are_read_from_what_each_client_says() -> None:
    with patch("subprocess.run", return_value=said("sigs.k8s.io/kueue v0.9.0 v0.19.2 v0.20.0-rc.1\n")) as run:
        assert of_go("sigs.k8s.io/kueue") == ["v0.9.0", "v0.19.2", "v0.20.0-rc.1"]
        assert run.call_args.args[0] == ["go", "list", "-m", "-versions", "sigs.k8s.io/kueue"]
        assert ask(Source("go", "sigs.k8s.io/kueue")) == ["0.9.0", "0.19.2"]
    with patch("subprocess.run", return_value=said("cdk8s (2.70.2)\nAvailable versions: 2.70.2, 2.70.1\n")):
        assert of_pypi("cdk8s") == ["2.70.2", "2.70.1"]
    with patch("subprocess.run", return_value=said('["1.0.0", "1.1.0"]')):
        assert of_npm("cdk8s-cli") == ["1.0.0", "1.1.0"]
    with patch("subprocess.run", return_value=said('"1.0.0"')):
        assert of_npm("cdk8s-cli") == ["1.0.0"]
    assert versions_in(INDEX, "hami") == ["2.10.0", "2.9.1", "v2.11.0-rc.1"]
    assert versions_in(INDEX, "absent") == []


def test_a_client_that_fails_is_quoted() -> None:
    refused = said("", code=1, stderr="go: module x: 403 Forbidden\n\tnot available\n")
    with patch("subprocess.run", return_value=refused), pytest.raises(UnansweredError, match="not available"):
        ask(Source("go", "x"))
    with (
        patch("subprocess.run", side_effect=FileNotFoundError),
        pytest.raises(UnansweredError, match="npm is not installed"),
    ):
        ask(Source("npm", "x"))
    with (
        patch("subprocess.run", side_effect=subprocess.TimeoutExpired("go", 60)),
        pytest.raises(UnansweredError, match="no answer"),
    ):
        ask(Source("go", "x"))
    with (
        patch("subprocess.run", return_value=said("x v1.0.0-rc.1")),
        pytest.raises(UnansweredError, match="no stable version"),
    ):
        ask(Source("go", "x"))


def test_what_is_newer_than_the_default_is_marked() -> None:
    thing = Offered("flux", ("2.9.5", "2.10.0"), Source("go", "flux2"))

    assert row(thing, ["2.9.4", "2.9.6", "2.10.1"]) == ("flux", "2.9.5, 2.10.0", "→ 2.10.1", "→ 2.9.6", "go flux2")
    assert row(thing, ["2.9.4", "2.9.5"]) == ("flux", "2.9.5, 2.10.0", "2.9.5", "2.9.5", "go flux2")
    assert row(thing, ["2.8.0"])[2:4] == ("2.8.0", "none")
    assert row(Offered("dcgm", ("4.6.0-4.8.3",), thing.source), ["4.6.0"])[2] == "4.6.0"


def test_what_does_not_answer_is_listed_with_the_reason() -> None:
    def question(source: Source) -> list[str]:
        if source.kind == "none":
            raise UnansweredError(source.name)
        return ["2.9.5"]

    things = [
        Offered("flux", ("2.9.5",), Source("go", "flux2")),
        Offered("mysql", ("8.4.10",), Source("none", "no index")),
    ]

    assert [*tables(things, question)] == [
        "name  offered  newest  newest of its line  asked of",
        "flux  2.9.5    2.9.5   2.9.5               go flux2",
        "",
        "not told:",
        "  mysql 8.4.10: no index",
    ]


def test_the_tool_imports_nothing_of_it() -> None:
    for path in (PROJECT / "platform_def").rglob("*.py"):
        names = {
            each.module or ""
            for each in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(each, ast.ImportFrom)
        }

        assert not any(name.split(".")[0] == "maintenance" for name in names), path
    assert Path(PROJECT / "maintenance").is_dir()
